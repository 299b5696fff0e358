// The vectorised products against the plain ones.
#include "sim/npu/dot_products.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tessera/rng.hpp"

namespace tessera::npu {
namespace {

struct Case {
  std::size_t pixels, taps, atoms, atomic_c, kernels;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.pixels << " pixels, " << c.taps << " taps, " << c.atoms << " atoms of " << c.atomic_c
       << ", " << c.kernels << " kernels";
}

class DotProducts : public testing::TestWithParam<Case> {};

TEST_P(DotProducts, AreThePlainOnes) {
  const Case& c = GetParam();
  SplitMix64 rng(c.pixels * 31 + c.kernels);
  const auto fill = [&](std::size_t count) {
    std::vector<std::int16_t> values(count);
    for (std::int16_t& value : values) {
      value = rng.below(8) == 0 ? std::int16_t{-128} : rng.int8();
    }
    return values;
  };
  const std::size_t length = c.atoms * c.atomic_c;
  const auto pool = fill(length * (c.pixels + c.taps));
  const auto weights = fill(c.taps * length * c.kernels);
  std::vector<const std::int16_t*> features;
  features.reserve(c.taps * c.pixels);
  for (std::size_t i = 0; i < c.taps * c.pixels; ++i) {
    features.push_back(pool.data() + rng.below(c.pixels + c.taps) * length);
  }
  for (const bool accumulate : {false, true}) {
    std::vector<std::int32_t> fast(c.pixels * (c.kernels + 1), 2147483000);
    std::vector<std::int32_t> plain = fast;
    GroupProducts products;
    products.pixels = c.pixels;
    products.taps = c.taps;
    products.atoms = c.atoms;
    products.atomic_c = c.atomic_c;
    products.kernels = c.kernels;
    products.features = features.data();
    products.weights = weights.data();
    products.sum_stride = c.kernels + 1;
    products.accumulate = accumulate;
    products.sums = fast.data();
    add_products(products);
    products.sums = plain.data();
    add_products_plain(products);
    EXPECT_EQ(fast, plain) << accumulate;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, DotProducts,
                         testing::Values(Case{1, 1, 1, 8, 8}, Case{7, 9, 2, 8, 8},
                                         Case{10, 1, 5, 16, 16}, Case{3, 4, 1, 16, 12},
                                         Case{5, 2, 3, 32, 32}, Case{4, 9, 1, 4, 4},
                                         Case{6, 3, 2, 16, 5}, Case{2, 25, 1, 64, 4}));

}  // namespace
}  // namespace tessera::npu
