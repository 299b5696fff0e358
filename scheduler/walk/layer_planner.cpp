#include "scheduler/walk/layer_planner.hpp"

#include <stdexcept>

#include "scheduler/walk/walks.hpp"

namespace tessera {
namespace {

/// Tile by tile, from top to bottom in strips.
template <class Walk>
void for_tiles(const LayerWalk& walk, const Walk& tile) {
  for (const Range& rows : split_evenly({0, walk.shape.out_h}, walk.grid.rows)) {
    for (const Range& cols : split_evenly({0, walk.shape.out_w}, walk.grid.cols)) {
      tile(rows, cols);
    }
  }
}

/// Each strategy in its order of loops.
struct Walker {
  LayerWalk& walk;

  void operator()(const SpatialTiles& tiles) const {
    if (tiles.line_buffer) {
      walk_rolling(walk, tiles);
      return;
    }
    DirectWalk direct(walk, tiles);
    auto mode = tiles.modes.begin();
    for_tiles(walk, [&](Range rows, Range cols) {
      if (walk.shape.depthwise && walk.residency.ifmap) {
        walk_kept_depthwise(walk, rows, cols, *mode);
      } else if (walk.shape.depthwise) {
        walk_depthwise(walk, rows, cols, &*mode);
      } else if (walk.residency.ifmap) {
        walk_kept(walk, rows, cols, *mode);
      } else if (*mode == Mode::Direct) {
        direct.tile(rows, cols);
      } else {
        walk_streamed(walk, rows, cols, places_of(*mode));
      }
      ++mode;
    });
  }

  void operator()(const ChannelSplit& split) const {
    const Mode* modes = split.modes.data();
    for_tiles(walk, [&](Range rows, Range cols) {
      walk.shape.depthwise ? walk_depthwise(walk, rows, cols, modes)
                           : walk_channel_parts(walk, rows, cols, modes);
      modes += walk.parts.size();
    });
  }

  void operator()(const SumBlocks& blocks) const {
    for_tiles(walk, [&](Range rows, Range cols) { walk_sum_blocks(walk, rows, cols, blocks); });
  }

  void operator()(const ResidentIfmap& ifmap) const {
    if (ifmap.line_buffer) {
      walk_rolling(walk, ifmap);
      return;
    }
    for_tiles(walk, [&](Range rows, Range cols) { walk_resident_parts(walk, rows, cols, ifmap); });
  }

  void operator()(const KernelSplit& split) const { walk_kernel_parts(walk, split); }

  void operator()(const DepthFirst&) const {
    throw std::logic_error("rows of a group are planned with the group");
  }
};

}  // namespace

void plan_layer(const ScheduledPass& pass, const Hardware& hardware, StreamState& state,
                std::vector<Action>& actions) {
  LayerWalk walk(pass, pass.residency, hardware, state, actions);
  walk.add.load_table();
  std::visit(Walker{walk}, pass.strategy);
  state.rows_last = false;
}

void plan_band(const ScheduledPass& pass, const PassResidency& residency, const Band& band,
               const Hardware& hardware, StreamState& state, std::vector<Action>& actions) {
  LayerWalk walk(pass, residency, hardware, state, actions);
  walk.add.load_table();
  walk.shape.depthwise ? walk_band_depthwise(walk, band) : walk_band(walk, band);
}

void plan_feature_rows(const ScheduledPass& pass, const KeptRows& rows, const Hardware& hardware,
                       StreamState& state, std::vector<Action>& actions) {
  const ConvShape& shape = pass.shape.conv;
  const Range atoms{0, static_cast<std::int32_t>(atoms_of(shape, hardware))};
  const std::uint32_t pitch = u32(shape.in_w) * u32(atoms.size());
  for (const Range& piece : rows.ring.pieces(rows.rows)) {
    LayerActions(pass, pass.residency, hardware, state, actions)
        .load_slab({piece, {0, shape.in_w}, atoms, rows.atom_of(piece.begin, pitch), {}}, 1);
  }
}

Traffic traffic_of(const std::vector<Action>& actions) {
  Traffic traffic;
  for (const Action& action : actions) {
    if (const auto* load = std::get_if<LoadAction>(&action.body); load != nullptr) {
      traffic.read_bytes += load->source.bytes();
    } else if (const auto* store = std::get_if<StoreAction>(&action.body); store != nullptr) {
      traffic.write_bytes += store->keep_only ? 0 : store->dest.bytes();
    }
  }
  return traffic;
}

Traffic traffic_of(const ConvShape& shape, const Hardware& hardware, const Strategy& strategy,
                   std::uint32_t atoms) {
  StreamState state(hardware);
  // Where it lies is of no account.
  state.regions.set_window({0, atoms});
  std::vector<Action> actions;
  ScheduledPass pass;
  pass.shape.conv = shape;
  pass.strategy = strategy;
  pass.binding = unplaced(shape);
  plan_layer(pass, hardware, state, actions);
  return traffic_of(actions);
}

Traffic traffic_of(const ConvShape& shape, const Hardware& hardware, const Strategy& strategy) {
  return traffic_of(shape, hardware, strategy, hardware.cbuf_atoms());
}

}  // namespace tessera
