#include "scheduler/tiling/decide_pass.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/lower/tiling.hpp"
#include "scheduler/tiling/column_packing.hpp"
#include "scheduler/tiling/least_traffic.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

// Taps that were made channels cannot be split as channels. Unfolded it may need less of the cbuf.
std::optional<LayerDecision> decide_folded(const ConvShape& shape, const Hardware& hardware,
                                           CbufBudget budget, Policy policy) {
  policy.split = SplitChoice::Spatial;
  Decided decided = decide_layer_within(shape, hardware, budget, policy);
  if (decided.decision && channel_parts(decided.decision->strategy) > 1) {
    return std::nullopt;
  }
  return std::move(decided.decision);
}

void set_decision(LayerDecision decision, ScheduledPass& pass) {
  pass.strategy = std::move(decision.strategy);
  pass.explanation = std::move(decision.explanation);
}

// Another strategy, of the same sizes by the published rules.
void change_decision(LayerDecision decision, ScheduledPass& pass) {
  decision.explanation.sizes = pass.explanation.sizes;
  decision.explanation.trace = std::move(pass.explanation.trace);
  set_decision(std::move(decision), pass);
}

// A pointwise layer with a stride: its pixels only.
void read_needed_pixels(PassShape& pass) {
  ConvShape& shape = pass.conv;
  const bool is_strided = shape.stride_h > 1 || shape.stride_w > 1;
  const bool is_aligned =
      shape.pad_top % shape.stride_h == 0 && shape.pad_left % shape.stride_w == 0;
  if (pass.fold || shape.kernel_h != 1 || shape.kernel_w != 1 || !is_strided || !is_aligned) {
    return;
  }
  const auto strided = [](std::int32_t size, std::int32_t stride) {
    return static_cast<std::int32_t>(ceil_div(u32(size), u32(stride)));
  };
  pass.step_h = shape.stride_h;
  pass.step_w = shape.stride_w;
  shape.in_h = strided(shape.in_h, shape.stride_h);
  shape.in_w = strided(shape.in_w, shape.stride_w);
  shape.pad_top /= shape.stride_h;
  shape.pad_left /= shape.stride_w;
  shape.stride_h = shape.stride_w = 1;
}

bool is_gapless(const View& view, const ConvShape& shape) {
  return view.channel_stride == 1 && view.pixel_stride == u32(shape.out_c);
}

std::string packing_text(std::int32_t columns) {
  return fmt::format("{} output columns side by side; ", columns);
}

void pack_columns_of(const ArrayPass& piece, const Hardware& hardware, const Policy& policy,
                     ScheduledPass& pass) {
  if (pass.shape.fold || piece.weights || !is_gapless(piece.output_view, piece.shape) ||
      (piece.operand_view && !is_gapless(*piece.operand_view, piece.shape))) {
    return;
  }
  const auto wide = pack_columns(piece.shape, hardware);
  if (!wide) {
    return;
  }
  Decided decided = decide_layer_within(wide->shape, hardware, whole_cbuf(hardware), policy);
  if (!decided.decision) {
    return;  // as it was it needs less of the buffer
  }
  std::string& reason = decided.decision->explanation.reason;
  reason = packing_text(wide->columns) + reason;
  change_decision(std::move(*decided.decision), pass);
  pass.shape.conv = wide->shape;
  pass.shape.columns = wide->columns;
}

// Features in channel parts, all sums at once.
std::optional<LayerDecision> decide_parts(const ConvShape& shape, const Hardware& hardware,
                                          CbufBudget budget, std::uint32_t parts) {
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
  if (feature + chunk > budget.atoms) {
    return std::nullopt;
  }
  return LayerDecision{ResidentIfmap{{}, parts, pixels > hardware.acc_half(), false},
                       {{}, {}, "work begins with the first channels"}};
}

