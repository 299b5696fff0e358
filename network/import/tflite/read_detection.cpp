// The custom operator that detectors end with.
#include <flatbuffers/flexbuffers.h>

#include "network/import/tflite/readers.hpp"

namespace tessera {
namespace {

std::int32_t whole(const flexbuffers::Map& options, const char* name, std::int32_t fallback) {
  const flexbuffers::Reference value = options[name];
  return value.IsNull() ? fallback : value.AsInt32();
}

// Each of its four outputs is an operator of ours.
void read_detection(TfliteGraph& graph, const tflite::Operator& source, const Operator& op,
                    const std::vector<std::int32_t>& outputs) {
  const std::vector<std::uint8_t> bytes = values_of(source.custom_options());
  std::vector<std::uint8_t> reuse;
  graph.require(bytes.size() >= 3 &&
                    flexbuffers::VerifyBuffer(bytes.data(), bytes.size(), &reuse) &&
                    flexbuffers::GetRoot(bytes.data(), bytes.size()).IsMap(),
                "its options are missing or damaged");
  const flexbuffers::Map options = flexbuffers::GetRoot(bytes.data(), bytes.size()).AsMap();
  graph.require(outputs.size() == 4 && op.inputs.size() == 3,
                "needs three inputs and four outputs");
  const std::int32_t most = whole(options, "max_detections", 0);
  const std::int32_t classes = whole(options, "num_classes", 0);
  const std::int32_t per_box = whole(options, "max_classes_per_detection", 1);
  graph.require(most >= 1 && most <= 65536 && classes >= 1 && per_box >= 1 && per_box <= 65536,
                "max_detections, num_classes and max_classes_per_detection must be positive");
  HostOperator host;
  host.kind = HostKind::DetectionPostProcess;
  host.integers = {
      0,
      most,
      std::min(per_box, classes),
      !options["use_regular_nms"].IsNull() && options["use_regular_nms"].AsBool() ? 1 : 0,
      whole(options, "detections_per_class", 100),
      classes};
  for (const char* name :
       {"nms_score_threshold", "nms_iou_threshold", "y_scale", "x_scale", "h_scale", "w_scale"}) {
    host.numbers.push_back(options[name].AsFloat());
  }
  const std::int32_t results = most * host.integers[2];
  for (std::int32_t part = 0; part < 4; ++part) {
    host.integers[0] = part;
    const std::int32_t output = outputs[static_cast<std::size_t>(part)];
    graph.set_shape(output, part == 0   ? std::vector<std::int32_t>{1, results, 4}
                            : part == 3 ? std::vector<std::int32_t>{1}
                                        : std::vector<std::int32_t>{1, results});
    graph.add(host, op.inputs, output);
  }
}

}  // namespace

const TfliteKind& tflite_detection() {
  static const TfliteKind kind = {"TFLite_Detection_PostProcess", nullptr, TfliteInputs::All,
                                  read_detection};
  return kind;
}

}  // namespace tessera
