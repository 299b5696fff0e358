// Boards: what configs/boards says of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fpga/parts/parts.hpp"
#include "tessera/hardware.hpp"

namespace tessera::board {

/// A single-data-rate SDRAM of four banks, as its data sheet has it.
struct Sdram {
  std::uint32_t data_bytes = 2;
  std::uint32_t columns = 512;
  std::uint32_t rows = 8192;
  bool masks = true;
  std::uint32_t cas_latency = 2;
  double cas_2_ns = 10;
  std::uint32_t clock_phase = 90;  ///< degrees
  double power_up_us = 200;
  double activate_ns = 20, precharge_ns = 20, active_ns = 45, cycle_ns = 70, refresh_ns = 70,
         other_bank_ns = 15, recovery_ns = 20, refresh_interval_ns = 7812;

  [[nodiscard]] std::uint64_t bytes() const {
    return std::uint64_t{4} * columns * rows * data_bytes;
  }
};

/// Memory on the chip, a word of the bus per cycle.
struct Sram {
  std::uint64_t size = 128 << 10;

  [[nodiscard]] std::uint64_t bytes() const { return size; }
};

/// A serial flash that the accelerator reads programs from, which are written there beforehand.
struct Flash {
  /// Where on the bus its first byte is (rtl/board/sram_port.sv).
  static constexpr std::uint64_t kBusAddress = 0x0100'0000;

  std::uint64_t size = 16 << 20;
  std::uint64_t program_at = 1 << 20;  ///< byte of it; the bitstream lies below
  double wake_us = 3;                  ///< from power-down (tRES1)
  std::string write;  ///< command that writes a file there, whose name comes behind it
};

struct Board {
  std::string name;
  std::string title;
  std::filesystem::path folder;  ///< with pins, top level and bench
  fpga::Part part;               ///< in the board's package
  double pin_mhz = 25;
  double mhz = 50;  ///< of the system, unless another one is asked for
  std::uint32_t baud = 1'000'000;
  std::variant<Sdram, Sram> memory;
  std::optional<Flash> flash;
  std::string hardware;      ///< preset, unless the configuration says another one
  std::uint32_t lights = 0;  ///< of standalone.sv, the top level without a host; 0: there is none
  std::string load;          ///< command that loads a bitstream, whose name comes behind it

  /// Null when its memory is another one.
  [[nodiscard]] const Sdram* sdram() const { return std::get_if<Sdram>(&memory); }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return std::visit([](const auto& kind) { return kind.bytes(); }, memory);
  }
};

/// In the order of their names.
std::vector<std::string> board_names();

/// Throws InputError: with all names when there is none of that one, with file and line when its
/// description is wrong.
Board find_board(const std::string& name);

/// The board's memory as the cost model and the simulations count it, at that clock. `in_flash`:
/// programs stay in the board's flash.
ExternalMemory external_memory(const Board& board, const Hardware& hardware, double mhz,
                               bool in_flash = false);

/// All clocks that the board's PLL makes, its memory takes and its link can be made of, in MHz, the
/// slowest first.
std::vector<double> clocks_of(const Board& board);

/// The fastest of them of at most `mhz`; the slowest one when there is none.
double clock_at_most(const std::vector<double>& clocks, double mhz);

}  // namespace tessera::board
