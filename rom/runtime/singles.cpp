// Operators of one value.
#include <fmt/format.h>

#include <string_view>

#include "rom/runtime/call.hpp"
#include "tessera/reference.hpp"

namespace tessera::runtime {
namespace {

// All 256 values of a function of one byte, by the reference kernel.
std::vector<std::uint8_t> table_of(const Call& call) {
  Network alone;
  alone.tensors = {call.in(0), call.out()};
  std::vector<std::uint8_t> bytes(256);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(i);
  }
  for (Tensor& tensor : alone.tensors) {
    tensor.shape = {static_cast<std::int32_t>(bytes.size())};
    tensor.constant.clear();
  }
  Operator op = call.op();
  op.inputs = {0};
  op.output = 1;
  std::vector<std::uint8_t> table(bytes.size());
  run_operator(alone, op, {bytes.data()}, table.data());
  return table;
}

void write_quantise(Call& call, const char* function, const Quantisation& q, bool ties_even) {
  const std::string parameters = call.text().parameters(
      "tessera_quantise_parameters", {c_number(call.out().elements()), c_float(q.scales.at(0)),
                                      c_number(q.zero_point), ties_even ? "1" : "0"});
  call.run("quantise.c", function, {parameters, call.data(0), call.output()});
}

struct Single {
  std::string_view name;
  bool needs_library = false;
};

Single single_of(const HostOperator& host) {
  switch (host.kind) {
    case HostKind::Abs:
      return {"abs"};
    case HostKind::Neg:
      return {"neg"};
    case HostKind::Sign:
      return {"sign"};
    case HostKind::Sqrt:
      return {"sqrt", true};
    case HostKind::Rsqrt:
      return {"rsqrt", true};
    case HostKind::Exp:
      return {"exp", true};
    case HostKind::Log:
      return {"log", true};
    case HostKind::Square:
      return {"square"};
    case HostKind::Sin:
      return {"sin", true};
    case HostKind::Cos:
      return {"cos", true};
    case HostKind::Floor:
      return {"floor"};
    case HostKind::Ceil:
      return {"ceil"};
    case HostKind::Round:
      return {"round"};
    case HostKind::Elu:
      return {"elu", true};
    case HostKind::Erf:
      return {"erf", true};
    case HostKind::Gelu:
      return {host.numbers.empty() ? "gelu" : "gelu_by_tanh", true};
    case HostKind::Logistic:
      return {"logistic", true};
    case HostKind::Tanh:
      return {"tanh", true};
    case HostKind::HardSwish:
      return {"hard_swish"};
    case HostKind::LeakyRelu:
      return {"leaky_relu"};
    case HostKind::Clip:
      return {"clip"};
    default:
      return {"logical_not"};
  }
}

void write_cast(Call& call) {
  const bool in_shift = call.in(0).form.is_unsigned;
  if (in_shift && call.in(0).type != DataType::Int8) {
    throw NoKernel("only bytes have no sign");
  }
  const auto type = [](DataType of) {
    const std::string name = c_type(of);
    return fmt::format("TESSERA_{}{}",
                       name[0] == 'i'   ? 'I'
                       : name[0] == 'f' ? 'F'
                                        : 'B',
                       name.substr(1));
  };
  const std::string parameters = call.text().parameters(
      "tessera_cast_parameters",
      {c_number(call.out().elements()), type(call.in(0).type), type(call.out().type),
       in_shift ? "128" : "0", call.out().form.is_unsigned ? "128" : "0"});
  call.run("cast.c", "cast", {parameters, call.data(0), call.output()});
}

}  // namespace

void write_unary(Call& call, const Unary& unary) {
  if (call.in(0).type == DataType::Float32) {
    return write_quantise(call, "quantise", call.out().quantisation, unary.ties_even);
  }
  call.run("moves.c", "lookup",
           {call.text().bytes(table_of(call)), c_number(call.out().elements()), call.data(0),
            call.output()});
}

void write_dequantise(Call& call) {
  write_quantise(call, "dequantise", call.in(0).quantisation, false);
}

void write_host_single(Call& call, const HostOperator& host) {
  if (host.kind == HostKind::Cast) {
    return write_cast(call);
  }
  const Single single = single_of(host);
  const auto number = [&](std::size_t i) {
    return c_float(i < host.numbers.size() ? host.numbers[i] : 1.0F);
  };
  const std::string parameters = call.text().parameters(
      "tessera_singles", {c_number(call.out().elements()), number(0), number(1)});
  call.run(single.needs_library ? "singles_libm.c" : "singles.c",
           fmt::format("{}_{}", single.name, c_type(call.in(0).type)),
           {parameters, call.data(0), call.output()});
}

}  // namespace tessera::runtime
