#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tflite_generated.h"

namespace tessera {
namespace {

enum class Builtin : std::int32_t {
  Add = 0,
  AveragePool2d = 1,
  Concatenation = 2,
  Conv2d = 3,
  DepthwiseConv2d = 4,
  FullyConnected = 9,
  MaxPool2d = 17,
  Reshape = 22,
  Softmax = 25,
  Pad = 34,
};

constexpr const char* kSupported =
    "ADD, AVERAGE_POOL_2D, CONCATENATION, CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, "
    "MAX_POOL_2D, PAD, RESHAPE, SOFTMAX";

class Importer {
 public:
  Importer(const tflite::Model& model, std::string name) : model_(model) {
    network_.name = std::move(name);
  }

  Network run() {
    require(model_.version() == 3, fmt::format("version {}; allowed is 3", model_.version()));
    require(model_.subgraphs() != nullptr && model_.subgraphs()->size() == 1,
            "the model must have exactly one subgraph");
    const tflite::SubGraph& graph = *model_.subgraphs()->Get(0);
    require(graph.tensors() != nullptr && graph.operators() != nullptr &&
                graph.inputs() != nullptr && graph.outputs() != nullptr,
            "the subgraph lacks tensors, operators, inputs or outputs");
    for (const tflite::Tensor* tensor : *graph.tensors()) {
      read_tensor(*tensor);
    }
    network_.inputs.assign(graph.inputs()->begin(), graph.inputs()->end());
    network_.outputs.assign(graph.outputs()->begin(), graph.outputs()->end());
    for (const tflite::Operator* op : *graph.operators()) {
      read_operator(*op);
    }
    check_network(network_);
    return std::move(network_);
  }

 private:
  [[noreturn]] void fail(const std::string& text) const {
    throw InputError(fmt::format("{}: {}{}", network_.name, where_, text));
  }
  void require(bool condition, const std::string& text) const {
    if (!condition) {
      fail(text);
    }
  }

  void read_tensor(const tflite::Tensor& source) {
    Tensor tensor;
    tensor.name = source.name() != nullptr ? source.name()->str() : "";
    where_ = fmt::format("tensor {} (`{}`): ", network_.tensors.size(), tensor.name);
    if (source.shape() != nullptr) {
      tensor.shape.assign(source.shape()->begin(), source.shape()->end());
    }
    require(tensor.shape.size() <= 8, "more than 8 dimensions");
    switch (source.type()) {
      case tflite::TensorType_INT8:
        tensor.type = DataType::Int8;
        break;
      case tflite::TensorType_INT32:
        tensor.type = DataType::Int32;
        break;
      default:
        fail(fmt::format("type {}; supported are int8 and int32",
                         tflite::EnumNameTensorType(source.type())));
    }
    if (const auto* quantisation = source.quantization(); quantisation != nullptr) {
      require(quantisation->details_type() == tflite::QuantizationDetails_NONE,
              "custom quantisation is not supported");
      if (quantisation->scale() != nullptr) {
        tensor.quantisation.scales.assign(quantisation->scale()->begin(),
                                          quantisation->scale()->end());
      }
      if (const auto* zeros = quantisation->zero_point(); zeros != nullptr && zeros->size() > 0) {
        require(std::all_of(zeros->begin(), zeros->end(),
                            [&](std::int64_t zero) {
                              return zero == zeros->Get(0) && zero >= INT32_MIN &&
                                     zero <= INT32_MAX;
                            }),
                "zero points differ between channels");
        tensor.quantisation.zero_point = static_cast<std::int32_t>(zeros->Get(0));
      }
    }
    require(model_.buffers() != nullptr && source.buffer() < model_.buffers()->size(),
            fmt::format("buffer {} does not exist", source.buffer()));
    const auto* data = model_.buffers()->Get(source.buffer())->data();
    if (source.buffer() != 0 && data != nullptr && data->size() > 0) {
      tensor.constant.assign(data->begin(), data->end());
    }
    network_.tensors.push_back(std::move(tensor));
  }

  Activation activation(tflite::Activation code) const {
    switch (code) {
      case tflite::Activation_NONE:
        return Activation::None;
      case tflite::Activation_RELU:
        return Activation::Relu;
      case tflite::Activation_RELU6:
        return Activation::Relu6;
      default:
        fail(fmt::format("activation {}; supported are NONE, RELU and RELU6",
                         tflite::EnumNameActivation(code)));
    }
  }

