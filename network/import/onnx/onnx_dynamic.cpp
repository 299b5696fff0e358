// Quantised while they run, and products of whole numbers: on the host.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {
namespace {

template <class T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

OnnxValue OnnxImporter::on_host(HostKind kind, const std::vector<OnnxValue>& inputs,
                                const OnnxValue& like, const std::string& suffix,
                                std::vector<std::int32_t> integers, std::vector<float> numbers) {
  std::vector<std::int32_t> tensors;
  tensors.reserve(inputs.size());
  for (const OnnxValue& in : inputs) {
    tensors.push_back(in.tensor);
  }
  const std::int32_t out =
      builder_.moved(name_ + suffix, stored_shape(like.dims, like.order),
                     HostOperator{kind, std::move(integers), std::move(numbers)}, tensors);
  return {out, like.dims, like.order};
}

OnnxValue OnnxImporter::given_float(float value, const std::string& suffix) {
  const std::int32_t tensor =
      builder_.constant(name_ + suffix, {1}, {}, bytes_of(std::vector<float>{value}));
  builder_.tensor(tensor).type = DataType::Float32;
  return {tensor, {1}, {0}};
}

// The scale and zero point that hold all values and 0 in a byte, as the standard has them. Bytes
// are numbers of 32 bits on the way.
void OnnxImporter::dynamic_quantize_linear(const Node& node) {
  require(node.output_size() >= 1, "has no output");
  const OnnxValue x = as_float(input(node, 0));
  const OnnxValue one{-1, {1}, {0}};
  std::vector<std::int32_t> axes(x.dims.size());
  std::iota(axes.begin(), axes.end(), 0);
  const OnnxValue zero = given_float(0, "/zero");
  const OnnxValue most =
      on_host(HostKind::Maximum, {on_host(HostKind::ReduceMax, {x}, one, "/max", axes), zero}, one,
              "/most");
  const OnnxValue least =
      on_host(HostKind::Minimum, {on_host(HostKind::ReduceMin, {x}, one, "/min", axes), zero}, one,
              "/least");
  const OnnxValue range = on_host(HostKind::Sub, {most, least}, one, "/range");
  // Where all values are 0 any scale is right.
  const OnnxValue scale =
      on_host(HostKind::Maximum,
              {on_host(HostKind::Div, {range, given_float(255, "/steps")}, one, "/step"),
               given_float(std::numeric_limits<float>::min(), "/least_step")},
              one, "/scale");
  const OnnxValue from = on_host(
      HostKind::Sub, {zero, on_host(HostKind::Div, {least, scale}, one, "/below")}, one, "/from");
  const OnnxValue point =
      on_host(HostKind::Round, {on_host(HostKind::Clip, {from}, one, "/inside", {}, {0, 255})}, one,
              "/point");
  const OnnxValue steps =
      on_host(HostKind::Round, {on_host(HostKind::Div, {x, scale}, x, "/exact")}, x, "/rounded");
  const OnnxValue bytes =
      on_host(HostKind::Clip, {on_host(HostKind::Add, {steps, point}, x, "/moved")}, x, "/bytes",
              {}, {0, 255});
  const auto whole = [&](const OnnxValue& v, const char* suffix) {
    const OnnxValue out = on_host(HostKind::Cast, {v}, v, suffix);
    builder_.tensor(out.tensor).type = DataType::Int32;
    return out;
  };
  const auto give = [&](int i, const OnnxValue& v) {
    if (i < node.output_size() && !node.output(i).empty()) {
      define(node.output(i), v);
    }
  };
  give(0, whole(bytes, "/numbers"));
  give(1, scale);
  give(2, whole(point, "/zero_point"));
}

// Values less their zero point, as numbers of 32 bits.
OnnxValue OnnxImporter::whole_operand(const Node& node, int i, int zero) {
  const std::string zero_name = name_of(node, zero);
  const std::string name = name_of(node, i);
  if (is_known(name)) {
    OnnxConstant given = constant(name);
    require(given.scales.empty() && given.values.size() < (std::size_t{1} << 28),
            fmt::format("`{}` must hold whole numbers", name));
    std::vector<double> zeros(1, 0.0);
    if (!zero_name.empty()) {
      require(is_known(zero_name), "the zero point of a constant must be a constant");
      zeros = constant(zero_name).values;
    }
    const std::size_t last =
        given.dims.empty() ? 1
                           : static_cast<std::size_t>(std::max<std::int64_t>(given.dims.back(), 1));
    require(zeros.size() == 1 || zeros.size() == last,
            fmt::format("{} zero points for {} columns", zeros.size(), last));
    std::vector<std::int32_t> values;
    values.reserve(given.values.size());
    for (std::size_t k = 0; k < given.values.size(); ++k) {
      values.push_back(
          static_cast<std::int32_t>(given.values[k] - zeros[zeros.size() == 1 ? 0 : k % last]));
    }
    const Order order = plain_order(given.dims.size());
    const std::int32_t tensor =
        builder_.constant(name_ + fmt::format("/operand{}", i), stored_shape(given.dims, order), {},
                          bytes_of(values));
    builder_.tensor(tensor).type = DataType::Int32;
    return {tensor, given.dims, order};
  }
  OnnxValue v = plain(value(name));
  require(builder_.tensor(v.tensor).type == DataType::Int32,
          "supported are bytes that a DynamicQuantizeLinear gives, and constants");
  if (zero_name.empty()) {
    return v;
  }
  require(!is_known(zero_name) && builder_.tensor(value(zero_name).tensor).type == DataType::Int32,
          "supported is the zero point that came with the bytes");
  return on_host(HostKind::Sub, {v, value(zero_name)}, v, "/centred");
}

void OnnxImporter::matmul_integer(const Node& node) {
  const OnnxValue a = whole_operand(node, 0, 2);
  const OnnxValue b = whole_operand(node, 1, 3);
  require(a.dims.size() >= 2 && b.dims.size() >= 2,
          "multiplies matrices of two dimensions or more");
  OnnxValue like = a.dims.size() >= b.dims.size() ? a : b;
  like.order = plain_order(like.dims.size());
  for (std::size_t d = 2; d < std::min(a.dims.size(), b.dims.size()); ++d) {
    const std::int64_t one = *(a.dims.rbegin() + static_cast<std::ptrdiff_t>(d));
    const std::int64_t other = *(b.dims.rbegin() + static_cast<std::ptrdiff_t>(d));
    *(like.dims.rbegin() + static_cast<std::ptrdiff_t>(d)) = std::max(one, other);
  }
  *(like.dims.rbegin() + 1) = *(a.dims.rbegin() + 1);
  like.dims.back() = b.dims.back();
  define(node.output(0), on_host(HostKind::BatchMatMul, {a, b}, like, "", {0, 0}));
}

// A product of matrices for each tap of the kernel.
void OnnxImporter::conv_integer(const Node& node) {
  require(OnnxAttributes(node).integer("group", 1) == 1, "supported is one group");
  require(is_known(name_of(node, 1)), fmt::format("`{}` must be a constant", name_of(node, 1)));
  const OnnxConstant kernel = constant(name_of(node, 1));
  const double zero = name_of(node, 3).empty() ? 0 : number(name_of(node, 3));
  const Dims& k = kernel.dims;
  OnnxValue in = whole_operand(node, 0, 2);
  require(k.size() == 4 && in.dims.size() == 4 && in.dims[0] == 1 && in.dims[1] == k[1],
          fmt::format("a kernel [{}] on a picture [{}]; supported are one picture and kernels "
                      "[output, input, height, width]",
                      fmt::join(k, ", "), fmt::join(in.dims, ", ")));
  const Window window = window_of(node, in, {k[2], k[3]});
  in = stored_as(in, channels_last(4));
  const Padding& p = window.padding;
  OnnxValue padded = in;
  padded.dims[2] += p.top + p.bottom;
  padded.dims[3] += p.left + p.right;
  padded = on_host(HostKind::PadValue, {in}, padded, "/pad",
                   {0, p.top, p.left, 0, 0, p.bottom, p.right, 0}, {0});
  const auto outputs = [&](std::size_t a) {
    const std::int64_t span = std::int64_t{window.dilation[a]} * (window.kernel[a] - 1) + 1;
    require(padded.dims[2 + a] >= span, "its kernel is larger than its padded input");
    return (padded.dims[2 + a] - span) / window.stride[a] + 1;
  };
  const OnnxValue pixels{-1, {1, k[1], outputs(0), outputs(1)}, channels_last(4)};
  const OnnxValue result{-1, {1, k[0], pixels.dims[2], pixels.dims[3]}, channels_last(4)};
  std::optional<OnnxValue> sum;
  for (std::int64_t y = 0; y < k[2]; ++y) {
    for (std::int64_t x = 0; x < k[3]; ++x) {
      std::vector<std::int32_t> weights;  // [inputs, outputs]
      for (std::int64_t c = 0; c < k[1]; ++c) {
        for (std::int64_t o = 0; o < k[0]; ++o) {
          const std::int64_t at = ((o * k[1] + c) * k[2] + y) * k[3] + x;
          weights.push_back(
              static_cast<std::int32_t>(kernel.values[static_cast<std::size_t>(at)] - zero));
        }
      }
      const std::string tap = fmt::format("/tap{}_{}", y, x);
      const std::int32_t matrix =
          builder_.constant(name_ + tap + "/weights",
                            {static_cast<std::int32_t>(k[1]), static_cast<std::int32_t>(k[0])}, {},
                            bytes_of(weights));
      builder_.tensor(matrix).type = DataType::Int32;
      StridedSlice slice;
      slice.begin = {0, static_cast<std::int32_t>(y) * window.dilation[0],
                     static_cast<std::int32_t>(x) * window.dilation[1], 0};
      slice.stride = {1, window.stride[0], window.stride[1], 1};
      OnnxValue part = pixels;
      part.tensor =
          moved(padded, stored_shape(pixels.dims, pixels.order), slice, (tap + "/pixels").c_str());
      const OnnxValue product =
          on_host(HostKind::BatchMatMul, {part, {matrix, {k[1], k[0]}, plain_order(2)}}, result,
                  tap, {0, 0});
      sum = sum ? on_host(HostKind::Add, {*sum, product}, result, tap + "/sum") : product;
    }
  }
  require(sum.has_value(), "its kernel has no taps");
  define(node.output(0), *sum);
}

}  // namespace tessera
