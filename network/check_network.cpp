#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "tessera/error.hpp"
#include "tessera/network.hpp"

namespace tessera {
namespace {

constexpr std::int64_t kMaxTensorBytes = std::int64_t{1} << 30;

class Checker {
 public:
  explicit Checker(const Network& network) : network_(network), ready_(network.tensors.size()) {}

  void run() {
    for (std::size_t t = 0; t < network_.tensors.size(); ++t) {
      check_tensor(t);
      ready_[t] = !network_.tensors[t].constant.empty();
    }
    for (const std::int32_t input : network_.inputs) {
      ready_[index(input, "network input")] = true;
    }
    for (std::size_t i = 0; i < network_.operators.size(); ++i) {
      where_ = fmt::format("operator {} ({}, `{}`)", i, network_.operators[i].type_name(),
                           network_.operators[i].name);
      check_operator(network_.operators[i]);
      ready_[static_cast<std::size_t>(network_.operators[i].output)] = true;
    }
    where_ = "network";
    for (const std::int32_t output : network_.outputs) {
      require(ready_[index(output, "output")], "an output that no operator computes");
    }
    require(!network_.inputs.empty() && !network_.outputs.empty(), "no inputs or no outputs");
  }

 private:
  [[noreturn]] void fail(const std::string& text) const {
    throw InputError(fmt::format("{}: {}: {}", network_.name, where_, text));
  }
  void require(bool condition, const std::string& text) const {
    if (!condition) {
      fail(text);
    }
  }

  std::size_t index(std::int32_t tensor, const std::string& what) const {
    require(tensor >= 0 && static_cast<std::size_t>(tensor) < network_.tensors.size(),
            fmt::format("{} is tensor {}, but there are {} tensors", what, tensor,
                        network_.tensors.size()));
    return static_cast<std::size_t>(tensor);
  }

  void check_tensor(std::size_t t) {
    const Tensor& tensor = network_.tensors[t];
    where_ = fmt::format("tensor {} (`{}`)", t, tensor.name);
    auto bytes = static_cast<std::int64_t>(size_of(tensor.type));
    for (const std::int32_t extent : tensor.shape) {
      require(extent > 0,
              fmt::format("shape [{}] has an extent below 1", fmt::join(tensor.shape, ", ")));
      bytes *= extent;
      require(bytes <= kMaxTensorBytes,
              fmt::format("shape [{}] is larger than 1 GiB", fmt::join(tensor.shape, ", ")));
    }
    require(tensor.constant.empty() || tensor.constant.size() == tensor.bytes(),
            fmt::format("{} bytes of data, but its shape needs {}", tensor.constant.size(),
                        tensor.bytes()));
    for (const float scale : tensor.quantisation.scales) {
      require(scale > 0 && scale < std::numeric_limits<float>::infinity(),
              fmt::format("scale {} is not a positive number", scale));
    }
    require(tensor.type != DataType::Int8 ||
                (tensor.quantisation.zero_point >= -128 && tensor.quantisation.zero_point <= 127),
            fmt::format("zero point {} is not an int8", tensor.quantisation.zero_point));
  }

  const Tensor& input(const Operator& op, std::size_t i, const char* what) const {
    require(i < op.inputs.size() && op.inputs[i] >= 0, fmt::format("{} is missing", what));
    const std::size_t t = index(op.inputs[i], what);
    require(ready_[t], fmt::format("{} (tensor {}) is not computed before", what, t));
    return network_.tensors[t];
  }
  const Tensor& output(const Operator& op) const {
    const Tensor& tensor = network_.tensors[index(op.output, "output")];
    require(tensor.constant.empty(), "output is a constant");
    return tensor;
  }

