// Functions of whole rows: softmax, normalisations, products of matrices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "network/matrices.hpp"
#include "network/reference/fixed_point_functions.hpp"
#include "network/reference/host_kernels.hpp"
#include "rom/runtime/call.hpp"

namespace tessera::runtime {
namespace {

constexpr int kDistanceBits = 5;  // integer bits of distances from the greatest value
constexpr int kSumBits = 12;      // of sums of exponentials
constexpr std::int32_t kDistances = 256;

struct Rows {
  std::int64_t rows, depth;
};

Rows rows_of(const Tensor& tensor) {
  const std::int64_t depth = tensor.shape.back();
  return {tensor.elements() / depth, depth};
}

// LogSoftmax of bytes in fixed point: the distances' factor, the way back and the least distance.
struct LogScale {
  FixedPoint factor, back;
  std::int32_t least;

  explicit LogScale(float scale)
      : factor(fixed_point(
            std::min(static_cast<double>(scale) * static_cast<double>(1 << (31 - kDistanceBits)),
                     static_cast<double>(INT32_MAX)))),
        back(fixed_point(std::ldexp(1.0, 31 - factor.shift) / factor.multiplier)) {
    const double radius = std::floor(static_cast<double>((1 << kDistanceBits) - 1) *
                                     std::ldexp(1.0, 31 - kDistanceBits - factor.shift));
    least = static_cast<std::int32_t>(-std::min(radius, 65536.0));
  }
};

void log_softmax_in_integers(Call& call, const Rows& rows) {
  const LogScale scale(call.in(0).quantisation.scales[0]);
  std::vector<std::int32_t> exponentials;
  std::vector<std::int32_t> scaled;
  for (std::int32_t distance = 0; distance < kDistances; ++distance) {
    scaled.push_back(requantise(-distance, scale.factor));
    if (-distance >= scale.least) {
      exponentials.push_back(
          rounding_shift_right(reference::exp_on_negative<kDistanceBits>(scaled.back()), kSumBits));
    }
  }
  const std::string parameters = call.text().parameters(
      "tessera_log_softmax_parameters",
      {c_number(rows.rows), c_number(rows.depth),
       c_number(static_cast<std::int64_t>(exponentials.size())), call.text().integers(exponentials),
       call.text().integers(scaled), c_number(scale.least), c_factor(scale.back)});
  call.run("log_softmax.c", "log_softmax", {parameters, call.data(0), call.output()});
}

void log_softmax(Call& call, const HostOperator& host) {
  const Tensor& in = call.in(0);
  const Rows rows = rows_of(in);
  if (in.type != DataType::Int8) {
    const std::string parameters = call.text().parameters(
        "tessera_log_softmax_float_parameters", {c_number(rows.rows), c_number(rows.depth)});
    return call.run("softmax_float.c", "log_softmax_float",
                    {parameters, call.data(0), call.output()});
  }
  const std::int32_t which = host.integers.empty() ? 0 : host.integers[0];
  if (which == 0) {
    return log_softmax_in_integers(call, rows);
  }
  const float scale = in.quantisation.scales[0];
  std::vector<float> exponentials;
  exponentials.reserve(kDistances);
  for (std::int32_t distance = 0; distance < kDistances; ++distance) {
    exponentials.push_back(std::exp(-scale * static_cast<float>(distance)));
  }
  const Quantisation& out = call.out().quantisation;
  const std::string parameters = call.text().parameters(
      "tessera_log_softmax_bytes_parameters",
      {c_number(rows.rows), c_number(rows.depth), call.text().floats(exponentials), c_float(scale),
       which == 2 ? "128" : "0", c_float(out.scales[0]), c_number(out.zero_point)});
  call.run("softmax_float.c", "log_softmax_bytes", {parameters, call.data(0), call.output()});
}

void softmax_on_axis(Call& call, const HostOperator& host) {
  const Tensor& in = call.in(0);
  const MeanExtents extents = extents_of({host.integers[0], 1}, in.shape);
  std::vector<std::string> fields = {c_number(extents.outer), c_number(extents.count),
                                     c_number(extents.inner)};
  if (in.type != DataType::Int8) {
    fields.push_back(c_float(host.numbers[0]));
    return call.run("softmax_float.c", "softmax_float",
                    {call.text().parameters("tessera_softmax_float_parameters", fields),
                     call.data(0), call.output()});
  }
  const auto table = reference::softmax_table(in.quantisation.scales[0], extents.count);
  const Quantisation& out = call.out().quantisation;
  fields.insert(fields.end(),
                {call.text().floats({table.begin(), table.end()}),
                 c_float(std::floor(1.0F / out.scales[0])), c_number(out.zero_point)});
  call.run("softmax_bytes.c", "softmax_bytes",
           {call.text().parameters("tessera_softmax_bytes_parameters", fields), call.data(0),
            call.output()});
}

void l2_normalisation(Call& call, const HostOperator& host) {
  const Rows rows = rows_of(call.in(0));
  if (call.in(0).type != DataType::Int8) {
    const std::string parameters = call.text().parameters(
        "tessera_norm", {c_number(rows.rows), c_number(rows.depth), "0", "0.0F"});
    return call.run("norms_float.c", "l2_f32", {parameters, call.data(0), call.output()});
  }
  const bool of_unsigned = !host.integers.empty() && host.integers[0] != 0;
  const std::string parameters = call.text().parameters(
      "tessera_l2_i8_parameters",
      {c_number(rows.rows), c_number(rows.depth), c_number(call.in(0).quantisation.zero_point),
       c_number(call.out().quantisation.zero_point), of_unsigned ? "1" : "0"});
  call.run("norms.c", "l2_i8", {parameters, call.data(0), call.output()});
}

void layer_normalisation(Call& call, const HostOperator& host) {
  const Rows rows = rows_of(call.in(0));
  const std::string parameters = call.text().parameters(
      "tessera_norm", {c_number(rows.rows), c_number(rows.depth), host.integers[0] != 0 ? "1" : "0",
                       c_float(host.numbers[0])});
  call.run("norms_float.c", "layer_norm",
           {parameters, call.data(0), call.data(1), call.data(2), call.output()});
}

std::vector<std::int32_t> as_int32(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

void matmul(Call& call) {
  const MatrixProduct product = matrix_product(call.network(), call.op());
  const std::vector<std::string> matrices = {
      c_number(static_cast<std::int64_t>(product.firsts.size())),
      call.text().integers(as_int32(product.firsts)),
      call.text().integers(as_int32(product.seconds)),
      c_number(product.rows),
      c_number(product.cols),
      c_number(product.depth),
      c_number(product.first_row),
      c_number(product.first_step),
      c_number(product.second_col),
      c_number(product.second_step)};
  const DataType type = call.in(0).type;
  if (type != DataType::Int8) {
    return call.run("matmul.c", "matmul_" + c_type(type),
                    {call.text().parameters("tessera_matrices", matrices), call.data(0),
                     call.data(1), call.output()});
  }
  const Quantisation& qa = call.in(0).quantisation;
  const Quantisation& qb = call.in(1).quantisation;
  const Quantisation& qo = call.out().quantisation;
  const FixedPoint factor = weighted_factors(qa, qb, qo, 1, scale_arithmetic(call.op(), qb))[0];
  const std::string parameters = call.text().parameters(
      "tessera_matmul_i8_parameters",
      {braced(matrices), c_number(qa.zero_point), c_number(qb.zero_point), c_factor(factor),
       c_number(qo.zero_point), c_rounding(call.op().rounding)});
  call.run("matmul.c", "matmul_i8", {parameters, call.data(0), call.data(1), call.output()});
}

}  // namespace

void write_softmax(Call& call, const Softmax& softmax) {
  const Tensor& in = call.in(0);
  const double real =
      std::min(static_cast<double>(softmax.beta) * static_cast<double>(in.quantisation.scales[0]) *
                   (1 << (31 - kDistanceBits)),
               static_cast<double>(INT32_MAX));
  const FixedPoint factor = fixed_point(real);
  const int left = std::max(factor.shift, 0);
  const auto least = static_cast<std::int32_t>(
      -std::floor(static_cast<double>((1 << kDistanceBits) - 1) *
                  static_cast<double>(std::int64_t{1} << (31 - kDistanceBits)) /
                  static_cast<double>(std::int64_t{1} << left)));
  std::vector<std::int32_t> exponentials;
  for (std::int32_t distance = 0; distance < kDistances && -distance >= least; ++distance) {
    exponentials.push_back(reference::exp_on_negative<kDistanceBits>(
        doubling_high_multiply(-distance * (std::int32_t{1} << left), factor.multiplier)));
  }
  const Rows rows = rows_of(in);
  const std::string parameters = call.text().parameters(
      "tessera_softmax_parameters", {c_number(rows.rows), c_number(rows.depth),
                                     c_number(static_cast<std::int64_t>(exponentials.size())),
                                     call.text().integers(exponentials)});
  call.run("softmax.c", "softmax", {parameters, call.data(0), call.output()});
}

void write_host_rows(Call& call, const HostOperator& host) {
  switch (host.kind) {
    case HostKind::SoftmaxFloat:
      return softmax_on_axis(call, host);
    case HostKind::LogSoftmax:
      return log_softmax(call, host);
    case HostKind::L2Normalization:
      return l2_normalisation(call, host);
    case HostKind::LayerNormalization:
      return layer_normalisation(call, host);
    default:
      return matmul(call);
  }
}

}  // namespace tessera::runtime
