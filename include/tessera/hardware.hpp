// Parameters of the accelerator and of the memory it is attached to. The one source of the RTL's
// parameters and of the scheduler's limits.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/generated/command_set.hpp"

namespace tessera {

/// What the array multiplies with. Auto: with the chip's multipliers as far as it has them.
enum class Multipliers : std::uint8_t { Auto, Dsp, Luts };

/// Who executes the command stream. Units: load, compute and store units at the same time, each
/// with its own control. Microcode: one microcontroller, one command after the other, in a fraction
/// of the room; features of the command set: none.
enum class Control : std::uint8_t { Units, Microcode };

/// Pixels of a tile with softmax at most.
inline constexpr std::uint32_t kSoftmaxPixels = 256;

struct Hardware {
  std::string name = "custom";
  std::uint32_t atomic_c = 8;            ///< input channels per cycle; bytes per cbuf atom; even
  std::uint32_t atomic_k = 8;            ///< output channels per cycle; even
  std::uint64_t cbuf_size = 131072;      ///< bytes the scheduler may use (run-time limit)
  std::uint64_t cbuf_capacity = 131072;  ///< bytes built into the RTL: whole atoms in every bank
  std::uint32_t cbuf_banks = 8;
  std::uint32_t acc_words = 512;  ///< accumulator words of atomic_k int32, two halves
  /// Words that are built, where a program is made for fewer of them; 0: acc_words.
  std::uint32_t acc_built = 0;
  std::uint32_t param_groups = 64;      ///< kernel groups in the parameter memory
  std::uint32_t bus_bytes = 8;          ///< bytes per beat
  std::uint32_t post_lanes = 8;         ///< kernels requantised per cycle
  std::uint32_t read_outstanding = 16;  ///< read bursts under way at most
  std::uint32_t queue_depth = 64;       ///< words per command queue
  std::uint32_t line_atoms = 128;       ///< columns that the depthwise window's lines hold

  Control control = Control::Units;
  Multipliers multipliers = Multipliers::Auto;
  std::uint32_t features = kAllFeatures;  ///< what is built: a bit for each of isa::Feature
  double mhz = 0;  ///< clock that times are told in; 0: not known, only cycles are

  static constexpr std::uint32_t kAllFeatures = (1U << isa::kFeatures.size()) - 1;
  [[nodiscard]] bool has(isa::Feature feature) const {
    return (features >> static_cast<unsigned>(feature) & 1U) != 0;
  }

  /// Milliseconds of so many cycles; 0 without a clock.
  [[nodiscard]] double milliseconds(std::uint64_t cycles) const {
    return mhz > 0 ? static_cast<double>(cycles) / (mhz * 1000) : 0;
  }
  [[nodiscard]] std::uint64_t macs_per_cycle() const { return std::uint64_t{atomic_c} * atomic_k; }
  /// Products of pitches that the sequencer works out as a convolution begins.
  static constexpr std::uint32_t kPitches = 4;
  /// Multipliers that are a chip's or made of logic: the array's, then those of pitches.
  [[nodiscard]] std::uint32_t shared_multipliers() const {
    return kPitches + static_cast<std::uint32_t>(macs_per_cycle());
  }
  /// Usable cbuf atoms.
  [[nodiscard]] std::uint32_t cbuf_atoms() const {
    return static_cast<std::uint32_t>(cbuf_size / atomic_c);
  }
  /// The first usable atom. What is used of a larger buffer lies across as many banks as it can, as
  /// much in the first of them as in the last: accesses to one bank wait for each other.
  [[nodiscard]] std::uint32_t cbuf_begin() const;
  /// Behind the last usable atom: CBUF_LIMIT.
  [[nodiscard]] std::uint32_t cbuf_end() const { return cbuf_begin() + cbuf_atoms(); }
  /// Accumulator words of one half: the largest output tile.
  [[nodiscard]] std::uint32_t acc_half() const { return acc_words / 2; }
  /// The word at which the second half begins, as built: sums in one half are stored while the
  /// array works in the other one.
  [[nodiscard]] std::uint32_t acc_second() const {
    return (acc_built != 0 ? acc_built : acc_words) / 2;
  }