  // A tensor that must exist; its index was checked when the operator was read.
  const Tensor& input(const Operator& op, std::size_t i) const {
    require(i < op.inputs.size() && op.inputs[i] >= 0, fmt::format("input {} is missing", i));
    return network_.tensors[static_cast<std::size_t>(op.inputs[i])];
  }
  const Tensor& output(const Operator& op) const {
    return network_.tensors[static_cast<std::size_t>(op.output)];
  }

  // Padding of one axis: what SAME needs, or what is left over for VALID (nothing).
  static void pad_axis(bool same, std::int64_t in, std::int64_t kernel, std::int64_t stride,
                       std::int64_t dilation, std::int32_t& before, std::int32_t& after) {
    if (!same || stride < 1) {
      return;
    }
    const std::int64_t out = (in + stride - 1) / stride;
    const std::int64_t total =
        std::clamp<std::int64_t>((out - 1) * stride + (kernel - 1) * dilation + 1 - in, 0, 1 << 20);
    before = static_cast<std::int32_t>(total / 2);
    after = static_cast<std::int32_t>(total - total / 2);
  }
  static Padding padding_of(tflite::Padding mode, const Tensor& in, std::int32_t kernel_h,
                            std::int32_t kernel_w, const Conv2d& conv) {
    Padding padding;
    const bool same = mode == tflite::Padding_SAME;
    pad_axis(same, in.shape[1], kernel_h, conv.stride_h, conv.dilation_h, padding.top,
             padding.bottom);
    pad_axis(same, in.shape[2], kernel_w, conv.stride_w, conv.dilation_w, padding.left,
             padding.right);
    return padding;
  }
  void require_rank4(const Tensor& tensor, const char* what) const {
    require(tensor.shape.size() == 4, fmt::format("{} must have four dimensions", what));
  }

  template <class Options>
  Conv2d conv_of(const Options& options, const Operator& op) const {
    Conv2d conv;
    conv.stride_h = options.stride_h();
    conv.stride_w = options.stride_w();
    conv.dilation_h = options.dilation_h_factor();
    conv.dilation_w = options.dilation_w_factor();
    conv.activation = activation(options.fused_activation_function());
    require_rank4(input(op, 0), "feature");
    require_rank4(input(op, 1), "kernel");
    conv.padding = padding_of(options.padding(), input(op, 0), input(op, 1).shape[1],
                              input(op, 1).shape[2], conv);
    return conv;
  }

  template <class Options>
  const Options& need(const Options* options) const {
    require(options != nullptr, "its options are missing");
    return *options;
  }

  Pool2d pool_of(const tflite::Pool2DOptions& options, const Operator& op, PoolKind kind) const {
    Pool2d pool;
    pool.kind = kind;
    pool.filter_h = options.filter_height();
    pool.filter_w = options.filter_width();
    pool.stride_h = options.stride_h();
    pool.stride_w = options.stride_w();
    pool.activation = activation(options.fused_activation_function());
    require_rank4(input(op, 0), "feature");
    Conv2d window;
    window.stride_h = pool.stride_h;
    window.stride_w = pool.stride_w;
    pool.padding =
        padding_of(options.padding(), input(op, 0), pool.filter_h, pool.filter_w, window);
    return pool;
  }

  Pad pad_of(const Operator& op) const {
    const Tensor& paddings = input(op, 1);
    const std::size_t rank = input(op, 0).shape.size();
    require(paddings.type == DataType::Int32 && paddings.constant.size() == rank * 8,
            "paddings must be constant int32 of shape [rank, 2]");
    Pad pad;
    const auto* values = reinterpret_cast<const std::int32_t*>(paddings.constant.data());
    for (std::size_t d = 0; d < rank; ++d) {
      pad.before.push_back(values[2 * d]);
      pad.after.push_back(values[2 * d + 1]);
    }
    return pad;
  }

