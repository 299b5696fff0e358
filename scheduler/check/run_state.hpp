// What the program checker knows at one point of a run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/check/external_map.hpp"
#include "scheduler/check/op.hpp"
#include "tessera/program.hpp"

namespace tessera::checker {

inline constexpr std::size_t kLoad = 0;
inline constexpr std::size_t kCompute = 1;
inline constexpr std::size_t kStore = 2;
inline constexpr std::uint64_t kTables = 2;
inline constexpr std::uint64_t kTableBytes = 1024;

/// The first few findings.
class Findings {
 public:
  explicit Findings(std::vector<std::string>& problems) : problems_(problems) {}

  void at_word(std::size_t word) { word_ = word; }
  void report(std::string text);
  /// With the word at hand.
  void report_here(const std::string& text);
  [[nodiscard]] bool are_enough() const { return problems_.size() >= kMost; }

 private:
  static constexpr std::size_t kMost = 8;

  std::vector<std::string>& problems_;
  std::size_t word_ = 0;
};

/// State of one atom, word or group: who filled it, who looked at it since. Numbers start at 1.
struct Cell {
  std::uint32_t writer = 0;
  std::uint32_t reader = 0;
  std::uint8_t unit = 0;  ///< the writer's
};

/// Operations known to be finished, by unit.
using Known = std::array<std::uint32_t, 3>;

/// Operation `number` of `unit`, and what it knows.
struct Actor {
  std::size_t unit = 0;
  std::uint32_t number = 0;
  const Known& known;
};

/// A memory on the chip.
class CellMemory {
 public:
  CellMemory(const char* what, std::uint64_t cells, std::size_t readers)
      : what_(what), readers_(readers), cells_(cells), unused_(cells) {}

  /// At most so many cells may ever be written.
  void limit(std::uint64_t cells) { unused_ = cells; }

  /// False when the actor may not write there.
  bool fill(std::uint64_t begin, std::uint64_t count, const Actor& actor, Findings& findings);
  void read(std::uint64_t begin, std::uint64_t count, const Actor& actor, Findings& findings);

  [[nodiscard]] std::size_t size() const { return cells_.size(); }
  Cell& operator[](std::uint64_t i) { return cells_[i]; }

 private:
  const char* what_;
  std::size_t readers_;  // the unit that reads
  std::vector<Cell> cells_;
  std::uint64_t unused_;  // cells that may be written for the first time
};

/// Of one command stream.
struct RunState {
  RunState(const Program& program, ExternalMap& external, std::vector<std::string>& problems);

  [[nodiscard]] Actor actor(std::size_t unit, const Op& op) const {
    return {unit, numbers[unit], op.known};
  }

  const Program& program;
  const Hardware& hw;
  std::size_t layers = 0;  ///< of the run: marks number them
  ExternalMap& external;
  Findings findings;
  CellMemory cbuf, acc, params, operands, tables;
  std::vector<std::uint32_t> sums;         ///< by accumulator word, how many kernels' it holds
  std::array<std::uint32_t, 3> numbers{};  ///< of the last operation, by unit
  std::optional<Op> last_depthwise;        ///< whose rows the window holds
};

void check_load(const Op& op, RunState& state);
void check_conv(const Op& op, RunState& state);
void check_depthwise(const Op& op, RunState& state);
void check_store(const Op& op, RunState& state);

}  // namespace tessera::checker
