// ONNX models of one to three operators between quantisers, made of the fuzzer's choices and broken
// in their structure: names, types, shapes, attributes. What is read must compile, and compute.
#include <limits>
#include <set>

#include "tests/fuzz/choices.hpp"
#include "tests/onnx/model_writer.hpp"

namespace {

using namespace tessera;
using Writer = test::ModelWriter;
using Dims = std::vector<std::int64_t>;

class Drawn {
 public:
  explicit Drawn(test::Choices& choices)
      : c_(choices), w_(1, static_cast<int>(5 + choices.below(22))) {
    shape_ = {1, extent(), extent(), extent()};
    if (c_.one_in(6)) {
      shape_.resize(1 + c_.below(5), 2);
    }
    const auto type = c_.flag() ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;
    w_.input("x", type, shape_);
    w_.scale("s", scale());
    w_.zero("z", c_.one_in(9) != (type == onnx::TensorProto::INT8), 7);
    w_.node("DequantizeLinear", {"x", "s", "z"}, {"v0"});
    names_ = {"x", "s", "z", "v0"};
    last_ = "v0";
    for (std::uint32_t i = 1 + c_.below(3); i > 0; --i) {
      add_operator();
      if (c_.flag()) {
        quantise();
      }
    }
    quantise();
    w_.output(c_.one_in(12) ? any() : last_, c_.one_in(9) ? onnx::TensorProto::FLOAT : type);
  }

  [[nodiscard]] std::vector<std::uint8_t> bytes() const { return w_.bytes(); }

 private:
  std::int64_t extent() { return 1 + c_.below(6); }
  float scale() {
    const float odd[] = {0.0F,
                         1e-39F,
                         1e-30F,
                         1e30F,
                         -0.1F,
                         1e-12F,
                         std::numeric_limits<float>::infinity(),
                         std::numeric_limits<float>::quiet_NaN()};
    return c_.one_in(12) ? odd[c_.below(8)] : 0.01F * static_cast<float>(1 + c_.below(9));
  }
  std::string any() { return names_[c_.below(static_cast<std::uint32_t>(names_.size()))]; }
  // Now and then another value than the one that is meant.
  std::string last() { return c_.one_in(24) ? any() : last_; }
  std::string fresh() {
    names_.push_back("v" + std::to_string(names_.size()));
    return names_.back();
  }

  void quantise() {
    const std::string scale_name = fresh();
    w_.scale(scale_name, scale());
    const std::string zero = fresh();
    w_.zero(zero, c_.flag(), static_cast<int>(c_.below(100)));
    const std::string q = fresh();
    w_.node("QuantizeLinear",
            c_.one_in(12) ? std::vector<std::string>{last(), scale_name}
                          : std::vector<std::string>{last(), scale_name, zero},
            {q});
    last_ = q;
    const std::string f = fresh();
    w_.node("DequantizeLinear", {q, c_.one_in(24) ? any() : scale_name, zero}, {f});
    last_ = f;
    // The quantised value itself is what an output is of.
    if (c_.flag()) {
      last_ = q;
    }
  }

  std::vector<Writer::Attribute> window() {
    std::vector<Writer::Attribute> result;
    const std::size_t axes = c_.one_in(12) ? c_.below(4) : 2;
    const auto list = [&](const char* name, std::uint32_t least, std::uint32_t most,
                          std::size_t count) {
      Dims values;
      for (std::size_t i = 0; i < count; ++i) {
        values.push_back(c_.one_in(40) ? -1 : least + c_.below(most - least + 1));
      }
      result.push_back(Writer::ints(name, values));
    };
    list("kernel_shape", 1, 3, axes);
    if (c_.flag()) {
      list("strides", 1, 3, axes);
    }
    if (c_.flag()) {
      list("pads", 0, 2, 2 * axes);
    }
    if (c_.one_in(4)) {
      list("dilations", 1, 3, axes);
    }
    if (c_.one_in(6)) {
      const char* rules[] = {"SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET", "WRONG"};
      result.push_back(Writer::text("auto_pad", rules[c_.below(5)]));
    }
    result.push_back(Writer::integer("ceil_mode", c_.below(2)));
    result.push_back(Writer::integer("count_include_pad", c_.below(2)));
    return result;
  }

