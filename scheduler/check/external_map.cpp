#include "scheduler/check/external_map.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

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

void ExternalMap::Page::cut(std::uint64_t begin, std::uint64_t end) {
  unsigned needed = shift;
  while (((begin | end) & ((std::uint64_t{1} << needed) - 1)) != 0) {
    --needed;
  }
  if (needed == shift) {
    return;
  }
  const std::size_t times = std::size_t{1} << (shift - needed);
  std::vector<Span> smaller;
  smaller.reserve(pieces.size() * times);
  for (const Span& piece : pieces) {
    smaller.insert(smaller.end(), times, piece);
  }
  pieces = std::move(smaller);
  shift = needed;
}

void ExternalMap::Page::become(const Span& piece) {
  if (shift != kShift) {
    shift = kShift;
    pieces = std::vector<Span>(1);
  }
  pieces[0] = piece;
}

template <class Visit>
void ExternalMap::for_pages(std::uint64_t begin, std::uint64_t end, Visit visit) {
  begin -= arena_begin_;
  end -= arena_begin_;
  while (begin < end) {
    Page& page = pages_[static_cast<std::size_t>(begin >> Page::kShift)];
    const std::uint64_t first = begin & (Page::kBytes - 1);
    const std::uint64_t count = std::min(end - begin, Page::kBytes - first);
    if (count != Page::kBytes) {
      page.cut(first, first + count);
    }
    visit(page, static_cast<std::size_t>(first >> page.shift),
          static_cast<std::size_t>((first + count) >> page.shift));
    begin += count;
  }
}

void ExternalMap::begin_run() {
  const std::uint64_t bytes = arena_end_ - arena_begin_;
  pages_.assign(static_cast<std::size_t>((bytes + Page::kBytes - 1) >> Page::kShift), Page{});
  for (const auto& [begin, end] : valid_) {
    const std::uint64_t from = std::max(begin, arena_begin_);
    const std::uint64_t to = std::min(end, arena_end_);
    if (from < to) {
      store(from, to, 0, kNothing);
    }
  }
}

void ExternalMap::end_run() {
  std::uint64_t begin = arena_begin_;  // of what is valid up to here
  std::uint64_t at = arena_begin_;
  for (const Page& page : pages_) {
    for (const Span& piece : page.pieces) {
      const std::uint64_t next = at + (std::uint64_t{1} << page.shift);
      if (piece.store == kNothing) {
        set_valid(begin, std::min(at, arena_end_));
        begin = next;
      }
      at = next;
    }
  }
  set_valid(begin, std::min(at, arena_end_));
  pages_.clear();
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
  for_pages(begin, end, [&](Page& page, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Span& piece = page.pieces[i];
      if (piece.store > acknowledged) {
        problem = piece.store == kNothing ? Problem::HoldsNothing : Problem::Writing;
      }
      piece.load = load;
    }
  });
  return problem;
}

ExternalMap::Problem ExternalMap::store(std::uint64_t begin, std::uint64_t end, std::uint32_t store,
                                        std::uint32_t loaded) {
  Problem problem = Problem::None;
  for_pages(begin, end, [&](Page& page, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (page.pieces[i].load > loaded) {
        problem = Problem::Reading;
      }
      page.pieces[i] = {store, 0};
    }
    if (last - first == page.pieces.size()) {
      page.become({store, 0});
    }
  });
  return problem;
}

}  // namespace tessera::checker
