#include "scheduler/walk/layer_planner.hpp"

#include "scheduler/walk/walks.hpp"

namespace tessera {
namespace {

// In tiles, each in the mode that was decided for it.
void walk_tiles(LayerWalk& walk) {
  const Mode* modes = walk.decision.modes.data();
  DirectWalk direct(walk);
  for (const Range& rows : split_evenly({0, walk.shape.out_h}, walk.decision.tiles_h)) {
    for (const Range& cols : split_evenly({0, walk.shape.out_w}, walk.decision.tiles_w)) {
      if (walk.shape.depthwise && walk.data.feature_kept) {
        walk_kept_depthwise(walk, rows, cols, modes[0]);
      } else if (walk.shape.depthwise) {
        walk_depthwise(walk, rows, cols, modes);
      } else if (walk.parts.size() > 1 && walk.decision.feature_resident) {
        walk_resident_parts(walk, rows, cols);
      } else if (walk.parts.size() > 1) {
        walk_channel_parts(walk, rows, cols, modes);
      } else if (walk.data.feature_kept) {
        walk_kept(walk, rows, cols, modes[0]);
      } else if (modes[0] == Mode::Direct) {
        direct.tile(rows, cols);
      } else {
        walk_streamed(walk, rows, cols, modes[0] == Mode::PingPong ? 2 : 1);
      }
      modes += walk.parts.size();
    }
  }
}

}  // namespace

void plan_layer(const ConvShape& shape, const Hardware& hardware, const LayerDecision& decision,
                const LayerData& data, StreamState& state, std::vector<Action>& actions) {
  LayerWalk walk(shape, hardware, decision, data, state, actions);
  walk.add.load_table();
  if (decision.band_rows > 0) {
    walk_kernel_parts(walk);
  } else if (decision.rolling) {
    walk_rolling(walk);
  } else {
    walk_tiles(walk);
  }
  state.rows_last = false;
}

void plan_band(const ConvShape& shape, const Hardware& hardware, const LayerDecision& decision,
               const LayerData& data, const Band& band, StreamState& state,
               std::vector<Action>& actions) {
  LayerWalk walk(shape, hardware, decision, data, state, actions);
  walk.add.load_table();
  shape.depthwise ? walk_band_depthwise(walk, band) : walk_band(walk, band);
}

void plan_feature_rows(const ConvShape& shape, const Hardware& hardware, const LayerData& data,
                       const KeptRows& rows, StreamState& state, std::vector<Action>& actions) {
  const Range atoms{0, static_cast<std::int32_t>(atoms_of(shape, hardware))};
  const std::uint32_t pitch = u32(shape.in_w) * u32(atoms.size());
  for (const Range& piece : rows.ring.pieces(rows.rows)) {
    LayerActions(shape, hardware, data, state, actions)
        .load_slab({piece, {0, shape.in_w}, atoms, rows.atom_of(piece.begin, pitch), {}}, 1);
  }
}

Traffic traffic_of(const std::vector<Action>& actions, std::size_t first) {
  Traffic traffic;
  for (std::size_t i = first; i < actions.size(); ++i) {
    if (const auto* load = std::get_if<LoadAction>(&actions[i].body); load != nullptr) {
      traffic.read_bytes += load->source.bytes();
    } else if (const auto* store = std::get_if<StoreAction>(&actions[i].body); store != nullptr) {
      traffic.write_bytes += store->keep_only ? 0 : store->dest.bytes();
    }
  }
  return traffic;
}

Traffic traffic_of(const ConvShape& shape, const Hardware& hardware,
                   const LayerDecision& decision) {
  StreamState state(hardware);
  std::vector<Action> actions;
  plan_layer(shape, hardware, decision, unplaced(shape), state, actions);
  return traffic_of(actions, 0);
}

}  // namespace tessera
