// Pools that the array has not: of floats, and spread windows.
#include <algorithm>
#include <limits>

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

template <class T>
void pool(const HostOperator& host, const Operands& x) {
  const std::vector<std::int32_t>& from = x.input(0).shape;
  const std::vector<std::int32_t>& to = x.output().shape;
  const Axis rows(host, 0, from[1]);
  const Axis cols(host, 1, from[2]);
  const bool greatest = host.kind == HostKind::MaxPool;
  const bool count_pads = host.integers[10] != 0;
  for_elements(to, [&](std::int64_t o, const std::vector<std::int32_t>& at) {
    T most = std::numeric_limits<T>::lowest();
    float sum = 0;
    std::int32_t cells = 0;
    for (std::int32_t y = rows.begin(at[1]); y < rows.end(at[1]); y += rows.dilation) {
      for (std::int32_t col = cols.begin(at[2]); col < cols.end(at[2]); col += cols.dilation) {
        if (rows.holds(y) && cols.holds(col)) {
          const T value = get<T>(x.inputs[0], index_of(from, {at[0], y, col, at[3]}));
          most = std::max(most, value);
          sum += static_cast<float>(value);
          ++cells;
        }
      }
    }
    if (count_pads) {
      cells = rows.padded_cells(at[1]) * cols.padded_cells(at[2]);
    }
    put<T>(x.output_data, o,
           greatest ? most : static_cast<T>(sum / static_cast<float>(std::max(cells, 1))));
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
