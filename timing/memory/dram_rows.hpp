// Open rows, banks and refresh of a dynamic memory.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/hardware.hpp"

namespace tessera {

/// What a burst waits for beyond the memory's plain latency. A bank keeps one row open; another
/// row in it costs a precharge and an activation, a closed bank the activation alone. Refreshes
/// come at fixed times, close all rows, and nothing moves while they last. Cycles.
class DramRows {
 public:
  explicit DramRows(const DramTiming& timing);

  /// A burst's address is taken at `now`: the cycles its first data is late. Bursts do not cross
  /// rows.
  std::uint64_t open(std::uint64_t address, std::uint64_t now);

  /// No data moves in this cycle.
  [[nodiscard]] bool is_refreshing(std::uint64_t now) const;
  /// The first refresh that begins after `now`.
  [[nodiscard]] std::uint64_t next_refresh(std::uint64_t now) const;

 private:
  struct Bank {
    bool is_open = false;
    std::uint64_t row = 0;
    std::uint64_t ready = 0;      ///< cycle from which its row can be read
    std::uint64_t refreshes = 0;  ///< that it has seen
  };

  DramTiming timing_;
  std::vector<Bank> banks_;
};

}  // namespace tessera
