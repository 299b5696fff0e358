#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tflite_generated.h"

namespace tessera {
namespace {

/// TensorFlow Lite's operator codes.
enum class Builtin : std::int32_t {
  Add = 0,
  AveragePool2d = 1,
  Concatenation = 2,
  Conv2d = 3,
  DepthwiseConv2d = 4,
  Dequantize = 6,
  FullyConnected = 9,
  Logistic = 14,
  MaxPool2d = 17,
  Mul = 18,
  Relu = 19,
  Relu6 = 21,
  Reshape = 22,
  Softmax = 25,
  Tanh = 28,
  Pad = 34,
  Transpose = 39,
  Mean = 40,
  Sub = 41,
  Squeeze = 43,
  StridedSlice = 45,
  Split = 49,
  PadV2 = 60,
  Slice = 65,
  TransposeConv = 67,
  ExpandDims = 70,
  ResizeNearest = 97,
  LeakyRelu = 98,
  SplitV = 102,
  Quantize = 114,
  HardSwish = 117,
};

const std::map<std::int32_t, const char*>& builtin_names() {
  static const std::map<std::int32_t, const char*> names = {{0, "ADD"},
                                                            {1, "AVERAGE_POOL_2D"},
                                                            {2, "CONCATENATION"},
                                                            {3, "CONV_2D"},
                                                            {4, "DEPTHWISE_CONV_2D"},
                                                            {6, "DEQUANTIZE"},
                                                            {9, "FULLY_CONNECTED"},
                                                            {14, "LOGISTIC"},
                                                            {17, "MAX_POOL_2D"},
                                                            {18, "MUL"},
                                                            {19, "RELU"},
                                                            {21, "RELU6"},
                                                            {22, "RESHAPE"},
                                                            {25, "SOFTMAX"},
                                                            {28, "TANH"},
                                                            {34, "PAD"},
                                                            {39, "TRANSPOSE"},
                                                            {40, "MEAN"},
                                                            {41, "SUB"},
                                                            {43, "SQUEEZE"},
                                                            {45, "STRIDED_SLICE"},
                                                            {49, "SPLIT"},
                                                            {60, "PADV2"},
                                                            {65, "SLICE"},
                                                            {67, "TRANSPOSE_CONV"},
                                                            {70, "EXPAND_DIMS"},
                                                            {97, "RESIZE_NEAREST_NEIGHBOR"},
                                                            {98, "LEAKY_RELU"},
                                                            {102, "SPLIT_V"},
                                                            {114, "QUANTIZE"},
                                                            {117, "HARD_SWISH"}};
  return names;
}

// Copies, because damaged files have vectors at any address.
template <class T>
std::vector<T> values_of(const flatbuffers::Vector<T>* vector) {
  std::vector<T> values(vector != nullptr ? vector->size() : 0);
  if (!values.empty()) {
    std::memcpy(values.data(), vector->Data(), values.size() * sizeof(T));
  }
  return values;
}

std::string supported_operators() {
  std::vector<std::string> names;
  for (const auto& entry : builtin_names()) {
    names.emplace_back(entry.second);
  }
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

class Importer {
 public:
  Importer(const tflite::Model& model, std::string name) : model_(model) {
    network_.name = std::move(name);
  }

  Network run() {
    require(model_.version() == 3, fmt::format("version {}; allowed is 3", model_.version()));
    const std::size_t subgraphs = model_.subgraphs() != nullptr ? model_.subgraphs()->size() : 0;
    require(subgraphs == 1, fmt::format("{} subgraphs; supported is exactly one", subgraphs));
    const tflite::SubGraph& graph = *model_.subgraphs()->Get(0);
    require(graph.tensors() != nullptr && graph.operators() != nullptr &&
                graph.inputs() != nullptr && graph.outputs() != nullptr,
            "the subgraph lacks tensors, operators, inputs or outputs");
    for (const tflite::Tensor* tensor : *graph.tensors()) {
      read_tensor(*tensor);
    }
    network_.inputs = values_of(graph.inputs());
    network_.outputs = values_of(graph.outputs());
    for (const tflite::Operator* op : *graph.operators()) {
      read_operator(*op);
      ++index_;
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
    tensor.shape = values_of(source.shape());
    require(tensor.shape.size() <= 8, "more than 8 dimensions");
    switch (source.type()) {
      case tflite::TensorType_INT8:
      case tflite::TensorType_UINT8:
        tensor.type = DataType::Int8;
        break;
      case tflite::TensorType_FLOAT32:
        tensor.type = DataType::Float32;
        break;
      case tflite::TensorType_INT32:
        tensor.type = DataType::Int32;
        break;
      default:
        fail(fmt::format("type {}; supported are int8, uint8, int32 and float32",
                         tflite::EnumNameTensorType(source.type())));
    }
    if (const auto* quantisation = source.quantization(); quantisation != nullptr) {
      require(quantisation->details_type() == tflite::QuantizationDetails_NONE,
              "custom quantisation is not supported");
      tensor.quantisation.scales = values_of(quantisation->scale());
      if (const auto zeros = values_of(quantisation->zero_point()); !zeros.empty()) {
        require(std::all_of(zeros.begin(), zeros.end(),
                            [&](std::int64_t zero) {
                              return zero == zeros[0] && zero >= INT32_MIN && zero <= INT32_MAX;
                            }),
                "zero points differ between channels");
        tensor.quantisation.zero_point = static_cast<std::int32_t>(zeros[0]);
      }
    }
    require(model_.buffers() != nullptr && source.buffer() < model_.buffers()->size(),
            fmt::format("buffer {} does not exist", source.buffer()));
    const auto* data = model_.buffers()->Get(source.buffer())->data();
    if (source.buffer() != 0 && data != nullptr && data->size() > 0) {
      tensor.constant.assign(data->begin(), data->end());
    }
    is_unsigned_.push_back(source.type() == tflite::TensorType_UINT8);
    if (is_unsigned_.back()) {
      make_signed(tensor);
    }
    network_.tensors.push_back(std::move(tensor));
  }

  // The same real values 128 lower.
  static void make_signed(Tensor& tensor) {
    tensor.quantisation.zero_point -= 128;
    for (std::uint8_t& value : tensor.constant) {
      value ^= 0x80;
    }
  }

  // Unsigned weights have their zero point anywhere; around it they span up to 511 values.
  void centre_kernel(std::int32_t index) {
    if (index < 0) {
      return;
    }
    Tensor& kernel = network_.tensors[static_cast<std::size_t>(index)];
    const std::int32_t zero_point = kernel.quantisation.zero_point;
    if (kernel.type != DataType::Int8 || !is_unsigned_[static_cast<std::size_t>(index)] ||
        zero_point == 0 || kernel.constant.empty()) {
      return;
    }
    std::vector<std::int32_t> weights;
    for (const std::uint8_t value : kernel.constant) {
      weights.push_back(static_cast<std::int8_t>(value) - zero_point);
    }
    const auto [least, greatest] = std::minmax_element(weights.begin(), weights.end());
    const bool narrow = *least >= -128 && *greatest <= 127;
    kernel.type = narrow ? DataType::Int8 : DataType::Int16;
    kernel.quantisation.zero_point = 0;
    kernel.constant.clear();
    for (const std::int32_t weight : weights) {
      kernel.constant.push_back(static_cast<std::uint8_t>(weight));
      if (!narrow) {
        kernel.constant.push_back(static_cast<std::uint8_t>(weight >> 8));
      }
    }
  }

  // Functions whose unsigned kernels compute in other steps than the signed ones.
  void refuse_unsigned(const Operator& op) const {
    for (const std::int32_t input : op.inputs) {
      require(input < 0 || !is_unsigned_[static_cast<std::size_t>(input)],
              "is supported for int8 only, its input is uint8");
    }
  }

  // A constant int32 vector, such as axes or sizes.
  std::vector<std::int32_t> integers(const Operator& op, std::size_t i, const char* what) const {
    const Tensor& tensor = input(op, i);
    require(tensor.type == DataType::Int32 && !tensor.constant.empty() &&
                tensor.constant.size() % 4 == 0 && tensor.constant.size() <= 64,
            fmt::format("{} must be constant int32", what));
    std::vector<std::int32_t> values(tensor.constant.size() / 4);
    std::memcpy(values.data(), tensor.constant.data(), tensor.constant.size());
    return values;
  }
  std::size_t axis_of(std::int32_t axis, std::size_t rank) const {
    const std::int64_t positive = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
    require(positive >= 0 && positive < static_cast<std::int64_t>(rank),
            fmt::format("axis {} of {} dimensions", axis, rank));
    return static_cast<std::size_t>(positive);
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
    pool.ties_up =
        kind == PoolKind::Average && is_unsigned_[static_cast<std::size_t>(op.inputs[0])];
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
    const std::vector<std::int32_t> values = integers(op, 1, "paddings");
    const std::size_t rank = input(op, 0).shape.size();
    require(values.size() == 2 * rank, "paddings must have shape [rank, 2]");
    Pad pad;
    for (std::size_t d = 0; d < rank; ++d) {
      pad.before.push_back(values[2 * d]);
      pad.after.push_back(values[2 * d + 1]);
    }
    return pad;
  }

  // The value must be the zero point: real zero, in the input's terms.
  void check_pad_value(const Operator& op) const {
    if (op.inputs.size() < 3 || op.inputs[2] < 0) {
      return;
    }
    const Tensor& value = input(op, 2);
    require(value.constant.size() == 1 &&
                static_cast<std::int8_t>(value.constant[0]) == input(op, 0).quantisation.zero_point,
            "pads with another value than the zero point");
  }

  TransposeConv2d transpose_conv_of(const tflite::TransposeConvOptions& options,
                                    const Operator& op) const {
    TransposeConv2d conv;
    conv.stride_h = options.stride_h();
    conv.stride_w = options.stride_w();
    conv.activation = activation(options.fused_activation_function());
    const Tensor& in = input(op, 0);
    const Tensor& kernel = input(op, 1);
    const Tensor& out = output(op);
    require_rank4(in, "feature");
    require_rank4(kernel, "kernel");
    require_rank4(out, "output");
    // As the convolution that leads back from the output to the input would be padded.
    const bool same = options.padding() == tflite::Padding_SAME;
    const auto cut = [&](std::int64_t extent, std::int64_t stride, std::int64_t taps,
                         std::int64_t outputs, std::int32_t& before, std::int32_t& after) {
      const std::int64_t excess =
          std::clamp<std::int64_t>((extent - 1) * stride + taps - outputs, 0, 1 << 20);
      before = same ? static_cast<std::int32_t>(excess / 2) : 0;
      after = static_cast<std::int32_t>(excess) - before;
    };
    cut(in.shape[1], conv.stride_h, kernel.shape[1], out.shape[1], conv.padding.top,
        conv.padding.bottom);
    cut(in.shape[2], conv.stride_w, kernel.shape[2], out.shape[2], conv.padding.left,
        conv.padding.right);
    return conv;
  }

  Mean mean_of(const Operator& op) const {
    const Tensor& in = input(op, 0);
    std::vector<std::size_t> axes;
    for (const std::int32_t axis : integers(op, 1, "axes")) {
      axes.push_back(axis_of(axis, in.shape.size()));
    }
    std::sort(axes.begin(), axes.end());
    require(axes.back() - axes.front() + 1 == axes.size(),
            fmt::format("mean over axes {}; supported are axes that follow each other",
                        fmt::join(axes, ", ")));
    return {static_cast<std::int32_t>(axes.front()), static_cast<std::int32_t>(axes.size())};
  }

  StridedSlice strided_slice_of(const tflite::StridedSliceOptions& options,
                                const Operator& op) const {
    const Tensor& in = input(op, 0);
    const auto begin = integers(op, 1, "begin");
    const auto end = integers(op, 2, "end");
    const auto stride = integers(op, 3, "strides");
    const std::size_t rank = in.shape.size();
    require(begin.size() == rank && end.size() == rank && stride.size() == rank &&
                options.ellipsis_mask() == 0 && options.new_axis_mask() == 0 &&
                options.shrink_axis_mask() == 0 && !options.offset(),
            "supported are slices with begin, end and stride for each dimension, without ellipsis, "
            "new or dropped axes");
    StridedSlice slice;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t extent = in.shape[d];
      const auto place = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
      };
      require(stride[d] >= 1, fmt::format("stride {}; supported are positive ones", stride[d]));
      const bool from_start = (options.begin_mask() >> d & 1) != 0;
      slice.begin.push_back(from_start ? 0 : static_cast<std::int32_t>(place(begin[d])));
      slice.stride.push_back(stride[d]);
    }
    return slice;
  }

  StridedSlice slice_of(const Operator& op) const {
    StridedSlice slice;
    slice.begin = integers(op, 1, "begin");
    slice.stride.assign(slice.begin.size(), 1);
    return slice;
  }

  Transpose transpose_of(const Operator& op) const {
    Transpose transpose;
    const std::size_t rank = input(op, 0).shape.size();
    for (const std::int32_t axis : integers(op, 1, "order")) {
      transpose.order.push_back(static_cast<std::int32_t>(axis_of(axis, rank)));
    }
    return transpose;
  }

  Attributes function_of(UnaryKind kind, const Operator& op, float alpha = 0.0F) const {
    if (kind == UnaryKind::Logistic || kind == UnaryKind::Tanh || kind == UnaryKind::HardSwish) {
      refuse_unsigned(op);
    }
    return Unary{kind, alpha, {}};
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
      case Builtin::TransposeConv:
        return transpose_conv_of(need(source.builtin_options_as_TransposeConvOptions()), op);
      case Builtin::Add: {
        const auto& options = need(source.builtin_options_as_AddOptions());
        return Binary{BinaryKind::Add, activation(options.fused_activation_function())};
      }
      case Builtin::Sub: {
        const auto& options = need(source.builtin_options_as_SubOptions());
        return Binary{BinaryKind::Sub, activation(options.fused_activation_function())};
      }
      case Builtin::Mul: {
        const auto& options = need(source.builtin_options_as_MulOptions());
        return Binary{BinaryKind::Mul, activation(options.fused_activation_function())};
      }
      case Builtin::Relu:
        return function_of(UnaryKind::Relu, op);
      case Builtin::Relu6:
        return function_of(UnaryKind::Relu6, op);
      case Builtin::LeakyRelu:
        return function_of(UnaryKind::LeakyRelu, op,
                           need(source.builtin_options_as_LeakyReluOptions()).alpha());
      case Builtin::Logistic:
        return function_of(UnaryKind::Logistic, op);
      case Builtin::Tanh:
        return function_of(UnaryKind::Tanh, op);
      case Builtin::HardSwish:
        return function_of(UnaryKind::HardSwish, op);
      case Builtin::Quantize:
        return function_of(UnaryKind::Quantize, op);
      case Builtin::Dequantize:
        return Dequantize{};
      case Builtin::Mean:
        refuse_unsigned(op);
        return mean_of(op);
      case Builtin::Transpose:
        return transpose_of(op);
      case Builtin::StridedSlice:
        return strided_slice_of(need(source.builtin_options_as_StridedSliceOptions()), op);
      case Builtin::Slice:
        return slice_of(op);
      case Builtin::ResizeNearest: {
        const auto& options = need(source.builtin_options_as_ResizeNearestNeighborOptions());
        return ResizeNearest{options.align_corners(), options.half_pixel_centers()};
      }
      case Builtin::AveragePool2d:
        return pool_of(need(source.builtin_options_as_Pool2DOptions()), op, PoolKind::Average);
      case Builtin::MaxPool2d:
        return pool_of(need(source.builtin_options_as_Pool2DOptions()), op, PoolKind::Max);
      case Builtin::Reshape:
        return Reshape{ReshapeKind::Reshape};
      case Builtin::Squeeze:
        return Reshape{ReshapeKind::Squeeze};
      case Builtin::ExpandDims:
        return Reshape{ReshapeKind::ExpandDims};
      case Builtin::Softmax:
        return Softmax{need(source.builtin_options_as_SoftmaxOptions()).beta()};
      case Builtin::PadV2:
        check_pad_value(op);
        return pad_of(op);
      case Builtin::Pad:
        return pad_of(op);
      case Builtin::Split:
      case Builtin::SplitV:
        break;  // several outputs: read_split
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
    where_ = fmt::format("operator {}: ", index_);
    require(model_.operator_codes() != nullptr &&
                source.opcode_index() < model_.operator_codes()->size(),
            "its operator code does not exist");
    const auto* code = model_.operator_codes()->Get(source.opcode_index());
    const std::int32_t builtin =
        std::max<std::int32_t>(code->deprecated_builtin_code(), code->builtin_code());
    const auto entry = builtin_names().find(builtin);
    require(entry != builtin_names().end(),
            fmt::format("builtin operator {}{} is not supported; supported are {}", builtin,
                        code->custom_code() != nullptr
                            ? fmt::format(" (custom `{}`)", code->custom_code()->str())
                            : "",
                        supported_operators()));
    where_ = fmt::format("operator {} ({}): ", index_, entry->second);
    const auto kind = static_cast<Builtin>(builtin);
    require(source.inputs() != nullptr && source.outputs() != nullptr, "needs inputs and outputs");
    Operator op;
    op.inputs = values_of(source.inputs());
    const std::vector<std::int32_t> outputs = values_of(source.outputs());
    check_tensors(op.inputs, -1);
    check_tensors(outputs, 0);
    if (kind == Builtin::Split || kind == Builtin::SplitV) {
      read_split(op, outputs, kind);
      return;
    }
    require(outputs.size() == 1, fmt::format("has {} outputs; it must have one", outputs.size()));
    op.output = outputs[0];
    select_inputs(op, kind);
    op.attributes = attributes_of(source, op, kind);
    keep_inputs(op, kind);
    add(std::move(op));
  }

  void check_tensors(const std::vector<std::int32_t>& tensors, std::int32_t least) const {
    const auto count = static_cast<std::int32_t>(network_.tensors.size());
    for (const std::int32_t tensor : tensors) {
      require(tensor >= least && tensor < count, fmt::format("tensor {} does not exist", tensor));
    }
  }

  // Inputs in our order, and with weights around zero.
  void select_inputs(Operator& op, Builtin kind) {
    if (kind == Builtin::TransposeConv) {
      // The output's shape comes first; the output tensor has it too.
      require(op.inputs.size() >= 3, "needs the output's shape, a kernel and a feature");
      std::vector<std::int32_t> inputs = {op.inputs[2], op.inputs[1]};
      inputs.insert(inputs.end(), op.inputs.begin() + 3, op.inputs.end());
      op.inputs = std::move(inputs);
    }
    const bool has_kernel = kind == Builtin::Conv2d || kind == Builtin::DepthwiseConv2d ||
                            kind == Builtin::TransposeConv || kind == Builtin::FullyConnected;
    if (has_kernel && op.inputs.size() > 1) {
      centre_kernel(op.inputs[1]);
    }
  }

  // What the attributes say already are no inputs any more.
  static void keep_inputs(Operator& op, Builtin kind) {
    switch (kind) {
      case Builtin::Mean:
      case Builtin::Transpose:
      case Builtin::StridedSlice:
      case Builtin::Slice:
      case Builtin::ResizeNearest:
      case Builtin::Reshape:
      case Builtin::Squeeze:
      case Builtin::ExpandDims:
      case Builtin::Pad:
      case Builtin::PadV2:
        op.inputs.resize(1);
        break;
      default:
        break;
    }
  }

  // Each output is a slice.
  void read_split(const Operator& op, const std::vector<std::int32_t>& outputs, Builtin kind) {
    const bool sized = kind == Builtin::SplitV;
    require(op.inputs.size() == (sized ? 3 : 2), "has a wrong number of inputs");
    const std::size_t feature = sized ? 0 : 1;
    const auto axes = integers(op, sized ? 2 : 0, "axis");
    const Tensor in = input(op, feature);
    require(axes.size() == 1, "needs one axis");
    const std::size_t axis = axis_of(axes[0], in.shape.size());
    std::int32_t at = 0;
    for (const std::int32_t output : outputs) {
      StridedSlice slice;
      slice.begin.assign(in.shape.size(), 0);
      slice.stride.assign(in.shape.size(), 1);
      slice.begin[axis] = at;
      const Tensor& part = network_.tensors[static_cast<std::size_t>(output)];
      require(part.shape.size() == in.shape.size(), "input and outputs differ in rank");
      at += part.shape[axis];
      require(at >= 0 && at <= in.shape[axis], "its outputs are more than its input");
      Operator one;
      one.attributes = slice;
      one.inputs = {op.inputs[feature]};
      one.output = output;
      add(std::move(one));
    }
  }

  void add(Operator op) {
    op.name = fmt::format("{}_{}", op.type_name(), network_.operators.size());
    network_.operators.push_back(std::move(op));
  }

  const tflite::Model& model_;
  Network network_;
  std::string where_;
  std::vector<bool> is_unsigned_;  // tensors that were uint8
  std::size_t index_ = 0;          // of the operator in the model
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
