// Models of one to three operators, made of the fuzzer's choices and then broken in their
// structure: indices, shapes, types, counts, quantisation. What is read must compile, and compute.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>

#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "tessera/reference.hpp"
#include "tests/fuzz/choices.hpp"
#include "tests/tflite/model_writer.hpp"

namespace {

using namespace tessera;
using Shape = std::vector<std::int32_t>;

struct DrawnTensor {
  Shape shape;
  tflite::TensorType type = tflite::TensorType_INT8;
  test::TfliteQuantisation quantisation;
  std::vector<std::uint8_t> data;
};

using Options = std::pair<tflite::BuiltinOptions, flatbuffers::Offset<void>>;

struct DrawnOperator {
  std::int32_t code = 0;
  std::vector<std::int32_t> inputs, outputs;
  std::function<Options(flatbuffers::FlatBufferBuilder&)> options;
};

class Drawn {
 public:
  explicit Drawn(test::Choices& choices) : c_(choices) {
    Shape shape = {1, extent(), extent(), extent()};
    if (c_.one_in(6)) {
      shape.resize(1 + c_.below(4), 2);
    }
    last_ = tensor(shape);
    inputs_ = {last_};
    for (std::uint32_t i = 1 + c_.below(3); i > 0; --i) {
      add_operator();
    }
    outputs_ = {last_};
    for (std::uint32_t i = c_.below(3); i > 0; --i) {
      break_something();
    }
  }

  [[nodiscard]] std::vector<std::uint8_t> bytes() const {
    test::TfliteWriter w;
    for (const DrawnTensor& t : tensors_) {
      w.tensor(t.shape, t.type, t.quantisation, t.data);
    }
    for (const DrawnOperator& op : operators_) {
      const Options options =
          op.options ? op.options(w.builder()) : Options{tflite::BuiltinOptions_NONE, 0};
      w.op(op.code, op.inputs, op.outputs, options.first, options.second);
    }
    return w.finish(inputs_, outputs_);
  }

