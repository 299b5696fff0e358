// Boards without a host, simulated: somebody presses the button and looks at the lights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "board/standalone_simulation.hpp"
#include "isa/checksum.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tests/rtl/conformance.hpp"

namespace tessera {
namespace {

using board::SimulatedStandalone;

constexpr const char* kFiveClasses = R"(
layers:
  - conv2d: {in: [12, 11, 3], out_channels: 8, kernel: 3, stride: 2, activation: relu}
  - fully_connected: {out_features: 11}
  - softmax: {}
)";

Network network_of(const std::string& text) {
  return board::up_to_scores(import_yaml(text, "alone.yaml", 5));
}

board::Standalone alone(const board::Board& board, const Network& network,
                        std::vector<std::vector<std::uint8_t>> samples) {
  const Hardware hardware = hardware_preset(board.hardware);
  return make_standalone(board, network, compile(network, hardware, {}), std::move(samples));
}

std::vector<std::vector<std::uint8_t>> samples_of(const Network& network, std::uint64_t count) {
  std::vector<std::vector<std::uint8_t>> samples;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    samples.push_back(test::seeded_inputs(network, seed)[0]);
  }
  return samples;
}

void silent(const std::string& /*text*/) {}

class Boards : public testing::TestWithParam<std::string> {};

TEST_P(Boards, ShowTheClassesOfTheirSamples) {
  const board::Board board = board::find_board(GetParam());
  const Network network = network_of(kFiveClasses);
  const board::Standalone what = alone(board, network, samples_of(network, 6));
  // A slow clock makes a press short.
  SimulatedStandalone simulated(board, what, clocks_of(board).front(), silent);
  const auto shown = press_for_each(simulated, what, network, silent);
  ASSERT_EQ(shown.size(), 7U);
  std::vector<std::uint32_t> classes;
  for (const SimulatedStandalone::Shown& press : shown) {
    classes.push_back(press.shown);
    EXPECT_EQ(press.cycles, shown[0].cycles) << "the same work each time";
  }
  EXPECT_EQ(classes.front(), classes.back()) << "the first sample again";
  std::sort(classes.begin(), classes.end());
  EXPECT_GE(std::unique(classes.begin(), classes.end()) - classes.begin(), 2)
      << "or this would say little";
}

std::string name_of(const testing::TestParamInfo<std::string>& board) {
  std::string name = board.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Standalone, Boards,
                         testing::Values("ulx3s", "tang-nano-20k", "icebreaker"), name_of);

class Ulx3s : public testing::Test {
 protected:
  board::Board board_ = board::find_board("ulx3s");
  double slowest_ = board::clocks_of(board_).front();
  std::uint64_t milliseconds(double ms) const {
    return static_cast<std::uint64_t>(ms * 1000 * slowest_);
  }
};

// A relay's touch is no press; nothing is shown that was not computed.
TEST_F(Ulx3s, WaitsForAPress) {
  const Network network = network_of(kFiveClasses);
  const board::Standalone what = alone(board_, network, samples_of(network, 1));
  SimulatedStandalone simulated(board_, what, slowest_, silent);
  constexpr std::uint8_t kNothingYet = 0x3F;
  EXPECT_EQ(simulated.lights(milliseconds(1)), kNothingYet);
  for (int bounce = 0; bounce < 5; ++bounce) {
    EXPECT_EQ(simulated.lights(milliseconds(1.5), true), kNothingYet);
    EXPECT_EQ(simulated.lights(milliseconds(0.1), false), kNothingYet);
  }
  EXPECT_EQ(simulated.lights(milliseconds(20)), kNothingYet);
  EXPECT_NO_THROW(press_for_each(simulated, what, network, silent));
  EXPECT_EQ(simulated.lights(milliseconds(15), true), simulated.lights(milliseconds(15), true))
      << "held, it starts once";
}

