#include "scheduler/tile_loops/pass_planner.hpp"

#include <stdexcept>

#include "scheduler/tile_loops/loop_orders.hpp"

namespace tessera {
namespace {

/// Tile by tile, from top to bottom in strips.
template <class Walk>
void for_tiles(const TileLoops& loops, const Walk& tile) {
  for (const Range& rows : split_evenly({0, loops.shape.out_h}, loops.grid.rows)) {
    for (const Range& cols : split_evenly({0, loops.shape.out_w}, loops.grid.cols)) {
      tile(rows, cols);
    }
  }
}

/// Each strategy in its order of loops.
struct LoopOrder {
  TileLoops& loops;

  void operator()(const SpatialTiles& tiles) const {
    if (tiles.line_buffer) {
      loop_rolling(loops, tiles);
      return;
    }
    DirectLoops direct(loops, tiles);
    auto mode = tiles.modes.begin();
    for_tiles(loops, [&](Range rows, Range cols) {
      if (loops.shape.depthwise && loops.residency.ifmap) {
        loop_kept_depthwise(loops, rows, cols, *mode);
      } else if (loops.shape.depthwise) {
        loop_depthwise(loops, rows, cols, &*mode);
      } else if (loops.residency.ifmap) {
        loop_kept(loops, rows, cols, *mode);
      } else if (*mode == Mode::Direct) {
        direct.tile(rows, cols);
      } else {
        loop_streamed(loops, rows, cols, places_of(*mode));
      }
      ++mode;
    });
  }

  void operator()(const ChannelSplit& split) const {
    const Mode* modes = split.modes.data();
    for_tiles(loops, [&](Range rows, Range cols) {
      loops.shape.depthwise ? loop_depthwise(loops, rows, cols, modes)
                            : loop_channel_parts(loops, rows, cols, modes);
      modes += loops.parts.size();
    });
  }

  void operator()(const SumBlocks& blocks) const {
    for_tiles(loops, [&](Range rows, Range cols) { loop_sum_blocks(loops, rows, cols, blocks); });
  }

  void operator()(const ResidentIfmap& ifmap) const {
    if (ifmap.line_buffer) {
      loop_rolling(loops, ifmap);
      return;
    }
    for_tiles(loops,
              [&](Range rows, Range cols) { loop_resident_parts(loops, rows, cols, ifmap); });
  }

  void operator()(const KernelSplit& split) const { loop_kernel_parts(loops, split); }

  void operator()(const DepthFirst&) const {
    throw std::logic_error("rows of a group are planned with the group");
  }
};

}  // namespace

void plan_pass(const ScheduledPass& pass, const Hardware& hardware, StreamState& state,
               std::vector<Operation>& operations) {
  TileLoops loops(pass, pass.residency, hardware, state, operations);
  loops.add.load_table();
  std::visit(LoopOrder{loops}, pass.strategy);
  state.rows_last = false;
}

void plan_band(const ScheduledPass& pass, const PassResidency& residency, const Band& band,
               const Hardware& hardware, StreamState& state, std::vector<Operation>& operations) {
  TileLoops loops(pass, residency, hardware, state, operations);
  loops.add.load_table();
  loops.shape.depthwise ? loop_band_depthwise(loops, band) : loop_band(loops, band);
}

void plan_feature_rows(const ScheduledPass& pass, const KeptRows& rows, const Hardware& hardware,
                       StreamState& state, std::vector<Operation>& operations) {
  const ConvShape& shape = pass.shape.conv;
  const Range atoms{0, static_cast<std::int32_t>(atoms_of(shape, hardware))};
  const std::uint32_t pitch = u32(shape.in_w) * u32(atoms.size());
  for (const Range& piece : rows.ring.pieces(rows.rows)) {
    PassOperations(pass, pass.residency, hardware, state, operations)
        .load_slab({piece, {0, shape.in_w}, atoms, rows.atom_of(piece.begin, pitch), {}}, 1);
  }
}

Traffic traffic_of(const std::vector<Operation>& operations) {
  Traffic traffic;
  for (const Operation& operation : operations) {
    if (const auto* load = std::get_if<LoadOperation>(&operation.body); load != nullptr) {
      traffic.read_bytes += load->source.bytes();
    } else if (const auto* store = std::get_if<StoreOperation>(&operation.body); store != nullptr) {
      traffic.write_bytes += store->keep_only ? 0 : store->dest.bytes();
    }
  }
  return traffic;
}

Traffic traffic_of(const ConvShape& shape, const Hardware& hardware, const Strategy& strategy,
                   std::uint32_t atoms) {
  StreamState state(hardware);
  // Where it lies is of no account.
  state.allocator.set_window({0, atoms});
  std::vector<Operation> operations;
  ScheduledPass pass;
  pass.shape.conv = shape;
  pass.strategy = strategy;
  pass.binding = unplaced(shape);
  plan_pass(pass, hardware, state, operations);
  return traffic_of(operations);
}

Traffic traffic_of(const ConvShape& shape, const Hardware& hardware, const Strategy& strategy) {
  return traffic_of(shape, hardware, strategy, hardware.cbuf_atoms());
}

}  // namespace tessera
