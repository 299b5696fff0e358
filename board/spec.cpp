#include "board/spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "board/config_package.hpp"
#include "board/pll.hpp"
#include "input/read_file.hpp"
#include "input/yaml_fields.hpp"
#include "rom/image.hpp"
#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera::board {
namespace {

namespace fs = std::filesystem;

fs::path boards_folder() {
  return data_dir() / "configs" / "boards";
}

std::uint32_t u32(std::int64_t value) {
  return static_cast<std::uint32_t>(value);
}

/// A power of two.
std::uint32_t power(YamlFields& fields, const std::string& key, std::int64_t low,
                    std::int64_t high) {
  const std::int64_t value = fields.integer(key, low, high);
  if ((value & (value - 1)) != 0) {
    fields.fail(key, fmt::format("is {}; allowed are powers of two", value));
  }
  return u32(value);
}

Sdram read_sdram(YamlFields& fields) {
  Sdram memory;
  memory.data_bytes = power(fields, "data_bits", 8, 32) / 8;
  memory.columns = power(fields, "columns", 256, 1024);
  memory.rows = power(fields, "rows", 1024, 8192);
  memory.masks = fields.choice("masks", {"false", "true"}, 1) == 1;
  memory.cas_latency = u32(fields.integer("cas_latency", 2, 3));
  memory.clock_phase = u32(fields.integer("clock_phase", 0, 359));
  constexpr double kMost = 1e6;
  const auto time = [&](const char* key, double& value) {
    value = fields.number(key, 1, kMost, value);
  };
  time("cas_2_ns", memory.cas_2_ns);
  time("power_up_us", memory.power_up_us);
  time("activate_ns", memory.activate_ns);
  time("precharge_ns", memory.precharge_ns);
  time("active_ns", memory.active_ns);
  time("cycle_ns", memory.cycle_ns);
  time("refresh_ns", memory.refresh_ns);
  time("other_bank_ns", memory.other_bank_ns);
  time("recovery_ns", memory.recovery_ns);
  time("refresh_interval_ns", memory.refresh_interval_ns);
  return memory;
}

// What a family has of it is all in one piece.
Sram read_sram(YamlFields& fields, const fpga::Family& family) {
  constexpr std::uint64_t kUltraPlus = 128 << 10;
  Sram memory;
  memory.size = fields.size("size", kUltraPlus);
  if (family.name != "ice40" || memory.size != kUltraPlus) {
    fields.fail("size", fmt::format("is {} bytes on an {}; memory on the chip is {} bytes on an "
                                    "ice40 and none elsewhere",
                                    memory.size, family.name, kUltraPlus));
  }
  return memory;
}

std::variant<Sdram, Sram> read_memory(const YAML::Node& node, const std::string& file,
                                      const fpga::Family& family) {
  YamlFields fields(node, file, "memory");
  std::variant<Sdram, Sram> memory;
  if (fields.choice("kind", {"sdram", "sram"}, 0) == 0) {
    memory = read_sdram(fields);
  } else {
    memory = read_sram(fields, family);
  }
  fields.finish();
  return memory;
}

Flash read_flash(const YAML::Node& node, const std::string& file) {
  YamlFields fields(node, file, "flash");
  Flash flash;
  flash.size = fields.size("size", flash.size);
  if (flash.size < (64U << 10) || flash.size > Flash::kBusAddress ||
      (flash.size & (flash.size - 1)) != 0) {
    fields.fail("size", fmt::format("is {} bytes; allowed are powers of two from 64 KiB to 16 MiB",
                                    flash.size));
  }
  flash.program_at = fields.size("program_at", flash.program_at);
  if (flash.program_at >= flash.size || flash.program_at % rom::kBaseAlignment != 0) {
    fields.fail("program_at", fmt::format("is {}; allowed are multiples of {} below its size",
                                          flash.program_at, rom::kBaseAlignment));
  }
  flash.wake_us = fields.number("wake_us", 0, 1000, flash.wake_us);
  flash.write = fields.text("write");
  fields.finish();
  return flash;
}

// In the package that the board has, which the placer has to know.
fpga::Part in_package(fpga::Part part, const std::string& package) {
  const std::string mark = "--package ";
  const std::size_t at = part.options.find(mark);
  if (package.empty() || at == std::string::npos) {
    return part;
  }
  const std::size_t begin = at + mark.size();
  const std::string before = part.options.substr(begin, part.options.find(' ', begin) - begin);
  part.options.replace(begin, before.size(), package);
  const std::size_t in_title = part.title.find(before);
  if (in_title != std::string::npos) {
    part.title.replace(in_title, before.size(), package);
  }
  return part;
}

// Of families that have clocks and pads in rtl/board.
std::vector<std::string> parts_for_boards() {
  std::vector<std::string> names;
  for (const fpga::Part& part : fpga::parts()) {
    if (fs::is_directory(data_dir() / "rtl" / "board" / part.family->name)) {
      names.push_back(part.name);
    }
  }
  return names;
}

double clock_made(const Board& board, double mhz) {
  const std::string& family = board.part.family->name;
  if (family == "gowin") {
    return gowin_pll(board.pin_mhz, mhz).mhz;
  }
  if (family == "ice40") {
    return ice40_pll(board.pin_mhz, mhz).mhz;
  }
  const Sdram* chip = board.sdram();
  return ecp5_pll(board.pin_mhz, mhz, chip != nullptr ? chip->clock_phase : 0).mhz;
}

bool can_be_made(const Board& board, double mhz) {
  try {
    link_divider(board, mhz);
    return std::abs(clock_made(board, mhz) - mhz) < 1e-6;
  } catch (const InputError&) {
    return false;
  }
}

ExternalMemory off_chip(const Sdram& chip, const Hardware& hardware, double mhz) {
  const auto cycles = [&](double ns) {
    return u32(std::llround(std::ceil(ns * mhz / 1000 - 1e-9)));
  };
  // From the burst's address: it is queued, chosen and asked for; the command goes through the
  // controller's and the pads' registers, the memory answers, and the beat waits in a queue.
  constexpr std::uint32_t kWay = 9;
  ExternalMemory memory;
  memory.bytes_per_cycle = chip.data_bytes;
  memory.latency = kWay + chip.cas_latency + std::max(hardware.bus_bytes / chip.data_bytes, 1U);
  memory.turnaround = chip.cas_latency + 2;
  // From the word's read, asked for and answered, to the next command behind its write.
  constexpr std::uint32_t kMerge = 8;
  memory.partial_beat = chip.masks ? 0 : kMerge + chip.cas_latency;
  // The same row of all banks, one after the other: a bank's own is shorter than a burst.
  memory.dram.banks = 1;
  memory.dram.row_bytes = std::max(4 * chip.columns * chip.data_bytes, 4096U);
  memory.dram.activate = cycles(std::max(chip.activate_ns, chip.other_bank_ns));
  memory.dram.precharge = cycles(chip.precharge_ns);
  memory.dram.refresh_interval =
      u32(std::llround(std::floor(chip.refresh_interval_ns * mhz / 1000)));
  memory.dram.refresh_cycles = cycles(chip.refresh_ns) + cycles(chip.precharge_ns) + 2;
  return memory;
}

ExternalMemory on_chip(const Hardware& hardware) {
  ExternalMemory memory;
  memory.bytes_per_cycle = hardware.bus_bytes;
  memory.latency = 1;
  return memory;
}

// As rtl/board/flash_reader.sv counts: the command's eight pulses, sixteen of the address, four for
// each byte of a word, and the cycle in which the word is there.
ProgramRom flash_rom(const Hardware& hardware) {
  const std::uint32_t word = 4 * hardware.bus_bytes + 1;
  return {24 + word, word};
}

}  // namespace