  void add_operator() {
    const std::string in = last();
    const std::string out = c_.one_in(40) ? any() : fresh();
    const std::string help = fresh();
    const std::int64_t outputs = extent();
    const std::int64_t channels = shape_.size() > 1 ? shape_[1] : 1;
    switch (c_.below(14)) {
      case 0: {
        w_.quantised(help, {outputs, channels, 2, 2}, true, 0, c_.flag() ? 0 : -1, scale());
        w_.node("Conv", {in, help}, {out}, c_.flag() ? window() : std::vector<Writer::Attribute>{});
        break;
      }
      case 1:
        w_.quantised(help, {channels, outputs, 2, 2}, true, 0, c_.flag() ? 1 : -1, scale());
        w_.node("ConvTranspose", {in, help}, {out},
                c_.flag() ? window() : std::vector<Writer::Attribute>{});
        break;
      case 2:
        w_.node(c_.flag() ? "AveragePool" : "MaxPool", {in}, {out}, window());
        break;
      case 3:
        w_.node(c_.flag() ? "GlobalAveragePool" : "GlobalMaxPool", {in}, {out});
        break;
      case 4: {
        const char* rules[] = {"half_pixel",    "pytorch_half_pixel",   "asymmetric",
                               "align_corners", "half_pixel_symmetric", "tf_crop_and_resize"};
        const float factors[] = {0.5F, 1.0F, 1.5F, 2.3F, 0.01F, -1.0F};
        std::vector<float> scales(c_.one_in(9) ? c_.below(6) : 4, 1.0F);
        for (std::size_t i = 2; i < scales.size(); ++i) {
          scales[i] = factors[c_.below(6)];
        }
        w_.constant(help, onnx::TensorProto::FLOAT, {static_cast<std::int64_t>(scales.size())},
                    scales);
        w_.node("Resize", {in, "", help}, {out},
                {Writer::text("mode", c_.flag() ? "linear" : "nearest"),
                 Writer::text("coordinate_transformation_mode", rules[c_.below(6)])});
        break;
      }
      case 5:
        w_.numbers(help, {c_.flag() ? -1 : extent(), extent()});
        w_.node("Reshape", {in, help}, {out});
        break;
      case 6: {
        Dims order;
        for (std::size_t d = shape_.size(); d-- > 0;) {
          order.push_back(static_cast<std::int64_t>(c_.one_in(24) ? c_.below(6) : d));
        }
        w_.node("Transpose", {in}, {out}, {Writer::ints("perm", order)});
        break;
      }
      case 7: {
        const char* kinds[] = {"Add", "Mul", "Sub", "Div", "Max", "Min", "Pow"};
        w_.node(kinds[c_.below(7)], {in, c_.flag() ? any() : in}, {out});
        break;
      }
      case 8: {
        const char* kinds[] = {"Relu", "Sigmoid", "Tanh", "HardSigmoid", "LeakyRelu", "Softmax",
                               "Abs",  "Exp",     "Log",  "Sqrt",        "HardSwish", "Elu"};
        w_.node(kinds[c_.below(12)], {in}, {out},
                {Writer::integer("axis", static_cast<std::int64_t>(c_.below(6)) - 2)});
        break;
      }
      case 9: {
        const std::string more[] = {fresh(), fresh(), fresh()};
        w_.numbers(help, {static_cast<std::int64_t>(c_.below(9)) - 4});
        w_.numbers(more[0], {static_cast<std::int64_t>(c_.below(19)) - 9});
        w_.numbers(more[1], {static_cast<std::int64_t>(c_.below(6)) - 2});
        w_.numbers(more[2], {static_cast<std::int64_t>(c_.below(5)) - 2});
        w_.node("Slice", {in, help, more[0], more[1], more[2]}, {out});
        break;
      }
      case 10:
        w_.node("Concat", {in, c_.flag() ? any() : in}, {out},
                {Writer::integer("axis", static_cast<std::int64_t>(c_.below(6)) - 1)});
        break;
      case 11: {
        const char* kinds[] = {"ReduceMean", "ReduceMax", "ReduceSum", "ArgMax"};
        w_.node(kinds[c_.below(4)], {in}, {out},
                {Writer::ints("axes", {static_cast<std::int64_t>(c_.below(6)) - 2}),
                 Writer::integer("keepdims", c_.below(2)),
                 Writer::integer("noop_with_empty_axes", c_.below(2))});
        break;
      }
      case 12:
        w_.quantised(help, {c_.flag() ? channels : extent(), outputs}, true, 0, c_.flag() ? 1 : -1,
                     scale());
        w_.node(c_.flag() ? "MatMul" : "Gemm", {in, help}, {out});
        break;
      default: {
        const char* kinds[] = {"Flatten",  "Squeeze", "Unsqueeze",    "Pad",
                               "Split",    "Gather",  "Tile",         "Expand",
                               "Identity", "Cast",    "Clip",         "PRelu",
                               "Shape",    "Dropout", "DepthToSpace", "BatchNormalization"};
        w_.numbers(help, {static_cast<std::int64_t>(c_.below(5)), extent()});
        w_.node(kinds[c_.below(16)], {in, help}, {out},
                {Writer::integer("axis", static_cast<std::int64_t>(c_.below(6)) - 2),
                 Writer::integer("blocksize", c_.below(4)), Writer::integer("to", c_.below(12))});
      }
    }
    last_ = out;
  }

  test::Choices& c_;
  Writer w_;
  Dims shape_;
  std::vector<std::string> names_;
  std::string last_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  test::Choices choices(data, size);
  const bool only_read = !choices.one_in(8);
  const Drawn drawn(choices);
  test::read_and_run(
      [&](const ImportOptions& options) {
        return import_onnx(drawn.bytes(), "fuzz.onnx", options);
      },
      only_read);
  return 0;
}
