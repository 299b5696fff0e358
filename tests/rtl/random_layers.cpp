#include "tests/rtl/random_layers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::test {
namespace {

std::string draw_layer(int atomic, const std::string& in) {
  const int kernel = pick(1, 4);
  const int kind = pick(0, 5);
  const std::string shape = fmt::format("{}kernel: [{}, {}], stride: [{}, {}]", in, kernel,
                                        pick(1, 4), pick(1, 2), pick(1, 2));
  if (kind == 0) {
    return fmt::format("  - max_pool2d: {{{}, padding: same}}\n", shape);
  }
  if (kind <= 2) {
    return fmt::format("  - depthwise_conv2d: {{{}, padding: same}}\n", shape);
  }
  return fmt::format("  - conv2d: {{{}, out_channels: {}, padding: same}}\n", shape,
                     std::max(1, pick(0, 3) * atomic + pick(-1, 1)));
}

// Sizes near the array's borders are the interesting ones.
int pick_channels(int atomic, int least) {
  return std::max(least, pick(0, 5) * atomic + pick(-2, 2));
}

}  // namespace

RandomCase draw_convolution(const std::string& preset, const std::string& mode, Kind kind) {
  const Hardware hw = hardware_preset(preset);
  const int kernel_h = pick(1, pick(0, 5) == 0 ? 16 : 5);
  const int kernel_w = pick(1, pick(0, 5) == 0 ? 16 : 5);
  const int dilation_h = pick(0, 3) == 0 ? pick(2, 4) : 1;
  const int dilation_w = pick(0, 3) == 0 ? pick(2, 4) : 1;
  const int span_h = dilation_h * (kernel_h - 1) + 1;
  const int span_w = dilation_w * (kernel_w - 1) + 1;
  const int top = pick(0, std::min(span_h - 1, 3));
  const int left = pick(0, std::min(span_w - 1, 3));
  const int bottom = pick(0, std::min(span_h - 1, 3));
  const int right = pick(0, std::min(span_w - 1, 3));
  const bool by_space = mode == "split-spatial" || mode == "split-both";
  const int least_growth = by_space ? 4 : 0;
  const int height = std::max(1, span_h - top - bottom) + pick(least_growth, 14);
  const int width = std::max(1, span_w - left - right) + pick(least_growth, 14);
  // A forced split needs something to cut, in the second layer too.
  const bool by_channels = mode == "split-channels" || mode == "split-both";
  const int least_in = by_channels ? static_cast<int>(hw.atomic_c) + 1 : 1;
  const bool second = pick(0, 2) == 0;
  const int least_out = by_channels && second ? static_cast<int>(hw.atomic_c) + 1 : 1;
  const int stride_limit = by_space ? 3 : 8;
  const char* const activations[] = {"none", "relu", "relu6"};
  // In atoms; small ones are as likely as large ones, and an odd number is fine.
  const int atoms = static_cast<int>(hw.cbuf_atoms()) >> pick(0, 7);
  const int limit = pick(atoms / 2, atoms) * static_cast<int>(hw.atomic_c);
  RandomCase c;
  c.config = draw_config(preset, limit,
                         mode == "least-traffic"   ? "name: best, objective: traffic"
                         : mode == "fewest-cycles" ? "name: best"
                                                   : "mode: " + mode);
  const int in_channels = pick_channels(static_cast<int>(hw.atomic_c), least_in);
  const int out_channels = pick_channels(static_cast<int>(hw.atomic_k), least_out);
  c.network = fmt::format(
      "layers:\n  - {}: {{in: [{}, {}, {}], {}kernel: [{}, {}], stride: [{}, {}], dilation: [{}, "
      "{}], padding: [{}, {}, {}, {}], activation: {}}}\n",
      kind == Kind::Depthwise ? "depthwise_conv2d" : "conv2d", height, width, in_channels,
      kind == Kind::Depthwise ? "" : fmt::format("out_channels: {}, ", out_channels), kernel_h,
      kernel_w, pick(1, stride_limit), pick(1, stride_limit), dilation_h, dilation_w, top, left,
      bottom, right, activations[pick(0, 2)]);
  if (kind == Kind::AveragePool) {
    c.network = fmt::format(
        "layers:\n  - avg_pool2d: {{in: [{}, {}, {}], kernel: [{}, {}], stride: [{}, {}], "
        "activation: {}}}\n",
        height + span_h, width + span_w, in_channels, kernel_h, kernel_w, pick(1, stride_limit),
        pick(1, stride_limit), activations[pick(0, 2)]);
  }
  if (kind == Kind::MaximumPool) {
    // Less padding than kernel, so that no window lies outside altogether.
    c.network = fmt::format(
        "layers:\n  - max_pool2d: {{in: [{}, {}, {}], kernel: [{}, {}], stride: [{}, {}], padding: "
        "[{}, {}, {}, {}], activation: {}}}\n",
        height + span_h, width + span_w, in_channels, kernel_h, kernel_w, pick(1, stride_limit),
        pick(1, stride_limit), std::min(top, kernel_h - 1), std::min(left, kernel_w - 1),
        std::min(bottom, kernel_h - 1), std::min(right, kernel_w - 1), activations[pick(0, 2)]);
  }
  // A second layer reads the first one's output while that may still be on its way.
  if (second) {
    c.network += fmt::format("  - conv2d: {{out_channels: {}, kernel: 1}}\n",
                             pick_channels(static_cast<int>(hw.atomic_k), 1));
  }
  return c;
}

RandomCase draw_chain(const std::string& preset) {
  const Hardware hw = hardware_preset(preset);
  const auto atomic = static_cast<int>(hw.atomic_c);
  const int height = pick(12, 60);
  const int width = pick(5, 24);
  const int channels = std::max(1, pick(0, 2) * atomic + pick(-1, 3));
  RandomCase drawn;
  drawn.network = "layers:\n";
  const int layers = pick(1, 4);
  for (int i = 0; i < layers; ++i) {
    drawn.network += draw_layer(
        atomic, i == 0 ? fmt::format("in: [{}, {}, {}], ", height, width, channels) : "");
  }
  // Room for some rows of the first layer's feature, and for as much again of all else.
  const int row = width * ((channels + atomic - 1) / atomic);
  const int atoms = std::min(static_cast<int>(hw.cbuf_atoms()), row * pick(6, 40) + pick(0, 200));
  drawn.config = draw_config(
      preset, atoms * atomic,
      pick(0, 1) == 0 ? "name: best, objective: cycles" : "name: best, objective: traffic");
  return drawn;
}

}  // namespace tessera::test
