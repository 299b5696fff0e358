#include "scheduler/check/external_map.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace tessera::checker {

void ExternalMap::set_valid(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) {
    return;
  }
  auto at = valid_.upper_bound(begin);
  if (at != valid_.begin() && std::prev(at)->second >= begin) {
    --at;
  }
  while (at != valid_.end() && at->first <= end) {
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
    at = valid_.erase(at);
  }
  valid_[begin] = end;
}

std::uint64_t ExternalMap::common_grain(std::uint64_t grain) const {
  grain = std::gcd(grain, arena_end_ - arena_begin_);
  for (const auto& [begin, end] : valid_) {
    for (const std::uint64_t edge : {begin, end}) {
      if (edge > arena_begin_ && edge < arena_end_) {
        grain = std::gcd(grain, edge - arena_begin_);
      }
    }
  }
  return std::max<std::uint64_t>(grain, 1);
}

void ExternalMap::begin_run(std::uint64_t grain) {
  grain_ = grain;
  pieces_.assign(static_cast<std::size_t>((arena_end_ - arena_begin_ + grain_ - 1) / grain_),
                 {kNothing, 0});
  for (const auto& [begin, end] : valid_) {
    const std::uint64_t from = std::max(begin, arena_begin_);
    const std::uint64_t to = std::min(end, arena_end_);
    for (std::uint64_t at = from; at < to; at += grain_) {
      pieces_[piece_at(at)].store = 0;
    }
  }
}

void ExternalMap::end_run() {
  for (std::size_t i = 0; i < pieces_.size();) {
    std::size_t next = i;
    while (next < pieces_.size() && pieces_[next].store != kNothing) {
      ++next;
    }
    set_valid(arena_begin_ + i * grain_, std::min(arena_end_, arena_begin_ + next * grain_));
    i = next + 1;
  }
}

bool ExternalMap::is_valid(std::uint64_t begin, std::uint64_t end) const {
  const auto next = valid_.upper_bound(begin);
  return next != valid_.begin() && std::prev(next)->second >= end;
}

ExternalMap::Problem ExternalMap::load(std::uint64_t begin, std::uint64_t end, std::uint32_t load,
                                       std::uint32_t acknowledged) {
  if (!in_arena(begin, end)) {
    return is_valid(begin, end) ? Problem::None : Problem::HoldsNothing;
  }
  Problem problem = Problem::None;
  const std::size_t last = piece_at(end - 1);
  for (std::size_t i = piece_at(begin); i <= last; ++i) {
    Piece& piece = pieces_[i];
    if (piece.store > acknowledged) {
      problem = piece.store == kNothing ? Problem::HoldsNothing : Problem::Writing;
    }
    piece.load = load;
  }
  return problem;
}

ExternalMap::Problem ExternalMap::store(std::uint64_t begin, std::uint64_t end, std::uint32_t store,
                                        std::uint32_t loaded) {
  Problem problem = Problem::None;
  const std::size_t last = piece_at(end - 1);
  for (std::size_t i = piece_at(begin); i <= last; ++i) {
    Piece& piece = pieces_[i];
    if (piece.load > loaded) {
      problem = Problem::Reading;
    }
    piece = {store, 0};
  }
  return problem;
}

}  // namespace tessera::checker
