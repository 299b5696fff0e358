// Loads, convolutions and stores with the configuration in force.
#pragma once

#include <cstdint>
#include <optional>

#include "tessera/isa.hpp"
#include "timing/memory/memory_port.hpp"

namespace tessera::timing {

/// Bytes per kernel of parameters: in full, in short, or only the bias.
inline constexpr std::uint32_t kFullRecord = 12, kCompactRecord = 8, kUniformRecord = 4;

/// A two-dimensional transfer: address, segments of a row, rows. Bytes.
struct Segments {
  std::uint64_t address = 0;
  std::uint32_t segment_bytes = 1;
  std::uint32_t inner = 1;
  std::uint32_t outer = 1;
  std::uint32_t inner_stride = 0;
  std::uint32_t outer_stride = 0;

  [[nodiscard]] std::uint64_t bytes() const { return std::uint64_t{segment_bytes} * inner * outer; }
};

struct LoadOperation {
  isa::LdSource source;
  isa::LdShape shape;
  isa::LdStride stride;
  isa::LdFold fold;
  isa::LdFactor factor;
  isa::LdCode code;
  isa::Load load;

  [[nodiscard]] Segments segments() const;
  /// Atoms that a pixel, or a folded unit, has bytes in.
  [[nodiscard]] std::uint32_t atoms_per_unit(std::uint32_t atomic_c) const {
    return ((load.fold != 0 ? fold.offset : 0) + source.pixel_bytes + atomic_c - 1) / atomic_c;
  }
};

struct ConvOperation {
  isa::CvInput input;
  isa::CvKernel kernel;
  isa::CvTile tile;
  isa::CvWeights weights;
  isa::CvWindow window;
  isa::CvRing ring;
  isa::Depthwise conv;  ///< CONV has the same fields
  bool depthwise = false;
};

struct StoreOperation {
  isa::StAddress address;
  isa::StShape shape;
  isa::StStride stride;
  isa::StQuant quant;
  isa::StPost post;
  std::optional<isa::StSoftmax> softmax;  ///< in the place of `post`, which is none then
  isa::StResult result;
  isa::StTile tile;
  isa::StKeep keep;
  isa::Store store;

  [[nodiscard]] Segments segments() const;
  /// Bytes of the tile.
  [[nodiscard]] std::uint64_t bytes(std::uint32_t atomic_k) const {
    return tile.pixels * (std::uint64_t{tile.groups - 1} * atomic_k + tile.last_kernels);
  }
  [[nodiscard]] bool has_operand() const;
  [[nodiscard]] bool squares() const;
  /// Kernel groups of the parameter memory that it reads.
  [[nodiscard]] std::uint32_t param_groups() const {
    return softmax && softmax->same_params != 0 ? 1 : tile.groups;
  }
  /// Words of the operand memory that it reads, 0 without one.
  [[nodiscard]] std::uint64_t operand_words() const {
    return has_operand() ? std::uint64_t{tile.groups} * (result.per_channel != 0 ? 1 : tile.pixels)
                         : 0;
  }
};

/// A convolution as the sequencer walks it: weight tiles, and for each one rows and columns of
/// steps, one feature atom each.
struct Walk {
  std::uint32_t groups = 1;
  std::uint32_t tiles_y = 1, tiles_x = 1;  ///< weight tiles per kernel
  std::uint32_t atoms = 1;
  std::uint32_t last_kernels = 1;
  std::uint32_t rows = 1, cols = 1;     ///< of steps
  std::int32_t y0 = 0, x0 = 0;          ///< slab place of the first step
  std::int32_t move_y = 1, move_x = 1;  ///< slab rows and columns from one step to the next
  std::int32_t tile_move_y = 1, tile_move_x = 1;
  std::uint32_t row_pitch = 1;    ///< atoms from one slab row to the next
  std::uint32_t pixel_pitch = 1;  ///< atoms from one slab column to the next
  std::int64_t ring_row = 0;      ///< first slab row that lies `ring_atoms` lower
  std::int64_t ring_atoms = 0;

  [[nodiscard]] std::uint64_t steps() const { return std::uint64_t{rows} * cols; }
  /// Atoms from slab row 0 to another one.
  [[nodiscard]] std::int64_t row_atoms(std::int64_t row) const {
    return row * row_pitch - (row >= ring_row ? ring_atoms : 0);
  }
};
Walk walk_of(const ConvOperation& op);

/// What a unit is told, word by word.
class LoadWords {
 public:
  /// Takes a configuration word; false when the word is the LOAD that now is in `operation`.
  bool configure(const isa::Command& command);
  [[nodiscard]] const LoadOperation& operation() const { return operation_; }
  /// Every word that the LOAD needs has come.
  [[nodiscard]] bool configured() const;

 private:
  LoadOperation operation_;
  std::uint64_t seen_ = 0;
};

class ConvWords {
 public:
  bool configure(const isa::Command& command);
  [[nodiscard]] const ConvOperation& operation() const { return operation_; }
  [[nodiscard]] bool configured() const;

 private:
  ConvOperation operation_;
  std::uint64_t seen_ = 0;
};

class StoreWords {
 public:
  bool configure(const isa::Command& command);
  [[nodiscard]] const StoreOperation& operation() const { return operation_; }
  [[nodiscard]] bool configured() const;

 private:
  StoreOperation operation_;
  std::uint64_t seen_ = 0;
};

}  // namespace tessera::timing
