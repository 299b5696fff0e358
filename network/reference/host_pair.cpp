// Operators of two values, element by element.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

#include "network/reference/elements.hpp"
#include "network/reference/host_kernels.hpp"
#include "tessera/quantise.hpp"

namespace tessera::reference {
namespace {

// Integers wrap; the compiler must not take that for undefined.
template <class T, class Function>
T wrapped(T a, T b, Function function) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(function(static_cast<U>(a), static_cast<U>(b)));
  } else {
    return function(a, b);
  }
}

template <class T>
T power(T base, T exponent) {
  if constexpr (std::is_integral_v<T>) {
    T result = 1;
    for (T i = 0; i < std::min<T>(exponent, 64); ++i) {
      result = wrapped(result, base, std::multiplies<>());
    }
    return result;
  } else {
    return std::pow(base, exponent);
  }
}

template <class T>
T floor_div(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0 || (b == -1 && a == std::numeric_limits<T>::min())) {
      return b == 0 ? T{0} : a;
    }
    const T quotient = static_cast<T>(a / b);
    return a % b != 0 && (a < 0) != (b < 0) ? static_cast<T>(quotient - 1) : quotient;
  } else {
    return std::floor(a / b);
  }
}

template <class T>
T floor_mod(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0 || b == -1) {
      return 0;
    }
    const T rest = static_cast<T>(a % b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  } else {
    const T rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  }
}

template <class T>
T quotient(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    const bool wraps = b == -1 && a == std::numeric_limits<T>::min();
    return b == 0 ? T{0} : wraps ? a : static_cast<T>(a / b);
  } else {
    return a / b;
  }
}

template <class T>
T arithmetic(HostKind kind, T a, T b) {
  switch (kind) {
    case HostKind::Add:
      return wrapped(a, b, std::plus<>());
    case HostKind::Sub:
      return wrapped(a, b, std::minus<>());
    case HostKind::Mul:
      return wrapped(a, b, std::multiplies<>());
    case HostKind::Div:
      return quotient(a, b);
    case HostKind::FloorDiv:
      return floor_div(a, b);
    case HostKind::FloorMod:
      return floor_mod(a, b);
    case HostKind::Pow:
      return power(a, b);
    case HostKind::SquaredDifference: {
      const T difference = wrapped(a, b, std::minus<>());
      return wrapped(difference, difference, std::multiplies<>());
    }
    case HostKind::Minimum:
      return std::min(a, b);
    case HostKind::Maximum:
      return std::max(a, b);
    case HostKind::LogicalAnd:
      return static_cast<T>(a != T{0} && b != T{0});
    case HostKind::LogicalOr:
      return static_cast<T>(a != T{0} || b != T{0});
    default:  // Prelu of floats
      return a >= T{0} ? a : wrapped(a, b, std::multiplies<>());
  }
}

template <class T>
bool compared(HostKind kind, T a, T b) {
  switch (kind) {
    case HostKind::Equal:
      return a == b;
    case HostKind::NotEqual:
      return a != b;
    case HostKind::Greater:
      return a > b;
    case HostKind::GreaterEqual:
      return a >= b;
    case HostKind::Less:
      return a < b;
    default:
      return a <= b;
  }
}

bool is_comparison(HostKind kind) {
  return kind >= HostKind::Equal && kind <= HostKind::LessEqual;
}

// Calls `visit(output index, index of a, index of b)`.
template <class Visit>
void for_pairs(const Operands& x, Visit visit) {
  const std::vector<std::int32_t>& shape = x.output().shape;
  const auto strides_a = broadcast_strides(x.input(0).shape, shape.size());
  const auto strides_b = broadcast_strides(x.input(1).shape, shape.size());
  for_elements(shape, [&](std::int64_t i, const std::vector<std::int32_t>& at) {
    std::int64_t a = 0;
    std::int64_t b = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      a += strides_a[d] * at[d];
      b += strides_b[d] * at[d];
    }
    visit(i, a, b);
  });
}

using Int8Function = std::function<std::int32_t(std::int32_t, std::int32_t)>;

// Both at 7 more bits and in units of twice the greater scale, as for additions.
Int8Function squared_difference(const Quantisation& a, const Quantisation& b,
                                const Quantisation& out) {
  const SquareFactors factors = square_factors(a, b, out);
  return [=](std::int32_t x, std::int32_t y) {
    const std::int64_t difference =
        std::int64_t{requantise((x - a.zero_point) * (1 << kSquareShift), factors.first)} -
        requantise((y - b.zero_point) * (1 << kSquareShift), factors.second);
    // Beyond int32 only for scales that no model has; it wraps there.
    const auto square = static_cast<std::int32_t>(std::int64_t{difference} * difference);
    return requantise(square, factors.output, out.zero_point);
  };
}

