#include "scheduler/decide/piece_decision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/decide/least_traffic.hpp"
#include "scheduler/decide/side_by_side.hpp"
#include "scheduler/lower/tiling.hpp"
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

// A pointwise layer with a stride: its pixels only.
void read_needed_pixels(PlannedPiece& piece) {
  ConvShape& shape = piece.shape;
  const bool is_strided = shape.stride_h > 1 || shape.stride_w > 1;
  const bool is_aligned =
      shape.pad_top % shape.stride_h == 0 && shape.pad_left % shape.stride_w == 0;
  if (piece.data.fold || shape.kernel_h != 1 || shape.kernel_w != 1 || !is_strided || !is_aligned) {
    return;
  }
  const auto strided = [](std::int32_t size, std::int32_t stride) {
    return static_cast<std::int32_t>(ceil_div(u32(size), u32(stride)));
  };
  piece.feature_step_h = shape.stride_h;
  piece.feature_step_w = shape.stride_w;
  shape.in_h = strided(shape.in_h, shape.stride_h);
  shape.in_w = strided(shape.in_w, shape.stride_w);
  shape.pad_top /= shape.stride_h;
  shape.pad_left /= shape.stride_w;
  shape.stride_h = shape.stride_w = 1;
}

bool is_gapless(const View& view, const ConvShape& shape) {
  return view.channel_stride == 1 && view.pixel_stride == u32(shape.out_c);
}

std::string side_by_side_text(std::int32_t columns) {
  return fmt::format("{} output columns side by side; ", columns);
}

void put_side_by_side(const Piece& piece, const Hardware& hardware, const Policy& policy,
                      PlannedPiece& planned) {
  if (planned.data.fold || !is_gapless(piece.output_view, piece.shape) ||
      (piece.operand_view && !is_gapless(*piece.operand_view, piece.shape))) {
    return;
  }
  const auto wide = side_by_side(piece.shape, hardware);
  if (!wide) {
    return;
  }
  try {
    LayerDecision decision = decide_layer(wide->shape, hardware, policy);
    decision.sizes = planned.decision.sizes;
    decision.trace = std::move(planned.decision.trace);
    decision.reason = side_by_side_text(wide->columns) + decision.reason;
    planned.decision = std::move(decision);
    planned.shape = wide->shape;
    planned.columns = wide->columns;
  } catch (const InputError&) {
    // As it was it needs less of the buffer.
  }
}

// Features in channel parts, all sums at once.
std::optional<LayerDecision> decide_parts(const ConvShape& shape, const Hardware& hardware,
                                          std::uint32_t parts) {
  const std::uint32_t atoms = atoms_of(shape, hardware);
  const std::uint64_t pixels = std::uint64_t{u32(shape.out_h)} * u32(shape.out_w);
  parts = std::min(parts, atoms);
  if (shape.depthwise || parts < 2 || pixels > hardware.acc_words) {
    return std::nullopt;
  }
  const std::uint64_t chunk = kernel_atoms(shape, hardware, u32(ceil_div(atoms, parts))) *
                              std::min(hardware.atomic_k, u32(shape.out_c));
  const std::uint64_t feature = std::uint64_t{u32(input_rows(shape, {0, shape.out_h}).size())} *
                                u32(input_cols(shape, {0, shape.out_w}).size()) * atoms;
  if (feature + chunk > hardware.cbuf_atoms()) {
    return std::nullopt;
  }
  LayerDecision decision;
  decision.channel_parts = parts;
  decision.feature_resident = true;
  decision.whole_accumulators = pixels > hardware.acc_half();
  decision.modes.assign(parts, Mode::Wait);
  decision.reason = "work begins with the first channels";
  return decision;
}

// Bytes of a pixel that are written or read one by one: tiles are single rows then, and features
// that stay in parts have one tile for all rows.
bool needs_single_rows(const Piece& piece, const ConvShape& shape) {
  const bool per_pixel = piece.operand_view && (piece.operand_view->row_stride != 0 ||
                                                piece.operand_view->pixel_stride != 0);
  return shape.out_h > 1 && (piece.output_view.channel_stride != 1 ||
                             (per_pixel && piece.operand_view->channel_stride != 1));
}

void begin_early(const Piece& piece, const Hardware& hardware, std::uint32_t parts,
                 PlannedPiece& planned) {
  if (planned.data.fold || needs_single_rows(piece, planned.shape)) {
    return;
  }
  PlannedPiece other = planned;
  read_needed_pixels(other);
  if (auto decision = decide_parts(other.shape, hardware, parts)) {
    decision->sizes = planned.decision.sizes;
    decision->trace = std::move(planned.decision.trace);
    if (planned.columns > 1) {
      decision->reason = side_by_side_text(planned.columns) + decision->reason;
    }
    other.decision = std::move(*decision);
    other.variant.parts = parts;
    planned = std::move(other);
  }
}

void decide_for_traffic(const Piece& piece, const Hardware& hardware, PlannedPiece& planned) {
  PlannedPiece other = planned;
  if (other.data.fold && piece.folded_columns) {
    other.shape = piece.folded_columns->shape;
    other.data.fold = piece.folded_columns->fold;
  }
  read_needed_pixels(other);
  auto decision = decide_least_traffic(other.shape, hardware, other.data.fold);
  const bool one_tile = decision && decision->feature_resident && decision->channel_parts > 1;
  if (decision && !(one_tile && needs_single_rows(piece, other.shape))) {
    decision->sizes = planned.decision.sizes;
    decision->trace = std::move(planned.decision.trace);
    other.decision = std::move(*decision);
    other.variant.least_traffic = true;
    planned = std::move(other);
  }
}

}  // namespace

PlannedPiece decide_piece(const Piece& piece, const Hardware& hardware, const Policy& policy,
                          const Variant& variant) {
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
  if (variant.side_by_side) {
    put_side_by_side(piece, hardware, policy, planned);
  }
  if (variant.parts > 1) {
    begin_early(piece, hardware, variant.parts, planned);
  } else if (variant.least_traffic) {
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
  if (piece.variant.parts > 1 || piece.variant.least_traffic) {
    auto decision = piece.variant.parts > 1
                        ? decide_parts(piece.shape, left, piece.variant.parts)
                        : decide_least_traffic(piece.shape, left, piece.data.fold);
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
