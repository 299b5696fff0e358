// Tensors that lie inside others with gaps between their blocks, so that splits and concatenations
// along inner axes copy nothing.
#pragma once

#include <cstdint>

#include "scheduler/lower/lowering.hpp"

namespace tessera {

struct Partition;

/// A tensor whose blocks of `block` bytes lie `pitch` bytes apart inside another tensor: some
/// channels of every pixel, or some columns of every row.
struct StridedView {
  std::int32_t tensor = -1;  ///< the other one
  std::uint64_t offset = 0;  ///< of the first block
  std::uint64_t block = 0;
  std::uint64_t pitch = 0;

  /// Whether a pass over `view` of the tensor can be expressed in the other one.
  [[nodiscard]] bool holds(const View& view, std::int32_t rows, std::int32_t cols,
                           std::int32_t channels) const;
  /// Whether what lies inside the tensor can be said to lie in the other one.
  [[nodiscard]] bool holds(const StridedView& inner) const;
  /// As `view` of the tensor, in the other one.
  [[nodiscard]] View within(const View& view) const;
};

/// Lets slices be views of their inputs and inputs of concatenations parts of the output, wherever
/// all readers and writers can follow. Copies that are no longer needed vanish.
void embed_tensors(const Network& network, Partition& plan);

}  // namespace tessera