 private:
  std::int32_t extent() { return static_cast<std::int32_t>(1 + c_.below(7)); }
  std::int32_t tensor(const Shape& shape, std::vector<std::uint8_t> data = {},
                      tflite::TensorType type = tflite::TensorType_INT8) {
    DrawnTensor t{shape, type, {}, std::move(data)};
    t.quantisation.scales = {0.01F * static_cast<float>(1 + c_.below(9))};
    t.quantisation.zero_points = {static_cast<std::int64_t>(c_.below(9)) - 4};
    tensors_.push_back(t);
    return static_cast<std::int32_t>(tensors_.size()) - 1;
  }
  std::int32_t weights(const Shape& shape) {
    std::size_t count = 1;
    for (const std::int32_t e : shape) {
      count *= static_cast<std::size_t>(e);
    }
    const std::int32_t result = tensor(shape, std::vector<std::uint8_t>(count, 3));
    tensors_.back().quantisation.zero_points = {0};
    return result;
  }
  std::int32_t integers(const Shape& values) {
    std::vector<std::uint8_t> bytes;
    for (const std::int32_t v : values) {
      for (int b = 0; b < 4; ++b) {
        bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(v) >> (8 * b)));
      }
    }
    return tensor({static_cast<std::int32_t>(values.size())}, bytes, tflite::TensorType_INT32);
  }
  [[nodiscard]] const Shape& shape_of(std::int32_t t) const {
    return tensors_[static_cast<std::size_t>(t)].shape;
  }
  std::int32_t dimension(std::size_t d) const {
    return d < shape_of(last_).size() ? shape_of(last_)[d] : 1;
  }

  void add(std::int32_t code, std::vector<std::int32_t> inputs, const Shape& out,
           std::function<Options(flatbuffers::FlatBufferBuilder&)> options = {}) {
    const std::int32_t result = tensor(out);
    operators_.push_back({code, std::move(inputs), {result}, std::move(options)});
    last_ = result;
  }

  void add_operator() {
    const Shape s = shape_of(last_);
    const auto same = c_.flag() ? tflite::Padding_SAME : tflite::Padding_VALID;
    const auto stride = static_cast<std::int32_t>(1 + c_.below(2));
    const auto k = static_cast<std::int32_t>(1 + c_.below(3));
    const auto act = static_cast<tflite::Activation>(c_.below(4));
    const auto window = [&](std::size_t d) {
      const std::int32_t in = dimension(d);
      return same == tflite::Padding_SAME ? (in + stride - 1) / stride
                                          : std::max((in - k) / stride + 1, 0);
    };
    const Shape pooled = {dimension(0), window(1), window(2), dimension(3)};
    switch (c_.below(16)) {
      case 0: {
        const std::int32_t outputs = extent();
        add(3, {last_, weights({outputs, k, k, dimension(3)}), -1},
            {dimension(0), window(1), window(2), outputs}, [=](auto& b) {
              return Options{tflite::BuiltinOptions_Conv2DOptions,
                             tflite::CreateConv2DOptions(b, same, stride, stride, act).Union()};
            });
        return;
      }
      case 1:
        add(4, {last_, weights({1, k, k, dimension(3)}), -1}, pooled, [=](auto& b) {
          return Options{
              tflite::BuiltinOptions_DepthwiseConv2DOptions,
              tflite::CreateDepthwiseConv2DOptions(b, same, stride, stride, 1, act).Union()};
        });
        return;
      case 2: {
        std::int32_t elements = 1;
        for (const std::int32_t e : s) {
          elements *= e;
        }
        const std::int32_t outputs = extent();
        add(9, {last_, weights({outputs, std::max(elements, 1)}), -1}, {1, outputs}, [=](auto& b) {
          return Options{tflite::BuiltinOptions_FullyConnectedOptions,
                         tflite::CreateFullyConnectedOptions(b, act).Union()};
        });
        return;
      }
      case 3:
      case 4:
        add(c_.flag() ? 1 : 17, {last_}, pooled, [=](auto& b) {
          return Options{tflite::BuiltinOptions_Pool2DOptions,
                         tflite::CreatePool2DOptions(b, same, stride, stride, k, k, act).Union()};
        });
        tensors_.back().quantisation =
            tensors_[static_cast<std::size_t>(operators_.back().inputs[0])].quantisation;
        return;
      case 5: {
        const std::int32_t outputs = extent();
        const Shape out = {dimension(0), dimension(1) * stride, dimension(2) * stride, outputs};
        add(67, {integers(out), weights({outputs, k, k, dimension(3)}), last_}, out, [=](auto& b) {
          return Options{tflite::BuiltinOptions_TransposeConvOptions,
                         tflite::CreateTransposeConvOptions(b, same, stride, stride).Union()};
        });
        return;
      }
      case 6:
        add(0, {last_, c_.flag() ? last_ : weights(s)}, s, [=](auto& b) {
          return Options{tflite::BuiltinOptions_AddOptions,
                         tflite::CreateAddOptions(b, act).Union()};
        });
        return;
      case 7:
        add(c_.flag() ? 18 : 41, {last_, inputs_[0]}, s);
        return;
      case 8: {
        const std::int32_t axis = static_cast<std::int32_t>(c_.below(4));
        Shape out = s;
        if (static_cast<std::size_t>(axis) < out.size()) {
          out[static_cast<std::size_t>(axis)] *= 2;
        }
        add(2, {last_, last_}, out, [=](auto& b) {
          return Options{tflite::BuiltinOptions_ConcatenationOptions,
                         tflite::CreateConcatenationOptions(b, axis).Union()};
        });
        return;
      }
      case 9: {
        Shape pads;
        Shape out = s;
        for (std::int32_t& e : out) {
          const auto before = static_cast<std::int32_t>(c_.below(3));
          const auto after = static_cast<std::int32_t>(c_.below(3));
          pads.insert(pads.end(), {before, after});
          e += before + after;
        }
        const std::int32_t list = integers(pads);
        tensors_.back().shape = {static_cast<std::int32_t>(s.size()), 2};
        add(34, {last_, list}, out);
        return;
      }
      case 10:
        add(22, {last_, integers({-1})}, {s.empty() ? 1 : s[0], 2, 2});
        return;
      case 11: {
        Shape order;
        for (std::size_t d = s.size(); d-- > 0;) {
          order.push_back(static_cast<std::int32_t>(d));
        }
        add(39, {last_, integers(order)}, {s.rbegin(), s.rend()});
        return;
      }
      case 12:
        add(40, {last_, integers({1, 2})}, {dimension(0), dimension(3)}, [](auto& b) {
          return Options{tflite::BuiltinOptions_ReducerOptions,
                         tflite::CreateReducerOptions(b).Union()};
        });
        return;
      case 13: {
        const Shape size = {extent(), extent()};
        add(c_.flag() ? 23 : 97, {last_, integers(size)},
            {dimension(0), size[0], size[1], dimension(3)});
        return;
      }
      case 14: {
        Shape begin(s.size(), 0);
        Shape step(s.size(), 1);
        Shape end = s;
        if (!s.empty() && c_.flag()) {
          step[0] = c_.flag() ? -1 : 2;
        }
        add(45, {last_, integers(begin), integers(end), integers(step)}, s, [](auto& b) {
          return Options{tflite::BuiltinOptions_StridedSliceOptions,
                         tflite::CreateStridedSliceOptions(b, 1, 1).Union()};
        });
        return;
      }
      default:
        // Any operator, as if it had one input.
        add(static_cast<std::int32_t>(c_.below(160)), {last_}, s);
    }
  }

  void break_something() {
    DrawnTensor& t = tensors_[c_.below(static_cast<std::uint32_t>(tensors_.size()))];
    DrawnOperator& op = operators_[c_.below(static_cast<std::uint32_t>(operators_.size()))];
    const auto any_tensor = [&] {
      return static_cast<std::int32_t>(c_.below(static_cast<std::uint32_t>(tensors_.size()) + 2)) -
             1;
    };
    const float scales[] = {0.0F,
                            1e-39F,
                            1e-30F,
                            1e30F,
                            -0.1F,
                            std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN(),
                            1e-10F};
    switch (c_.below(14)) {
      case 0:
        if (!op.inputs.empty()) {
          op.inputs[c_.below(static_cast<std::uint32_t>(op.inputs.size()))] = any_tensor();
        }
        return;
      case 1:
        op.outputs = {any_tensor()};
        return;
      case 2:
        inputs_ = {any_tensor()};
        return;
      case 3:
        outputs_ = {any_tensor()};
        return;
      case 4:
        inputs_.push_back(any_tensor());
        return;
      case 5:
        outputs_.push_back(any_tensor());
        return;
      case 6:
        if (!t.shape.empty()) {
          t.shape[c_.below(static_cast<std::uint32_t>(t.shape.size()))] =
              static_cast<std::int32_t>(c_.below(12)) - 1;
        }
        return;
      case 7:
        t.type = static_cast<tflite::TensorType>(c_.below(18));
        return;
      case 8:
        t.quantisation.scales.assign(1 + c_.below(4), scales[c_.below(8)]);
        return;
      case 9:
        t.quantisation.scales.assign(c_.below(7), 0.02F);
        return;
      case 10:
        t.quantisation.zero_points.assign(c_.below(4),
                                          static_cast<std::int64_t>(c_.below(400)) - 200);
        return;
      case 11:
        t.data.resize(c_.below(40), 1);
        return;
      case 12:
        op.inputs.resize(c_.below(5), -1);
        return;
      default:
        operators_.clear();
        operators_.push_back({static_cast<std::int32_t>(c_.below(160)), inputs_, outputs_, {}});
    }
  }

  test::Choices& c_;
  std::vector<DrawnTensor> tensors_;
  std::vector<DrawnOperator> operators_;
  std::vector<std::int32_t> inputs_, outputs_;
  std::int32_t last_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  test::Choices choices(data, size);
  const bool only_read = !choices.one_in(8);
  const Drawn drawn(choices);
  test::read_and_run(
      [&](const ImportOptions& options) {
        return import_tflite(drawn.bytes(), "fuzz.tflite", options);
      },
      only_read);
  return 0;
}
