#include "scheduler/operations/operations.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kMaxSegment = (1U << 24) - 1;  // LD_SHAPE and ST_SHAPE

}  // namespace

void Transfer::merge() {
  if (inner > 1 && inner_stride == segment_bytes && segment_bytes * inner <= kMaxSegment) {
    segment_bytes *= inner;
    inner = 1;
    inner_stride = 0;
  }
  if (inner == 1 && outer > 1 && outer_stride == segment_bytes &&
      segment_bytes * outer <= kMaxSegment) {
    segment_bytes *= outer;
    outer = 1;
    outer_stride = 0;
  }
  if (inner == 1) {
    inner_stride = 0;
  }
  if (outer == 1) {
    outer_stride = 0;
  }
}

}  // namespace tessera
