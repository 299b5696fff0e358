// Boards' descriptions, what is made of them, and the frames of their link.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "board/config_package.hpp"
#include "board/link/protocol.hpp"
#include "board/pll.hpp"
#include "board/run.hpp"
#include "board/spec.hpp"
#include "isa/checksum.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"

namespace tessera::board {
namespace {

TEST(Boards, AllAreDescribedWithPinsOfTheirPart) {
  ASSERT_GE(board_names().size(), 2U);
  for (const std::string& name : board_names()) {
    const Board board = find_board(name);
    EXPECT_FALSE(board.title.empty());
    EXPECT_TRUE(std::filesystem::exists(board.folder / board.part.family->pins_file)) << name;
    const std::string package = config_package(board, hardware_preset(board.hardware), board.mhz);
    EXPECT_NE(package.find("localparam int unsigned ClockHz = "), std::string::npos);
  }
  EXPECT_EQ(find_board("ulx3s").memory_bytes(), 32U << 20);
  EXPECT_EQ(find_board("colorlight-i5").memory_bytes(), 8U << 20);
  EXPECT_EQ(find_board("icebreaker").memory_bytes(), 128U << 10);
  EXPECT_EQ(find_board("icebreaker").sdram(), nullptr);
  EXPECT_EQ(find_board("icebreaker").flash.value().size, 16U << 20);
  EXPECT_NE(find_board("colorlight-i5").part.options.find("CABGA381"), std::string::npos);
  EXPECT_THROW(find_board("none"), InputError);
}

// What the engines count is the board's memory at its clock.
TEST(Boards, TheirConfigurationsHaveTheirMemory) {
  for (const std::string& name : board_names()) {
    const Board board = find_board(name);
    for (const char* file : {"npu.yaml", "larger.yaml"}) {
      if (!std::filesystem::exists(board.folder / file)) {
        continue;
      }
      SCOPED_TRACE(name + "/" + file);
      const Config config = load_config((board.folder / file).string(), {});
      const ExternalMemory memory = external_memory(board, config.hardware, board.mhz);
      EXPECT_EQ(config.memory.bytes_per_cycle, memory.bytes_per_cycle);
      EXPECT_EQ(config.memory.latency, memory.latency);
      EXPECT_EQ(config.memory.turnaround, memory.turnaround);
      EXPECT_EQ(config.memory.partial_beat, memory.partial_beat);
      EXPECT_EQ(config.memory.dram.banks, memory.dram.banks);
      EXPECT_EQ(config.memory.dram.row_bytes, memory.dram.row_bytes);
      EXPECT_EQ(config.memory.dram.activate, memory.dram.activate);
      EXPECT_EQ(config.memory.dram.precharge, memory.dram.precharge);
      EXPECT_EQ(config.memory.dram.refresh_interval, memory.dram.refresh_interval);
      EXPECT_EQ(config.memory.dram.refresh_cycles, memory.dram.refresh_cycles);
    }
  }
}

// Of each pin once, and of every bit of each port.
TEST(Boards, NoPinIsGivenTwice) {
  for (const std::string& name : board_names()) {
    const Board board = find_board(name);
    std::ifstream in(board.folder / board.part.family->pins_file);
    std::vector<std::string> sites;
    std::vector<std::string> ports;
    for (std::string word; in >> word;) {
      if (word == "COMP") {
        in >> ports.emplace_back();
      } else if (word == "SITE") {
        in >> sites.emplace_back();
      } else if (word == "set_io" || word == "IO_LOC") {
        in >> ports.emplace_back() >> sites.emplace_back();
      }
    }
    EXPECT_GT(ports.size(), 7U) << name;
    EXPECT_EQ(ports.size(), sites.size()) << name;
    for (std::vector<std::string>* all : {&sites, &ports}) {
      std::sort(all->begin(), all->end());
      EXPECT_EQ(std::adjacent_find(all->begin(), all->end()), all->end()) << name;
    }
  }
}

TEST(Boards, TimesOfTheMemoryAreWholeCyclesAtAnyClock) {
  Board board = find_board("ulx3s");
  board.baud = 500'000;
  const Hardware hardware = hardware_preset("tiny");
  const auto value = [&](double mhz, const std::string& name) {
    const std::string package = config_package(board, hardware, mhz);
    const std::string mark = " " + name + " = ";
    return std::stod(package.substr(package.find(mark) + mark.size()));
  };
  EXPECT_EQ(value(50, "ActivateCycles"), 1);
  EXPECT_EQ(value(75, "ActivateCycles"), 2);
  EXPECT_EQ(value(50, "RefreshInterval"), 390);
  EXPECT_EQ(value(100, "RefreshInterval"), 781);
  for (const double mhz : {25.0, 40.0, 50.0, 60.0, 66.0, 75.0, 100.0}) {
    const double ns = 1000 / mhz;
    EXPECT_GE(ns * value(mhz, "ActivateCycles"), board.sdram()->activate_ns - 1e-6);
    EXPECT_GE(ns * value(mhz, "PrechargeCycles"), board.sdram()->precharge_ns - 1e-6);
    EXPECT_GE(ns * value(mhz, "ActiveCycles"), board.sdram()->active_ns - 1e-6);
    EXPECT_GE(ns * (value(mhz, "ActiveCycles") + value(mhz, "PrechargeCycles")),
              board.sdram()->cycle_ns - 1e-6);
    EXPECT_GE(ns * value(mhz, "RefreshCycles"), board.sdram()->refresh_ns - 1e-6);
    EXPECT_LE(ns * value(mhz, "RefreshInterval"), board.sdram()->refresh_interval_ns);
    EXPECT_GE(ns * value(mhz, "InitCycles"), 1000 * board.sdram()->power_up_us);
  }
}

TEST(Boards, AClockIsTheFastestThatCanBeMade) {
  const std::vector<double> clocks = clocks_of(find_board("ulx3s"));
  EXPECT_EQ(clock_at_most(clocks, 50), 50);
  EXPECT_EQ(clock_at_most(clocks, 49.9), 46.875);
  EXPECT_EQ(clock_at_most(clocks, 1000), 100) << "the memory's CAS latency of 2 ends there";
  EXPECT_EQ(clock_at_most(clocks, 1), clocks.front());
  for (const double clock : clocks) {
    EXPECT_EQ(clock_at_most(clocks, clock), clock);
  }
  EXPECT_EQ(clock_at_most(clocks_of(find_board("tang-nano-20k")), 54), 54);
}

TEST(Pll, MakesClocksWithinTheChipsLimits) {
  for (const double mhz : {25.0, 40.0, 50.0, 55.0, 60.0, 62.5, 65.0, 75.0, 100.0, 200.0}) {
    const Ecp5Pll pll = ecp5_pll(25, mhz, 90);
    EXPECT_NEAR(pll.mhz, mhz, 0.01 * mhz);
    EXPECT_DOUBLE_EQ(pll.mhz, 25.0 * pll.feedback / pll.reference);
    EXPECT_GE(25.0 / pll.reference, 3.125);
    EXPECT_GE(pll.mhz * pll.output, 400 - 1e-9);
    EXPECT_LE(pll.mhz * pll.output, 800 + 1e-9);
    const double turns = (pll.later + pll.later_fine / 8.0 - pll.phase) / pll.output;
    EXPECT_NEAR(360 * turns, 90, 360.0 / 8 / pll.output);
  }
  EXPECT_THROW(ecp5_pll(25, 1000, 0), InputError);
  EXPECT_THROW(ecp5_pll(25, 27.5, 0), InputError) << "2.5 MHz are too slow for the phase detector";
}

TEST(Pll, OfAnIce40IsWithinTheChipsLimits) {
  for (const double mhz : {16.875, 18.0, 21.0, 22.5, 24.0, 25.5, 30.0, 48.0}) {
    const Ice40Pll pll = ice40_pll(12, mhz);
    EXPECT_NEAR(pll.mhz, mhz, 1e-9);
    const double oscillator = 12.0 * pll.feedback / pll.reference;
    EXPECT_DOUBLE_EQ(pll.mhz, oscillator / (1U << pll.output_power));
    EXPECT_GE(oscillator, 533);
    EXPECT_LE(oscillator, 1066);
    EXPECT_GE(12.0 / pll.reference, 10);
  }
  EXPECT_THROW(ice40_pll(12, 600), InputError);
  EXPECT_THROW(ice40_pll(12, 5), InputError);
  EXPECT_THROW(ice40_pll(9, 24), InputError) << "too slow for the phase detector";
}

// As IceStorm's own calculator chooses them, where it is there.
TEST(Pll, IsAsIceStormMakesIt) {
  const std::filesystem::path tool =
      std::filesystem::path(TESSERA_SOURCE_DIR) / "build/fpga/venv/bin/yowasp-icepll";
  if (!std::filesystem::exists(tool)) {
    GTEST_SKIP() << "no icepll (scripts/install.sh fpga gets it)";
  }
  for (const auto& [pin, mhz] : {std::pair{12.0, 24.0},
                                 {12.0, 25.5},
                                 {12.0, 39.75},
                                 {16.0, 30.0},
                                 {48.0, 21.0},
                                 {100.0, 25.0}}) {
    const std::string said = testing::TempDir() + "icepll.txt";
    const std::string command =
        tool.string() + " -i " + std::to_string(pin) + " -o " + std::to_string(mhz) + " > " + said;
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::ifstream in(said);
    std::map<std::string, std::uint32_t> value;
    std::string name;
    std::uint32_t number = 0;
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      if (words >> name >> number) {
        value[name] = number;
      }
    }
    const Ice40Pll pll = ice40_pll(pin, mhz);
    EXPECT_EQ(pll.reference, value.at("DIVR:") + 1) << mhz;
    EXPECT_EQ(pll.feedback, value.at("DIVF:") + 1) << mhz;
    EXPECT_EQ(pll.output_power, value.at("DIVQ:")) << mhz;
    EXPECT_EQ(pll.filter_range, value.at("FILTER_RANGE:")) << mhz;
  }
}

// As Project Trellis' own calculator chooses them, where it is there.
TEST(Pll, IsAsTrellisMakesIt) {
  const std::filesystem::path tool =
      std::filesystem::path(TESSERA_SOURCE_DIR) / "build/fpga/venv/bin/yowasp-ecppll";
  if (!std::filesystem::exists(tool)) {
    GTEST_SKIP() << "no ecppll (scripts/install.sh fpga gets it)";
  }
  const auto said = [&](const char* mhz) {
    const std::string folder = testing::TempDir();
    const std::string command = "cd " + folder + " && " + tool.string() + " -i 25 -o " + mhz +
                                " --clkout1 " + mhz + " --phase1 90 -f pll.v > /dev/null 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ifstream in(folder + "/pll.v");
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  for (const char* mhz : {"50", "55", "60", "62.5", "65", "75"}) {
    const std::string text = said(mhz);
    const auto value = [&](const std::string& name) {
      const std::size_t at = text.find("." + name + "(");
      EXPECT_NE(at, std::string::npos) << name;
      return std::stoul(text.substr(at + name.size() + 2));
    };
    const Ecp5Pll pll = ecp5_pll(25, std::stod(mhz), 90);
    EXPECT_EQ(pll.reference, value("CLKI_DIV")) << mhz;
    EXPECT_EQ(pll.feedback, value("CLKFB_DIV")) << mhz;
    EXPECT_EQ(pll.output, value("CLKOP_DIV")) << mhz;
    EXPECT_EQ(8 * (pll.later - pll.phase) + pll.later_fine,
              8 * (value("CLKOS_CPHASE") - value("CLKOP_CPHASE")) + value("CLKOS_FPHASE"))
        << mhz;
  }
}

TEST(Boards, ANetworkThatIsTooLargeForTheMemoryIsUsedInTheFlash) {
  const Board board = find_board("icebreaker");
  const Hardware hardware = hardware_preset(board.hardware);
  const auto program = [&](int channels, int size) {
    return compile(import_yaml(fmt::format("layers: [{{conv2d: {{in: [{}, {}, 64], out_channels: "
                                           "{}, kernel: 3, padding: same}}}}]",
                                           size, size, channels),
                               "one layer", 1),
                   hardware, {});
  };
  const rom::Image small = image_for(board, program(32, 6));
  EXPECT_FALSE(small.in_place());
  EXPECT_EQ(small.base, 0U);
  const rom::Image large = image_for(board, program(256, 6));
  EXPECT_TRUE(large.in_place());
  EXPECT_GE(large.constants.address, Flash::kBusAddress + board.flash->program_at);
  EXPECT_LT(large.arena.address + large.arena.bytes, board.memory_bytes());
  EXPECT_THROW(image_for(board, program(256, 40)), InputError) << "too many activations";
  // Boards without a flash take all as it is; the host link says when it is too much.
  EXPECT_FALSE(image_for(find_board("ulx3s"), program(256, 40)).in_place());
  Board poor = board;
  poor.flash->program_at = poor.flash->size - (64U << 10);
  EXPECT_THROW(image_for(poor, program(256, 6)), InputError) << "too little flash";
}

TEST(Boards, WhatMemoryOnTheChipCannotHaveIsRefused) {
  const Board board = find_board("icebreaker");
  Hardware hardware = hardware_preset(board.hardware);
  hardware.bus_bytes = 16;
  try {
    config_package(board, hardware, board.mhz);
    FAIL() << "a bus of 16 bytes";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("hardware.bus_bytes is 16; on iCEBreaker at most 8"),
              std::string::npos)
        << error.what();
  }
  hardware.bus_bytes = 8;
  EXPECT_NE(config_package(board, hardware, board.mhz).find("MemoryBytes = 131072"),
            std::string::npos);
}

TEST(Frames, AReplyComesThroughWhateverWasBeforeIt) {
  std::vector<std::uint8_t> reply = {7, 0, 3, 0, 0xC0, 0xDB, 0xAA};
  const std::uint32_t crc = isa::crc32(reply.data(), reply.size());
  for (int i = 0; i < 4; ++i) {
    reply.push_back(static_cast<std::uint8_t>(crc >> (8 * i)));
  }
  std::vector<std::uint8_t> line = {0xC0};
  for (const std::uint8_t byte : reply) {
    if (byte == 0xC0 || byte == 0xDB) {
      line.push_back(0xDB);
    }
    line.push_back(byte == 0xC0 ? 0xDC : byte == 0xDB ? 0xDD : byte);
  }
  line.push_back(0xC0);
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    ReplyDecoder decoder;
    for (auto i = random() % 3000; i > 0; --i) {
      EXPECT_FALSE(decoder.take(static_cast<std::uint8_t>(random())).has_value());
    }
    std::optional<Reply> last;
    for (const std::uint8_t byte : line) {
      if (std::optional<Reply> found = decoder.take(byte)) {
        last = found;
      }
    }
    ASSERT_TRUE(last.has_value());
    EXPECT_EQ(last->sequence, 7);
    EXPECT_EQ(last->data, (std::vector<std::uint8_t>{0xC0, 0xDB, 0xAA}));
  }
}

TEST(Frames, ARequestIsAsItIsDescribed) {
  Request request;
  request.sequence = 5;
  request.operation = Operation::WriteMemory;
  request.address = 0x11223344;
  request.length = 1;
  request.data = {0xC0};
  const std::vector<std::uint8_t> plain = {5, 4, 1, 0, 0x44, 0x33, 0x22, 0x11, 0xC0};
  const std::uint32_t crc = isa::crc32(plain.data(), plain.size());
  std::vector<std::uint8_t> line = {0xC0, 5, 4, 1, 0, 0x44, 0x33, 0x22, 0x11, 0xDB, 0xDC};
  for (int i = 0; i < 4; ++i) {
    const auto byte = static_cast<std::uint8_t>(crc >> (8 * i));
    ASSERT_NE(byte, 0xC0);
    ASSERT_NE(byte, 0xDB);
    line.push_back(byte);
  }
  line.push_back(0xC0);
  EXPECT_EQ(encode(request), line);
}

}  // namespace
}  // namespace tessera::board
