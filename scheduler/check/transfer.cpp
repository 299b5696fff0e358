#include "scheduler/check/transfer.hpp"

#include <numeric>

namespace tessera::checker {

std::uint64_t grain_of(const std::vector<Op>& ops, const ExternalMap& external) {
  std::uint64_t grain = 0;
  const auto add = [&](std::uint64_t address, const auto& shape, const auto& stride) {
    grain = std::gcd(grain, external.from_arena(address));
    grain = std::gcd(grain, std::uint64_t{shape.segment_bytes});
    grain = shape.inner > 1 ? std::gcd(grain, std::uint64_t{stride.inner_stride}) : grain;
    grain = shape.outer > 1 ? std::gcd(grain, std::uint64_t{stride.outer_stride}) : grain;
  };
  for (const Op& op : ops) {
    if (op.is_mark || op.unit == isa::Unit::Compute) {
      continue;
    }
    if (op.unit == isa::Unit::Store) {
      add(op.address.address, op.store_shape, op.store_stride);
    } else if (external.in_arena(op.source.address, op.source.address)) {
      add(op.source.address, op.load_shape, op.load_stride);
    }
  }
  return external.common_grain(grain);
}

}  // namespace tessera::checker
