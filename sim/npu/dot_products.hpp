// The array's arithmetic, many products at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::npu {

/// Sums of one kernel group over a tile's pixels. Values are int8 in 16 bits.
struct GroupProducts {
  std::size_t pixels = 0;
  std::size_t taps = 0;
  std::size_t atoms = 0;     ///< per tap
  std::size_t atomic_c = 0;  ///< values per atom
  std::size_t kernels = 0;
  const std::int16_t* const* features = nullptr;  ///< [tap][pixel]: `atoms` atoms each
  const std::int16_t* weights = nullptr;          ///< [tap][atom][kernel]: an atom each
  std::int32_t* sums = nullptr;                   ///< [pixel], `sum_stride` apart: [kernel]
  std::size_t sum_stride = 0;
  bool accumulate = false;  ///< add to the sums instead of setting them
};

/// With AVX2 where the processor has it; the same sums everywhere (modulo 2^32).
void add_products(const GroupProducts& products);
/// The portable side of it.
void add_products_plain(const GroupProducts& products);

}  // namespace tessera::npu
