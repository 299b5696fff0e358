// Reductions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "network/reference/elements.hpp"
#include "network/reference/host_kernels.hpp"
#include "tessera/quantise.hpp"

namespace tessera::reference {
namespace {

// For every element of the input the element of the output that it is part of.
class Groups {
 public:
  Groups(const std::vector<std::int32_t>& shape, const std::vector<std::int32_t>& axes)
      : strides_(shape.size(), 0) {
    std::int64_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (std::find(axes.begin(), axes.end(), static_cast<std::int32_t>(d)) == axes.end()) {
        strides_[d] = stride;
        stride *= shape[d];
      } else {
        count_ *= shape[d];
      }
    }
  }
  [[nodiscard]] std::int64_t of(const std::vector<std::int32_t>& at) const {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      index += strides_[d] * at[d];
    }
    return index;
  }
  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  std::vector<std::int64_t> strides_;
  std::int64_t count_ = 1;
};

template <class Wide>
Wide start_of(HostKind kind) {
  switch (kind) {
    case HostKind::ReduceMax:
      return std::numeric_limits<Wide>::lowest();
    case HostKind::ReduceMin:
      return std::numeric_limits<Wide>::max();
    case HostKind::ReduceProd:
    case HostKind::ReduceAll:
      return 1;
    default:
      return 0;
  }
}

template <class Wide>
Wide joined(HostKind kind, Wide sum, Wide value) {
  switch (kind) {
    case HostKind::ReduceMax:
      return std::max(sum, value);
    case HostKind::ReduceMin:
      return std::min(sum, value);
    case HostKind::ReduceProd:
      return sum * value;
    case HostKind::ReduceAny:
      return static_cast<Wide>(sum != Wide{0} || value != Wide{0});
    case HostKind::ReduceAll:
      return static_cast<Wide>(sum != Wide{0} && value != Wide{0});
    default:
      return sum + value;
  }
}

// Sums and products of whole numbers wrap.
template <class T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T>, float, std::int64_t>;

template <class T>
std::vector<Accumulator<T>> reduced(const HostOperator& host, const Operands& x,
                                    const Groups& groups) {
  using Wide = Accumulator<T>;
  std::vector<Wide> sums(static_cast<std::size_t>(x.output().elements()),
                         start_of<Wide>(host.kind));
  for_elements(x.input(0).shape, [&](std::int64_t i, const std::vector<std::int32_t>& at) {
    Wide& sum = sums[static_cast<std::size_t>(groups.of(at))];
    const auto value = static_cast<Wide>(get<T>(x.inputs[0], i));
    if constexpr (std::is_integral_v<Wide>) {
      if (host.kind == HostKind::ReduceProd) {
        sum =
            static_cast<Wide>(static_cast<std::uint64_t>(sum) * static_cast<std::uint64_t>(value));
        return;
      }
      if (host.kind == HostKind::Sum || host.kind == HostKind::ReduceMean) {
        sum =
            static_cast<Wide>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(value));
        return;
      }
    }
    sum = joined(host.kind, sum, value);
  });
  return sums;
}

}  // namespace

std::int32_t mean_of_bytes(std::int32_t sum, float scale, std::int32_t zero_point) {
  const float steps = std::clamp(static_cast<float>(sum) * scale, -1024.0F, 1024.0F);
  return std::clamp(static_cast<std::int32_t>(std::nearbyint(steps)) + zero_point, -128, 127);
}

namespace {

void reduce_int8(const HostOperator& host, const Operands& x, const Groups& groups) {
  const Quantisation& in = x.input(0).quantisation;
  const Quantisation& out = x.output().quantisation;
  const auto sums = reduced<std::int8_t>(host, x, groups);
  const FixedPoint factor = host.kind == HostKind::ReduceMean ? mean_factor(in, out, groups.count())
                                                              : rescale_factor(in, out);
  // In single precision: as XNNPACK has it, rounded behind the zero point, or before it; or as
  // LiteRT's own kernel sums, halves away from zero.
  const bool zero_first = !host.numbers.empty() && host.numbers[0] == 1;
  const bool of_bytes = !host.numbers.empty() && host.numbers[0] == 2;
  const float by = in.scales[0] / (out.scales[0] * static_cast<float>(groups.count()));
  const float scale = in.scales[0] / out.scales[0] * (1.0F / static_cast<float>(groups.count()));
  const bool away_from_zero = !host.numbers.empty() && host.numbers[0] == 3;
  const float quotient = in.scales[0] / out.scales[0];
  const float bias =
      -static_cast<float>(in.zero_point) * quotient * static_cast<float>(groups.count());
  const auto away = [&](std::int64_t sum) {
    const float steps = std::clamp(static_cast<float>(sum) * quotient + bias, -1024.0F, 1024.0F);
    return static_cast<std::int64_t>(std::round(steps)) + out.zero_point;
  };
  const bool rescaled = host.kind == HostKind::Sum || host.kind == HostKind::ReduceMean;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    std::int64_t value = sums[i];
    if (rescaled) {
      const auto centred = static_cast<std::int32_t>(value - groups.count() * in.zero_point);
      value = zero_first       ? static_cast<std::int64_t>(std::nearbyint(
                                     std::clamp(static_cast<float>(centred) * scale, -1024.0F, 1024.0F) +
                                     static_cast<float>(out.zero_point)))
              : away_from_zero ? away(value)
              : of_bytes       ? mean_of_bytes(centred, by, out.zero_point)
                               : requantise(centred, factor, out.zero_point, x.op.rounding);
    }
    put(x.output_data, static_cast<std::int64_t>(i),
        static_cast<std::int8_t>(std::clamp<std::int64_t>(value, -128, 127)));
  }
}

}  // namespace

void host_reduce(const HostOperator& host, const Operands& x) {
  const Groups groups(x.input(0).shape, host.integers);
  if (x.input(0).type == DataType::Int8) {
    reduce_int8(host, x, groups);
    return;
  }
  for_type(x.input(0).type, [&](auto zero) {
    using T = decltype(zero);
    auto sums = reduced<T>(host, x, groups);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (host.kind == HostKind::ReduceMean) {
        sums[i] /= static_cast<Accumulator<T>>(groups.count());
      }
      put(x.output_data, static_cast<std::int64_t>(i), static_cast<T>(sums[i]));
    }
  });
}

// The first of equal ones.
void host_arg(const HostOperator& host, const Operands& x) {
  const Tensor& in = x.input(0);
  const MeanExtents extents = extents_of({host.integers[0], 1}, in.shape);
  const std::int64_t outer = extents.outer;
  const std::int64_t count = extents.count;
  const std::int64_t inner = extents.inner;
  for_type(in.type, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t i = 0; i < inner; ++i) {
        const auto value = [&](std::int64_t n) {
          return get<T>(x.inputs[0], (o * count + n) * inner + i);
        };
        std::int64_t best = 0;
        for (std::int64_t n = 1; n < count; ++n) {
          const bool better =
              host.kind == HostKind::ArgMax ? value(n) > value(best) : value(n) < value(best);
          best = better ? n : best;
        }
        if (x.output().type == DataType::Int64) {
          put(x.output_data, o * inner + i, best);
        } else {
          put(x.output_data, o * inner + i, static_cast<std::int32_t>(best));
        }
      }
    }
  });
}

}  // namespace tessera::reference