  Attributes attributes_of(const tflite::Operator& source, const Operator& op, Builtin code) const {
    switch (code) {
      case Builtin::Conv2d:
        return conv_of(need(source.builtin_options_as_Conv2DOptions()), op);
      case Builtin::DepthwiseConv2d: {
        const auto& options = need(source.builtin_options_as_DepthwiseConv2DOptions());
        return DepthwiseConv2d{conv_of(options, op), options.depth_multiplier()};
      }
      case Builtin::FullyConnected: {
        const auto& options = need(source.builtin_options_as_FullyConnectedOptions());
        require(options.weights_format() == 0, "shuffled weights are not supported");
        return FullyConnected{activation(options.fused_activation_function())};
      }
      case Builtin::Add:
        return Binary{
            BinaryKind::Add,
            activation(need(source.builtin_options_as_AddOptions()).fused_activation_function())};
      case Builtin::AveragePool2d:
        return pool_of(need(source.builtin_options_as_Pool2DOptions()), op, PoolKind::Average);
      case Builtin::MaxPool2d:
        return pool_of(need(source.builtin_options_as_Pool2DOptions()), op, PoolKind::Max);
      case Builtin::Reshape:
        return Reshape{};
      case Builtin::Softmax:
        return Softmax{need(source.builtin_options_as_SoftmaxOptions()).beta()};
      case Builtin::Pad:
        return pad_of(op);
      case Builtin::Concatenation: {
        const auto& options = need(source.builtin_options_as_ConcatenationOptions());
        require(options.fused_activation_function() == tflite::Activation_NONE,
                "an activation on a concatenation is not supported");
        const auto rank = static_cast<std::int32_t>(output(op).shape.size());
        return Concatenation{options.axis() < 0 ? options.axis() + rank : options.axis()};
      }
    }
    fail("is not supported");
  }

  void read_operator(const tflite::Operator& source) {
    where_ = fmt::format("operator {}: ", network_.operators.size());
    require(model_.operator_codes() != nullptr &&
                source.opcode_index() < model_.operator_codes()->size(),
            "its operator code does not exist");
    const auto* code = model_.operator_codes()->Get(source.opcode_index());
    const std::int32_t builtin =
        std::max<std::int32_t>(code->deprecated_builtin_code(), code->builtin_code());
    static const std::map<std::int32_t, Builtin> known = {
        {0, Builtin::Add},        {1, Builtin::AveragePool2d},   {2, Builtin::Concatenation},
        {3, Builtin::Conv2d},     {4, Builtin::DepthwiseConv2d}, {9, Builtin::FullyConnected},
        {17, Builtin::MaxPool2d}, {22, Builtin::Reshape},        {25, Builtin::Softmax},
        {34, Builtin::Pad}};
    const auto entry = known.find(builtin);
    require(entry != known.end(),
            fmt::format("builtin operator {}{} is not supported; supported are {}", builtin,
                        code->custom_code() != nullptr
                            ? fmt::format(" (custom `{}`)", code->custom_code()->str())
                            : "",
                        kSupported));
    Operator op;
    require(
        source.inputs() != nullptr && source.outputs() != nullptr && source.outputs()->size() == 1,
        "needs inputs and exactly one output");
    op.inputs.assign(source.inputs()->begin(), source.inputs()->end());
    op.output = source.outputs()->Get(0);
    const auto tensors = static_cast<std::int32_t>(network_.tensors.size());
    for (const std::int32_t tensor : op.inputs) {
      require(tensor >= -1 && tensor < tensors, fmt::format("tensor {} does not exist", tensor));
    }
    require(op.output >= 0 && op.output < tensors,
            fmt::format("tensor {} does not exist", op.output));
    op.attributes = attributes_of(source, op, entry->second);
    op.name = fmt::format("{}_{}", op.type_name(), network_.operators.size());
    network_.operators.push_back(std::move(op));
  }

  const tflite::Model& model_;
  Network network_;
  std::string where_;
};

}  // namespace

Network import_tflite(const std::vector<std::uint8_t>& data, const std::string& name) {
  flatbuffers::Verifier verifier(data.data(), data.size(), 32, 1000000);
  if (data.size() < 8 || !flatbuffers::BufferHasIdentifier(data.data(), "TFL3") ||
      !tflite::VerifyModelBuffer(verifier)) {
    throw InputError(name + ": not a TensorFlow Lite model, or a damaged one");
  }
  return Importer(*tflite::GetModel(data.data()), name).run();
}

}  // namespace tessera
