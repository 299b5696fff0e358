// Reductions, and where the greatest value is.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "rom/runtime/call.hpp"

namespace tessera::runtime {
namespace {

// Loops over what is kept and over what each result is made of.
struct Reduction {
  std::vector<Loop> kept, reduced;
  std::int64_t count = 1;

  Reduction(const std::vector<std::int32_t>& shape, const std::vector<std::int32_t>& axes) {
    const std::vector<std::int64_t> strides = strides_of(shape);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const bool goes =
          std::find(axes.begin(), axes.end(), static_cast<std::int32_t>(d)) != axes.end();
      (goes ? reduced : kept).push_back({shape[d], {strides[d], 0, 0}});
      count *= goes ? shape[d] : 1;
    }
  }
};

std::string reduction_parameters(Call& call, const Reduction& reduction) {
  const std::string kept = call.loops(reduction.kept);
  return call.text().parameters("tessera_reduce",
                                {kept, call.loops(reduction.reduced), c_number(reduction.count)});
}

// Of bytes: sums in scratch memory, then their scale.
std::string sums_of(Call& call, const Reduction& reduction) {
  std::string sums = call.scratch(4 * static_cast<std::uint64_t>(call.out().elements()));
  call.run("reduce.c", "sums_i8", {reduction_parameters(call, reduction), call.data(0), sums});
  return sums;
}

void rescale(Call& call, const std::string& sums, std::int64_t count, FixedPoint factor) {
  const std::string parameters = call.text().parameters(
      "tessera_rescale_parameters",
      {c_number(call.out().elements()), c_number(count * call.in(0).quantisation.zero_point),
       c_factor(factor), c_number(call.out().quantisation.zero_point),
       c_rounding(call.op().rounding)});
  call.run("rescale.c", "rescale", {parameters, sums, call.output()});
}

void rescale_in_floats(Call& call, const std::string& sums, std::int64_t count, int how) {
  const Quantisation& in = call.in(0).quantisation;
  const Quantisation& out = call.out().quantisation;
  const float quotient = in.scales[0] / out.scales[0];
  const float scale = how == 1   ? quotient * (1.0F / static_cast<float>(count))
                      : how == 2 ? in.scales[0] / (out.scales[0] * static_cast<float>(count))
                                 : quotient;
  const float bias = -static_cast<float>(in.zero_point) * quotient * static_cast<float>(count);
  const char* const names[] = {"ZERO_FIRST", "ZERO_LAST", "AWAY_FROM_ZERO"};
  const std::string parameters = call.text().parameters(
      "tessera_rescale_real_parameters",
      {c_number(call.out().elements()), c_number(count * in.zero_point), c_float(scale),
       c_float(bias), c_number(out.zero_point), fmt::format("TESSERA_{}", names[how - 1])});
  call.run("rescale_real.c", "rescale_real", {parameters, sums, call.output()});
}

void write_bytes(Call& call, const HostOperator& host, const Reduction& reduction) {
  if (host.kind == HostKind::ReduceMax || host.kind == HostKind::ReduceMin) {
    return call.run("reduce.c",
                    host.kind == HostKind::ReduceMax ? "reduce_max_i8" : "reduce_min_i8",
                    {reduction_parameters(call, reduction), call.data(0), call.output()});
  }
  if (host.kind != HostKind::Sum && host.kind != HostKind::ReduceMean) {
    throw NoKernel("it is not of bytes");
  }
  const std::string sums = sums_of(call, reduction);
  const int how = host.numbers.empty() ? 0 : static_cast<int>(host.numbers[0]);
  if (how >= 1 && how <= 3) {
    return rescale_in_floats(call, sums, reduction.count, how);
  }
  const Quantisation& in = call.in(0).quantisation;
  const Quantisation& out = call.out().quantisation;
  rescale(call, sums, reduction.count,
          host.kind == HostKind::ReduceMean ? mean_factor(in, out, reduction.count)
                                            : rescale_factor(in, out));
}

std::string_view name_of_reduction(HostKind kind) {
  switch (kind) {
    case HostKind::Sum:
      return "sum";
    case HostKind::ReduceMax:
      return "reduce_max";
    case HostKind::ReduceMin:
      return "reduce_min";
    case HostKind::ReduceProd:
      return "reduce_prod";
    case HostKind::ReduceAny:
      return "reduce_any";
    case HostKind::ReduceAll:
      return "reduce_all";
    default:
      return "mean";
  }
}

void write_arg(Call& call, const HostOperator& host) {
  const Tensor& in = call.in(0);
  const MeanExtents extents = extents_of({host.integers[0], 1}, in.shape);
  const std::string parameters = call.text().parameters(
      "tessera_arg", {c_number(extents.outer), c_number(extents.count), c_number(extents.inner),
                      call.out().type == DataType::Int64 ? "1" : "0"});
  call.run(
      "arg.c",
      fmt::format("{}_{}", host.kind == HostKind::ArgMax ? "arg_max" : "arg_min", c_type(in.type)),
      {parameters, call.data(0), call.output()});
}

}  // namespace

void write_mean(Call& call, const Mean& mean) {
  std::vector<std::int32_t> axes;
  axes.reserve(static_cast<std::size_t>(mean.axes));
  for (std::int32_t a = 0; a < mean.axes; ++a) {
    axes.push_back(mean.first_axis + a);
  }
  const Reduction reduction(call.in(0).shape, axes);
  const std::string sums = sums_of(call, reduction);
  rescale(call, sums, reduction.count,
          mean_factor(call.in(0).quantisation, call.out().quantisation, reduction.count));
}

void write_host_reduction(Call& call, const HostOperator& host) {
  if (host.kind == HostKind::ArgMax || host.kind == HostKind::ArgMin) {
    return write_arg(call, host);
  }
  const Reduction reduction(call.in(0).shape, host.integers);
  if (call.in(0).type == DataType::Int8) {
    return write_bytes(call, host, reduction);
  }
  call.run("reduce.c", fmt::format("{}_{}", name_of_reduction(host.kind), c_type(call.in(0).type)),
           {reduction_parameters(call, reduction), call.data(0), call.output()});
}

}  // namespace tessera::runtime
