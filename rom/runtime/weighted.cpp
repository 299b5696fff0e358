// Convolutions and fully connected layers.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "rom/runtime/call.hpp"

namespace tessera::runtime {
namespace {

// `struct tessera_window`.
struct Window {
  std::vector<std::int32_t> in, out;  // NHWC
  std::int32_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1,
               dilation_w = 1, top = 0, left = 0;

  [[nodiscard]] std::string text() const {
    return fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}", in[1], in[2],
                       in[3], out[1], out[2], out[3], kernel_h, kernel_w, stride_h, stride_w,
                       dilation_h, dilation_w, top, left);
  }
};

// `struct tessera_weighted`.
std::string weighted_fields(Call& call, std::int32_t outputs, Activation activation) {
  const Tensor& in = call.in(0);
  const Tensor& kernel = call.in(1);
  const Quantisation& out = call.out().quantisation;
  const auto factors = weighted_factors(in.quantisation, kernel.quantisation, out, outputs,
                                        scale_arithmetic(call.op(), kernel.quantisation));
  const ClampRange range = activation_range(activation, out);
  const bool one = kernel.quantisation.scales.size() == 1;
  const std::size_t count = one ? 1 : factors.size();
  std::vector<std::string> texts;
  texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    texts.push_back(c_factor(factors[i]));
  }
  return fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}}}", in.quantisation.zero_point,
                     out.zero_point, range.low, range.high, c_rounding(call.op().rounding),
                     kernel.type == DataType::Int16 ? 2 : 1, one ? 0 : 1,
                     call.text().array("struct tessera_factor", texts));
}

void run_convolution(Call& call, const std::string& function, const Window& window,
                     Activation activation, std::int32_t channels, std::int32_t outputs) {
  const std::string parameters = call.text().parameters(
      "tessera_convolution_parameters", {weighted_fields(call, window.out[3], activation),
                                         window.text(), c_number(channels), c_number(outputs)});
  call.run("convolution.c", function,
           {parameters, call.data(0), call.data(1), call.data(2), call.output()});
}

Window window_of(const Call& call, const Conv2d& conv) {
  Window window{call.in(0).shape, call.out().shape};
  window.kernel_h = call.in(1).shape[1];
  window.kernel_w = call.in(1).shape[2];
  window.stride_h = conv.stride_h;
  window.stride_w = conv.stride_w;
  window.dilation_h = conv.dilation_h;
  window.dilation_w = conv.dilation_w;
  window.top = conv.padding.top;
  window.left = conv.padding.left;
  return window;
}

struct WeightedWriter {
  Call& call;

  void operator()(const Conv2d& conv) const {
    const std::int32_t channels = call.in(1).shape[3];
    const std::int32_t outputs = call.out().shape[3] / (call.in(0).shape[3] / channels);
    run_convolution(call, "convolution", window_of(call, conv), conv.activation, channels, outputs);
  }
  void operator()(const DepthwiseConv2d& depthwise) const {
    run_convolution(call, "depthwise", window_of(call, depthwise.conv), depthwise.conv.activation,
                    depthwise.multiplier, 1);
  }
  void operator()(const TransposeConv2d& conv) const {
    const Conv2d plain{conv.stride_h, conv.stride_w, 1, 1, conv.padding, conv.activation, false};
    run_convolution(call, "transposed_convolution", window_of(call, plain), conv.activation,
                    call.in(0).shape[3], call.out().shape[3]);
  }
  void operator()(const FullyConnected& fc) const {
    const std::int32_t channels = call.in(1).shape[1];
    const std::int32_t outputs = call.in(1).shape[0];
    const std::string parameters = call.text().parameters(
        "tessera_fully_connected_parameters",
        {weighted_fields(call, outputs, fc.activation), c_number(call.in(0).elements() / channels),
         c_number(channels), c_number(outputs)});
    call.run("convolution.c", "fully_connected",
             {parameters, call.data(0), call.data(1), call.data(2), call.output()});
  }
  template <class Other>
  void operator()(const Other&) const {
    throw NoKernel("it has no weights");
  }
};

Window host_window(const Call& call, const HostOperator& host) {
  const std::vector<std::int32_t>& kernel = call.in(1).shape;
  if (host.kind == HostKind::FullyConnected) {
    return {{1, 1, 1, kernel[1]}, {1, 1, 1, kernel[0]}};
  }
  Window window{call.in(0).shape, call.out().shape};
  window.kernel_h = kernel[1];
  window.kernel_w = kernel[2];
  window.stride_h = host.integers[0];
  window.stride_w = host.integers[1];
  window.dilation_h = host.integers[2];
  window.dilation_w = host.integers[3];
  window.top = host.integers[4];
  window.left = host.integers[5];
  return window;
}

}  // namespace

void write_weighted(Call& call, const Attributes& attributes) {
  std::visit(WeightedWriter{call}, attributes);
}

void write_host_weighted(Call& call, const HostOperator& host) {
  const Tensor& kernel = call.in(1);
  const Window window = host_window(call, host);
  const bool depthwise = host.kind == HostKind::DepthwiseConv2d;
  const std::int64_t size = std::int64_t{window.in[1]} * window.in[2] * window.in[3];
  const std::int64_t pictures = call.in(0).elements() / size;
  const std::int32_t inputs = depthwise                               ? 1
                              : host.kind == HostKind::FullyConnected ? kernel.shape[1]
                                                                      : kernel.shape[3];
  const std::int32_t by_group = window.out[3] / (window.in[3] / inputs);
  const auto how = static_cast<DynamicBytes>(host.integers.back());
  const bool of_bytes = kernel.type == DataType::Int8;
  const bool hybrid = of_bytes && how != DynamicBytes::None;
  const bool limited = !host.numbers.empty();
  const std::vector<float>& scales = kernel.quantisation.scales;
  const std::vector<std::string> numbers = {
      window.text(),
      c_number(hybrid ? 1 : pictures),
      depthwise ? "1" : "0",
      c_number(inputs),
      c_number(by_group),
      of_bytes ? call.text().floats(scales) : "0",
      of_bytes && scales.size() > 1 ? "1" : "0",
      c_float(limited ? host.numbers[0] : std::numeric_limits<float>::lowest()),
      c_float(limited ? host.numbers[1] : std::numeric_limits<float>::max())};
  if (hybrid) {
    const std::string parameters = call.text().parameters(
        "tessera_hybrid_parameters",
        {braced(numbers), c_number(pictures), how == DynamicBytes::AroundZero ? "1" : "0"});
    const std::string room = call.scratch(2 * static_cast<std::uint64_t>(size));
    return call.run("hybrid.c", "hybrid",
                    {parameters, call.data(0), call.data(1), call.data(2), room, call.output()});
  }
  const char* function = call.in(0).type == DataType::Int32 ? "weighted_i32"
                         : of_bytes                         ? "weighted_f32_i8"
                                                            : "weighted_f32";
  call.run("weighted_numbers.c", function,
           {call.text().parameters("tessera_numbers", numbers), call.data(0), call.data(1),
            call.data(2), call.output()});
}

}  // namespace tessera::runtime
