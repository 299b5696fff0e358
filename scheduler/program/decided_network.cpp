#include "scheduler/program/decided_network.hpp"

#include "scheduler/interlayer/fused_groups.hpp"
#include "scheduler/tiling/decide_pass.hpp"

namespace tessera {
namespace {

using Passes = std::vector<std::vector<ScheduledPass>>;

Passes decide_alone(const Prepared& prepared, const Tuning& tuning) {
  Passes all;
  for (const FusedOperator& unit : prepared.plan.units) {
    std::vector<ScheduledPass> passes;
    for (const ArrayPass& piece : unit.lowering.passes) {
      Variant variant = tuning.variants.empty() ? Variant{} : tuning.variants[unit.op];
      variant.packs_columns = variant.packs_columns && !unit.place;
      passes.push_back(decide_pass(piece, prepared.hardware, prepared.policy, variant));
    }
    all.push_back(std::move(passes));
  }
  return all;
}

LayerDecision in_group(const Explanation& alone, const FusedLayout& layout) {
  const bool is_alone = layout.rows.size() == 1;
  return {DepthFirst{layout.band, is_alone},
          {alone.sizes, alone.trace,
           is_alone ? "rows pass by, all weights stay"
                    : "rows go from layer to layer, all weights stay"}};
}

// For what the tensors that stay leave of the cbuf.
void schedule_beside(const UnitResidency& unit, const Residency& residency,
                     const Prepared& prepared, ScheduledPass& pass) {
  LayerDecision decision = unit.group
                               ? in_group(pass.explanation, residency.layouts[*unit.group])
                               : decide_within(pass, prepared.hardware, prepared.policy,
                                               {unit.window.size()}, unit.feature.has_value())
                                     .value();
  pass.strategy = std::move(decision.strategy);
  pass.explanation = std::move(decision.explanation);
  pass.residency.is_stored = unit.stored;
  if (unit.feature) {
    pass.residency.ifmap = KeptRows{*unit.feature, {0, pass.shape.conv.in_h}, {}};
  }
  if (unit.output) {
    pass.residency.ofmap = KeptRows{*unit.output, {0, pass.shape.conv.out_h}, {}};
  }
}

// Activations stay in the cbuf where they can, along the first of the orders.
DecidedNetwork keep_in_buffer(DecidedNetwork decided, const Prepared& prepared,
                              const Tuning& tuning) {
  decided.orders.orders.resize(1);
  const PlannedUnits units{
      prepared.plan,     decided.passes,  prepared.activations, decided.orders.orders[0],
      prepared.hardware, prepared.policy, tuning.small_bands};
  decided.residency = plan_residency(
      units, tuning.fuse ? choose_fused_groups(units) : std::vector<FusedGroup>{}, tuning.keep);
  for (std::size_t u = 0; u < decided.passes.size(); ++u) {
    for (ScheduledPass& pass : decided.passes[u]) {
      schedule_beside(decided.residency.units[u], decided.residency, prepared, pass);
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
  for (std::size_t u = 0; u < decided.passes.size(); ++u) {
    for (ScheduledPass& pass : decided.passes[u]) {
      pass.sizes.ifmap_loads = tuning.feature_bands;
      if (!tuning.tile_shifts.empty()) {
        pass.sizes.shift = tuning.tile_shifts[prepared.plan.units[u].op];
      }
    }
  }
}

}  // namespace tessera