TEST_F(Ulx3s, ShowsTheFirstOfEqualClasses) {
  Network network = network_of(kFiveClasses);
  for (const std::int32_t tensor :
       {network.operators.back().inputs[1], network.operators.back().inputs[2]}) {
    auto& constant = network.tensors[static_cast<std::size_t>(tensor)].constant;
    std::fill(constant.begin(), constant.end(), std::uint8_t{0});
  }
  const board::Standalone what = alone(board_, network, samples_of(network, 1));
  SimulatedStandalone simulated(board_, what, slowest_, silent);
  EXPECT_EQ(press_for_each(simulated, what, network, silent)[0].shown, 0U);
}

// Half a second of the cause's upper half, half a second of its lower one; a press tries again.
TEST_F(Ulx3s, ShowsWhyItFailed) {
  const Network network = network_of(kFiveClasses);
  const auto after = [&](auto damage, std::uint32_t upper, std::uint32_t lower) {
    board::Standalone what = alone(board_, network, samples_of(network, 1));
    damage(what.image);
    SimulatedStandalone simulated(board_, what, slowest_, silent);
    for (int i = 0; i < 2; ++i) {
      const SimulatedStandalone::Shown shown = simulated.press(1'000'000);
      EXPECT_TRUE(shown.failed);
      EXPECT_EQ(shown.shown, upper);
    }
    EXPECT_EQ(simulated.lights(milliseconds(500)), lower);
    EXPECT_EQ(simulated.lights(milliseconds(500)), 0x80U | upper);
  };
  // boot_pkg's ErrorHeader, then the accelerator's check of a stream.
  after([](rom::Image& image) { image.bytes[0] ^= 1; }, 0xF, 0x1);
  const auto cause = static_cast<std::uint32_t>(isa::Error::StreamChecksum);
  after([](rom::Image& image) { image.bytes[image.commands.rom_offset + 3] ^= 1; }, cause >> 4,
        cause & 0xF);
}

// With accelerator and memory in the middle of something.
TEST_F(Ulx3s, BeginsAnewAfterItWasStopped) {
  const Network network = network_of(kFiveClasses);
  for (const std::uint8_t watchdog : {std::uint8_t{5}, std::uint8_t{9}}) {
    board::Standalone what = alone(board_, network, samples_of(network, 1));
    std::vector<std::uint8_t>& rom = what.image.bytes;
    rom[24] = watchdog;
    rom[25] = rom[26] = 0;
    const std::size_t words = rom::kFirstRunWord + rom::kRunWords * what.image.runs.size();
    const std::uint32_t checksum = isa::crc32(rom.data() + 16, 4 * words - 16);
    std::memcpy(&rom[12], &checksum, sizeof(checksum));
    SimulatedStandalone simulated(board_, what, slowest_, silent);
    std::vector<std::uint64_t> cycles;
    for (int i = 0; i < 3; ++i) {
      const SimulatedStandalone::Shown shown = simulated.press(1'000'000);
      EXPECT_TRUE(shown.failed);
      cycles.push_back(shown.cycles);
    }
    EXPECT_EQ(cycles, std::vector<std::uint64_t>(3, cycles[0]));
    EXPECT_EQ(simulated.lights(milliseconds(500)), static_cast<std::uint8_t>(isa::Error::Watchdog));
  }
}

