// The platform's three engines where the other tests on the RTL do not lead them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tests/rtl/conformance.hpp"

namespace tessera {
namespace {

using isa::Counter;

// Memory, array and stores each hold something up.
constexpr const char* kNetwork =
    "layers:\n"
    "- conv2d: {in: [24, 24, 16], kernel: 3, padding: same, out_channels: 32}\n"
    "- depthwise_conv2d: {kernel: 3, padding: same, stride: 2}\n"
    "- conv2d: {kernel: 1, out_channels: 96}\n"
    "- max_pool2d: {kernel: 2, stride: 2}\n"
    "- fully_connected: {out_features: 40}\n";

RunOptions options_for(const Network& network, const ExternalMemory& memory) {
  RunOptions options;
  options.inputs = test::seeded_inputs(network, 3);
  options.memory = memory;
  return options;
}

void expect_equal(const RunResult& rtl, const RunResult& other, const std::string& what) {
  for (std::size_t i = 0; i < rtl.layers.size(); ++i) {
    EXPECT_EQ(rtl.layers[i].counters, other.layers[i].counters) << what << ", layer " << i;
  }
}

class Contention : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

// Another master takes half of the bytes that the memory can move.
TEST_P(Contention, AllEnginesFeelTheOtherMasterAlike) {
  const auto& [preset, memory_name] = GetParam();
  const Network network = import_yaml(kNetwork, "contended", 1);
  const Program program = compile(network, hardware_preset(preset), {});
  RunOptions options = options_for(network, memory_preset(memory_name));
  const RunResult alone = run_on_rtl(program, options);
  TrafficPattern pattern;
  pattern.bytes_per_cycle = options.memory.bytes_per_cycle / 2;
  pattern.address = std::uint64_t{1} << 31;
  for (const bool writes : {false, true}) {
    pattern.writes = writes;
    pattern.random = writes;
    options.traffic = {pattern};
    const RunResult rtl = run_on_rtl(program, options);
    const std::string what = writes ? "writes" : "reads";
    expect_equal(rtl, run_on_tlm(program, options), "tlm, " + what);
    expect_equal(rtl, run_on_model(program, options), "model, " + what);
    EXPECT_EQ(rtl.outputs, alone.outputs);
    if (options.memory.bytes_per_cycle < 16) {
      EXPECT_GT(counter(rtl.totals, Counter::Cycles), counter(alone.totals, Counter::Cycles));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Contention,
                         testing::Combine(testing::Values("small", "medium"),
                                          testing::Values("sram", "lpddr4", "ddr4")),
                         [](const auto& setup) {
                           return std::get<0>(setup.param) + "_" + std::get<1>(setup.param);
                         });

TEST(Contention, SeveralMastersAtOnce) {
  const Network network = import_yaml(kNetwork, "contended", 1);
  const Program program = compile(network, hardware_preset("small"), {});
  RunOptions options = options_for(network, {});
  for (std::uint64_t i = 0; i < 4; ++i) {
    TrafficPattern pattern;
    pattern.bytes_per_cycle = 1.3;
    pattern.burst_bytes = 32U << i;
    pattern.writes = i % 2 == 1;
    pattern.random = i > 1;
    pattern.seed = i;
    pattern.address = i << 26;
    options.traffic.push_back(pattern);
  }
  const RunResult rtl = run_on_rtl(program, options);
  expect_equal(rtl, run_on_tlm(program, options), "tlm");
  expect_equal(rtl, run_on_model(program, options), "model");
  options.traffic.push_back({});
  EXPECT_THROW(run_on_tlm(program, options), std::runtime_error) << "five";
}

// Constants and commands come from a memory that is slow and takes one burst at a time.
TEST(Engines, AProgramInARomCostsAllEnginesTheSame) {
  for (const char* preset : {"micro", "nano", "tiny", "small", "medium"}) {
    const Network network = import_yaml(kNetwork, "in a ROM", 1);
    const Program program = compile(network, hardware_preset(preset), {});
    RunOptions options = options_for(network, memory_preset("sram"));
    const RunResult in_memory = run_on_model(program, options);
    options.memory.rom = {41, 17};
    const RunResult rtl = run_on_rtl(program, options);
    expect_equal(rtl, run_on_tlm(program, options), fmt::format("tlm, {}", preset));
    expect_equal(rtl, run_on_model(program, options), fmt::format("model, {}", preset));
    EXPECT_EQ(rtl.outputs, run_on_tlm(program, options).outputs);
    // Each beat of what is read there takes so many cycles at least.
    const std::uint64_t weights = program.image.size() - program.arena_bytes();
    EXPECT_GT(counter(rtl.totals, Counter::Cycles), weights / program.hardware.bus_bytes * 17)
        << preset;
    EXPECT_GT(counter(rtl.totals, Counter::Cycles), counter(in_memory.totals, Counter::Cycles))
        << preset;
  }
}

// Memory without byte masks: tiles whose bytes begin or end within a beat take longer.
TEST(Engines, BeatsWrittenInPartCostAllEnginesTheSame) {
  constexpr const char* kOddTiles = R"(
name: odd
layers:
  - conv2d: {in: [30, 29, 5], out_channels: 7, kernel: 3, padding: same}
  - depthwise_conv2d: {kernel: 3, stride: 2}
  - conv2d: {out_channels: 27, kernel: 1}
)";
  for (const char* preset : {"micro", "nano", "tiny", "small", "medium"}) {
    for (const char* memory : {"ideal", "sram", "ddr4"}) {
      SCOPED_TRACE(fmt::format("{}, {}", preset, memory));
      const Network network = import_yaml(kOddTiles, "odd", 1);
      const Program program = compile(network, hardware_preset(preset), {});
      RunOptions options = options_for(network, memory_preset(memory));
      const RunResult with_masks = run_on_model(program, options);
      // Between two bytes the microcontroller has time.
      options.memory.partial_beat = preset == std::string("micro") ? 300 : 9;
      const RunResult rtl = run_on_rtl(program, options);
      expect_equal(rtl, run_on_tlm(program, options), "tlm");
      expect_equal(rtl, run_on_model(program, options), "model");
      EXPECT_GT(counter(rtl.totals, Counter::Cycles), counter(with_masks.totals, Counter::Cycles));
    }
  }
}

// A program for fewer accumulators than are built keeps to both of their halves, so that stores and
// work do not meet in one.
TEST(Engines, AProgramForFewerAccumulatorsCostsAllEnginesTheSame) {
  for (const char* preset : {"micro", "nano", "tiny", "small", "medium"}) {
    for (const PolicyName name : {PolicyName::FirstFit, PolicyName::Best}) {
      if (name == PolicyName::Best && preset != std::string("small")) {
        continue;  // some seconds each
      }
      const Hardware built = hardware_preset(preset);
      Hardware fewer = built;
      fewer.acc_words /= 4;
      SCOPED_TRACE(fmt::format("{}, {} of {}", preset, fewer.acc_words, built.acc_words));
      Policy policy;
      policy.name = name;
      policy.memory = memory_preset("sram");
      const Network network = import_yaml(kNetwork, "for fewer", 1);
      Program program = compile(network, part_of(built, fewer), policy);
      program.hardware = built;
      EXPECT_EQ(check_program(program), std::vector<std::string>{});
      const RunOptions options = options_for(network, policy.memory);
      const RunResult rtl = run_on_rtl(program, options);
      expect_equal(rtl, run_on_tlm(program, options), "tlm");
      expect_equal(rtl, run_on_model(program, options), "model");
      EXPECT_EQ(rtl.outputs, run_on_tlm(program, options).outputs);
      // As long as where no more are built.
      const Program alone = compile(network, fewer, policy);
      EXPECT_EQ(counter(rtl.totals, Counter::Cycles),
                counter(run_on_model(alone, options).totals, Counter::Cycles));
    }
  }
}

TEST(Engines, ProgramsWithoutWeightsCostTheSame) {
  for (const char* name : {"resnet18", "mobilenet_v1"}) {
    const Config config = parse_config(fmt::format("{{hardware: medium, network: {}}}", name),
                                       TESSERA_SOURCE_DIR "/configs/x.yaml", {});
    const Network network = load_configured(config);
    const Program whole = compile(network, config.hardware, config.policy);
    const Program commands = compile(network, config.hardware, config.policy, Contents::Commands);
    RunOptions options;
    options.memory = memory_preset("ddr4");
    expect_equal(run_on_model(whole, options), run_on_model(commands, options), name);
  }
}

// Whole networks have long rows of short bursts, over which only the model leaps.
TEST(Engines, LeapsOverBurstsChangeNothing) {
  for (const char* name : {"resnet18", "mobilenet_v1"}) {
    const Config config = parse_config(fmt::format("{{hardware: medium, network: {}}}", name),
                                       TESSERA_SOURCE_DIR "/configs/x.yaml", {});
    const Network network = load_configured(config);
    const Program program = compile(network, config.hardware, config.policy);
    const RunOptions options = options_for(network, config.memory);
    expect_equal(run_on_tlm(program, options), run_on_model(program, options), name);
  }
}

TEST(Engines, ARunThatFailsLeavesThePlatformUsable) {
  const Network network = import_yaml(kNetwork, "failing", 1);
  const Program sound = compile(network, hardware_preset("small"), {});
  Program broken = sound;
  const auto& run = std::get<CommandRun>(broken.steps[0]);
  broken.image[run.stream.address + 7] ^= 0xFF;
  const RunOptions options = options_for(network, {});
  for (const Engine engine : {Engine::Rtl, Engine::Tlm, Engine::Model}) {
    EXPECT_THROW(run_on(engine, broken, options), EngineError);
    EXPECT_NO_THROW(run_on(engine, sound, options));
  }
}

TEST(Engines, WhatAListenerThrowsComesOut) {
  const Network network = import_yaml(kNetwork, "thrown", 1);
  const Program program = compile(network, hardware_preset("small"), {});
  RunOptions options = options_for(network, {});
  options.tick = [](std::size_t, std::uint64_t) { throw std::domain_error("enough"); };
  EXPECT_THROW(run_on_rtl(program, options), std::domain_error);
  EXPECT_THROW(run_on_tlm(program, options), std::domain_error);
  options.tick = nullptr;
  EXPECT_NO_THROW(run_on_tlm(program, options));
}

}  // namespace
}  // namespace tessera
