// Layers of floats: what stands behind no DequantizeLinear or before no QuantizeLinear is the
// host's.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>

#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {

// Nobody should be surprised that such a layer takes the accelerator no time.
void OnnxImporter::note_floats(const OnnxValue& in) {
  if (!options_.in_float) {
    builder_.note(where_ + (is_quantised(in)
                                ? "its result has no QuantizeLinear behind it: in float on the host"
                                : "what it reads is float: in float on the host"));
  }
}

// Stored as they are given here.
std::int32_t OnnxImporter::float_tensor(const std::string& suffix, const std::vector<float>& values,
                                        const std::vector<std::int32_t>& shape) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  const std::int32_t tensor = builder_.constant(name_ + suffix, shape, {}, std::move(bytes));
  builder_.tensor(tensor).type = DataType::Float32;
  return tensor;
}

// A bias of a float layer, times `factor`; no tensor where there is none.
void OnnxImporter::add_float_bias(const Node& node, std::size_t outputs, float factor,
                                  std::vector<std::int32_t>& tensors) {
  const std::string name = name_of(node, 2);
  if (name.empty()) {
    return;
  }
  require(is_known(name), fmt::format("`{}` must be a constant", name));
  const OnnxConstant given = constant(name);
  require(given.values.size() == outputs || given.values.size() == 1,
          fmt::format("{} values of a bias for {} outputs", given.values.size(), outputs));
  std::vector<float> bias;
  bias.reserve(outputs);
  for (std::size_t k = 0; k < outputs; ++k) {
    bias.push_back(factor * static_cast<float>(given.real(given.values.size() == 1 ? 0 : k)));
  }
  tensors.push_back(float_tensor("/bias", bias, {static_cast<std::int32_t>(outputs)}));
}

// A convolution as the host has it. `dims`: output, input of a group, then space.
OnnxImporter::Windows OnnxImporter::windows_of(const Node& node, const OnnxValue& in,
                                               const Dims& dims) const {
  const Window window = window_of(node, in, {dims.begin() + 2, dims.end()});
  const std::int64_t groups = OnnxAttributes(node).integer("group", 1);
  const std::int64_t channels = in.dims[1];
  require(groups >= 1 && dims[1] >= 1 && channels == groups * dims[1] && dims[0] >= 1 &&
              dims[0] % groups == 0,
          fmt::format("{} groups, {} input channels, kernel [{}]", groups, channels,
                      fmt::join(dims, ", ")));
  const bool depthwise = groups == channels && channels > 1;
  const auto outputs = static_cast<std::int32_t>(dims[0]);
  const auto inputs = static_cast<std::int32_t>(dims[1]);
  const std::int32_t taps = window.kernel[0] * window.kernel[1];
  Windows result;
  result.order = kernel_order(static_cast<std::size_t>(outputs), static_cast<std::size_t>(inputs),
                              static_cast<std::size_t>(taps), depthwise);
  result.kernel_shape = {depthwise ? 1 : outputs, window.kernel[0], window.kernel[1],
                         depthwise ? outputs : inputs};
  const Padding& p = window.padding;
  const auto extent = [&](std::size_t a, std::int32_t before, std::int32_t after) {
    const std::int64_t span = std::int64_t{window.dilation[a]} * (window.kernel[a] - 1) + 1;
    const std::int64_t room = in.dims[2 + a] + before + after - span;
    require(room >= 0, "its kernel is larger than its padded input");
    return static_cast<std::int32_t>(room / window.stride[a] + 1);
  };
  result.output_shape = {1, extent(0, p.top, p.bottom), extent(1, p.left, p.right), outputs};
  result.host = {depthwise ? HostKind::DepthwiseConv2d : HostKind::Conv2d,
                 {window.stride[0], window.stride[1], window.dilation[0], window.dilation[1], p.top,
                  p.left, p.bottom, p.right, 0},
                 {}};
  return result;
}

