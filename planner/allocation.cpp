// Bounds and the validator.
#include "tessera/allocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tessera {

std::uint64_t live_bound(const AllocationProblem& problem) {
  const std::uint64_t unit = problem.alignment;
  std::uint64_t bound = 0;
  for (const Buffer& moment : problem.buffers) {
    // Whatever is alive together is so when the last of them begins.
    const auto alive = [&](const Buffer& buffer) {
      return buffer.lower <= moment.lower && moment.lower < buffer.upper;
    };
    std::uint64_t bytes = 0;
    std::uint64_t slack = 0;  // the topmost needs no padding
    for (const Buffer& buffer : problem.buffers) {
      if (alive(buffer)) {
        const std::uint64_t padded = (buffer.size + unit - 1) / unit * unit;
        bytes += padded;
        slack = std::max(slack, padded - buffer.size);
        bound = std::max(bound, buffer.size);
      }
    }
    for (const Overlap& overlap : problem.overlaps) {
      const Buffer& below = problem.buffers[overlap.below];
      const Buffer& above = problem.buffers[overlap.above];
      if (alive(below) && alive(above) && overlap.distance < below.size) {
        const std::uint64_t padded = (below.size + unit - 1) / unit * unit;
        slack += std::min(padded - overlap.distance, above.size + unit - 1);
      }
    }
    bound = std::max(bound, bytes > slack ? bytes - slack : 0);
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
