// Which external bytes hold something, and who may still be at them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace tessera::checker {

/// External memory for the program checker. Between runs: which bytes hold something. In a run also
/// the last store and load of each piece of the arena, the only part that stores may change.
class ExternalMap {
 public:
  ExternalMap(std::uint64_t size, std::uint64_t arena_begin, std::uint64_t arena_end)
      : size_(size), arena_begin_(arena_begin), arena_end_(arena_end) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool in_arena(std::uint64_t begin, std::uint64_t end) const {
    return begin >= arena_begin_ && end <= arena_end_;
  }

  /// No byte of it is in the arena.
  [[nodiscard]] bool is_fixed(std::uint64_t begin, std::uint64_t end) const {
    return end <= arena_begin_ || begin >= arena_end_;
  }

  /// Between runs.
  void set_valid(std::uint64_t begin, std::uint64_t end);

  /// Every access to the arena in the run begins and ends at a multiple of `grain` bytes from its
  /// first one; so must what is valid, which `common_grain` sees to.
  void begin_run(std::uint64_t grain);
  void end_run();
  /// The largest divisor of `grain` that what is valid allows.
  [[nodiscard]] std::uint64_t common_grain(std::uint64_t grain) const;
  [[nodiscard]] std::uint64_t from_arena(std::uint64_t address) const {
    return address >= arena_begin_ ? address - arena_begin_ : arena_begin_ - address;
  }

  enum class Problem : std::uint8_t { None, HoldsNothing, Writing, Reading };

  /// By load number `load`, when all stores up to `acknowledged` are there.
  Problem load(std::uint64_t begin, std::uint64_t end, std::uint32_t load,
               std::uint32_t acknowledged);
  /// In the arena, by store number `store`, when all loads up to `loaded` are done.
  Problem store(std::uint64_t begin, std::uint64_t end, std::uint32_t store, std::uint32_t loaded);

 private:
  struct Piece {
    std::uint32_t store = 0;  ///< number of the last one; kNothing: holds nothing
    std::uint32_t load = 0;   ///< of the last one since
  };
  static constexpr std::uint32_t kNothing = 0xFFFFFFFF;

  [[nodiscard]] bool is_valid(std::uint64_t begin, std::uint64_t end) const;
  [[nodiscard]] std::size_t piece_at(std::uint64_t address) const {
    return static_cast<std::size_t>((address - arena_begin_) / grain_);
  }

  std::uint64_t size_;
  std::uint64_t arena_begin_;
  std::uint64_t arena_end_;
  std::map<std::uint64_t, std::uint64_t> valid_;  // begin to end, apart from each other
  std::uint64_t grain_ = 1;
  std::vector<Piece> pieces_;
};

}  // namespace tessera::checker
