// Random networks on random hardware: SystemC model and cost model equal in every counter, and
// equal to the reference kernels.
#include <gtest/gtest.h>

#include "tests/draws.hpp"
#include "tests/rtl/random_hardware.hpp"

namespace tessera {
namespace {

TEST(RandomHardware, EnginesEqualTheReferenceAndEachOther) {
  test::expect_always(150, [] {
    const auto hardware = test::draw_hardware(64 * 64);
    test::run_case(test::draw_case(hardware, false), test::Engines::WithoutRtl);
  });
}

// Taps that two windows have in common, where one reads another's rows in another shape: among 2
// 000 random networks one has them.
TEST(RandomHardware, WhatTwoRowsOfAMeanHaveInCommonCountsOnce) {
  const test::RandomCase found = {
      "hardware: {array: {atomic_c: 42, atomic_k: 42}, cbuf: {size: 134442, capacity: 268884, "
      "banks: 22}, param_groups: 8, bus_bytes: 16, post_lanes: 16, features: {folding: no, tables: "
      "no, operands: no, keep: no, zero_points: no, checksums: no, counters: no}}\n"
      "memory: {bytes_per_cycle: 2, latency: 61}\nnetwork: lenet5\nseed: 296\n"
      "policy: {name: best, objective: energy}\n",
      "inputs: {x: {shape: [1, 5, 6, 127], scale: 0.11, zero_point: -79}}\n"
      "layers:\n"
      "  - transpose: {order: [0, 3, 2, 1]}\n"
      "  - mean: {axes: [1, 2], keep_dims: no, scale: 0.11, zero_point: 27}\n"};
  EXPECT_EQ(test::problem_of(1, 1, [&] { test::run_case(found, test::Engines::WithoutRtl); }), "");
}

}  // namespace
}  // namespace tessera
