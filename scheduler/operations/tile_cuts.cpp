#include "scheduler/operations/tile_cuts.hpp"

#include <algorithm>
#include <limits>

namespace tessera {
namespace {

constexpr std::uint32_t kNarrowTile = 8;  // columns; depthwise tiles below only walk more

// From top to bottom.
std::vector<Range> cut_rows(const std::vector<Range>& pieces, std::uint32_t most_rows) {
  std::vector<Range> rows;
  for (const Range& piece : pieces) {
    const auto cut = split_evenly(piece, u32(ceil_div(u32(piece.size()), most_rows)));
    rows.insert(rows.end(), cut.begin(), cut.end());
  }
  return rows;
}

}  // namespace

std::vector<PixelTile> cut_tiles(const std::vector<Range>& pieces, Range cols, std::uint32_t words,
                                 std::int32_t most_rows) {
  const auto limit = static_cast<std::int32_t>(std::min<std::uint32_t>(words, kMaxTileExtent));
  const std::int32_t tile_cols = std::min(cols.size(), limit);
  const std::int32_t tile_rows = std::clamp(limit / tile_cols, 1, most_rows);
  std::vector<PixelTile> tiles;
  for (const Range& r : cut_rows(pieces, u32(tile_rows))) {
    for (const Range& c : split_evenly(cols, u32(ceil_div(u32(cols.size()), u32(tile_cols))))) {
      tiles.push_back({r, c});
    }
  }
  return tiles;
}

std::vector<PixelTile> cut_depthwise_tiles(const ConvShape& shape, const Hardware& hardware,
                                           const std::vector<Range>& pieces, Range cols,
                                           std::uint32_t words, std::int32_t most_rows) {
  const Windows windows(shape, hardware);
  const WindowTiling window = windows[0];  // the first phase has the largest
  const bool resume = can_resume(shape, hardware);
  const auto lines_of = [&](std::int32_t outputs) {
    return std::uint64_t{window.walked_rows(shape, u32(outputs))};
  };
  std::vector<PixelTile> best;
  std::uint64_t best_steps = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t across = 1; across <= u32(cols.size()); ++across) {
    const std::uint32_t widest = u32(ceil_div(u32(cols.size()), across));
    if (window.window_h > 1 && window.walked_cols(shape, widest) > hardware.line_atoms) {
      continue;
    }
    if (widest > hardware.acc_half() || widest > u32(kMaxTileExtent)) {
      continue;
    }
    const std::uint32_t high = std::min(std::max(1U, words / widest), u32(most_rows));
    const std::vector<Range> down = cut_rows(pieces, high);
    std::uint64_t lines = resume ? lines_of(pieces.back().end - pieces.front().begin) : 0;
    for (std::size_t i = 0; !resume && i < down.size(); ++i) {
      lines += lines_of(down[i].size());
    }
    std::vector<PixelTile> tiles;
    std::uint64_t steps = 0;
    for (const Range& c : split_evenly(cols, across)) {
      for (const Range& r : down) {
        tiles.push_back({r, c});
      }
      steps += lines * window.walked_cols(shape, u32(c.size()));
    }
    if (steps < best_steps) {
      best_steps = steps;
      best = std::move(tiles);
    } else if (widest <= kNarrowTile) {
      break;
    }
  }
  return best;
}

std::uint32_t most_pixels(const std::vector<PixelTile>& tiles) {
  std::uint32_t most = 0;
  for (const PixelTile& tile : tiles) {
    most = std::max(most, tile.pixels());
  }
  return most;
}

bool can_resume(const ConvShape& shape, const Hardware& hardware) {
  const Windows windows(shape, hardware);
  // Each kernel group lies in one atom.
  return hardware.atomic_c % hardware.atomic_k == 0 && windows.chunks() == 1 &&
         windows[0].window_h > 1;
}

}  // namespace tessera
