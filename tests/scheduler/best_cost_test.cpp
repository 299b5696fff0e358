// Policy `best` is never worse than `first-fit`, and much better on models.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "tests/shared_data.hpp"
#include "timing/machine/cost_model.hpp"

namespace tessera {
namespace {

struct Cost {
  std::uint64_t cycles, bytes, arena;
};

Cost cost_of(const Network& network, const Hardware& hardware, const Policy& policy) {
  const Program program = compile(network, hardware, policy, Contents::Commands);
  const auto problems = check_program(program);
  EXPECT_TRUE(problems.empty()) << problems[0];
  const Counters totals = timing::estimate(program, policy.memory).totals;
  return {counter(totals, isa::Counter::Cycles),
          read_bytes(totals) + counter(totals, isa::Counter::WriteBytes), program.arena_bytes()};
}

void expect_never_worse(const Network& network, const Hardware& hardware,
                        const ExternalMemory& memory) {
  Policy policy;
  policy.memory = memory;
  const Cost first_fit = cost_of(network, hardware, policy);
  policy.name = PolicyName::Best;
  EXPECT_LE(cost_of(network, hardware, policy).cycles, first_fit.cycles);
  policy.objective = Objective::Traffic;
  EXPECT_LE(cost_of(network, hardware, policy).bytes, first_fit.bytes);
}

// A convolution that is read twice, once as an addend.
const char* const kReadTwice =
    "layers:\n  - conv2d: {in: [12, 12, 9], out_channels: 24, kernel: 3, padding: same}\n"
    "  - conv2d: {out_channels: 24, kernel: 3, padding: same}\n"
    "  - add: {from: [conv2d_0, conv2d_1]}\n  - avg_pool2d: {kernel: 2, stride: 2}\n";

const char* const kPointwiseAndDepthwise =
    "layers:\n  - conv2d: {in: [24, 24, 3], out_channels: 16, kernel: 3, stride: 2, padding: "
    "same}\n"
    "  - depthwise_conv2d: {kernel: 3, padding: same}\n  - conv2d: {out_channels: 40, kernel: 1}\n"
    "  - depthwise_conv2d: {kernel: 3, stride: 2, padding: same}\n"
    "  - conv2d: {out_channels: 64, kernel: 1}\n  - fully_connected: {out_features: 30}\n";

const char* const kMostlyWeights =
    "layers:\n  - fully_connected: {in: [1, 1, 200], out_features: 180}\n"
    "  - fully_connected: {out_features: 90}\n  - fully_connected: {out_features: 10}\n";

TEST(Best, IsNeverWorseThanFirstFit) {
  for (const char* text : {kReadTwice, kPointwiseAndDepthwise, kMostlyWeights}) {
    const Network network = import_yaml(text, "best.yaml", 1);
    for (const char* preset : {"tiny", "medium"}) {
      SCOPED_TRACE(fmt::format("{}\n{}", preset, text));
      expect_never_worse(network, hardware_preset(preset), ExternalMemory{});
      Hardware less = hardware_preset(preset);
      less.cbuf_size /= 8;
      expect_never_worse(network, less, ExternalMemory{1.0, 0});
    }
  }
}

TEST(Best, NeedsLessArenaAndTrafficOnModels) {
  TESSERA_NEEDS_SHARED();
  for (const char* name : {"ic_resnet8", "kws_dscnn", "person_detect"}) {
    SCOPED_TRACE(name);
    const Network network =
        load_network(fmt::format("{}/models/{}/model.tflite", test::shared_dir(), name), 1);
    const Hardware hardware = hardware_preset("medium");
    Policy policy;
    const Cost before = cost_of(network, hardware, policy);
    policy.name = PolicyName::Best;
    const Cost after = cost_of(network, hardware, policy);
    EXPECT_LE(2 * after.arena, before.arena);
    EXPECT_LT(10 * after.bytes, 6 * before.bytes);
  }
}

}  // namespace
}  // namespace tessera
