// Operators of two values.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "network/reference/elements.hpp"
#include "rom/runtime/call.hpp"

namespace tessera::runtime {
namespace {

std::string pair_loops(Call& call) {
  const std::vector<std::int32_t>& shape = call.out().shape;
  return call.loops(
      loops_over(shape, {reference::broadcast_strides(call.in(0).shape, shape.size()),
                         reference::broadcast_strides(call.in(1).shape, shape.size())}));
}

// Each byte less its zero point, shifted and times a factor: from -128 on.
std::vector<std::int32_t> scaled_bytes(const Quantisation& in, int shift, FixedPoint factor) {
  std::vector<std::int32_t> values;
  for (std::int32_t x = -128; x <= 127; ++x) {
    values.push_back(requantise((x - in.zero_point) * (1 << shift), factor));
  }
  return values;
}

void run_pair(Call& call, const std::string& function, const std::string& type,
              const std::vector<std::string>& fields) {
  call.run("pairs_int8.c", function,
           {call.text().parameters(type, fields), call.data(0), call.data(1), call.output()});
}

void squared_difference(Call& call) {
  const Quantisation& a = call.in(0).quantisation;
  const Quantisation& b = call.in(1).quantisation;
  const Quantisation& out = call.out().quantisation;
  const SquareFactors factors = square_factors(a, b, out);
  run_pair(call, "squared_difference_i8", "tessera_add_i8_parameters",
           {pair_loops(call), call.text().integers(scaled_bytes(a, kSquareShift, factors.first)),
            call.text().integers(scaled_bytes(b, kSquareShift, factors.second)),
            c_factor(factors.output), c_number(out.zero_point), "TESSERA_TWICE", "-128", "127"});
}

void prelu(Call& call, bool in_double) {
  const Quantisation& in = call.in(0).quantisation;
  const Quantisation& alpha = call.in(1).quantisation;
  const Quantisation& out = call.out().quantisation;
  const auto a = static_cast<double>(in.scales[0]);
  const auto b = static_cast<double>(alpha.scales[0]);
  const auto c = static_cast<double>(out.scales[0]);
  const FixedPoint positive =
      fixed_point(in_double ? a / c : static_cast<double>(in.scales[0] / out.scales[0]));
  const FixedPoint negative = fixed_point(
      in_double ? a * b / c : static_cast<double>(in.scales[0] * alpha.scales[0] / out.scales[0]));
  run_pair(call, "prelu_i8", "tessera_prelu_i8_parameters",
           {pair_loops(call), c_number(in.zero_point), c_number(alpha.zero_point),
            c_factor(positive), c_factor(negative), c_number(out.zero_point)});
}

bool is_comparison(HostKind kind) {
  return kind >= HostKind::Equal && kind <= HostKind::LessEqual;
}

void comparison(Call& call, HostKind kind) {
  constexpr int kShift = 8;
  const Quantisation& a = call.in(0).quantisation;
  const Quantisation& b = call.in(1).quantisation;
  const char* const relations[] = {"EQUAL",         "NOT_EQUAL", "GREATER",
                                   "GREATER_EQUAL", "LESS",      "LESS_EQUAL"};
  const auto table = [&](const Quantisation& q) {
    return call.text().integers(
        scaled_bytes(q, kShift, fixed_point(static_cast<double>(q.scales[0]))));
  };
  run_pair(
      call, "compare_i8", "tessera_compare_i8_parameters",
      {pair_loops(call), table(a), table(b),
       fmt::format(
           "TESSERA_{}",
           relations[static_cast<std::size_t>(kind) - static_cast<std::size_t>(HostKind::Equal)])});
}

void write_int8(Call& call, const HostOperator& host) {
  if (is_comparison(host.kind)) {
    return comparison(call, host.kind);
  }
  switch (host.kind) {
    case HostKind::SquaredDifference:
      return squared_difference(call);
    case HostKind::Prelu:
      return prelu(call, !host.integers.empty());
    case HostKind::Minimum:
    case HostKind::Maximum:
      return run_pair(call, host.kind == HostKind::Minimum ? "minimum_i8" : "maximum_i8",
                      "tessera_pairs_i8", {pair_loops(call)});
    default:
      throw NoKernel("it is not of bytes");
  }
}

std::string_view name_of_pair(HostKind kind) {
  switch (kind) {
    case HostKind::Add:
      return "add";
    case HostKind::Sub:
      return "sub";
    case HostKind::Mul:
      return "mul";
    case HostKind::Div:
      return "div";
    case HostKind::FloorDiv:
      return "floor_div";
    case HostKind::FloorMod:
      return "floor_mod";
    case HostKind::Pow:
      return "pow";
    case HostKind::SquaredDifference:
      return "squared_difference";
    case HostKind::Minimum:
      return "minimum";
    case HostKind::Maximum:
      return "maximum";
    case HostKind::Equal:
      return "equal";
    case HostKind::NotEqual:
      return "not_equal";
    case HostKind::Greater:
      return "greater";
    case HostKind::GreaterEqual:
      return "greater_equal";
    case HostKind::Less:
      return "less";
    case HostKind::LessEqual:
      return "less_equal";
    case HostKind::LogicalAnd:
      return "logical_and";
    case HostKind::LogicalOr:
      return "logical_or";
    default:
      return "prelu";
  }
}

std::string c_double(float value) {
  const std::string text = c_float(value);
  return text.back() == 'F' ? "(double)" + text : text;
}

}  // namespace

void write_binary(Call& call, const Binary& binary) {
  const Quantisation& a = call.in(0).quantisation;
  const Quantisation& b = call.in(1).quantisation;
  const Quantisation& out = call.out().quantisation;
  const Rounding rounding = call.op().rounding;
  const ClampRange range = activation_range(binary.activation, out);
  const std::vector<std::string> end = {c_number(out.zero_point), c_rounding(rounding),
                                        c_number(range.low), c_number(range.high)};
  std::vector<std::string> fields = {pair_loops(call)};
  if (binary.kind == BinaryKind::Mul) {
    fields.insert(fields.end(), {c_number(a.zero_point), c_number(b.zero_point),
                                 c_factor(multiply_factor(a, b, out))});
    fields.insert(fields.end(), end.begin(), end.end());
    return run_pair(call, "mul_i8", "tessera_mul_i8_parameters", fields);
  }
  const AddFactors factors = binary.kind == BinaryKind::Sub ? subtract_factors(a, b, out, rounding)
                                                            : add_factors(a, b, out, rounding);
  // The one of the larger scale is halved, whatever the rounding.
  const bool second_maps = a.scales[0] >= b.scales[0];
  const auto table = [&](bool second, const Quantisation& q) {
    return call.text().integers(scaled_operands(
        factors, second, q.zero_point, second == second_maps ? rounding : Rounding::Twice));
  };
  fields.insert(fields.end(), {table(false, a), table(true, b), c_factor(factors.output)});
  fields.insert(fields.end(), end.begin(), end.end());
  run_pair(call, "add_i8", "tessera_add_i8_parameters", fields);
}

void write_host_pair(Call& call, const HostOperator& host) {
  const DataType type = call.in(0).type;
  if (type == DataType::Int8) {
    return write_int8(call, host);
  }
  const bool library =
      type == DataType::Float32 && (host.kind == HostKind::Pow || host.kind == HostKind::FloorMod);
  call.run(library ? "pairs_libm.c" : "pairs_numbers.c",
           fmt::format("{}_{}", name_of_pair(host.kind), c_type(type)),
           {call.text().parameters("tessera_pairs", {pair_loops(call)}), call.data(0), call.data(1),
            call.output()});
  if (host.numbers.size() == 2 && !is_comparison(host.kind) && type != DataType::Bool) {
    call.run("pairs_numbers.c", fmt::format("limit_{}", c_type(type)),
             {call.text().parameters("tessera_limits",
                                     {c_number(call.out().elements()), c_double(host.numbers[0]),
                                      c_double(host.numbers[1])}),
              call.output()});
  }
}

}  // namespace tessera::runtime
