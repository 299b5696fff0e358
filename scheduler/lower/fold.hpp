// Convolutions of few channels, with taps in the place of channels.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/hardware.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// What the load unit makes of the feature. Columns of the folded shape are output columns; its
/// channels are `rows` kernel rows of all horizontal taps: one, and slab rows are the feature's;
/// all of the kernel, and each output row has a slab row of its own; or as many as the stride, and
/// slab rows are so many rows of the feature, an output row beginning at each of them.
struct Fold {
  ConvShape plain;  ///< the convolution that is meant
  std::int32_t rows = 1;

  [[nodiscard]] std::int32_t unit_bytes() const { return plain.kernel_w * plain.in_c; }
};

struct FoldedConv {
  ConvShape shape;
  Fold fold;
};

/// The convolution with folded taps, when that keeps the array busy for fewer cycles.
std::optional<FoldedConv> fold_taps(const ConvShape& plain, const Hardware& hardware);

/// With the horizontal taps only: each row of the feature is read once.
std::optional<FoldedConv> fold_columns(const ConvShape& plain, const Hardware& hardware);

/// Weights of the folded convolution: OHWI in, OHWI out, with zeros for missing rows.
/// `zero`: the byte that stands for nothing.
std::vector<std::uint8_t> fold_weights(const std::vector<std::uint8_t>& weights, const Fold& fold,
                                       std::int32_t zero);

}  // namespace tessera
