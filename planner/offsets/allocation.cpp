// Bounds and the validator.
#include "tessera/allocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tessera {

namespace {

/// What is alive together at one moment.
class Moment {
 public:
  Moment(const AllocationProblem& problem, std::int64_t time) : problem_(problem) {
    for (const Buffer& buffer : problem.buffers) {
      alive_.push_back(buffer.lower <= time && time < buffer.upper);
    }
  }

  // Any part of what is alive is a bound; without what overlaps most it may be the higher one.
  [[nodiscard]] std::uint64_t bound() const {
    std::uint64_t best = bytes_without(alive_.size());
    for (const Overlap& overlap : problem_.overlaps) {
      if (alive_[overlap.below] && alive_[overlap.above]) {
        best = std::max({best, bytes_without(overlap.below), bytes_without(overlap.above)});
      }
    }
    return best;
  }

 private:
  [[nodiscard]] std::uint64_t padded(std::size_t b) const {
    const std::uint64_t unit = problem_.alignment;
    return (problem_.buffers[b].size + unit - 1) / unit * unit;
  }

  [[nodiscard]] std::uint64_t bytes_without(std::size_t left_out) const {
    std::uint64_t bytes = 0;
    std::uint64_t slack = 0;  // the topmost needs no padding
    for (std::size_t b = 0; b < alive_.size(); ++b) {
      if (alive_[b] && b != left_out) {
        bytes += padded(b);
        slack = std::max(slack, padded(b) - problem_.buffers[b].size);
      }
    }
    for (const Overlap& overlap : problem_.overlaps) {
      const auto& [below, above, distance] = overlap;
      if (alive_[below] && alive_[above] && below != left_out && above != left_out &&
          distance < padded(below)) {
        slack += std::min(padded(below) - distance, padded(above));
      }
    }
    return bytes > slack ? bytes - slack : 0;
  }

  const AllocationProblem& problem_;
  std::vector<bool> alive_;
};

}  // namespace

std::uint64_t live_bound(const AllocationProblem& problem) {
  std::uint64_t bound = 0;
  // Whatever is alive together is so when the last of them begins.
  for (const Buffer& buffer : problem.buffers) {
    bound = std::max({bound, buffer.size, Moment(problem, buffer.lower).bound()});
  }
  return bound;
}

// Written without the planners' tables: it is what they are checked by.
std::string violation(const AllocationProblem& problem, const std::vector<std::uint64_t>& offsets) {
  const auto& buffers = problem.buffers;
  if (offsets.size() != buffers.size()) {
    return fmt::format("{} offsets for {} buffers", offsets.size(), buffers.size());
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (offsets[i] % problem.alignment != 0) {
      return fmt::format("buffer {} at {} is not aligned to {} bytes", buffers[i].id, offsets[i],
                         problem.alignment);
    }
    if (offsets[i] > std::numeric_limits<std::uint64_t>::max() - buffers[i].size) {
      return fmt::format("buffer {} at {} ends past the last address", buffers[i].id, offsets[i]);
    }
  }
  for (std::size_t a = 0; a < buffers.size(); ++a) {
    for (std::size_t b = a + 1; b < buffers.size(); ++b) {
      const bool together =
          buffers[a].lower < buffers[b].upper && buffers[b].lower < buffers[a].upper;
      const bool meet = offsets[a] < offsets[b] + buffers[b].size &&
                        offsets[b] < offsets[a] + buffers[a].size && buffers[a].size > 0 &&
                        buffers[b].size > 0;
      if (!together || !meet) {
        continue;
      }
      const bool allowed = std::any_of(
          problem.overlaps.begin(), problem.overlaps.end(), [&](const Overlap& overlap) {
            const bool pair = (overlap.below == a && overlap.above == b) ||
                              (overlap.below == b && overlap.above == a);
            return pair && offsets[overlap.above] >= offsets[overlap.below] + overlap.distance;
          });
      if (!allowed) {
        return fmt::format("buffers {} [{}, {}) and {} [{}, {}) are alive together and share bytes",
                           buffers[a].id, offsets[a], offsets[a] + buffers[a].size, buffers[b].id,
                           offsets[b], offsets[b] + buffers[b].size);
      }
    }
  }
  return "";
}

}  // namespace tessera
