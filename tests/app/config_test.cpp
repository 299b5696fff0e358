#include "tessera/config.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "input/read_file.hpp"
#include "input/yaml_fields.hpp"
#include "tessera/config_keys.hpp"
#include "tessera/error.hpp"
#include "tests/corruption.hpp"

namespace tessera {
namespace {

std::string error_of(const std::string& yaml, const std::vector<std::string>& sets = {}) {
  try {
    parse_config(yaml, "npu.yaml", sets);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_error(const std::string& yaml, const std::string& part,
                  const std::vector<std::string>& sets = {}) {
  EXPECT_NE(error_of(yaml, sets).find(part), std::string::npos) << error_of(yaml, sets);
}

// What pages say of a key is what its reader does: one more than the range ends at is refused, and
// the error has the same range.
TEST(Config, KeysHaveTheRangesThatTheirReadersKeep) {
  std::size_t tried = 0;
  for (const ConfigKey& key : config_keys()) {
    const std::size_t between = key.allowed.find(" to ");
    if (key.type != "integer" || key.path.find('[') != std::string::npos ||
        between == std::string::npos) {
      continue;
    }
    const long long low = std::stoll(key.allowed);
    const long long high = std::stoll(key.allowed.substr(between + 4));
    const std::string base =
        "hardware: small\nmemory: {rom: {cycles_per_beat: 1}}\nnetwork: lenet5\n";
    for (const long long beyond : {low - 1, high + 1}) {
      expect_error(base, fmt::format("from {} to {}", low, high),
                   {fmt::format("{}={}", key.path, beyond)});
      ++tried;
    }
  }
  EXPECT_GE(tried, 40U);
}

TEST(Config, EveryChoiceOfAKeyIsTaken) {
  std::size_t tried = 0;
  for (const ConfigKey& key : config_keys()) {
    if (key.type != "choice" || key.path.find('[') != std::string::npos) {
      continue;
    }
    expect_error("hardware: small\nnetwork: lenet5\n", "allowed is one of " + key.allowed,
                 {key.path + "=nothing"});
    ++tried;
  }
  EXPECT_GE(tried, 20U);
}

TEST(Config, PresetsHaveTheirShapes) {
  struct Expected {
    const char* name;
    std::uint32_t array;
    std::uint64_t kib;
    std::uint32_t bus;
  };
  for (const Expected& e : {Expected{"tiny", 4, 16, 4}, Expected{"small", 8, 128, 8},
                            Expected{"medium", 16, 256, 8}, Expected{"large", 32, 512, 16}}) {
    const Hardware hw = hardware_preset(e.name);
    EXPECT_EQ(hw.atomic_c, e.array);
    EXPECT_EQ(hw.atomic_k, e.array);
    EXPECT_EQ(hw.cbuf_size, e.kib * 1024);
    EXPECT_EQ(hw.bus_bytes, e.bus);
    EXPECT_EQ(hardware_problem(hw), "");
  }
}

TEST(Config, SizesAreWrittenAsPeopleWriteThem) {
  EXPECT_EQ(parse_size("128 KiB", ""), 131072U);
  EXPECT_EQ(parse_size("128KiB", ""), 131072U);
  EXPECT_EQ(parse_size("0.5 MiB", ""), 524288U);
  EXPECT_EQ(parse_size("512", ""), 512U);
  EXPECT_EQ(parse_size("64 B", ""), 64U);
  for (const char* bad : {"", "KiB", "12 kb", "-1", "1.3", "1e99", "nan", "4 KiB KiB"}) {
    EXPECT_THROW(parse_size(bad, ""), InputError) << bad;
  }
}

const std::string kRun = "hardware: small\nmemory: {bytes_per_cycle: 8}\nnetwork: lenet5\n";

TEST(Config, PresetsTakeOverrides) {
  const Config config =
      parse_config(kRun, "npu.yaml",
                   {"memory=ddr4", "memory.bytes_per_cycle=4", "host=microcontroller",
                    "host.mhz=80", "energy=45nm", "energy.mac=1"});
  EXPECT_EQ(config.memory.bytes_per_cycle, 4);
  EXPECT_EQ(config.memory.latency, memory_preset("ddr4").latency);
  EXPECT_EQ(config.host.mhz, 80);
  EXPECT_EQ(config.host.cycles_per_operation, 8);
  EXPECT_EQ(config.policy.energy.mac, 1);
  EXPECT_EQ(config.policy.energy.external_byte, 240);
  expect_error(kRun, "--set memory=ddr5: unknown memory preset `ddr5`",
               {"memory=ddr5", "memory.latency=4"});
  expect_error(kRun, "`network` is a plain value", {"network.name=lenet5"});
}

TEST(Config, ErrorsOfOverridesNameThem) {
  expect_error(kRun, "--set hardware.cbuff.size=16KiB: unknown key `cbuff` in `hardware`",
               {"hardware.cbuff.size=16KiB"});
  expect_error(kRun, "--set hardware.array.atomic_c=7: hardware.array.atomic_c is 7",
               {"hardware.array.atomic_c=7"});
  expect_error(kRun, "--set hardware.bus_bytes=7: hardware.bus_bytes is 7",
               {"hardware=medium", "hardware.bus_bytes=7"});
  expect_error("hardware: {preset: small, bus_bytes: 7}\nnetwork: lenet5\n",
               "npu.yaml:1:11: hardware.bus_bytes is 7");
}

TEST(Config, NarrowArraysHaveFewerLanesAndSaySo) {
  const Config config = parse_config(kRun, "npu.yaml", {"hardware.array.atomic_k=6"});
  EXPECT_EQ(config.hardware.post_lanes, 4U);
  ASSERT_EQ(config.notes.size(), 1U);
  EXPECT_EQ(config.notes[0],
            "hardware.post_lanes is 4: the 8 of preset `small` are more than array.atomic_k, 6");
  EXPECT_TRUE(parse_config(kRun, "npu.yaml", {}).notes.empty());
  expect_error(kRun, "hardware.post_lanes is 8; allowed is a power of two from 1 to 4",
               {"hardware.array.atomic_k=4", "hardware.post_lanes=8"});
}

TEST(Config, AnAutomaticCapacityIsWhatTheSizeNeeds) {
  const auto built = [](const std::string& size) {
    return parse_config(kRun, "npu.yaml",
                        {"hardware.cbuf.size=" + size, "hardware.cbuf.capacity=auto"})
        .hardware.cbuf_capacity;
  };
  EXPECT_EQ(built("16KiB"), 16384U);
  EXPECT_EQ(built("1000"), 1024U) << "whole atoms in every bank";
  EXPECT_EQ(built("8"), 128U) << "two atoms in every bank";
}

TEST(Config, TheOrderOfValuesIsOfNoMatter) {
  for (const auto& sets :
       {std::vector<std::string>{"hardware.cbuf.size=16KiB", "hardware=medium"},
        std::vector<std::string>{"hardware=medium", "hardware.cbuf.size=16KiB"}}) {
    const Config config = parse_config(kRun, "npu.yaml", sets);
    EXPECT_EQ(config.hardware.cbuf_size, 16384U);
    EXPECT_EQ(config.hardware.atomic_k, hardware_preset("medium").atomic_k);
  }
  const Config models =
      parse_config(kRun, "npu.yaml", {"models=[{network: lenet5}, {network: lenet5, name: b}]"});
  EXPECT_EQ(models.models.size(), 2U);
}

// A DRAM takes nanoseconds, an accelerator's own SRAM its cycles.
TEST(Config, MemoriesFollowTheClock) {
  const auto with = [](const char* preset, const char* clock) {
    return parse_config(kRun, "npu.yaml",
                        {std::string("memory=") + preset, std::string("hardware.clock=") + clock})
        .memory;
  };
  const ExternalMemory usual = memory_preset("ddr4");
  EXPECT_EQ(with("ddr4", "500 MHz").latency, usual.latency);
  const ExternalMemory twice = with("ddr4", "1 GHz");
  EXPECT_DOUBLE_EQ(twice.bytes_per_cycle, usual.bytes_per_cycle / 2);
  EXPECT_EQ(twice.latency, 2 * usual.latency);
  EXPECT_EQ(twice.dram.refresh_interval, 2 * usual.dram.refresh_interval);
  const ExternalMemory slow = with("ddr4", "150 MHz");
  EXPECT_EQ(slow.dram.activate, 3U) << "8 cycles of 2 ns in cycles of 6.7, rounded up";
  EXPECT_EQ(with("sram", "150 MHz").latency, memory_preset("sram").latency);
  expect_error(kRun, "`ddr4` is 1920 bytes per cycle at 10 MHz; allowed is 0.01 to 1024",
               {"memory=ddr4", "hardware.clock=10 MHz"});
}

TEST(Config, ALayerListRoundsAsItSays) {
  const Config config = parse_config(kRun, "npu.yaml", {"numerics=litert"});
  try {
    static_cast<void>(load_configured(config));
    FAIL() << "`numerics` is ignored";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("`numerics` is for .tflite and .onnx files"),
              std::string::npos)
        << error.what();
  }
}

TEST(Config, ClocksMakeTimes) {
  const Config config = parse_config(
      kRun, "npu.yaml",
      {"hardware.clock=0.5 GHz", "memory={bandwidth: 3.2 GB/s}", "host=microcontroller"});
  EXPECT_EQ(config.hardware.mhz, 500);
  EXPECT_DOUBLE_EQ(config.hardware.milliseconds(1'000'000), 2);
  EXPECT_DOUBLE_EQ(config.memory.bytes_per_cycle, 6.4);
  EXPECT_EQ(config.host.accelerator_mhz, 500);
  EXPECT_EQ(parse_config(kRun, "npu.yaml", {}).hardware.milliseconds(5), 0);
  expect_error(kRun, "`500` is no number with a unit; allowed units are Hz, kHz, MHz, GHz",
               {"hardware.clock=500"});
  expect_error(kRun, "must be from 1 kHz to 100 GHz", {"hardware.clock=-1 MHz"});
  expect_error(kRun, "`memory.bandwidth` needs `hardware.clock`", {"memory={bandwidth: 1 GB/s}"});
  expect_error(kRun, "stands beside `bytes_per_cycle`",
               {"hardware.clock=1 MHz", "memory.bandwidth=1 GB/s"});
  expect_error(kRun, "is 9e+06 bytes per cycle at 1 MHz; allowed is 0.01 to 1024",
               {"hardware.clock=1 MHz", "memory={bandwidth: 9000 GB/s}"});
  expect_error(
      kRun, "`hardware.clock` 500 MHz; allowed is one clock",
      {"hardware.clock=500 MHz",
       "host={mhz: 80, cycles_per_operation: 1, cycles_per_byte: 1, accelerator_mhz: 100}"});
}

TEST(Config, AnObjectiveNeedsThePolicyThatHasOne) {
  expect_error(kRun,
               "--set policy.objective=energy: `policy.objective`: stands beside policy "
               "`first-fit`, which has none",
               {"policy.objective=energy"});
  EXPECT_EQ(
      parse_config(kRun, "npu.yaml", {"policy=best", "policy.objective=energy"}).policy.objective,
      Objective::Energy);
}

TEST(Config, KeysAreThereOnce) {
  expect_error("hardware: small\nnetwork: lenet5\nhardware: tiny\n",
               "npu.yaml:3:1: key `hardware` is there twice, first in line 1");
}

TEST(Config, HeadersSayHowMuchOfTheBuffer) {
  EXPECT_EQ(cbuf_text(parse_config(kRun, "npu.yaml", {}).hardware), "128 KiB");
  EXPECT_EQ(cbuf_text(parse_config(kRun, "npu.yaml", {"hardware.cbuf.size=16KiB"}).hardware),
            "16 of 128 KiB");
}

TEST(Config, SizeIsARunTimeLimitOfThePresetsBuffer) {
  const Config config = parse_config(
      "hardware: {preset: medium, cbuf: {size: 32 KiB}}\nnetwork: lenet5\n", "npu.yaml", {});
  EXPECT_EQ(config.hardware.cbuf_size, 32768U);
  EXPECT_EQ(config.hardware.cbuf_capacity, 262144U);
  EXPECT_EQ(config.hardware.atomic_k, 16U);
}

TEST(Config, OverridesApplyInOrder) {
  const Config config = parse_config("hardware: small\nnetwork: lenet5\n", "npu.yaml",
                                     {"hardware=medium", "hardware.cbuf.size=32KiB",
                                      "policy.split=channels", "memory.latency=7", "seed=9"});
  EXPECT_EQ(config.hardware.name, "medium");
  EXPECT_EQ(config.hardware.cbuf_size, 32768U);
  EXPECT_EQ(config.policy.split, SplitChoice::Channels);
  EXPECT_EQ(config.memory.latency, 7U);
  EXPECT_EQ(config.seed, 9U);
}

TEST(Config, SeveralModels) {
  const Config config = parse_config(
      "hardware: small\nmodels:\n  - {network: lenet5, group: 2}\n"
      "  - {network: lenet5, keep_outputs: no}\n  - {network: alexnet, name: big}\n",
      "npu.yaml", {});
  ASSERT_EQ(config.models.size(), 3U);
  EXPECT_EQ(config.models[0].name, "lenet5_1");
  EXPECT_FALSE(config.models[0].keep_outputs);
  EXPECT_EQ(config.models[1].name, "lenet5");
  EXPECT_EQ(config.models[2].name, "big");
  expect_error("hardware: small\nnetwork: lenet5\nmodels: [{network: lenet5}]\n",
               "stands beside `models`");
  expect_error("hardware: small\nmodels: []\n", "must be a list of maps");
  expect_error(
      "hardware: small\nmodels: [{network: lenet5, name: a}, {network: alexnet, name: a}]\n",
      "`a` is the name of another model");
  expect_error("hardware: small\nmodels: [{network: lenet5, keep: no}]\n", "unknown key `keep`");
}

TEST(Config, MemoryPresets) {
  EXPECT_EQ(parse_config("hardware: small\nnetwork: lenet5\nmemory: ddr4\n", "npu.yaml", {})
                .memory.dram.banks,
            16U);
  const ExternalMemory memory = parse_config(
                                    "hardware: small\nnetwork: lenet5\n"
                                    "memory: {preset: lpddr4, latency: 9, dram: {activate: 30}}\n",
                                    "npu.yaml", {})
                                    .memory;
  EXPECT_EQ(memory.name, "lpddr4");
  EXPECT_EQ(memory.latency, 9U);
  EXPECT_EQ(memory.dram.activate, 30U);
  EXPECT_EQ(memory.dram.precharge, 9U);
  EXPECT_FALSE(memory.rom.is_there());
  EXPECT_EQ(memory.partial_beat, 0U);
  EXPECT_EQ(
      parse_config("hardware: small\nnetwork: lenet5\nmemory: {partial_beat: 11}\n", "npu.yaml", {})
          .memory.partial_beat,
      11U);
  const ProgramRom rom = parse_config(
                             "hardware: small\nnetwork: lenet5\n"
                             "memory: {rom: {latency: 41, cycles_per_beat: 17}}\n",
                             "npu.yaml", {})
                             .memory.rom;
  EXPECT_EQ(rom.latency, 41U);
  EXPECT_EQ(rom.cycles_per_beat, 17U);
  expect_error("hardware: small\nnetwork: lenet5\nmemory: {rom: {latency: 41}}\n",
               "cycles_per_beat");
  expect_error("hardware: small\nnetwork: lenet5\nmemory: {rom: {cycles_per_beat: 0}}\n",
               "`memory.rom.cycles_per_beat` is `0`; allowed is a whole number from 1");
  expect_error("hardware: small\nnetwork: lenet5\nmemory: ddr\n",
               "npu.yaml:3:9: unknown memory preset `ddr` (did you mean `ddr4`?); allowed are "
               "ddr4, ideal, lpddr4, sram");
  expect_error("hardware: small\nnetwork: lenet5\nmemory: {dram: {row_bytes: 5000}}\n",
               "allowed is a multiple of 4096");
  expect_error(
      "hardware: small\nnetwork: lenet5\nmemory: {dram: {refresh_interval: 9, "
      "refresh_cycles: 9}}\n",
      "allowed is less than refresh_interval, 9");
}

TEST(Config, PlannersAndOrders) {
  const Config config = parse_config(
      "hardware: small\nnetwork: lenet5\n", "npu.yaml",
      {"policy.plan.planner=greedy-breadth", "policy.plan.order=exact", "policy.plan.in_place=no"});
  EXPECT_EQ(config.policy.plan.planner, PlannerName::GreedyBreadth);
  EXPECT_EQ(config.policy.plan.order, OrderName::Exact);
  EXPECT_FALSE(config.policy.plan.in_place);
  const std::string best = "hardware: small\nmemory: ddr4\nnetwork: lenet5\npolicy: {name: best";
  const Policy policy = parse_config(best + ", objective: traffic}\n", "npu.yaml", {}).policy;
  EXPECT_EQ(policy.name, PolicyName::Best);
  EXPECT_EQ(policy.objective, Objective::Traffic);
  EXPECT_EQ(policy.memory.name, "ddr4") << "best reckons with the run's memory";
  expect_error(best + ", mode: wait}\n", "allowed is auto");
  expect_error(best + ", objective: speed}\n", "objective");
  EXPECT_EQ(parse_config(best + ", objective: energy}\n", "npu.yaml", {}).policy.objective,
            Objective::Energy);
  expect_error("hardware: small\nnetwork: lenet5\npolicy: {plan: greedy}\n",
               "allowed is one of best, greedy-size, greedy-breadth, removal, exact");
}

TEST(Config, OtherMastersAndEngines) {
  const Config config = parse_config(
      "hardware: small\nnetwork: lenet5\nengine: tlm\n"
      "traffic: [{bytes_per_cycle: 2.5, burst_bytes: 128, direction: write, addresses: random, "
      "window: 4 KiB, seed: 3}, {bytes_per_cycle: 1}]\n",
      "npu.yaml", {});
  EXPECT_EQ(config.engine, Engine::Tlm);
  ASSERT_EQ(config.traffic.size(), 2U);
  EXPECT_EQ(config.traffic[0].bytes_per_cycle, 2.5);
  EXPECT_EQ(config.traffic[0].burst_bytes, 128U);
  EXPECT_TRUE(config.traffic[0].writes);
  EXPECT_TRUE(config.traffic[0].random);
  EXPECT_EQ(config.traffic[0].window_bytes, 4096U);
  EXPECT_EQ(config.traffic[0].seed, 3U);
  EXPECT_FALSE(config.traffic[1].writes);
  EXPECT_NE(config.traffic[0].address, config.traffic[1].address);
  const std::string start = "hardware: small\nnetwork: lenet5\n";
  expect_error(start + "traffic: 4\n", "must be a list of at most 4 maps");
  expect_error(start + "traffic: [{burst_bytes: 64}]\n", "lacks the key `bytes_per_cycle`");
  expect_error(start + "traffic: [{bytes_per_cycle: 1, burst_bytes: 12}]\n",
               "allowed is a multiple of the bus, 8 bytes");
  expect_error(start + "traffic: [{bytes_per_cycle: 1, burst_bytes: 8192}]\n", "from 8 to 2048");
  expect_error(start + "traffic: [{bytes_per_cycle: 1, direction: up}]\n",
               "allowed is one of read, write");
}

TEST(Config, ErrorsSayWhereAndWhatIsAllowed) {
  expect_error("hardware: smal\nnetwork: lenet5\n",
               "npu.yaml:1:11: unknown hardware preset `smal` (did you mean `small`?); allowed are "
               "large, medium, micro, nano, small, tiny");
  expect_error("hardware: small\nnetwork: lenet5\nengin: rtl\n",
               "npu.yaml:3:1: unknown key `engin` in `config` (did you mean `engine`?)");
  expect_error("hardware: small\nnetwork: lenet5\nmemory: {latency: fast}\n",
               "npu.yaml:3:19: `memory.latency` is `fast`; allowed is a whole number from 0");
  expect_error("hardware: {preset: small, cbuf: {size: 12 kB}}\nnetwork: lenet5\n",
               "npu.yaml:1:40: `hardware.cbuf.size`: `12 kB` is not a size");
  expect_error("hardware: {array: {atomic_c: 13}}\nnetwork: lenet5\n",
               "hardware.array.atomic_c is 13; allowed is an even number from 2 to 64");
  expect_error(
      "hardware: {preset: small, cbuf: {size: 8 KiB, capacity: 8200}}\nnetwork: lenet5\n",
      "hardware.cbuf.capacity is 8200 bytes; allowed is a multiple of banks x atomic_c (8 x "
      "8 = 64) from 128");
  expect_error("hardware: small\nnetwork: lenet5\n",
               "--set hardware.atomic_k=16: unknown key `atomic_k` in `hardware` (did you mean "
               "`hardware.array.atomic_k`?)",
               {"hardware.atomic_k=16"});
  expect_error("hardware: small\nnetwork: lenet5\n",
               "--set hardware.array.atomic_k=wide: `hardware.array.atomic_k` is `wide`",
               {"hardware.array.atomic_k=wide"});
  expect_error("hardware: small\nnetwork: lenet5\n",
               "--set hardware={preset: small, cbuf: {sise: 4}}: unknown key `sise`",
               {"hardware={preset: small, cbuf: {sise: 4}}"});
  expect_error("hardware: {preset: small, cbuf: {size: 1001}}\nnetwork: lenet5\n",
               "allowed is a multiple of atomic_c (8)");
  expect_error("hardware: small\n", "lacks the key `network`");
  expect_error("hardware: small\nnetwork: lenet\n", "did you mean `lenet5`?");
  expect_error("hardware: small\nnetwork: lenet5\nengine: vhdl\n",
               "allowed is one of rtl, tlm, model, netlist");
  expect_error("hardware: [1\n", "npu.yaml:");
  expect_error("", "must be a map");
  expect_error("hardware: small\nnetwork: lenet5\n", "write path.to.key=value", {"seed"});
  expect_error("hardware: small\nnetwork: lenet5\n", "is a plain value", {"network.a=1"});
  expect_error("hardware: small\nnetwork: lenet5\n", "unknown key `sise`",
               {"hardware.cbuf.sise=4KiB"});
}

TEST(Config, DamagedFilesNeverCrash) {
  const auto bytes = read_file(TESSERA_SOURCE_DIR "/configs/npu.yaml");
  test::damage({bytes.begin(), bytes.end()}, 2000,
               [](const std::string& text) { parse_config(text, "npu.yaml", {}); });
}

TEST(Config, EnergyIsATableOfPicojoules) {
  const std::string text = "hardware: small\nnetwork: lenet5\n";
  EXPECT_EQ(parse_config(text, "npu.yaml", {}).policy.energy.name, "45nm");
  const EnergyTable preset = parse_config(text + "energy: 45nm\n", "npu.yaml", {}).policy.energy;
  const EnergyTable unsaid = parse_config(text, "npu.yaml", {}).policy.energy;
  EXPECT_EQ(preset.mac, unsaid.mac);
  EXPECT_EQ(preset.cbuf_byte, unsaid.cbuf_byte);
  EXPECT_EQ(preset.accumulator_byte, unsaid.accumulator_byte);
  EXPECT_EQ(preset.external_byte, unsaid.external_byte);
  EXPECT_EQ(preset.cycle, unsaid.cycle);
  const EnergyTable own =
      parse_config(text + "energy: {preset: 45nm, external_byte: 20}\n", "npu.yaml", {})
          .policy.energy;
  EXPECT_EQ(own.external_byte, 20);
  EXPECT_EQ(own.mac, preset.mac);
  expect_error(text + "energy: 28nm\n", "45nm");
  expect_error(text + "energy: {external_byte: -1}\n", "external_byte");
  expect_error(text + "energy: {dram_byte: 1}\n", "dram_byte");
}

TEST(Config, WhatModelsOfOthersNeed) {
  const std::string base = "hardware: medium\nnetwork: lenet5\n";
  const Config plain = parse_config(base, "npu.yaml", {});
  EXPECT_FALSE(plain.cut);
  EXPECT_EQ(plain.tensors, TensorForm::Own);
  EXPECT_TRUE(plain.preprocess.resize);
  const Config all = parse_config(base +
                                      "unsupported: cut\ntensors: stored\n"
                                      "preprocess: {resize: no, mean: [1, 2, 3], scale: 0.5}\n",
                                  "npu.yaml", {});
  EXPECT_TRUE(all.cut);
  EXPECT_EQ(all.tensors, TensorForm::Stored);
  EXPECT_FALSE(all.preprocess.resize);
  EXPECT_EQ(all.preprocess.mean, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(all.preprocess.scale, (std::vector<float>{0.5F}));
  expect_error(base + "unsupported: skip\n", "allowed is one of error, cut");
  expect_error(base + "tensors: int8\n", "allowed is one of own, stored");
  expect_error(base + "preprocess: {size: 3}\n", "size");
}

}  // namespace
}  // namespace tessera
