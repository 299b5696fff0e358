// Operators of one value, element by element.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "network/reference/elements.hpp"
#include "network/reference/host_kernels.hpp"

namespace tessera::reference {
namespace {

constexpr float kHalfRoot = 0.70710678118654752F;

// To nearest, halves to even.
float rounded_to_even(float x) {
  return std::nearbyint(x);
}

float function_of(const HostOperator& host, float x) {
  const float alpha = host.numbers.empty() ? 1.0F : host.numbers[0];
  switch (host.kind) {
    case HostKind::Abs:
      return std::fabs(x);
    case HostKind::Neg:
      return -x;
    case HostKind::Sign:
      return x > 0 ? 1.0F : x < 0 ? -1.0F : 0.0F;
    case HostKind::Sqrt:
      return std::sqrt(x);
    case HostKind::Rsqrt:
      return 1.0F / std::sqrt(x);
    case HostKind::Exp:
      return std::exp(x);
    case HostKind::Log:
      return std::log(x);
    case HostKind::Square:
      return x * x;
    case HostKind::Sin:
      return std::sin(x);
    case HostKind::Cos:
      return std::cos(x);
    case HostKind::Floor:
      return std::floor(x);
    case HostKind::Ceil:
      return std::ceil(x);
    case HostKind::Round:
      return rounded_to_even(x);
    case HostKind::Elu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case HostKind::Erf:
      return std::erf(x);
    case HostKind::Gelu:
      return host.numbers.empty() ? 0.5F * x * (1.0F + std::erf(x * kHalfRoot)) : gelu_by_tanh(x);
    case HostKind::Logistic:
      return 1.0F / (1.0F + std::exp(-x));
    case HostKind::Tanh:
      return std::tanh(x);
    case HostKind::HardSwish:
      return x * std::clamp(x + 3.0F, 0.0F, 6.0F) / 6.0F;
    case HostKind::Clip:
      return std::max(host.numbers[0], std::min(host.numbers[1], x));
    default:  // LeakyRelu
      return x >= 0 ? x : alpha * x;
  }
}

template <class T>
T whole_function_of(const HostOperator& host, T x) {
  using U = std::make_unsigned_t<T>;
  switch (host.kind) {
    case HostKind::Abs:
      return x < 0 ? static_cast<T>(U{0} - static_cast<U>(x)) : x;
    case HostKind::Neg:
      return static_cast<T>(U{0} - static_cast<U>(x));
    case HostKind::Sign:
      return static_cast<T>((x > 0) - (x < 0));
    case HostKind::Square:
      return static_cast<T>(static_cast<U>(x) * static_cast<U>(x));
    default:  // LogicalNot
      return static_cast<T>(x == 0);
  }
}

// Floats beyond the integer's range become its ends; not a number becomes 0.
template <class To, class From>
To converted(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    const auto wide = static_cast<double>(value);
    if (std::isnan(wide)) {
      return 0;
    }
    if (wide >= static_cast<double>(std::numeric_limits<To>::max())) {
      return std::numeric_limits<To>::max();
    }
    return wide <= static_cast<double>(std::numeric_limits<To>::lowest())
               ? std::numeric_limits<To>::lowest()
               : static_cast<To>(wide);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace

float gelu_by_tanh(float x) {
  // sqrt(2 / pi), in double precision as LiteRT has it.
  constexpr double kFactor = 1.12837916709551257390 * 0.70710678118654752440;
  const float cubic = x + 0.044715F * x * x * x;
  const auto inner = static_cast<float>(kFactor * static_cast<double>(cubic));
  return 0.5F * x * (1.0F + std::tanh(inner));
}

void host_single(const HostOperator& host, const Operands& x) {
  for_type(x.input(0).type, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t i = 0; i < x.output().elements(); ++i) {
      const T value = get<T>(x.inputs[0], i);
      if constexpr (std::is_same_v<T, float>) {
        put(x.output_data, i, function_of(host, value));
      } else {
        put(x.output_data, i, whole_function_of(host, value));
      }
    }
  });
}

void host_cast(const Operands& x) {
  // Stored uint8 values are 128 lower than in the model's own arithmetic.
  const std::int32_t in_shift = x.input(0).form.is_unsigned ? 128 : 0;
  const std::int32_t out_shift = x.output().form.is_unsigned ? 128 : 0;
  for_type(x.input(0).type, [&](auto from) {
    for_type(x.output().type, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      for (std::int64_t i = 0; i < x.output().elements(); ++i) {
        const From value = get<From>(x.inputs[0], i);
        if (in_shift != 0) {
          put(x.output_data, i, converted<To>(static_cast<std::int32_t>(value) + in_shift));
        } else if (x.output().type == DataType::Bool) {
          put(x.output_data, i, static_cast<To>(value != From{0}));
        } else if (out_shift != 0) {
          const auto wide = converted<std::int32_t>(value);
          put(x.output_data, i, static_cast<To>(static_cast<std::uint8_t>(wide) - out_shift));
        } else {
          put(x.output_data, i, converted<To>(value));
        }
      }
    });
  });
}

}  // namespace tessera::reference
