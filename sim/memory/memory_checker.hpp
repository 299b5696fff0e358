// Watches the activations in external memory while a program runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/program.hpp"

namespace tessera {

/// Knows of every byte of the arena whether it holds something that is still needed. Bytes that
/// nothing has written, or whose tensor nobody needs any more, are overwritten with garbage, so
/// that whoever uses them computes something else; a read of nothing but such bytes is noted.
class MemoryChecker {
 public:
  /// `memory` is the external memory; both must live as long as the checker.
  MemoryChecker(const Program& program, std::vector<std::uint8_t>& memory);

  /// A beat on the bus, or what the host reads. The bus reads whole words: one needed byte in them
  /// is enough there, the host needs all.
  void read_beat(std::uint64_t address, std::uint64_t bytes);
  void read_exactly(const Slot& slot, const std::string& who);
  void write(std::uint64_t address) { set(address, true); }
  void write(const Slot& slot);

  /// Poisons what nobody needs after the layer, but for outputs that are still to be taken.
  void finish(std::uint32_t layer);
  /// An output has been taken: it is not needed any more.
  void taken(const Slot& output);

  /// The first thing that was wrong, or "".
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::uint64_t poisoned() const { return poisoned_; }

 private:
  [[nodiscard]] bool in_arena(std::uint64_t address) const {
    return address >= begin_ && address < begin_ + live_.size();
  }
  void set(std::uint64_t address, bool live) {
    if (in_arena(address)) {
      live_[address - begin_] = live ? 1 : 0;
    }
  }
  void poison(std::uint64_t address);
  void note(std::uint64_t address, std::uint64_t bytes, const std::string& who);

  const Program& program_;
  std::vector<std::uint8_t>& memory_;
  std::uint64_t begin_ = 0;
  std::vector<std::uint8_t> live_;    // by byte of the arena
  std::vector<std::uint8_t> needed_;  // the same, while a layer finishes
  std::string last_layer_;
  std::string problem_;
  std::uint64_t poisoned_ = 0;
};

}  // namespace tessera