  /// Atoms in a cbuf bank, as built.
  [[nodiscard]] std::uint32_t bank_atoms() const {
    return static_cast<std::uint32_t>(cbuf_capacity / atomic_c / cbuf_banks);
  }

  /// Taps that one depthwise weight tile holds: rows x columns, at most atomic_c. None without the
  /// feature.
  struct Window {
    std::uint32_t rows;
    std::uint32_t cols;
  };
  [[nodiscard]] Window depthwise_window() const;

  /// Most bytes of a unit of loads that fold taps. 0 without the feature.
  [[nodiscard]] std::uint32_t fold_bytes() const;

  /// The load unit hands on parameter records of 8 bytes, or pairs of 4, in one piece; else word by
  /// word, as a bus of 4 bytes brings them.
  [[nodiscard]] bool whole_records() const { return bus_bytes > 4 || atomic_c > 4 || atomic_k > 4; }

  /// Loads that are requested before the data of the first one have come.
  [[nodiscard]] std::uint32_t loads_ahead() const { return macs_per_cycle() < 64 ? 2 : 4; }

  /// Convolutions that wait behind the one that runs; their weights likewise.
  [[nodiscard]] std::uint32_t convolutions_ahead() const { return macs_per_cycle() < 128 ? 1 : 2; }

  /// The list of the RTL's sources, in the folder rtl. The top-level module has the same name,
  /// parameters and ports with any control.
  [[nodiscard]] std::string rtl_sources() const;

  /// The RTL's top-level parameters by name. Where the multipliers are to be found out none is made
  /// of logic.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> rtl_parameters() const;
};

/// Rows, banks and refresh of a dynamic memory, in cycles of the accelerator. No banks: none of it.
struct DramTiming {
  std::uint32_t banks = 0;
  std::uint32_t row_bytes = 4096;  ///< of all chips together; consecutive rows are in other banks
  std::uint32_t activate = 0;      ///< to open a row (tRCD)
  std::uint32_t precharge = 0;     ///< to close one (tRP)
  std::uint32_t refresh_interval = 0;  ///< from one refresh to the next (tREFI); 0: none
  std::uint32_t refresh_cycles = 0;    ///< that one takes (tRFC)
};

/// A memory in which a program's constants and commands stay, such as a serial flash: one burst at
/// a time, each with its own latency.
struct ProgramRom {
  std::uint32_t latency = 0;          ///< cycles from a read address to its first data
  std::uint32_t cycles_per_beat = 0;  ///< from a beat that was taken to the next; 0: there is none

  [[nodiscard]] bool is_there() const { return cycles_per_beat != 0; }
};

/// External memory as the bus sees it.
struct ExternalMemory {
  double bytes_per_cycle = 8.0;  ///< reads and writes together
  std::uint32_t latency = 64;    ///< cycles from a read address to its first data
  std::uint32_t turnaround = 0;  ///< cycles without data between a read and a write
  /// Cycles without data behind a written beat that leaves bytes as they are: a memory without byte
  /// masks reads its word first.
  std::uint32_t partial_beat = 0;
  DramTiming dram{};
  ProgramRom rom{};             ///< where there is one, only activations are in this memory
  std::string name = "custom";  ///< of the preset
};

/// The buffer as headers name it: "128 KiB", or "16 of 128 KiB" where less of it is used than is
/// built.
std::string cbuf_text(const Hardware& hardware);

/// `lesser`, as a part of what is built: programs for it run on `built` as fast as there.
Hardware part_of(const Hardware& built, Hardware lesser);

/// Why `hardware` cannot be built, in words that name the field, or "" when it can.
std::string hardware_problem(const Hardware& hardware);

}  // namespace tessera