  void check_activation(const Tensor& tensor, const char* what) const {
    require(tensor.type == DataType::Int8, fmt::format("{} is not int8", what));
    require(tensor.quantisation.scales.size() == 1,
            fmt::format("{} needs one scale, it has {}", what, tensor.quantisation.scales.size()));
  }
  void check_nhwc(const Tensor& tensor, const char* what) const {
    check_activation(tensor, what);
    require(tensor.shape.size() == 4 && tensor.shape[0] == 1,
            fmt::format("{} has shape [{}]; allowed is [1, height, width, channels]", what,
                        fmt::join(tensor.shape, ", ")));
  }
  void check_bias(const Operator& op, std::int32_t channels) const {
    if (op.inputs.size() < 3 || op.inputs[2] < 0) {
      return;
    }
    const Tensor& bias = input(op, 2, "bias");
    require(bias.type == DataType::Int32 && bias.elements() == channels && !bias.constant.empty(),
            fmt::format("bias must be {} constant int32", channels));
  }
  void check_kernel(const Tensor& kernel, std::int32_t channels) const {
    require((kernel.type == DataType::Int8 || kernel.type == DataType::Int16) &&
                !kernel.constant.empty(),
            "kernel must be constant int8");
    for (std::size_t i = 0; kernel.type == DataType::Int16 && i < kernel.constant.size(); i += 2) {
      const auto weight =
          static_cast<std::int16_t>(kernel.constant[i] | kernel.constant[i + 1] << 8);
      require(weight >= -255 && weight <= 255,
              fmt::format("weight {} is {}; allowed is -255 to 255", i / 2, weight));
    }
    require(kernel.quantisation.zero_point == 0, "kernel zero point must be 0");
    const std::size_t scales = kernel.quantisation.scales.size();
    require(scales == 1 || scales == static_cast<std::size_t>(channels),
            fmt::format("kernel has {} scales; allowed is 1 or {}", scales, channels));
  }

  // Output extent of a sliding window, as given by padding and stride.
  void check_window(std::int32_t in, std::int32_t kernel, std::int32_t stride,
                    std::int32_t dilation, std::int32_t before, std::int32_t after,
                    std::int32_t out, const char* axis) const {
    require(stride >= 1 && dilation >= 1 && kernel >= 1 && before >= 0 && after >= 0,
            fmt::format("{}: stride, dilation and kernel must be at least 1, padding 0", axis));
    const std::int64_t span = std::int64_t{dilation} * (kernel - 1) + 1;
    const std::int64_t room = std::int64_t{in} + before + after - span;
    require(room >= 0, fmt::format("{}: kernel spans {} but the padded input has {}", axis, span,
                                   std::int64_t{in} + before + after));
    require(room / stride + 1 == out, fmt::format("{}: output has {}, stride and padding give {}",
                                                  axis, out, room / stride + 1));
    require(before < span && after < span + stride,
            fmt::format("{}: padding exceeds kernel", axis));
  }
  void check_conv_windows(const Conv2d& conv, const Tensor& in, const Tensor& kernel,
                          const Tensor& out) const {
    check_window(in.shape[1], kernel.shape[1], conv.stride_h, conv.dilation_h, conv.padding.top,
                 conv.padding.bottom, out.shape[1], "height");
    check_window(in.shape[2], kernel.shape[2], conv.stride_w, conv.dilation_w, conv.padding.left,
                 conv.padding.right, out.shape[2], "width");
  }