// Bytes of a pixel that are written or read one by one: tiles are single rows then, and features
// that stay in parts have one tile for all rows.
bool needs_single_rows(const ArrayPass& piece, const ConvShape& shape) {
  const bool per_pixel = piece.operand_view && (piece.operand_view->row_stride != 0 ||
                                                piece.operand_view->pixel_stride != 0);
  return shape.out_h > 1 && (piece.output_view.channel_stride != 1 ||
                             (per_pixel && piece.operand_view->channel_stride != 1));
}

void begin_early(const ArrayPass& piece, const Hardware& hardware, std::uint32_t parts,
                 ScheduledPass& pass) {
  if (pass.shape.fold || needs_single_rows(piece, pass.shape.conv)) {
    return;
  }
  PassShape other = pass.shape;
  read_needed_pixels(other);
  if (auto decision = decide_parts(other.conv, hardware, whole_cbuf(hardware), parts)) {
    if (other.columns > 1) {
      decision->explanation.reason = packing_text(other.columns) + decision->explanation.reason;
    }
    other.variant.parts = parts;
    pass.shape = std::move(other);
    change_decision(std::move(*decision), pass);
  }
}

void decide_for_traffic(const ArrayPass& piece, const Hardware& hardware, ScheduledPass& pass) {
  PassShape other = pass.shape;
  if (other.fold && piece.folded_columns) {
    other.conv = piece.folded_columns->shape;
    other.fold = piece.folded_columns->fold;
  }
  read_needed_pixels(other);
  auto decision = decide_least_traffic(other.conv, hardware, whole_cbuf(hardware), other.fold);
  const bool one_tile = decision && std::holds_alternative<ResidentIfmap>(decision->strategy);
  if (decision && !(one_tile && needs_single_rows(piece, other.conv))) {
    other.variant.least_traffic = true;
    pass.shape = std::move(other);
    change_decision(std::move(*decision), pass);
  }
}

}  // namespace

ScheduledPass decide_pass(const ArrayPass& piece, const Hardware& hardware, const Policy& policy,
                          const Variant& variant) {
  const CbufBudget all = whole_cbuf(hardware);
  ScheduledPass pass;
  auto folded =
      piece.folded ? decide_folded(piece.folded->shape, hardware, all, policy) : std::nullopt;
  if (folded) {
    pass.shape.conv = piece.folded->shape;
    pass.shape.fold = piece.folded->fold;
    set_decision(std::move(*folded), pass);
  } else {
    pass.shape.conv = piece.shape;
    set_decision(decide_layer(piece.shape, hardware, policy), pass);
  }
  if (piece.shape.whole_pixels) {
    return pass;
  }
  if (variant.packs_columns) {
    pack_columns_of(piece, hardware, policy, pass);
  }
  if (variant.parts > 1) {
    begin_early(piece, hardware, variant.parts, pass);
  } else if (variant.least_traffic) {
    decide_for_traffic(piece, hardware, pass);
  }
  return pass;
}

std::optional<LayerDecision> decide_within(const ScheduledPass& pass, const Hardware& hardware,
                                           const Policy& policy, CbufBudget budget,
                                           bool is_ifmap_kept) {
  const PassShape& shape = pass.shape;
  if (!is_ifmap_kept && budget.atoms == hardware.cbuf_atoms()) {
    return LayerDecision{pass.strategy, pass.explanation};
  }
  if (is_ifmap_kept) {
    return decide_kept(shape.conv, hardware, budget).decision;
  }
  if (shape.variant.parts > 1 || shape.variant.least_traffic) {
    auto decision = shape.variant.parts > 1
                        ? decide_parts(shape.conv, hardware, budget, shape.variant.parts)
                        : decide_least_traffic(shape.conv, hardware, budget, shape.fold);
    if (decision) {
      decision->explanation.sizes = pass.explanation.sizes;
    }
    return decision;
  }
  if (shape.fold) {
    return decide_folded(shape.conv, hardware, budget, policy);
  }
  return decide_layer_within(shape.conv, hardware, budget, policy).decision;
}

}  // namespace tessera
