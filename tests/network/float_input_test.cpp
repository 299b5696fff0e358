#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "network/builder.hpp"
#include "tessera/reference.hpp"

namespace tessera {
namespace {

struct Quantised {
  float value;
  std::int8_t expected;
};

void PrintTo(const Quantised& q, std::ostream* out) {
  *out << q.value << " to " << int{q.expected};
}

// Steps of a half around zero point -3: the least integer would wrap below it.
class FloatInput : public testing::TestWithParam<Quantised> {};

TEST_P(FloatInput, IsQuantisedToNearestWithinInt8) {
  NetworkBuilder builder("quantise", 1);
  const std::int32_t in = builder.input("in", {1, 1});
  const std::int32_t out = builder.unary("out", in, {UnaryKind::Quantize, 0.0F, {}});
  builder.output(out);
  Network network = builder.finish();
  network.tensors[static_cast<std::size_t>(in)].type = DataType::Float32;
  network.tensors[static_cast<std::size_t>(out)].quantisation = {{0.5F}, -3};
  Bytes input(sizeof(float));
  std::memcpy(input.data(), &GetParam().value, sizeof(float));
  const Bytes result = run_reference(network, {input}).at(0);
  EXPECT_EQ(static_cast<std::int8_t>(result.at(0)), GetParam().expected);
}

constexpr float kInfinite = std::numeric_limits<float>::infinity();

INSTANTIATE_TEST_SUITE_P(
    Quantize, FloatInput,
    testing::Values(Quantised{0.0F, -3}, Quantised{0.25F, -2}, Quantised{-0.25F, -4},
                    Quantised{65.0F, 127}, Quantised{65.6F, 127}, Quantised{-62.5F, -128},
                    Quantised{-63.0F, -128}, Quantised{3.0e38F, 127}, Quantised{-3.0e38F, -128},
                    Quantised{kInfinite, 127}, Quantised{-kInfinite, -128},
                    // As other runtimes do, whose conversion makes the least integer of it.
                    Quantised{std::nanf(""), -128}, Quantised{-std::nanf(""), -128}));

}  // namespace
}  // namespace tessera
