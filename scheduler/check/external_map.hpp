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
  [[nodiscard]] bool is_valid(std::uint64_t begin, std::uint64_t end) const;
  void set_valid(std::uint64_t begin, std::uint64_t end);

  void begin_run();
  void end_run();

  enum class Problem : std::uint8_t { None, HoldsNothing, Writing, Reading };

  /// By load number `load`, when all stores up to `acknowledged` are there.
  Problem load(std::uint64_t begin, std::uint64_t end, std::uint32_t load,
               std::uint32_t acknowledged);
  /// In the arena, by store number `store`, when all loads up to `loaded` are done.
  Problem store(std::uint64_t begin, std::uint64_t end, std::uint32_t store, std::uint32_t loaded);

 private:
  struct Span {
    std::uint32_t store = 0;  ///< number of the last one; kNothing: holds nothing
    std::uint32_t load = 0;   ///< of the last one since
  };
  static constexpr std::uint32_t kNothing = 0xFFFFFFFF;

  /// Bytes of the arena, in pieces as small as accesses have needed: most pages are one piece, or
  /// rows of one tensor, and an arena may be large.
  struct Page {
    static constexpr unsigned kShift = 12;
    static constexpr std::uint64_t kBytes = std::uint64_t{1} << kShift;
    unsigned shift = kShift;  ///< of a piece's size
    std::vector<Span> pieces = {{kNothing, 0}};

    /// Cuts pieces so that they begin and end at these bytes of the page.
    void cut(std::uint64_t begin, std::uint64_t end);
    void become(const Span& piece);
  };

  /// Calls visit(page, first, last) with indices of pieces, for the pages of a stretch of the
  /// arena.
  template <class Visit>
  void for_pages(std::uint64_t begin, std::uint64_t end, Visit visit);

  std::uint64_t size_;
  std::uint64_t arena_begin_;
  std::uint64_t arena_end_;
  std::map<std::uint64_t, std::uint64_t> valid_;  // begin to end, apart from each other
  std::vector<Page> pages_;
};

}  // namespace tessera::checker
