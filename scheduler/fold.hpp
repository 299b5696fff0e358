// Convolutions of few channels, with taps in the place of channels.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/hardware.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// What the load unit makes of the feature. Columns of the folded shape are output columns; its
/// channels are `rows` kernel rows of all horizontal taps. With several rows, each output row has
/// its own slab rows, one for every `rows` rows of the kernel; or, shared, slab rows are that many
/// rows of the feature, as many as the stride, and an output row begins at each of them.
struct Fold {
  ConvShape plain;  ///< the convolution that is meant
  std::int32_t rows = 1;
  bool shared = false;

  [[nodiscard]] std::int32_t unit_bytes() const { return plain.kernel_w * plain.in_c; }
};

struct FoldedConv {
  ConvShape shape;
  Fold fold;
};

/// The convolution with folded taps, when that keeps the array busy for fewer cycles.
std::optional<FoldedConv> fold_taps(const ConvShape& plain, const Hardware& hardware);

/// Weights of the folded convolution: OHWI in, OHWI out, with zeros for missing rows.
std::vector<std::uint8_t> fold_weights(const std::vector<std::uint8_t>& weights, const Fold& fold);

}  // namespace tessera
