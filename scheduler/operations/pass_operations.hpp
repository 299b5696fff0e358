// The loads, convolutions and stores of one layer, each with the bytes that it touches.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/lower/tiling.hpp"
#include "scheduler/operations/cbuf_allocator.hpp"
#include "scheduler/operations/constants.hpp"
#include "scheduler/operations/operations.hpp"
#include "scheduler/pass/scheduled_pass.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// What the layers of one stream hand on to each other.
struct StreamState {
  explicit StreamState(const Hardware& hardware)
      : allocator({hardware.cbuf_begin(), hardware.cbuf_end()}) {}
  CbufAllocator allocator;
  std::uint32_t acc_half = 0;                          ///< half that the next tile takes
  std::uint32_t param_next = 0;                        ///< group that the next parameters take
  std::array<std::optional<std::uint64_t>, 2> tables;  ///< by address, as loaded
  std::uint32_t table_next = 0;                        ///< table that the next one takes
  /// What an accumulator half's operand words hold for all tiles of a layer.
  struct HeldOperand {
    const ConvShape* layer = nullptr;
    std::uint64_t address = 0;
    std::int32_t groups_begin = 0, groups_end = 0;
    [[nodiscard]] bool operator==(const HeldOperand& other) const {
      return layer == other.layer && address == other.address &&
             groups_begin == other.groups_begin && groups_end == other.groups_end;
    }
  };
  std::array<HeldOperand, 2> operands{};
  bool rows_last = false;  ///< the next row by row work loads its rows after its weights

  /// The first of so many kernel groups in the parameter memory, one after the other.
  std::uint32_t reserve_params(std::uint32_t groups, const Hardware& hardware);
};

/// A rectangle of pixels and a range of atoms, loaded at `base`.
struct Slab {
  Range rows, cols, atoms;
  std::uint32_t base = 0;
  RowRing ring;
  [[nodiscard]] std::uint32_t row_pitch() const { return u32(cols.size()) * u32(atoms.size()); }
  [[nodiscard]] std::uint32_t size() const { return u32(rows.size()) * row_pitch(); }
};

/// Output pixels that one accumulator half holds at once.
struct PixelTile {
  Range rows, cols;
  [[nodiscard]] std::uint32_t pixels() const { return u32(rows.size()) * u32(cols.size()); }
};

/// One CONV.
struct Convolution {
  const Slab& slab;
  const PixelTile& tile;
  Range groups;
  std::uint32_t weights;  ///< first atom
  std::uint32_t acc_base;
  std::uint32_t acc_words;  ///< from acc_base
  bool accumulate;
  std::uint32_t params;  ///< where the store after it finds them
  std::uint32_t param_groups;
  bool resume = false;      ///< depthwise: the tile lies below the one before
  std::uint32_t phase = 0;  ///< depthwise: of the kernel's windows
};

/// Bytes of one atom of weights in external memory: layers of a single atom are not filled up.
std::uint32_t weight_unit_bytes(const ConvShape& shape, const Hardware& hardware);

/// Appends operations in the order of the calls.
class PassOperations {
 public:
  /// `residency`: the pass's own, or that of some of its rows.
  PassOperations(const ScheduledPass& pass, const PassResidency& residency,
                 const Hardware& hardware, StreamState& state, std::vector<Operation>& operations)
      : shape_(pass.shape.conv),
        fold_(pass.shape.fold),
        binding_(pass.binding),
        residency_(residency),
        hw_(hardware),
        state_(state),
        operations_(operations) {}

  /// Atoms of the weights of these kernel groups and channel atoms.
  [[nodiscard]] std::uint32_t weight_atoms(Range groups, Range atoms) const;
  /// Kernels of these groups whose weights are stored.
  [[nodiscard]] std::uint32_t kernels_stored(Range groups) const;
  /// Atoms from the weights of the first of these groups to those behind them.
  [[nodiscard]] std::uint32_t weight_offset(Range groups, Range atoms) const;

  /// Rows of the slab, unless the feature is kept, in at most `bands` loads, so that work can begin
  /// before all of it is there.
  void load_slab(const Slab& slab, std::uint32_t bands);
  /// `atoms` is one channel part; a part's weights lie together, group by group.
  void load_weights(Range groups, Range atoms, std::uint32_t base);
  /// Those of these groups' parameters that are loaded: the first ones, where all are the same.
  [[nodiscard]] Range params_of(Range groups) const;
  /// Returns the first group in the parameter memory.
  std::uint32_t load_params(Range groups);
  /// To a place of the caller's choice.
  void load_params(Range groups, std::uint32_t base);
  /// Before the first store, when there is a table.
  void load_table();
  /// What the tile's store reads beside the accumulators, when there is such.
  void load_operand(const PixelTile& tile, Range groups, std::uint32_t acc_base);
  void convolve(const Convolution& c);
  void store(const PixelTile& tile, Range groups, std::uint32_t acc_base, std::uint32_t params);
  /// First word of the accumulator half whose turn it is.
  std::uint32_t next_acc_half();

 private:
  void see_diagonal(const Convolution& c, ConvOperation& conv) const;
  void add_pixels(const ConvOperation& conv, const std::vector<Access>& accesses);
  [[nodiscard]] std::uint32_t last_kernels(Range groups) const;
  void load_computed_weights(Range groups, Range atoms, std::uint32_t base);
  void load_coded_weights(Range groups, Range atoms, std::uint32_t base);
  void load_folded_rows(const Slab& slab, Range rows);
  void load_folded_parts(const Slab& slab, Range outputs);
  /// A load of input rows for the slab's columns; the address is that of row 0.
  [[nodiscard]] LoadOperation folded_load(const Slab& slab) const;
  void add_load(LoadOperation load, Resource target, std::uint32_t begin, std::uint32_t size);
  /// A tile's bytes in external memory, in the order in which it is drained.
  [[nodiscard]] Transfer tile_transfer(const View& view, const PixelTile& tile, Range groups) const;
  /// Operand words and table that a store from these accumulators reads.
  [[nodiscard]] std::vector<Access> post_accesses(std::uint32_t acc_base, std::uint32_t words,
                                                  std::uint32_t groups) const;

  const ConvShape& shape_;
  const std::optional<Fold>& fold_;
  const Binding& binding_;
  const PassResidency& residency_;
  const Hardware& hw_;
  StreamState& state_;
  std::vector<Operation>& operations_;
  std::uint32_t table_ = 0;
  Range same_params_;      ///< of equal kernels: groups in the parameter memory that are there
  bool reserved_ = false;  ///< the kept output's place
};

}  // namespace tessera
