#include "board/description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "board/config_package.hpp"
#include "board/pll.hpp"
#include "input/read_file.hpp"
#include "input/yaml_fields.hpp"
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

Sdram read_memory(const YAML::Node& node, const std::string& file) {
  YamlFields fields(node, file, "memory");
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
  fields.finish();
  return memory;
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

bool can_be_made(const Board& board, double mhz) {
  try {
    link_divider(board, mhz);
    const double made = board.part.family->name == "gowin"
                            ? gowin_pll(board.pin_mhz, mhz).mhz
                            : ecp5_pll(board.pin_mhz, mhz, board.memory.clock_phase).mhz;
    return std::abs(made - mhz) < 1e-6;
  } catch (const InputError&) {
    return false;
  }
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
  board.part = in_package(fpga::find_part(fields.text("part")), fields.text("package", ""));
  YamlFields clock(fields.need("clock"), file, "clock");
  board.pin_mhz = clock.number("pin_mhz", 1, 400, board.pin_mhz);
  board.mhz = clock.number("mhz", 1, 400, board.mhz);
  clock.finish();
  YamlFields link(fields.need("link"), file, "link");
  board.baud = u32(link.integer("baud", 9600, 3'000'000));
  link.finish();
  board.memory = read_memory(fields.need("memory"), file);
  board.hardware = fields.text("hardware");
  board.lights = fields.has("lights") ? u32(fields.integer("lights", 6, 8)) : 0;
  board.load = fields.text("load");
  fields.finish();
  return board;
}

ExternalMemory external_memory(const Board& board, const Hardware& hardware, double mhz) {
  const Sdram& chip = board.memory;
  const auto cycles = [&](double ns) {
    return u32(std::llround(std::ceil(ns * mhz / 1000 - 1e-9)));
  };
  // From the burst's address: it is queued, chosen and asked for; the command goes through the
  // controller's and the pads' registers, the memory answers, and the beat waits in a queue.
  constexpr std::uint32_t kWay = 9;
  ExternalMemory memory;
  memory.name = board.name;
  memory.bytes_per_cycle = chip.data_bytes;
  memory.latency = kWay + chip.cas_latency + std::max(hardware.bus_bytes / chip.data_bytes, 1U);
  memory.turnaround = chip.cas_latency + 2;
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

std::vector<double> clocks_of(const Board& board) {
  constexpr std::uint32_t kMostDivider = 8;
  constexpr std::uint32_t kMostFactor = 64;
  std::vector<double> clocks;
  for (std::uint32_t divider = 1; divider <= kMostDivider; ++divider) {
    for (std::uint32_t factor = 1; factor <= kMostFactor; ++factor) {
      const double clock = board.pin_mhz * factor / divider;
      const bool too_fast = board.memory.cas_latency == 2 && 1000 / clock < board.memory.cas_2_ns;
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
