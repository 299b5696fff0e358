// A hand-over between units.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "timing/memory/memory_port.hpp"

namespace tessera::timing {

/// A queue of few entries that are seen by its reader a cycle or more after they were put in.
template <class T, std::size_t N>
class TimedQueue {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] bool has(Cycle now) const { return size_ != 0 && at(0).visible <= now; }
  [[nodiscard]] T& front() { return at(0).value; }
  [[nodiscard]] const T& front() const { return at(0).value; }
  /// Oldest first.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < size_; ++i) {
      visit(at(i).value);
    }
  }
  void push(const T& value, Cycle visible) { at(size_++) = {value, visible}; }
  void pop() {
    first_ = (first_ + 1) % N;
    --size_;
  }
  /// Of all entries, as if they had been put in later.
  void delay(Cycle cycles) {
    for (std::size_t i = 0; i < size_; ++i) {
      at(i).visible += cycles;
    }
  }
  /// How the entries follow each other, as seen from a cycle.
  [[nodiscard]] std::uint64_t phase(Cycle now) const {
    std::uint64_t hash = size_;
    for (std::size_t i = 0; i < size_; ++i) {
      hash = hash * 0x100000001B3ULL + (at(i).visible > now ? at(i).visible - now : 0);
    }
    return hash;
  }

 private:
  struct Entry {
    T value{};
    Cycle visible = 0;
  };
  [[nodiscard]] Entry& at(std::size_t i) { return entries_[(first_ + i) % N]; }
  [[nodiscard]] const Entry& at(std::size_t i) const { return entries_[(first_ + i) % N]; }

  std::array<Entry, N> entries_{};
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tessera::timing
