// Rows that come and go in the cbuf.
#pragma once

#include <algorithm>
#include <cstdint>

#include "scheduler/lower/tiling.hpp"
#include "scheduler/operations/pass_operations.hpp"

namespace tessera {

/// Which rows are where: rows are added below the ones that are there and take the place of the
/// oldest ones when the buffer is full. What is added first ends where the buffer does, so that
/// later rows, which are as many each time, are cut in two as rarely as can be.
class LineBuffer {
 public:
  explicit LineBuffer(std::uint32_t capacity) : capacity_(static_cast<std::int32_t>(capacity)) {}

  /// Rows that must be made so that all of these are there. Later ones never begin in front of
  /// earlier ones, and are no more than there is room for.
  Range add(Range rows) {
    if (present_.end == 0) {
      first_end_ = rows.end;
    }
    if (rows.begin > present_.end) {
      present_ = {rows.begin, rows.begin};
    }
    const Range fresh{present_.end, std::max(present_.end, rows.end)};
    present_.end = fresh.end;
    present_.begin = std::max(present_.begin, present_.end - capacity_);
    return fresh;
  }
  [[nodiscard]] Range present() const { return present_; }
  [[nodiscard]] std::uint32_t capacity() const { return u32(capacity_); }

  /// The rows in a buffer that begins at atom `base`.
  [[nodiscard]] KeptRows place(Range rows, std::uint32_t base, std::uint32_t row_atoms) const {
    const std::int32_t first = modulo(rows.begin - first_end_);
    return {base + u32(first) * row_atoms,
            rows,
            {rows.begin - first + capacity_, u32(capacity_) * row_atoms}};
  }
  /// Whether some of these rows have the same places.
  [[nodiscard]] bool collide(Range a, Range b) const {
    return modulo(b.begin - a.begin) < a.size() || modulo(a.begin - b.begin) < b.size();
  }

 private:
  [[nodiscard]] std::int32_t modulo(std::int32_t rows) const {
    return (rows % capacity_ + capacity_) % capacity_;
  }

  std::int32_t capacity_;
  std::int32_t first_end_ = 0;
  Range present_;
};

}  // namespace tessera
