#include "scheduler/piece_decision.hpp"

#include "scheduler/least_traffic.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

// Taps that were made channels cannot be split as channels.
std::optional<LayerDecision> decide_folded(const ConvShape& shape, const Hardware& hardware,
                                           Policy policy) {
  policy.split = SplitChoice::Spatial;
  try {
    LayerDecision decision = decide_layer(shape, hardware, policy);
    if (decision.channel_parts == 1) {
      return decision;
    }
  } catch (const InputError&) {
    // Unfolded it may need less of the buffer.
  }
  return std::nullopt;
}

// A pointwise layer with a stride: its pixels only, when all of them are in the picture.
void read_needed_pixels(PlannedPiece& piece) {
  ConvShape& shape = piece.shape;
  const bool is_strided = shape.stride_h > 1 || shape.stride_w > 1;
  const bool is_inside = shape.pad_top == 0 && shape.pad_left == 0 &&
                         (shape.out_h - 1) * shape.stride_h < shape.in_h &&
                         (shape.out_w - 1) * shape.stride_w < shape.in_w;
  if (piece.data.fold || shape.kernel_h != 1 || shape.kernel_w != 1 || !is_strided || !is_inside) {
    return;
  }
  piece.feature_step_h = shape.stride_h;
  piece.feature_step_w = shape.stride_w;
  shape.in_h = shape.out_h;
  shape.in_w = shape.out_w;
  shape.stride_h = shape.stride_w = 1;
}

void decide_for_traffic(const Piece& piece, const Hardware& hardware, PlannedPiece& planned) {
  PlannedPiece other = planned;
  if (other.data.fold && piece.folded_columns) {
    other.shape = piece.folded_columns->shape;
    other.data.fold = piece.folded_columns->fold;
  }
  read_needed_pixels(other);
  if (auto decision = decide_least_traffic(other.shape, hardware, other.data.fold)) {
    decision->sizes = planned.decision.sizes;
    decision->trace = std::move(planned.decision.trace);
    other.decision = std::move(*decision);
    other.least_traffic = true;
    planned = std::move(other);
  }
}

}  // namespace

PlannedPiece decide_piece(const Piece& piece, const Hardware& hardware, const Policy& policy,
                          bool least_traffic) {
  PlannedPiece planned;
  auto folded = piece.folded ? decide_folded(piece.folded->shape, hardware, policy) : std::nullopt;
  if (folded) {
    planned.shape = piece.folded->shape;
    planned.decision = std::move(*folded);
    planned.data.fold = piece.folded->fold;
  } else {
    planned.shape = piece.shape;
    planned.decision = decide_layer(piece.shape, hardware, policy);
  }
  if (least_traffic) {
    decide_for_traffic(piece, hardware, planned);
  }
  return planned;
}

std::optional<LayerDecision> decide_within(const PlannedPiece& piece, const Hardware& hardware,
                                           const Policy& policy, std::uint32_t atoms,
                                           bool feature_kept) {
  if (!feature_kept && atoms == hardware.cbuf_atoms()) {
    return piece.decision;
  }
  Hardware left = hardware;
  left.cbuf_size = std::uint64_t{atoms} * hardware.atomic_c;
  if (feature_kept) {
    return decide_kept(piece.shape, left);
  }
  if (piece.least_traffic) {
    auto decision = decide_least_traffic(piece.shape, left, piece.data.fold);
    if (decision) {
      decision->sizes = piece.decision.sizes;
    }
    return decision;
  }
  if (piece.data.fold) {
    return decide_folded(piece.shape, left, policy);
  }
  try {
    return decide_layer(piece.shape, left, policy);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace tessera