// Its header is read a byte at a time; nothing is started before all of it is right.
TEST(Icebreaker, ShowsWhyItFailed) {
  const board::Board board = board::find_board("icebreaker");
  const double slowest = board::clocks_of(board).front();
  const Network network = network_of(kFiveClasses);
  const auto after = [&](auto damage, std::uint32_t cause) {
    board::Standalone what = alone(board, network, samples_of(network, 1));
    damage(what.image.bytes);
    SimulatedStandalone simulated(board, what, slowest, silent);
    std::vector<std::uint64_t> cycles;
    for (int i = 0; i < 2; ++i) {
      const SimulatedStandalone::Shown shown = simulated.press(1'000'000);
      EXPECT_TRUE(shown.failed) << cause;
      EXPECT_EQ(shown.shown, cause >> 4) << cause;
      cycles.push_back(shown.cycles);
    }
    EXPECT_EQ(cycles[0], cycles[1]) << "it begins anew";
    const auto half_a_second = static_cast<std::uint64_t>(500'000 * slowest);
    EXPECT_EQ(simulated.lights(half_a_second), cause & 0xF) << cause;
  };
  using Bytes = std::vector<std::uint8_t>;
  after([](Bytes& rom) { rom[0] ^= 1; }, 0xF1);   // not a ROM
  after([](Bytes& rom) { rom[6] ^= 1; }, 0xF1);   // more words than one stream's
  after([](Bytes& rom) { rom[17] ^= 1; }, 0xF3);  // another array
  after([](Bytes& rom) { rom[70] ^= 1; }, 0xF2);  // a stream's length
  // Right, but the accelerator gives up.
  after(
      [](Bytes& rom) {
        rom[24] = 5;
        rom[25] = rom[26] = 0;
        const std::size_t words = rom::kFirstRunWord + rom::kRunWords;
        const std::uint32_t checksum = isa::crc32(rom.data() + 16, 4 * words - 16);
        std::memcpy(&rom[12], &checksum, sizeof(checksum));
      },
      static_cast<std::uint32_t>(isa::Error::Watchdog));
}

TEST(Standalone, LeavesOutWhatKeepsTheOrder) {
  const Network network = network_of(kFiveClasses);
  EXPECT_EQ(network.operators.back().type_name(), "FULLY_CONNECTED");
  EXPECT_EQ(network.outputs[0], network.operators.back().output);
  // Not one that others need as well, nor one in the middle.
  const Network between = network_of(
      "layers: [{conv2d: {in: [4, 4, 3], out_channels: 5, kernel: 4}}, {softmax: {}}, "
      "{conv2d: {out_channels: 5, kernel: 1}}]");
  EXPECT_EQ(between.operators.size(), 3U);
  // Nor one over a part of the values each.
  const Network rows =
      network_of("layers: [{conv2d: {in: [4, 4, 3], out_channels: 5, kernel: 3}}, {softmax: {}}]");
  EXPECT_EQ(rows.operators.size(), 2U);
}

TEST(Standalone, WhatCannotBeIsRefused) {
  const board::Board ulx3s = board::find_board("ulx3s");
  const board::Board tang = board::find_board("tang-nano-20k");
  const auto refused = [](const board::Board& board, const char* text, const std::string& words) {
    const Network network = network_of(text);
    try {
      alone(board, network, samples_of(network, 1));
      ADD_FAILURE() << words;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused(tang, "layers: [{conv2d: {in: [4, 4, 3], out_channels: 16, kernel: 4}}]",
          "has 16 classes; the lights of Tang Nano 20K show at most 15");
  refused(ulx3s,
          "layers: [{conv2d: {in: [4, 4, 3], out_channels: 5, kernel: 4}}, {softmax: {}}, "
          "{conv2d: {out_channels: 5, kernel: 1}}]",
          "runs on the host, and there is none");
  refused(ulx3s,
          "inputs: {x: {shape: [1, 2, 2, 3]}, y: {shape: [1, 2, 2, 3]}}\n"
          "layers: [{add: {from: [x, y]}}]",
          "has 2 inputs and 1 outputs; without a host it must have one of each");
  refused(board::find_board("icebreaker"),
          "layers: [{conv2d: {in: [210, 210, 3], out_channels: 4, kernel: 16, stride: 8}}, "
          "{fully_connected: {out_features: 5}}]",
          "bytes for activations, and its program and samples reach up to byte");
  EXPECT_THROW(standalone_pins(board::find_board("colorlight-i5")), InputError);
}

}  // namespace
}  // namespace tessera