  void check(const Operator& op, const Conv2d& conv) const {
    const Tensor& in = input(op, 0, "feature");
    const Tensor& kernel = input(op, 1, "kernel");
    const Tensor& out = output(op);
    check_nhwc(in, "feature");
    check_nhwc(out, "output");
    require(kernel.shape.size() == 4 && kernel.shape[0] == out.shape[3] &&
                in.shape[3] % kernel.shape[3] == 0 &&
                out.shape[3] % (in.shape[3] / kernel.shape[3]) == 0,
            fmt::format("kernel has shape [{}]; {} outputs are needed, and inputs that divide {} "
                        "into as many groups as the outputs",
                        fmt::join(kernel.shape, ", "), out.shape[3], in.shape[3]));
    check_kernel(kernel, out.shape[3]);
    check_bias(op, out.shape[3]);
    check_conv_windows(conv, in, kernel, out);
  }
  void check(const Operator& op, const DepthwiseConv2d& depthwise) const {
    const Tensor& in = input(op, 0, "feature");
    const Tensor& kernel = input(op, 1, "kernel");
    const Tensor& out = output(op);
    check_nhwc(in, "feature");
    check_nhwc(out, "output");
    require(depthwise.multiplier >= 1 &&
                out.shape[3] == std::int64_t{in.shape[3]} * depthwise.multiplier,
            fmt::format("{} outputs from {} inputs with multiplier {}", out.shape[3], in.shape[3],
                        depthwise.multiplier));
    require(kernel.shape.size() == 4 && kernel.shape[0] == 1 && kernel.shape[3] == out.shape[3],
            fmt::format("kernel has shape [{}]", fmt::join(kernel.shape, ", ")));
    check_kernel(kernel, out.shape[3]);
    check_bias(op, out.shape[3]);
    check_conv_windows(depthwise.conv, in, kernel, out);
  }
  void check(const Operator& op, const TransposeConv2d& conv) const {
    const Tensor& in = input(op, 0, "feature");
    const Tensor& kernel = input(op, 1, "kernel");
    const Tensor& out = output(op);
    check_nhwc(in, "feature");
    check_nhwc(out, "output");
    require(kernel.shape.size() == 4 && kernel.shape[0] == out.shape[3] &&
                kernel.shape[3] == in.shape[3],
            fmt::format("kernel has shape [{}]; {} outputs and {} inputs are needed",
                        fmt::join(kernel.shape, ", "), out.shape[3], in.shape[3]));
    check_kernel(kernel, out.shape[3]);
    check_bias(op, out.shape[3]);
    const Padding& cut = conv.padding;
    require(conv.stride_h >= 1 && conv.stride_w >= 1 && cut.top >= 0 && cut.left >= 0 &&
                cut.bottom >= 0 && cut.right >= 0,
            "strides must be at least 1, padding 0");
    const auto full = [](std::int32_t extent, std::int32_t stride, std::int32_t taps) {
      return std::int64_t{extent - 1} * stride + taps;
    };
    const std::int64_t height = full(in.shape[1], conv.stride_h, kernel.shape[1]);
    const std::int64_t width = full(in.shape[2], conv.stride_w, kernel.shape[2]);
    require(
        out.shape[1] + std::int64_t{cut.top} + cut.bottom >= height &&
            out.shape[2] + std::int64_t{cut.left} + cut.right >= width &&
            cut.top < kernel.shape[1] && cut.left < kernel.shape[2],
        fmt::format("its full result is {} x {}, padding and output do not fit it", height, width));
  }
  void check(const Operator& op, const FullyConnected&) const {
    const Tensor& in = input(op, 0, "feature");
    const Tensor& kernel = input(op, 1, "kernel");
    const Tensor& out = output(op);
    check_activation(in, "feature");
    check_activation(out, "output");
    require(kernel.shape.size() == 2, "kernel must have shape [outputs, inputs]");
    require(in.elements() % kernel.shape[1] == 0 &&
                out.elements() == in.elements() / kernel.shape[1] * kernel.shape[0],
            fmt::format("{} inputs and {} outputs do not fit kernel [{}]", in.elements(),
                        out.elements(), fmt::join(kernel.shape, ", ")));
    check_kernel(kernel, kernel.shape[0]);
    require(kernel.quantisation.scales.size() == 1, "kernel must have one scale");
    check_bias(op, kernel.shape[0]);
  }
  void check(const Operator& op, const Binary&) const {
    const Tensor& a = input(op, 0, "first input");
    const Tensor& b = input(op, 1, "second input");
    const Tensor& out = output(op);
    check_activation(a, "first input");
    check_activation(b, "second input");
    check_activation(out, "output");
    const std::size_t rank = out.shape.size();
    const auto fits = [&](const Tensor& in) {
      for (std::size_t d = 0; d < in.shape.size() && d < rank; ++d) {
        const std::int32_t extent = in.shape[in.shape.size() - 1 - d];
        if (extent != 1 && extent != out.shape[rank - 1 - d]) {
          return false;
        }
      }
      return in.shape.size() <= rank;
    };
    const auto extent_of = [](const Tensor& in, std::size_t from_end) {
      return from_end < in.shape.size() ? in.shape[in.shape.size() - 1 - from_end] : 1;
    };
    bool whole = true;
    for (std::size_t d = 0; d < rank; ++d) {
      whole = whole && out.shape[rank - 1 - d] == std::max(extent_of(a, d), extent_of(b, d));
    }
    require(fits(a) && fits(b) && whole,
            fmt::format("shapes [{}] and [{}] do not give [{}]", fmt::join(a.shape, ", "),
                        fmt::join(b.shape, ", "), fmt::join(out.shape, ", ")));
  }
  void check(const Operator& op, const Unary& unary) const {
    const Tensor& in = input(op, 0, "input");
    const Tensor& out = output(op);
    if (unary.kind != UnaryKind::Quantize || in.type != DataType::Float32) {
      check_activation(in, "input");
    }
    check_activation(out, "output");
    require(in.shape == out.shape, "input and output differ in shape");
    const Quantisation& to = out.quantisation;
    if (unary.kind == UnaryKind::Logistic) {
      require(to.zero_point == -128 && to.scales[0] == 1.0F / 256,
              "output must have scale 1/256 and zero point -128");
    } else if (unary.kind == UnaryKind::Tanh) {
      require(to.zero_point == 0 && to.scales[0] == 1.0F / 128,
              "output must have scale 1/128 and zero point 0");
    } else if (unary.kind == UnaryKind::Lookup) {
      require(unary.table.size() == 256,
              fmt::format("a table has 256 values, this one {}", unary.table.size()));
    } else if (unary.kind == UnaryKind::LeakyRelu) {
      require(unary.alpha > 0 && unary.alpha < 1024,
              fmt::format("alpha is {}; allowed are positive numbers below 1024", unary.alpha));
    }
  }
  void check(const Operator& op, const Mean& mean) const {
    const Tensor& in = input(op, 0, "feature");
    const Tensor& out = output(op);
    check_activation(in, "feature");
    check_activation(out, "output");
    require(mean.first_axis >= 0 && mean.axes >= 1 &&
                static_cast<std::size_t>(mean.first_axis) + static_cast<std::size_t>(mean.axes) <=
                    in.shape.size(),
            fmt::format("{} axes from {} of {} dimensions", mean.axes, mean.first_axis,
                        in.shape.size()));
    const MeanExtents extents = extents_of(mean, in.shape);
    require(out.elements() == extents.outer * extents.inner,
            fmt::format("output has shape [{}]; {} values are left", fmt::join(out.shape, ", "),
                        extents.outer * extents.inner));
    require(extents.count <= (1 << 23), "more than 2^23 values in a mean");
  }
  void check_moved(const Tensor& in, const Tensor& out) const {
    check_activation(in, "input");
    check_activation(out, "output");
    require(in.quantisation.scales == out.quantisation.scales &&
                in.quantisation.zero_point == out.quantisation.zero_point,
            "input and output are quantised differently");
  }
  void check(const Operator& op, const Transpose& transpose) const {
    const Tensor& in = input(op, 0, "input");
    const Tensor& out = output(op);
    check_moved(in, out);
    std::vector<bool> seen(in.shape.size(), false);
    bool fits = transpose.order.size() == in.shape.size() && out.shape.size() == in.shape.size();
    for (std::size_t d = 0; fits && d < in.shape.size(); ++d) {
      const std::int32_t from = transpose.order[d];
      fits = from >= 0 && static_cast<std::size_t>(from) < in.shape.size() &&
             !seen[static_cast<std::size_t>(from)] &&
             out.shape[d] == in.shape[static_cast<std::size_t>(from)];
      if (fits) {
        seen[static_cast<std::size_t>(from)] = true;
      }
    }
    require(fits,
            fmt::format("order [{}] does not turn [{}] into [{}]", fmt::join(transpose.order, ", "),
                        fmt::join(in.shape, ", "), fmt::join(out.shape, ", ")));
  }
  void check(const Operator& op, const StridedSlice& slice) const {
    const Tensor& in = input(op, 0, "input");
    const Tensor& out = output(op);
    check_moved(in, out);
    const std::size_t rank = in.shape.size();
    require(out.shape.size() == rank && slice.begin.size() == rank && slice.stride.size() == rank,
            "rank must be equal everywhere");
    for (std::size_t d = 0; d < rank; ++d) {
      require(slice.begin[d] >= 0 && slice.stride[d] >= 1 &&
                  slice.begin[d] + std::int64_t{out.shape[d] - 1} * slice.stride[d] < in.shape[d],
              fmt::format("dimension {}: {} elements from {} in steps of {} (at least 1) are not "
                          "inside {}",
                          d, out.shape[d], slice.begin[d], slice.stride[d], in.shape[d]));
    }
  }
  void check(const Operator& op, const ResizeNearest& resize) const {
    const Tensor& in = input(op, 0, "feature");
    const Tensor& out = output(op);
    check_nhwc(in, "feature");
    check_nhwc(out, "output");
    check_moved(in, out);
    require(in.shape[3] == out.shape[3], "channels of input and output differ");
    require(!(resize.align_corners && resize.half_pixel_centers),
            "align_corners and half_pixel_centers exclude each other");
  }
  void check(const Operator& op, const Dequantize&) const {
    const Tensor& in = input(op, 0, "input");
    const Tensor& out = output(op);
    check_activation(in, "input");
    require(out.type == DataType::Float32 && in.shape == out.shape,
            "output must be float32 of the input's shape");
  }
  void check(const Operator& op, const Pool2d& pool) const {
    const Tensor& in = input(op, 0, "feature");
    const Tensor& out = output(op);
    check_nhwc(in, "feature");
    check_nhwc(out, "output");
    require(in.shape[3] == out.shape[3], "channels of input and output differ");
    check_window(in.shape[1], pool.filter_h, pool.stride_h, 1, pool.padding.top,
                 pool.padding.bottom, out.shape[1], "height");
    check_window(in.shape[2], pool.filter_w, pool.stride_w, 1, pool.padding.left,
                 pool.padding.right, out.shape[2], "width");
    require(in.quantisation.scales == out.quantisation.scales &&
                in.quantisation.zero_point == out.quantisation.zero_point,
            "input and output are quantised differently");
  }
  void check(const Operator& op, const Reshape&) const {
    const Tensor& in = input(op, 0, "input");
    const Tensor& out = output(op);
    check_moved(in, out);
    require(in.bytes() == out.bytes(), "input and output differ in size");
  }
  void check(const Operator& op, const Softmax& softmax) const {
    const Tensor& in = input(op, 0, "input");
    const Tensor& out = output(op);
    check_activation(in, "input");
    check_activation(out, "output");
    require(!in.shape.empty() && in.shape == out.shape, "input and output differ in shape");
    require(softmax.beta > 0, fmt::format("beta {} is not positive", softmax.beta));
    require(out.quantisation.zero_point == -128 && out.quantisation.scales[0] == 1.0F / 256,
            "output must have scale 1/256 and zero point -128");
  }
  void check(const Operator& op, const Pad& pad) const {
    const Tensor& in = input(op, 0, "input");
    const Tensor& out = output(op);
    check_moved(in, out);
    const std::size_t rank = in.shape.size();
    require(rank >= 1 && rank <= 4 && out.shape.size() == rank && pad.before.size() == rank &&
                pad.after.size() == rank,
            "rank must be 1 to 4 and equal everywhere");
    for (std::size_t d = 0; d < rank; ++d) {
      require(pad.before[d] >= 0 && pad.after[d] >= 0 &&
                  std::int64_t{in.shape[d]} + pad.before[d] + pad.after[d] == out.shape[d],
              fmt::format("dimension {}: {} + {} + {} is not {}", d, pad.before[d], in.shape[d],
                          pad.after[d], out.shape[d]));
    }
  }
  void check(const Operator& op, const Concatenation& concat) const {
    const Tensor& out = output(op);
    check_activation(out, "output");
    require(concat.axis >= 0 && static_cast<std::size_t>(concat.axis) < out.shape.size(),
            fmt::format("axis {} of {} dimensions", concat.axis, out.shape.size()));
    std::int64_t extent = 0;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const Tensor& in = input(op, i, "input");
      check_activation(in, "input");
      require(in.shape.size() == out.shape.size(), "inputs differ in rank");
      for (std::size_t d = 0; d < out.shape.size(); ++d) {
        require(d == static_cast<std::size_t>(concat.axis) || in.shape[d] == out.shape[d],
                "inputs differ in shape");
      }
      extent += in.shape[static_cast<std::size_t>(concat.axis)];
    }
    require(extent == out.shape[static_cast<std::size_t>(concat.axis)],
            "inputs do not add up to the output");
  }

  void check_operator(const Operator& op) const {
    std::visit([&](const auto& attributes) { check(op, attributes); }, op.attributes);
  }

  const Network& network_;
  std::vector<bool> ready_;
  std::string where_ = "network";
};

}  // namespace

void check_network(const Network& network) {
  Checker(network).run();
}

}  // namespace tessera
