#include "scheduler/program/decided_network.hpp"

#include "scheduler/across/fused_groups.hpp"
#include "scheduler/decide/piece_decision.hpp"

namespace tessera {
namespace {

using Pieces = std::vector<std::vector<PlannedPiece>>;

Pieces decide_alone(const Prepared& prepared, const Tuning& tuning) {
  Pieces all;
  for (const WorkUnit& unit : prepared.plan.units) {
    std::vector<PlannedPiece> pieces;
    for (const Piece& piece : unit.lowering.pieces) {
      Variant variant = tuning.variants.empty() ? Variant{} : tuning.variants[unit.op];
      variant.side_by_side = variant.side_by_side && !unit.place;
      pieces.push_back(decide_piece(piece, prepared.hardware, prepared.policy, variant));
    }
    all.push_back(std::move(pieces));
  }
  return all;
}

LayerDecision in_group(const LayerDecision& alone, const FusedLayout& layout) {
  LayerDecision decision;
  decision.sizes = alone.sizes;
  decision.trace = alone.trace;
  decision.modes = {Mode::Direct};
  decision.band_rows = layout.band;
  decision.fused = layout.rows.size() > 1;
  decision.reason = decision.fused ? "rows go from layer to layer, all weights stay"
                                   : "rows pass by, all weights stay";
  return decision;
}

// For what the tensors that stay leave of the cbuf.
PlannedPiece decide_beside(PlannedPiece piece, const UnitResidency& unit,
                           const Residency& residency, const Prepared& prepared) {
  piece.decision = unit.group ? in_group(piece.decision, residency.layouts[*unit.group])
                              : decide_within(piece, prepared.hardware, prepared.policy,
                                              unit.window.size(), unit.feature.has_value())
                                    .value();
  piece.decision.output_kept = unit.output.has_value();
  piece.decision.output_stored = unit.stored;
  piece.decision.feature_kept = unit.feature.has_value();
  piece.data.stored = unit.stored;
  if (unit.feature) {
    piece.data.feature_kept = KeptRows{*unit.feature, {0, piece.shape.in_h}, {}};
  }
  if (unit.output) {
    piece.data.keep = KeptRows{*unit.output, {0, piece.shape.out_h}, {}};
  }
  return piece;
}

// Activations stay in the cbuf where they can, along the first of the orders.
DecidedNetwork keep_in_buffer(DecidedNetwork decided, const Prepared& prepared,
                              const Tuning& tuning) {
  decided.orders.orders.resize(1);
  const PlannedUnits units{
      prepared.plan,     decided.pieces,  prepared.activations, decided.orders.orders[0],
      prepared.hardware, prepared.policy, tuning.small_bands};
  decided.residency = plan_residency(
      units, tuning.fuse ? choose_fused_groups(units) : std::vector<FusedGroup>{}, tuning.keep);
  for (std::size_t u = 0; u < decided.pieces.size(); ++u) {
    for (PlannedPiece& piece : decided.pieces[u]) {
      piece =
          decide_beside(std::move(piece), decided.residency.units[u], decided.residency, prepared);
    }
  }
  return decided;
}

}  // namespace

DecidedNetwork decide_network(const Prepared& prepared, const Tuning& tuning) {
  DecidedNetwork decided{decide_alone(prepared, tuning),
                         no_residency(prepared.plan, prepared.activations, prepared.hardware),
                         prepared.orders};
  if (tuning.keep > 0) {
    decided = keep_in_buffer(std::move(decided), prepared, tuning);
  }
  return decided;
}

void set_sizes(const Prepared& prepared, const Tuning& tuning, DecidedNetwork& decided) {
  for (std::size_t u = 0; u < decided.pieces.size(); ++u) {
    for (PlannedPiece& piece : decided.pieces[u]) {
      piece.decision.feature_bands = tuning.feature_bands;
      if (!tuning.tile_shifts.empty()) {
        piece.decision.tile_shift = tuning.tile_shifts[prepared.plan.units[u].op];
      }
    }
  }
}

}  // namespace tessera
