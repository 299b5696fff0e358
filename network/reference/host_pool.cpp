// Pools that the array has not: of floats, averages of bytes as ONNX Runtime has them, and spread
// windows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "network/reference/elements.hpp"
#include "network/reference/host_kernels.hpp"

namespace tessera::reference {
namespace {

/// One axis of the windows.
struct Axis {
  std::int32_t kernel, stride, dilation, before, after, extent;

  Axis(const HostOperator& host, std::size_t axis, std::int32_t extent_)
      : kernel(host.integers[axis]),
        stride(host.integers[2 + axis]),
        dilation(host.integers[4 + axis]),
        before(host.integers[6 + axis]),
        after(host.integers[8 + axis]),
        extent(extent_) {}

  [[nodiscard]] std::int32_t begin(std::int32_t out) const { return out * stride - before; }
  [[nodiscard]] std::int32_t end(std::int32_t out) const { return begin(out) + kernel * dilation; }
  [[nodiscard]] bool holds(std::int32_t at) const { return at >= 0 && at < extent; }
  /// Cells of a window up to the end of the pads: those that rounding up the number of outputs adds
  /// behind them do not count.
  [[nodiscard]] std::int32_t padded_cells(std::int32_t out) const {
    return 1 + (std::min(end(out), extent + after) - begin(out) - 1) / dilation;
  }
};

// Bytes are averaged as floats; the zero point is added before rounding to even.
class QuantisedAverage {
 public:
  QuantisedAverage(const HostOperator& host, const Operands& x)
      : in_(x.input(0).quantisation),
        out_(x.output().quantisation),
        base_((host.integers[10] & 2) != 0 ? 128 : 0) {}

  [[nodiscard]] float real(std::int8_t value) const {
    return in_.scales[0] * static_cast<float>(value - in_.zero_point);
  }
  [[nodiscard]] std::int8_t byte(float average) const {
    const float exact = average / out_.scales[0] + static_cast<float>(out_.zero_point + base_);
    return static_cast<std::int8_t>(
        std::clamp(std::nearbyint(exact) - static_cast<float>(base_), -128.0F, 127.0F));
  }

 private:
  const Quantisation& in_;
  const Quantisation& out_;
  std::int32_t base_;  // of unsigned values
};

template <class T>
void pool(const HostOperator& host, const Operands& x) {
  const std::vector<std::int32_t>& from = x.input(0).shape;
  const std::vector<std::int32_t>& to = x.output().shape;
  const Axis rows(host, 0, from[1]);
  const Axis cols(host, 1, from[2]);
  const bool greatest = host.kind == HostKind::MaxPool;
  const bool count_pads = (host.integers[10] & 1) != 0;
  std::optional<QuantisedAverage> quantised;
  if (std::is_same_v<T, std::int8_t> && !greatest) {
    quantised.emplace(host, x);
  }
  // ONNX Runtime's order, which decides ties of floats: up to opset 18 it adds rows up first where
  // its vectors reach over neighbouring windows.
  const bool is_whole = rows.kernel == rows.extent && cols.kernel == cols.extent;
  const bool by_columns =
      (host.integers[10] & 4) != 0 && !quantised && cols.stride <= 2 && !is_whole;
  for_elements(to, [&](std::int64_t o, const std::vector<std::int32_t>& at) {
    T most = std::numeric_limits<T>::lowest();
    float sum = 0;
    std::int32_t cells = 0;
    const auto value_at = [&](std::int32_t y, std::int32_t col) {
      const T value = get<T>(x.inputs[0], index_of(from, {at[0], y, col, at[3]}));
      most = std::max(most, value);
      ++cells;
      return quantised ? quantised->real(static_cast<std::int8_t>(value))
                       : static_cast<float>(value);
    };
    if (by_columns) {
      for (std::int32_t col = cols.begin(at[2]); col < cols.end(at[2]); col += cols.dilation) {
        float column = 0;
        for (std::int32_t y = rows.begin(at[1]); y < rows.end(at[1]); y += rows.dilation) {
          column += rows.holds(y) && cols.holds(col) ? value_at(y, col) : 0;
        }
        sum += column;
      }
    } else {
      for (std::int32_t y = rows.begin(at[1]); y < rows.end(at[1]); y += rows.dilation) {
        for (std::int32_t col = cols.begin(at[2]); col < cols.end(at[2]); col += cols.dilation) {
          sum += rows.holds(y) && cols.holds(col) ? value_at(y, col) : 0;
        }
      }
    }
    if (count_pads) {
      cells = rows.padded_cells(at[1]) * cols.padded_cells(at[2]);
    }
    const float average = sum / static_cast<float>(std::max(cells, 1));
    put<T>(x.output_data, o,
           greatest    ? most
           : quantised ? static_cast<T>(quantised->byte(average))
                       : static_cast<T>(average));
  });
}

}  // namespace

void host_pool(const HostOperator& host, const Operands& x) {
  if (x.input(0).type == DataType::Int8) {
    pool<std::int8_t>(host, x);
  } else {
    pool<float>(host, x);
  }
}

}  // namespace tessera::reference
