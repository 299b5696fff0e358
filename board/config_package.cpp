#include "board/config_package.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "board/pll.hpp"
#include "tessera/error.hpp"

namespace tessera::board {
namespace {

constexpr std::uint32_t kLeastDivider = 4;
constexpr std::uint32_t kMostSmallTime = 15;  // the controller counts these in four bits
constexpr double kBaudTolerance = 0.02;

std::uint32_t log2_of(std::uint32_t value) {
  std::uint32_t bits = 0;
  while ((1U << bits) < value) {
    ++bits;
  }
  return bits;
}

class Package {
 public:
  void add(const std::string& name, std::uint64_t value) {
    text_ += fmt::format("  localparam int unsigned {} = {};\n", name, value);
  }
  void add_text(const std::string& name, const std::string& value) {
    text_ += fmt::format("  localparam {} = \"{}\";\n", name, value);
  }
  [[nodiscard]] std::string text(const std::string& name, const std::string& about) const {
    return fmt::format("/// {}\npackage {};\n{}endpackage\n", about, name, text_);
  }

 private:
  std::string text_;
};

void add_clock(Package& package, const Board& board, double mhz) {
  if (board.part.family->name == "gowin") {
    const GowinPll pll = gowin_pll(board.pin_mhz, mhz);
    package.add_text("PllPinMhz", fmt::format("{}", board.pin_mhz));
    package.add("PllInputSelect", pll.input - 1);
    package.add("PllFeedbackSelect", pll.feedback - 1);
    package.add("PllOutputDivider", pll.output);
    return;
  }
  if (board.part.family->name == "ice40") {
    const Ice40Pll pll = ice40_pll(board.pin_mhz, mhz);
    package.add("PllReferenceSelect", pll.reference - 1);
    package.add("PllFeedbackSelect", pll.feedback - 1);
    package.add("PllOutputPower", pll.output_power);
    package.add("PllFilterRange", pll.filter_range);
    return;
  }
  const Sdram* chip = board.sdram();
  const Ecp5Pll pll = ecp5_pll(board.pin_mhz, mhz, chip != nullptr ? chip->clock_phase : 0);
  package.add("PllReferenceDivider", pll.reference);
  package.add("PllFeedbackDivider", pll.feedback);
  package.add("PllOutputDivider", pll.output);
  package.add("PllPhase", pll.phase);
  package.add("PllMemoryPhase", pll.later);
  package.add("PllMemoryFinePhase", pll.later_fine);
}

std::uint32_t cycles_of(double ns, double mhz) {
  return static_cast<std::uint32_t>(std::max(1.0, std::ceil(ns * mhz / 1000 - 1e-9)));
}

void add_sdram(Package& package, const Board& board, const Sdram& chip, double mhz) {
  const auto cycles = [&](double ns) { return cycles_of(ns, mhz); };
  const std::uint32_t activate = cycles(std::max(chip.activate_ns, chip.other_bank_ns));
  const std::uint32_t precharge = cycles(chip.precharge_ns);
  const std::uint32_t whole = cycles(chip.cycle_ns);
  const std::uint32_t active =
      std::max(cycles(chip.active_ns), whole > precharge ? whole - precharge : 0U);
  const std::uint32_t recovery = cycles(chip.recovery_ns);
  if (active > kMostSmallTime || recovery > kMostSmallTime) {
    throw InputError(fmt::format(
        "{}: memory.active_ns and memory.recovery_ns take {} and {} cycles; at most {} are allowed",
        board.title, active, recovery, kMostSmallTime));
  }
  package.add("DataBytes", chip.data_bytes);
  package.add("ColumnBits", log2_of(chip.columns));
  package.add("RowBits", log2_of(chip.rows));
  package.add("CasLatency", chip.cas_latency);
  package.add("InitCycles", cycles(1000 * chip.power_up_us) + 16);
  package.add("ActivateCycles", activate);
  package.add("PrechargeCycles", precharge);
  package.add("ActiveCycles", active);
  package.add("RefreshCycles", cycles(std::max(chip.refresh_ns, chip.cycle_ns)));
  package.add("RecoveryCycles", recovery);
  package.add("RefreshInterval",
              static_cast<std::uint64_t>(std::floor(chip.refresh_interval_ns * mhz / 1000)));
  package.add("HasMasks", chip.masks ? 1 : 0);
}

void check_sdram(const Board& board, const Sdram& chip, const Hardware& hardware, double mhz) {
  constexpr std::uint32_t kMostWords = 8;
  if (hardware.bus_bytes > kMostWords * chip.data_bytes) {
    throw InputError(
        fmt::format("hardware.bus_bytes is {}; on {} at most {} are allowed, eight words of its "
                    "memory",
                    hardware.bus_bytes, board.title, kMostWords * chip.data_bytes));
  }
  if (chip.cas_latency == 2 && 1000 / mhz < chip.cas_2_ns) {
    throw InputError(fmt::format("{} MHz: with a CAS latency of 2 the memory of {} allows {} MHz",
                                 mhz, board.title, 1000 / chip.cas_2_ns));
  }
}

void check_sram(const Board& board, const Hardware& hardware) {
  constexpr std::uint32_t kMostBytes = 8;  // four memories of two side by side
  if (hardware.bus_bytes > kMostBytes) {
    throw InputError(
        fmt::format("hardware.bus_bytes is {}; on {} at most {} are allowed, what its memory reads "
                    "in a cycle",
                    hardware.bus_bytes, board.title, kMostBytes));
  }
}

}  // namespace

std::uint32_t link_divider(const Board& board, double mhz) {
  const double exact = 1e6 * mhz / board.baud;
  const auto divider = static_cast<std::uint32_t>(std::llround(exact));
  if (divider < kLeastDivider || std::abs(divider - exact) > kBaudTolerance * exact) {
    throw InputError(
        fmt::format("{}: {} baud of the link cannot be made of {} MHz: {:.2f} cycles per bit; "
                    "allowed are at least {}, and within 2 % of a whole number",
                    board.title, board.baud, mhz, exact, kLeastDivider));
  }
  return divider;
}

std::string config_package(const Board& board, const Hardware& hardware, double mhz) {
  Package package;
  for (const auto& [name, value] : hardware.rtl_parameters()) {
    package.add(name, name == "LutMultipliers" ? fpga::logic_multipliers(board.part, hardware).all()
                                               : value);
  }
  package.add("ClockHz", static_cast<std::uint64_t>(std::llround(1e6 * mhz)));
  package.add("LinkDivider", link_divider(board, mhz));
  if (const Sdram* chip = board.sdram()) {
    check_sdram(board, *chip, hardware, mhz);
    add_sdram(package, board, *chip, mhz);
  } else {
    check_sram(board, hardware);
    package.add("MemoryBytes", board.memory_bytes());
    package.add("FlashBytes", board.flash ? board.flash->size : 0);
    package.add("FlashWakeCycles", board.flash ? cycles_of(1000 * board.flash->wake_us, mhz) : 1);
  }
  add_clock(package, board, mhz);
  return package.text("board_config_pkg",
                      fmt::format("{} with {} x {} MACs at {} MHz.", board.title, hardware.atomic_c,
                                  hardware.atomic_k, mhz));
}

std::string model_package(const Board& board, double mhz) {
  Package package;
  const auto ps = [&](const char* name, double ns) {
    package.add(name, static_cast<std::uint64_t>(std::llround(1000 * ns)));
  };
  ps("ClockPs", 1000 / mhz);
  if (const Sdram* chip = board.sdram()) {
    ps("PowerUpPs", 1000 * chip->power_up_us);
    ps("RcdPs", chip->activate_ns);
    ps("RpPs", chip->precharge_ns);
    ps("RasPs", chip->active_ns);
    ps("RcPs", chip->cycle_ns);
    ps("RfcPs", chip->refresh_ns);
    ps("RrdPs", chip->other_bank_ns);
    ps("WrPs", chip->recovery_ns);
    ps("RefiPs", chip->refresh_interval_ns);
    ps("Cas2Ps", chip->cas_2_ns);
  }
  if (board.flash) {
    ps("FlashWakePs", 1000 * board.flash->wake_us);
  }
  return package.text("board_model_pkg",
                      fmt::format("What the data sheet of the memory of {} says.", board.title));
}

}  // namespace tessera::board