void OnnxImporter::convolve_floats(const Node& node, const OnnxValue& given_in, std::size_t rank) {
  note_floats(given_in);
  const OnnxValue in = as_float(given_in);
  const OnnxConstant kernel = constant(name_of(node, 1));
  const Windows windows = windows_of(node, in, kernel.dims);
  std::vector<float> weights;
  weights.reserve(kernel.values.size());
  for (const std::size_t i : windows.order) {
    weights.push_back(static_cast<float>(kernel.real(i)));
  }
  std::vector<std::int32_t> tensors = {in.tensor,
                                       float_tensor("/weights", weights, windows.kernel_shape)};
  add_float_bias(node, static_cast<std::size_t>(kernel.dims[0]), 1, tensors);
  const std::int32_t out = builder_.moved(name_, windows.output_shape, windows.host, tensors);
  define(node.output(0), from_image(out, rank));
}

// alpha A B + beta C by constant weights.
void OnnxImporter::gemm_of_floats(const Node& node, bool transposed, float alpha, float beta) {
  note_floats(input(node, 0));
  const OnnxValue in = plain(as_float(input(node, 0)));
  const OnnxConstant given = constant(name_of(node, 1));
  const std::int64_t outputs = given.dims[transposed ? 0 : 1];
  const std::int64_t features = given.dims[transposed ? 1 : 0];
  require(!in.dims.empty() && in.dims.back() == features,
          fmt::format("{} features, weights [{}]", in.dims.empty() ? 0 : in.dims.back(),
                      fmt::join(given.dims, ", ")));
  std::vector<float> weights;
  weights.reserve(given.values.size());
  for (std::int64_t k = 0; k < outputs; ++k) {
    for (std::int64_t c = 0; c < features; ++c) {
      const std::int64_t at = transposed ? k * features + c : c * outputs + k;
      weights.push_back(alpha * static_cast<float>(given.real(static_cast<std::size_t>(at))));
    }
  }
  std::vector<std::int32_t> tensors = {
      in.tensor,
      float_tensor("/weights", weights,
                   {static_cast<std::int32_t>(outputs), static_cast<std::int32_t>(features)})};
  add_float_bias(node, static_cast<std::size_t>(outputs), beta, tensors);
  Dims dims = in.dims;
  dims.back() = outputs;
  define(node.output(0),
         builder_.moved(name_, stored_shape(dims, plain_order(dims.size())),
                        HostOperator{HostKind::FullyConnected, {0}, {}}, tensors),
         dims, plain_order(dims.size()));
}

// A product and a sum for each channel.
void OnnxImporter::normalise_floats(const Node& node) {
  const OnnxValue in = as_float(input(node, 0));
  require(in.dims.size() >= 2, "needs a dimension of channels");
  const auto channels = static_cast<std::size_t>(in.dims[1]);
  OnnxConstant parts[4];  // scale, bias, mean, variance
  for (int i = 0; i < 4; ++i) {
    require(is_known(name_of(node, i + 1)),
            fmt::format("`{}` must be a constant", name_of(node, i + 1)));
    parts[i] = constant(name_of(node, i + 1));
    require(parts[i].values.size() == channels,
            fmt::format("`{}` has {} values for {} channels", name_of(node, i + 1),
                        parts[i].values.size(), channels));
  }
  const float epsilon = OnnxAttributes(node).number("epsilon", 1e-5F);
  std::vector<float> factor;
  std::vector<float> offset;
  for (std::size_t c = 0; c < channels; ++c) {
    factor.push_back(static_cast<float>(
        parts[0].real(c) / std::sqrt(parts[3].real(c) + static_cast<double>(epsilon))));
    offset.push_back(static_cast<float>(parts[1].real(c) -
                                        parts[2].real(c) * static_cast<double>(factor.back())));
  }
  Dims dims(in.dims.size(), 1);
  dims[1] = in.dims[1];
  const std::vector<std::int32_t> shape = stored_shape(dims, in.order);
  const auto by_channel = [&](const char* suffix, const std::vector<float>& values) {
    return OnnxValue{float_tensor(suffix, values, shape), dims, in.order};
  };
  const OnnxValue scaled =
      on_host(HostKind::Mul, {in, by_channel("/factor", factor)}, in, "/scaled");
  define(node.output(0), on_host(HostKind::Add, {scaled, by_channel("/offset", offset)}, in, ""));
}

}  // namespace tessera
