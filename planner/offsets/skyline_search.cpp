#include "planner/offsets/skyline_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "planner/offsets/search_key.hpp"
#include "tessera/rng.hpp"

namespace tessera {
namespace {

// Buffers are placed from below. A solution can be pushed down until each buffer rests on the
// ground or on another one, so that at the lowest place of the skyline (a valley, with higher walls
// on both sides) either a buffer stands on the ground of a moment or none ever will: then the
// moment is closed and joins the valley's next level. Floors are kept doubled; odd ones are closed.
class Search {
 public:
  Search(const std::vector<Block>& blocks, std::uint32_t moments, std::uint64_t height,
         const ExactTechniques& techniques)
      : blocks_(blocks),
        moments_(moments),
        height_(height),
        techniques_(techniques),
        floor_(moments, 0),
        rest_(moments, 0),
        weight_(moments, 1),
        begins_(moments),
        offset_(blocks.size(), 0),
        placed_(blocks.size(), 0),
        rank_(blocks.size(), 0) {
    SplitMix64 rng(1);
    std::uint64_t cells = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (std::uint32_t m = blocks[b].begin; m < blocks[b].end; ++m) {
        rest_[m] += blocks[b].size;
      }
      if (blocks[b].begin < blocks[b].end) {
        begins_[blocks[b].begin].push_back(static_cast<std::uint32_t>(b));
      }
      keys_.push_back({rng.next(), rng.next()});
      cells += blocks[b].end - blocks[b].begin;
    }
    cost_ = std::max<std::uint64_t>(cells / kCellsPerStep, 1);
    for (std::uint32_t m = 0; m < moments; ++m) {
      moment_keys_.push_back({rng.next() | 1, rng.next() | 1});
    }
    for (std::uint32_t span = 1; span <= moments; span *= 2) {
      highest_.emplace_back(moments);
      lowest_.emplace_back(moments);
    }
    run_end_.resize(moments);
    ways_.resize(moments + 1);
  }

  SearchResult run(std::uint64_t steps) {
    SearchResult result;
    std::uint64_t share = techniques_.restarts ? 300 * cost_ : steps;
    for (std::uint32_t round = 0;; ++round) {
      rank_blocks(round);
      limit_ = std::min(steps, steps_ + share);
      const SearchEnd end = solve(0, moments_);
      result.steps = steps_;
      if (end == SearchEnd::Found) {
        result.offsets = offset_;
      }
      if (end != SearchEnd::Budget || steps_ >= steps) {
        result.end = end;
        return result;
      }
      undo(0);
      share += share / 20;
    }
  }

 private:
  struct Change {
    bool is_floor = false;
    std::uint32_t index = 0;
    std::uint64_t old_floor = 0;
  };
  struct Choice {
    std::uint32_t moment = 0;
    bool may_close = false;
    std::vector<std::uint32_t> blocks;
  };
  enum class Step : std::uint8_t { Failed, Done, Open, Changed };

  static constexpr std::uint64_t kCellsPerStep = 2048;
  static constexpr std::uint64_t kDone = std::numeric_limits<std::uint64_t>::max();

  // The order in which blocks are tried where several fit.
  void rank_blocks(std::uint32_t round) {
    SplitMix64 rng(round);
    std::vector<std::uint32_t> order(blocks_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::vector<double> value(blocks_.size());
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const auto size = static_cast<double>(blocks_[b].size);
      const auto length = static_cast<double>(blocks_[b].end - blocks_[b].begin);
      const std::uint32_t kind = round % 3;
      value[b] = kind == 0 ? size * length : kind == 1 ? length * 1e12 + size : size * 1e6 + length;
      if (round >= 3) {
        value[b] *= 0.5 + static_cast<double>(rng.next() % 1024) / 1024.0;
      }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t x, std::uint32_t y) { return value[x] > value[y]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      rank_[order[i]] = static_cast<std::uint32_t>(i);
    }
  }

  void set_floor(std::uint32_t moment, std::uint64_t value) {
    trail_.push_back({true, moment, floor_[moment]});
    floor_[moment] = value;
  }

  void place(std::uint32_t b) {
    trail_.push_back({false, b, 0});
    const Block& block = blocks_[b];
    placed_[b] = 1;
    offset_[b] = floor_[block.begin] / 2;
    for (std::uint32_t m = block.begin; m < block.end; ++m) {
      rest_[m] -= block.size;
      set_floor(m, rest_[m] == 0 ? kDone : floor_[m] + 2 * block.size);
    }
  }

  void undo(std::size_t size) {
    while (trail_.size() > size) {
      const Change change = trail_.back();
      trail_.pop_back();
      if (change.is_floor) {
        floor_[change.index] = change.old_floor;
        continue;
      }
      const Block& block = blocks_[change.index];
      placed_[change.index] = 0;
      for (std::uint32_t m = block.begin; m < block.end; ++m) {
        rest_[m] += block.size;
      }
    }
  }

  [[nodiscard]] bool fits(std::uint32_t moment) const {
    return (floor_[moment] + 1) / 2 + rest_[moment] <= height_;
  }