std::vector<std::string> board_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(boards_folder())) {
    if (fs::exists(entry.path() / "board.yaml")) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Board find_board(const std::string& name) {
  const std::vector<std::string> names = board_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InputError(fmt::format("--board {}: no such board{}; there are {}", name,
                                 suggestion(name, names), fmt::join(names, ", ")));
  }
  Board board;
  board.name = name;
  board.folder = boards_folder() / name;
  const std::string file = (board.folder / "board.yaml").string();
  const std::vector<std::uint8_t> text = read_file(file);
  YamlFields fields(parse_yaml({text.begin(), text.end()}, file), file, "board");
  board.title = fields.text("title");
  fields.need("part");
  const std::vector<std::string> parts = parts_for_boards();
  const std::string& part = parts[fields.choice("part", parts, 0)];
  board.part = in_package(fpga::find_part(part), fields.text("package", ""));
  YamlFields clock(fields.need("clock"), file, "clock");
  board.pin_mhz = clock.number("pin_mhz", 1, 400, board.pin_mhz);
  board.mhz = clock.number("mhz", 1, 400, board.mhz);
  clock.finish();
  YamlFields link(fields.need("link"), file, "link");
  board.baud = u32(link.integer("baud", 9600, 3'000'000));
  link.finish();
  board.memory = read_memory(fields.need("memory"), file, *board.part.family);
  if (fields.has("flash")) {
    if (board.sdram() != nullptr) {
      fields.fail("flash", "is read beside memory on the chip only (memory.kind sram)");
    }
    board.flash = read_flash(fields.need("flash"), file);
  }
  board.hardware = fields.text("hardware");
  board.lights = fields.has("lights") ? u32(fields.integer("lights", 6, 8)) : 0;
  board.load = fields.text("load");
  fields.finish();
  return board;
}

ExternalMemory external_memory(const Board& board, const Hardware& hardware, double mhz,
                               bool in_flash) {
  const Sdram* chip = board.sdram();
  ExternalMemory memory = chip == nullptr ? on_chip(hardware) : off_chip(*chip, hardware, mhz);
  if (in_flash) {
    memory.rom = flash_rom(hardware);
  }
  memory.name = board.name;
  return memory;
}

std::vector<double> clocks_of(const Board& board) {
  constexpr std::uint32_t kMostDivider = 8;
  constexpr std::uint32_t kMostFactor = 64;
  std::vector<double> clocks;
  for (std::uint32_t divider = 1; divider <= kMostDivider; ++divider) {
    for (std::uint32_t factor = 1; factor <= kMostFactor; ++factor) {
      const double clock = board.pin_mhz * factor / divider;
      const Sdram* chip = board.sdram();
      const bool too_fast =
          chip != nullptr && chip->cas_latency == 2 && 1000 / clock < chip->cas_2_ns;
      if (!too_fast && can_be_made(board, clock)) {
        clocks.push_back(clock);
      }
    }
  }
  std::sort(clocks.begin(), clocks.end());
  clocks.erase(std::unique(clocks.begin(), clocks.end()), clocks.end());
  return clocks;
}

double clock_at_most(const std::vector<double>& clocks, double mhz) {
  const auto above = std::upper_bound(clocks.begin(), clocks.end(), mhz);
  return above == clocks.begin() ? clocks.front() : *(above - 1);
}

}  // namespace tessera::board
