#include "sim/npu/dot_products.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tessera::npu {
namespace {

std::uint32_t dot(const std::int16_t* a, const std::int16_t* b, std::size_t n) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += std::int32_t{a[i]} * b[i];
  }
  return static_cast<std::uint32_t>(sum);
}

void put(const GroupProducts& p, std::size_t pixel, std::size_t kernel, std::uint32_t sum) {
  std::int32_t& place = p.sums[pixel * p.sum_stride + kernel];
  const std::uint32_t before = p.accumulate ? static_cast<std::uint32_t>(place) : 0;
  place = static_cast<std::int32_t>(before + sum);
}

}  // namespace

void add_products_plain(const GroupProducts& p) {
  for (std::size_t pixel = 0; pixel < p.pixels; ++pixel) {
    for (std::size_t k = 0; k < p.kernels; ++k) {
      std::uint32_t sum = 0;
      for (std::size_t tap = 0; tap < p.taps; ++tap) {
        const std::int16_t* feature = p.features[tap * p.pixels + pixel];
        for (std::size_t atom = 0; atom < p.atoms; ++atom) {
          sum += dot(feature + atom * p.atomic_c,
                     p.weights + ((tap * p.atoms + atom) * p.kernels + k) * p.atomic_c, p.atomic_c);
        }
      }
      put(p, pixel, k, sum);
    }
  }
}

#if defined(__x86_64__)
namespace {

#define TESSERA_AVX2 __attribute__((target("avx2")))

/// 16 values of an atom at a time.
struct Wide {
  using Vector = __m256i;
  static constexpr std::size_t kValues = 16;
  TESSERA_AVX2 static Vector zero() { return _mm256_setzero_si256(); }
  TESSERA_AVX2 static Vector load(const std::int16_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  TESSERA_AVX2 static Vector add(Vector sum, Vector a, Vector b) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  }
  TESSERA_AVX2 static __m128i fold(Vector sum) {
    return _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  }
};

/// 8 values.
struct Narrow {
  using Vector = __m128i;
  static constexpr std::size_t kValues = 8;
  TESSERA_AVX2 static Vector zero() { return _mm_setzero_si128(); }
  TESSERA_AVX2 static Vector load(const std::int16_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  TESSERA_AVX2 static Vector add(Vector sum, Vector a, Vector b) {
    return _mm_add_epi32(sum, _mm_madd_epi16(a, b));
  }
  TESSERA_AVX2 static __m128i fold(Vector sum) { return sum; }
};

constexpr std::size_t kKernels = 4;

// A few pixels and four kernels: all their sums stay in registers.
template <class V, std::size_t Pixels>
TESSERA_AVX2 void block(const GroupProducts& p, std::size_t pixel, std::size_t kernel) {
  typename V::Vector sums[Pixels][kKernels];
  for (auto& row : sums) {
    for (auto& sum : row) {
      sum = V::zero();
    }
  }
  const std::size_t steps = p.atoms * (p.atomic_c / V::kValues);
  const std::size_t per_atom = p.atomic_c / V::kValues;
  const std::int16_t* weights = p.weights + kernel * p.atomic_c;
  for (std::size_t tap = 0; tap < p.taps; ++tap) {
    const std::int16_t* const* features = p.features + tap * p.pixels + pixel;
    for (std::size_t step = 0; step < steps; ++step) {
      typename V::Vector w[kKernels];
      for (std::size_t k = 0; k < kKernels; ++k) {
        w[k] = V::load(weights + k * p.atomic_c);
      }
      for (std::size_t i = 0; i < Pixels; ++i) {
        const auto feature = V::load(features[i] + step * V::kValues);
        for (std::size_t k = 0; k < kKernels; ++k) {
          sums[i][k] = V::add(sums[i][k], feature, w[k]);
        }
      }
      weights += V::kValues;
      if (per_atom == 1 || (step + 1) % per_atom == 0) {
        weights += (p.kernels - 1) * p.atomic_c;
      }
    }
  }
  for (std::size_t i = 0; i < Pixels; ++i) {
    const __m128i low = _mm_hadd_epi32(V::fold(sums[i][0]), V::fold(sums[i][1]));
    const __m128i high = _mm_hadd_epi32(V::fold(sums[i][2]), V::fold(sums[i][3]));
    auto* place = reinterpret_cast<__m128i*>(p.sums + (pixel + i) * p.sum_stride + kernel);
    __m128i sum = _mm_hadd_epi32(low, high);
    if (p.accumulate) {
      sum = _mm_add_epi32(sum, _mm_loadu_si128(place));
    }
    _mm_storeu_si128(place, sum);
  }
}

template <class V>
TESSERA_AVX2 void blocks(const GroupProducts& p) {
  constexpr std::size_t kPixels = 3;
  for (std::size_t kernel = 0; kernel < p.kernels; kernel += kKernels) {
    std::size_t pixel = 0;
    for (; pixel + kPixels <= p.pixels; pixel += kPixels) {
      block<V, kPixels>(p, pixel, kernel);
    }
    for (; pixel < p.pixels; ++pixel) {
      block<V, 1>(p, pixel, kernel);
    }
  }
}

}  // namespace

void add_products(const GroupProducts& p) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (!has_avx2 || p.kernels % kKernels != 0 || p.atomic_c % Narrow::kValues != 0) {
    add_products_plain(p);
  } else if (p.atomic_c % Wide::kValues == 0) {
    blocks<Wide>(p);
  } else {
    blocks<Narrow>(p);
  }
}
#else
void add_products(const GroupProducts& p) {
  add_products_plain(p);
}
#endif

}  // namespace tessera::npu
