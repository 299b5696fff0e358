// Static allocation: buffers with lifetimes get offsets in one arena.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// Alive in the half-open interval [lower, upper) of an arbitrary time axis; `size` in bytes.
struct Buffer {
  std::string id;
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::uint64_t size = 0;
};

/// Two buffers that are alive together and yet may share bytes: `above` may start `distance` bytes
/// above the start of `below`, where without this it would be the size of `below`. Such as the
/// output of an operator below its input, which is read before it is overwritten.
struct Overlap {
  std::size_t below = 0;
  std::size_t above = 0;
  std::uint64_t distance = 0;
};

struct AllocationProblem {
  std::vector<Buffer> buffers;
  std::vector<Overlap> overlaps;
  std::uint64_t alignment = 1;  ///< of every offset, in bytes
};

struct Allocation {
  std::vector<std::uint64_t> offsets;  ///< by buffer
  std::uint64_t height = 0;            ///< bytes of the arena
  std::uint64_t lower_bound = 0;       ///< proved: no arena is smaller
  std::uint64_t steps = 0;             ///< of search

  [[nodiscard]] bool is_optimal() const { return height == lower_bound; }
};

/// Techniques of the exact search, each can be switched off.
struct ExactTechniques {
  bool incumbent = true;   ///< a low plan is looked for first, by small changes of greedy orders
  bool cliques = true;     ///< only moments at which most buffers meet are looked at
  bool floors = true;      ///< a moment's floor is raised to where the next buffer can be at all
  bool components = true;  ///< stretches of time that no buffer joins are searched by themselves
  bool memory = true;      ///< failed states are remembered
  bool weights = true;     ///< moments that failed before are decided first
  bool restarts = true;    ///< search starts anew, in another order, after a while
};

/// Effort of a search in steps: a clock would give other results on another machine.
struct SearchBudget {
  std::uint64_t steps = 2'000'000;
};

/// Most bytes alive at once, less what overlaps allow.
std::uint64_t live_bound(const AllocationProblem& problem);

/// What is wrong with the offsets: the first violation in words, or "" when there is none.
std::string violation(const AllocationProblem& problem, const std::vector<std::uint64_t>& offsets);

/// Largest buffer first, each at the lowest offset at which it fits (as TensorFlow Lite's
/// greedy-by-size planner).
Allocation allocate_greedy_size(const AllocationProblem& problem);

/// Moments with most bytes alive first; of each its buffers by size, at the lowest offset at which
/// they fit (as TensorFlow Lite's greedy-by-breadth planner).
Allocation allocate_greedy_breadth(const AllocationProblem& problem);

/// Branch and bound. When `capacity` is not 0: any height up to it will do.
Allocation allocate_exact(const AllocationProblem& problem, std::uint64_t capacity,
                          const SearchBudget& budget, const ExactTechniques& techniques = {});

}  // namespace tessera
