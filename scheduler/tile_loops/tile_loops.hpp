// What all ways of walking a layer have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/operations/line_buffer.hpp"
#include "scheduler/operations/pass_operations.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

inline constexpr std::uint32_t kMaxGroups = 255;  ///< CV_WEIGHTS groups

/// Features of strips of columns whose rows roll through a ring buffer, tile by tile.
struct BufferedRows {
  explicit BufferedRows(std::uint32_t capacity) : buffer(capacity) {}

  void begin_strip() { buffer = LineBuffer(buffer.capacity()); }
  /// The next tile reads these.
  void need(Range rows) { fresh = buffer.add(rows); }

  LineBuffer buffer;
  Range fresh;                         ///< rows of the tile at hand that are not there yet
  std::optional<Placement> placement;  ///< of the ring and the weights, from the first tile on
};

/// One pass, and the operations that grow as it is walked.
class TileLoops {
 public:
  /// `residency`: the pass's own, or that of some of its rows.
  TileLoops(const ScheduledPass& pass, const PassResidency& residency, const Hardware& hardware,
            StreamState& state, std::vector<Operation>& operations);

  [[nodiscard]] std::uint32_t taps() const { return u32(shape.kernel_h) * u32(shape.kernel_w); }
  [[nodiscard]] Range all_groups() const { return {0, static_cast<std::int32_t>(groups)}; }
  /// Channel atoms of a layer that is not split by channels.
  [[nodiscard]] Range all_atoms() const {
    return {0, static_cast<std::int32_t>(atoms_of(shape, hw))};
  }

  /// Of one tile: rows and columns that it reads, unless the feature is kept.
  [[nodiscard]] Slab slab_for(Range out_rows, Range out_cols, Range atoms) const;
  [[nodiscard]] Slab slab_for(Range out_rows, Range out_cols, Range atoms,
                              const BufferedRows* rolling) const;
  /// Its rows; those of a ring that are not there yet.
  void load_slab(const Slab& slab, std::uint32_t bands, const BufferedRows* rolling);
  /// Of a tile's features, unless they have a ring, and weights.
  Placement place(std::uint32_t feature, std::uint32_t weight, BufferedRows* rolling);
  [[nodiscard]] std::uint32_t most_input_rows(const std::vector<Range>& tiles) const;
  [[nodiscard]] std::uint32_t most_input_cols() const;

  /// Tiles of at most so many accumulator words.
  [[nodiscard]] std::vector<PixelTile> cut_pixels(Range rows, Range cols,
                                                  std::uint32_t words) const;
  /// The same for a block of sums, which may be larger than a tile.
  [[nodiscard]] std::vector<PixelTile> cut_block(Range rows, Range cols, std::uint32_t words) const;
  [[nodiscard]] std::vector<PixelTile> cut_pixels_depthwise(Range rows, Range cols) const;
  /// Accumulator words of a tile.
  [[nodiscard]] std::uint32_t tile_limit() const;

  /// Kernel groups that share an accumulator half with enough pixels to hide a weight tile's load.
  [[nodiscard]] std::uint32_t groups_at_once(std::uint32_t pixels) const;
  /// Kernel groups of a tile at most: the next ones' parameters have a place beside theirs, but
  /// where a tile has all groups.
  [[nodiscard]] std::uint32_t most_groups() const;
  /// Depthwise: groups of such tiles that have room in so many accumulator words.
  [[nodiscard]] std::uint32_t groups_together(const std::vector<PixelTile>& tiles,
                                              std::uint32_t words) const;
  /// Kernel groups whose weights are loaded together, when the feature is there: with room for the
  /// next ones beside them unless the mode is wait.
  [[nodiscard]] std::uint32_t groups_loaded(std::uint32_t most, Mode mode,
                                            bool few_pixels = false) const;

  /// Equal kernels are several convolutions, group by group, as are those with zeros beside the
  /// diagonal.
  void convolve(const Convolution& whole);
  /// Convolves and stores one tile with weights and features that are there.
  void finish_tile(const Slab& slab, const PixelTile& tile, Range tile_groups,
                   std::uint32_t weights, std::uint32_t params, bool resume = false);

  const ConvShape& shape;
  const Hardware& hw;
  const TileGrid grid;
  const TileSizes sizes;
  const PassResidency& residency;
  StreamState& state;
  PassOperations add;
  const std::uint32_t groups;      ///< of kernels
  const std::vector<Range> parts;  ///< of channel atoms; depthwise: of kernel groups

 private:
  [[nodiscard]] std::vector<Range> pieces_of(Range rows) const;

  std::int32_t most_rows_;  // of a tile
};

}  // namespace tessera
