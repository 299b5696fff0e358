// How operators of one kind are read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "network/import/tflite/tflite_graph.hpp"

namespace tessera {

/// One operator of the model: as it stands there, and with its tensors in our order.
struct TfliteOperator {
  const tflite::Operator& source;
  const Operator& op;
};

/// What becomes of an operator's inputs.
enum class TfliteInputs : std::uint8_t {
  All,
  First,      ///< the attributes say what the others do
  Kernel,     ///< feature, weights, bias
  Transposed  ///< the output's shape, weights, feature, bias
};

using AttributesReader = Attributes (*)(const TfliteGraph& graph, const TfliteOperator& op);
/// For operators that become several.
using OperatorsReader = void (*)(TfliteGraph& graph, const tflite::Operator& source,
                                 const Operator& op, const std::vector<std::int32_t>& outputs);

struct TfliteKind {
  const char* name = "";
  AttributesReader attributes = nullptr;
  TfliteInputs inputs = TfliteInputs::All;
  OperatorsReader operators = nullptr;  ///< instead of `attributes`
};

/// By TensorFlow Lite's operator codes.
using TfliteKinds = std::map<std::int32_t, TfliteKind>;
TfliteKinds tflite_windows();    ///< convolutions, pools, fully connected layers
TfliteKinds tflite_moves();      ///< what moves values and leaves them as they are
TfliteKinds tflite_functions();  ///< of one or two values, and means
/// What takes several of our operators: blocks of space, packing, splitting.
TfliteKinds tflite_arrangements();
TfliteKinds tflite_host();  ///< what only the host has
const TfliteKind& tflite_detection();

/// Whether the operator became part of a dilated convolution (SpaceInBatches). Other readers of
/// such a batch get it computed.
bool read_in_batches(TfliteGraph& graph, const TfliteKind& kind, const Operator& op);

/// Whether the array's operators take the operator's first input: int8.
bool is_quantised(const TfliteGraph& graph, const Operator& op);
/// The function as a table of 256 outputs, computed in float as TensorFlow Lite's tables are.
Unary table_of(const TfliteGraph& graph, const Operator& op, float (*function)(float));
/// The same, but steps are cut in the place of rounded.
Unary cut_table_of(const TfliteGraph& graph, const Operator& op, float (*function)(float));
/// The same in whole numbers: functions of steps of the input, then of the output, and between them
/// gemmlowp's product with the scales' quotient.
Unary rescaled_table(const TfliteGraph& graph, const Operator& op,
                     const std::function<std::int32_t(std::int32_t)>& before,
                     const std::function<std::int32_t(std::int32_t)>& behind);

}  // namespace tessera