// Factors of scales in single precision (LiteRT) or in double (Micro).
Int8Function prelu(const Quantisation& in, const Quantisation& alpha, const Quantisation& out,
                   bool in_double) {
  const auto a = static_cast<double>(in.scales[0]);
  const auto b = static_cast<double>(alpha.scales[0]);
  const auto c = static_cast<double>(out.scales[0]);
  const FixedPoint positive =
      fixed_point(in_double ? a / c : static_cast<double>(in.scales[0] / out.scales[0]));
  const FixedPoint negative = fixed_point(
      in_double ? a * b / c : static_cast<double>(in.scales[0] * alpha.scales[0] / out.scales[0]));
  return [=](std::int32_t x, std::int32_t slope) {
    const std::int32_t centred = x - in.zero_point;
    return centred >= 0
               ? requantise(centred, positive, out.zero_point)
               : requantise(centred * (slope - alpha.zero_point), negative, out.zero_point);
  };
}

// Real values at 8 more bits, in their own units of fixed point.
Int8Function comparison(HostKind kind, const Quantisation& a, const Quantisation& b) {
  constexpr int kShift = 8;
  const FixedPoint first = fixed_point(static_cast<double>(a.scales[0]));
  const FixedPoint second = fixed_point(static_cast<double>(b.scales[0]));
  return [=](std::int32_t x, std::int32_t y) {
    return compared(kind, requantise((x - a.zero_point) * (1 << kShift), first),
                    requantise((y - b.zero_point) * (1 << kShift), second))
               ? 1
               : 0;
  };
}

void int8_pair(const HostOperator& host, const Operands& x) {
  const Quantisation& a = x.input(0).quantisation;
  const Quantisation& b = x.input(1).quantisation;
  const Quantisation& out = x.output().quantisation;
  const HostKind kind = host.kind;
  Int8Function function = [kind](std::int32_t p, std::int32_t q) {
    return kind == HostKind::Minimum ? std::min(p, q) : std::max(p, q);
  };
  if (is_comparison(kind)) {
    function = comparison(kind, a, b);
  } else if (kind == HostKind::SquaredDifference) {
    function = squared_difference(a, b, out);
  } else if (kind == HostKind::Prelu) {
    function = prelu(a, b, out, !host.integers.empty());
  }
  for_pairs(x, [&](std::int64_t i, std::int64_t p, std::int64_t q) {
    const std::int32_t value =
        function(get<std::int8_t>(x.inputs[0], p), get<std::int8_t>(x.inputs[1], q));
    put(x.output_data, i, static_cast<std::int8_t>(std::clamp(value, -128, 127)));
  });
}

}  // namespace

void host_pair(const HostOperator& host, const Operands& x) {
  if (x.input(0).type == DataType::Int8) {
    int8_pair(host, x);
    return;
  }
  // Limits of an activation that the operator ends with.
  const bool limited = host.numbers.size() == 2;
  for_type(x.input(0).type, [&](auto zero) {
    using T = decltype(zero);
    for_pairs(x, [&](std::int64_t i, std::int64_t a, std::int64_t b) {
      const T first = get<T>(x.inputs[0], a);
      const T second = get<T>(x.inputs[1], b);
      if (is_comparison(host.kind)) {
        put(x.output_data, i, static_cast<std::uint8_t>(compared(host.kind, first, second)));
        return;
      }
      T value = arithmetic(host.kind, first, second);
      if (limited) {
        value = static_cast<T>(std::clamp(static_cast<double>(value),
                                          static_cast<double>(host.numbers[0]),
                                          static_cast<double>(host.numbers[1])));
      }
      put(x.output_data, i, value);
    });
  });
}

void host_select(const Operands& x) {
  const std::vector<std::int32_t>& shape = x.output().shape;
  std::vector<std::int64_t> strides[3];
  for (std::size_t i = 0; i < 3; ++i) {
    strides[i] = broadcast_strides(x.input(i).shape, shape.size());
  }
  for_type(x.output().type, [&](auto zero) {
    using T = decltype(zero);
    for_elements(shape, [&](std::int64_t o, const std::vector<std::int32_t>& at) {
      std::int64_t index[3] = {0, 0, 0};
      for (std::size_t d = 0; d < at.size(); ++d) {
        for (std::size_t i = 0; i < 3; ++i) {
          index[i] += strides[i][d] * at[d];
        }
      }
      const std::size_t chosen = get<std::uint8_t>(x.inputs[0], index[0]) != 0 ? 1 : 2;
      put(x.output_data, o, get<T>(x.inputs[chosen], index[chosen]));
    });
  });
}

}  // namespace tessera::reference