  bool fail(std::uint32_t moment) {
    if (techniques_.weights) {
      ++weight_[moment];
    }
    return false;
  }

  // Raises closed valleys to the lower of their walls until every valley is open.
  bool lift(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t m = begin; m < end;) {
      std::uint32_t last = m;
      while (last < end && floor_[last] == floor_[m]) {
        ++last;
      }
      const std::uint64_t left = m > begin ? floor_[m - 1] : kDone;
      const std::uint64_t right = last < end ? floor_[last] : kDone;
      const std::uint64_t wall = std::min(left, right);
      if (floor_[m] == kDone || floor_[m] % 2 == 0 || wall < floor_[m]) {
        m = last;
        continue;
      }
      if (wall == kDone) {
        return fail(m);
      }
      for (std::uint32_t i = m; i < last; ++i) {
        set_floor(i, wall);
        if (!fits(i)) {
          return fail(i);
        }
      }
      // The one before may be a valley now.
      while (m > begin && floor_[m - 1] == wall) {
        --m;
      }
    }
    return true;
  }

  static std::uint32_t level_of(std::uint32_t span) {
    return 31U - static_cast<std::uint32_t>(__builtin_clz(span));
  }

  // highest_[k][m]: the highest floor of the 2^k moments from m on; run_end_: where the floor
  // changes.
  void survey(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t m = end; m-- > begin;) {
      highest_[0][m] = floor_[m];
      run_end_[m] = m + 1 < end && floor_[m + 1] == floor_[m] ? run_end_[m + 1] : m + 1;
    }
    for (std::uint32_t k = 1; k <= level_of(end - begin); ++k) {
      const std::uint32_t half = 1U << (k - 1);
      for (std::uint32_t m = begin; m + 2 * half <= end; ++m) {
        highest_[k][m] = std::max(highest_[k - 1][m], highest_[k - 1][m + half]);
      }
    }
  }

  // Where each unplaced block can be at the lowest, and what follows for the moments.
  bool floors(std::uint32_t begin, std::uint32_t end) {
    survey(begin, end);
    const std::uint32_t levels = level_of(end - begin);
    for (std::uint32_t k = 0; k <= levels; ++k) {
      std::fill(lowest_[k].begin() + begin, lowest_[k].begin() + end, kDone);
    }
    std::fill(ways_.begin() + begin, ways_.begin() + end + 1, 0U);
    ready_.clear();
    for (std::uint32_t m = begin; m < end; ++m) {
      for (const std::uint32_t b : begins_[m]) {
        if (placed_[b] != 0) {
          continue;
        }
        const std::uint32_t last = blocks_[b].end;
        const std::uint32_t level = level_of(last - m);
        const std::uint32_t tail = last - (1U << level);
        const std::uint64_t low = (std::max(highest_[level][m], highest_[level][tail]) + 1) / 2;
        lowest_[level][m] = std::min(lowest_[level][m], low);
        lowest_[level][tail] = std::min(lowest_[level][tail], low);
        if (run_end_[m] >= last && floor_[m] % 2 == 0) {
          ready_.push_back(b);
          ++ways_[m];
          --ways_[last];
        }
      }
    }
    std::uint32_t ways = 0;
    for (std::uint32_t m = begin; m < end; ++m) {
      ways += ways_[m];
      ways_[m] = ways;
    }
    if (!techniques_.floors) {
      return true;
    }
    for (std::uint32_t k = levels; k > 0; --k) {
      const std::uint32_t half = 1U << (k - 1);
      for (std::uint32_t m = begin; m + 2 * half <= end; ++m) {
        lowest_[k - 1][m] = std::min(lowest_[k - 1][m], lowest_[k][m]);
        lowest_[k - 1][m + half] = std::min(lowest_[k - 1][m + half], lowest_[k][m]);
      }
    }
    for (std::uint32_t m = begin; m < end; ++m) {
      if (floor_[m] != kDone && lowest_[0][m] + rest_[m] > height_) {
        return fail(m);
      }
    }
    return true;
  }

  // The moment with the fewest ways to go on.
  bool choose(std::uint32_t begin, std::uint32_t end, Choice& choice) {
    double best = std::numeric_limits<double>::max();
    for (std::uint32_t m = begin; m < end;) {
      std::uint32_t last = m;
      while (last < end && floor_[last] == floor_[m]) {
        ++last;
      }
      const bool valley = floor_[m] != kDone && (m == begin || floor_[m - 1] > floor_[m]) &&
                          (last == end || floor_[last] > floor_[m]);
      for (std::uint32_t i = m; valley && i < last; ++i) {
        const bool may_close = floor_[i] / 2 + 1 + rest_[i] <= height_;
        const std::uint32_t ways = ways_[i] + (may_close ? 1 : 0);
        if (ways == 0) {
          return fail(i);
        }
        const double cost = static_cast<double>(ways) / static_cast<double>(weight_[i]);
        if (ways == 1 || cost < best) {
          best = ways == 1 ? 0 : cost;
          choice.moment = i;
          choice.may_close = may_close;
          if (ways == 1) {
            fill(choice);
            return true;
          }
        }
      }
      m = last;
    }
    fill(choice);
    return true;
  }

  void fill(Choice& choice) const {
    for (const std::uint32_t b : ready_) {
      if (blocks_[b].begin <= choice.moment && choice.moment < blocks_[b].end) {
        choice.blocks.push_back(b);
      }
    }
    std::sort(choice.blocks.begin(), choice.blocks.end(),
              [&](std::uint32_t x, std::uint32_t y) { return rank_[x] < rank_[y]; });
  }

  [[nodiscard]] SearchKey key_of(std::uint32_t begin, std::uint32_t end) const {
    SearchKey key;
    for (std::uint32_t m = begin; m < end; ++m) {
      if (floor_[m] != kDone) {
        key.a += moment_keys_[m].a * (floor_[m] + 1);
        key.b ^= (moment_keys_[m].b + floor_[m]) * 0x9E3779B97F4A7C15ULL;
        for (const std::uint32_t b : begins_[m]) {
          if (placed_[b] == 0) {
            key.a ^= keys_[b].a;
            key.b += keys_[b].b;
          }
        }
      }
    }
    return key;
  }

  SearchEnd solve(std::uint32_t begin, std::uint32_t end) {
    if (!techniques_.components) {
      return solve_part(begin, end);
    }
    const std::size_t mark = trail_.size();
    for (std::uint32_t m = begin; m < end;) {
      std::uint32_t last = m;
      while (last < end && rest_[last] != 0) {
        ++last;
      }
      if (last > m) {
        const SearchEnd result = solve_part(m, last);
        if (result != SearchEnd::Found) {
          undo(mark);
          return result;
        }
      }
      m = last + 1;
    }
    return SearchEnd::Found;
  }

  SearchEnd solve_part(std::uint32_t begin, std::uint32_t end) {
    const std::size_t mark = trail_.size();
    const auto failed = [&] {
      undo(mark);
      return SearchEnd::None;
    };
    steps_ += cost_;
    if (steps_ > limit_) {
      return SearchEnd::Budget;
    }
    if (std::all_of(rest_.begin() + begin, rest_.begin() + end,
                    [](std::uint64_t rest) { return rest == 0; })) {
      return SearchEnd::Found;
    }
    if (!lift(begin, end)) {
      return failed();
    }
    const SearchKey key = key_of(begin, end);
    if (techniques_.memory && failed_.count(key) > 0) {
      return failed();
    }
    Choice choice;
    if (!floors(begin, end) || !choose(begin, end, choice)) {
      remember(key);
      return failed();
    }
    const std::size_t before = trail_.size();
    for (const std::uint32_t b : choice.blocks) {
      place(b);
      const SearchEnd result = solve(begin, end);
      if (result != SearchEnd::None) {
        return result;
      }
      undo(before);
    }
    if (choice.may_close) {
      set_floor(choice.moment, floor_[choice.moment] + 1);
      const SearchEnd result = solve(begin, end);
      if (result != SearchEnd::None) {
        return result;
      }
    }
    fail(choice.moment);
    remember(key);
    return failed();
  }

  void remember(const SearchKey& key) {
    if (techniques_.memory && failed_.size() < kMostRemembered) {
      failed_.insert(key);
    }
  }

  static constexpr std::size_t kMostRemembered = 8'000'000;

  const std::vector<Block>& blocks_;
  std::uint32_t moments_;
  std::uint64_t height_;
  const ExactTechniques& techniques_;
  std::vector<std::uint64_t> floor_;  // doubled; odd: closed; kDone: nothing is left to place
  std::vector<std::uint64_t> rest_;   // sizes of unplaced blocks
  std::vector<std::uint64_t> weight_;
  std::vector<std::vector<std::uint32_t>> begins_;  // blocks by their first moment
  std::vector<std::uint64_t> offset_;
  std::vector<std::uint8_t> placed_;
  std::vector<std::uint32_t> rank_;
  std::vector<SearchKey> keys_;
  std::vector<SearchKey> moment_keys_;
  std::vector<std::vector<std::uint64_t>> highest_;  // floors, see survey()
  std::vector<std::vector<std::uint64_t>> lowest_;  // the same of where blocks can be at the lowest
  std::vector<std::uint32_t> run_end_;
  std::vector<std::uint32_t> ways_;   // ready blocks at each moment
  std::vector<std::uint32_t> ready_;  // unplaced blocks that can stand on the floor
  std::vector<Change> trail_;
  std::unordered_set<SearchKey, SearchKeyHash> failed_;
  std::uint64_t cost_ = 1;  // steps that a state of so many blocks and moments counts for
  std::uint64_t steps_ = 0;
  std::uint64_t limit_ = 0;
};

}  // namespace

SearchResult search_skyline(const std::vector<Block>& blocks, std::uint32_t moments,
                            std::uint64_t height, std::uint64_t steps,
                            const ExactTechniques& techniques) {
  return Search(blocks, moments, height, techniques).run(steps);
}

}  // namespace tessera
