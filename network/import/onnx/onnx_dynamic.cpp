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
  return {float_tensor(suffix, {value}, {1}), {1}, {0}};
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

// In groups, too; numbers around the input's zero point.
void OnnxImporter::conv_integer(const Node& node) {
  require(is_known(name_of(node, 1)), fmt::format("`{}` must be a constant", name_of(node, 1)));
  const OnnxConstant kernel = constant(name_of(node, 1));
  const std::string zero_name = name_of(node, 3);
  const std::vector<double> zeros =
      zero_name.empty() ? std::vector<double>{0} : constant(zero_name).values;
  const std::size_t rank = kernel.dims.size();
  require(
      (rank == 3 || rank == 4) && kernel.dims[0] >= 1 && kernel.scales.empty() &&
          (zeros.size() == 1 || zeros.size() == static_cast<std::size_t>(kernel.dims[0])),
      fmt::format("{} zero points of weights [{}]", zeros.size(), fmt::join(kernel.dims, ", ")));
  OnnxValue in = whole_operand(node, 0, 2);
  require(in.dims.size() == rank,
          fmt::format("a kernel [{}] on a picture [{}]", fmt::join(kernel.dims, ", "),
                      fmt::join(in.dims, ", ")));
  in = image(in);
  const Windows windows = windows_of(node, in, kernel.dims);
  const std::size_t each = kernel.values.size() / static_cast<std::size_t>(kernel.dims[0]);
  std::vector<std::int32_t> weights;
  weights.reserve(kernel.values.size());
  for (const std::size_t i : windows.order) {
    weights.push_back(
        static_cast<std::int32_t>(kernel.values[i] - zeros[zeros.size() == 1 ? 0 : i / each]));
  }
  const std::int32_t matrix =
      builder_.constant(name_ + "/weights", windows.kernel_shape, {}, bytes_of(weights));
  builder_.tensor(matrix).type = DataType::Int32;
  const std::int32_t out =
      builder_.moved(name_, windows.output_shape, windows.host, {in.tensor, matrix});
  define(node.output(0), from_image(out, rank));
}

}  // namespace tessera
