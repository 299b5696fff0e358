// Constants beside computed values: class tokens, borders.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "network/builder.hpp"
#include "tests/rtl/conformance.hpp"
#include "tests/setups.hpp"

namespace tessera {
namespace {

std::int32_t drawn_constant(NetworkBuilder& builder, const std::string& name,
                            const std::vector<std::int32_t>& shape, const Quantisation& q) {
  std::vector<std::uint8_t> values;
  std::int64_t count = 1;
  for (const std::int32_t extent : shape) {
    count *= extent;
  }
  values.reserve(static_cast<std::size_t>(count));
  SplitMix64 rng(static_cast<std::uint64_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<std::uint8_t>(rng.int8()));
  }
  return builder.constant(name, shape, q, std::move(values));
}

// In front of and behind what a convolution computes, which is written where it belongs.
Network with_constants(std::int32_t axis, bool same_scale) {
  NetworkBuilder builder("constants", 1);
  const std::int32_t x = builder.input("x", {1, 5, 4, 6});
  const std::int32_t a = builder.conv2d("a", x, 7, 1, 1, Conv2d{});
  const Quantisation q = builder.tensor(a).quantisation;
  const Quantisation other = {{q.scales[0] * 1.7F}, 11};
  std::vector<std::int32_t> front = {1, 5, 4, 7};
  std::vector<std::int32_t> whole = front;
  front[static_cast<std::size_t>(axis)] = 1;
  std::vector<std::int32_t> behind = front;
  behind[static_cast<std::size_t>(axis)] = 2;
  whole[static_cast<std::size_t>(axis)] += 3;
  const std::vector<std::int32_t> parts = {drawn_constant(builder, "front", front, q), a,
                                           drawn_constant(builder, "behind", behind, other)};
  const std::int32_t joined = builder.moved("joined", whole, Concatenation{axis}, parts);
  builder.tensor(joined).quantisation = same_scale ? q : Quantisation{{q.scales[0] * 1.3F}, -5};
  builder.output(builder.conv2d("b", joined, 3, 1, 1, Conv2d{}));
  Network network = builder.network();
  check_network(network);
  return network;
}

TEST(ConcatenationOfConstants, EqualsTheReference) {
  for (const char* const preset : {"micro", "tiny", "small"}) {
    for (const std::int32_t axis : {1, 2, 3}) {
      for (const bool same_scale : {true, false}) {
        SCOPED_TRACE(
            fmt::format("{}, axis {}, {} scale", preset, axis, same_scale ? "one" : "own"));
        const Network network = with_constants(axis, same_scale);
        const auto outcome =
            test::conform(network, hardware_preset(preset), test::best_for(Objective::Cycles),
                          test::seeded_inputs(network, 1), ExternalMemory{});
        EXPECT_EQ(outcome.problem, "");
        EXPECT_EQ(outcome.program.layers[1].host_reason, "");
      }
    }
  }
}

}  // namespace
}  // namespace tessera
