// What the units do, before tokens and encoding: loads, convolutions, stores, with the bytes that
// each one touches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "tessera/isa.hpp"

namespace tessera {

/// Two-dimensional transfer, as the load and store units do it. Strides and sizes in bytes.
struct Transfer {
  std::uint64_t address = 0;
  std::uint64_t segment_bytes = 1;
  std::uint64_t inner = 1;
  std::uint64_t outer = 1;
  std::uint64_t inner_stride = 0;
  std::uint64_t outer_stride = 0;

  [[nodiscard]] std::uint64_t bytes() const { return segment_bytes * inner * outer; }
  /// One past the last byte.
  [[nodiscard]] std::uint64_t end() const {
    return address + (outer - 1) * outer_stride + (inner - 1) * inner_stride + segment_bytes;
  }
  /// Adjacent segments become one, as far as one segment can be that long.
  void merge();
};

struct LoadOperation {
  isa::LoadKind kind = isa::LoadKind::Feature;
  Transfer source;
  std::uint32_t pixel_bytes = 1;
  std::uint32_t dest = 0;  ///< as LOAD has it
  std::optional<isa::LdFold> fold;
  std::optional<isa::LdFactor> factor;
  std::optional<isa::LdCode> code;  ///< the bytes are compressed
  bool is_computed = false;         ///< weights that the stream itself may store
};

struct ConvOperation {
  isa::CvInput input;
  isa::CvKernel kernel;
  isa::CvTile tile;
  isa::CvWeights weights;
  std::optional<isa::CvWindow> window;  ///< depthwise
  isa::CvRing ring;
  std::uint32_t origin = 0;
  std::uint32_t acc_base = 0;
  bool accumulate = false;
  bool maximum = false;          ///< depthwise, pooling
  bool resume = false;           ///< depthwise, below the one before
  std::uint32_t first_byte = 0;  ///< depthwise: the first channel's of the origin's atom
};

struct StoreOperation {
  Transfer dest;
  isa::StQuant quant;
  isa::StPost post;
  std::optional<isa::StSoftmax> softmax;  ///< in the place of `post`
  isa::StResult result;
  isa::StTile tile;
  std::uint32_t acc_base = 0;
  std::optional<isa::StKeep> keep;  ///< the tile goes to the cbuf, too
  bool keep_only = false;           ///< and nowhere else
  std::uint32_t kept_at = 0;        ///< atom of its first pixel
  std::uint32_t kept_byte = 0;      ///< and the first kernel's byte of it
};

/// Tells the trace port that the layer is done in this unit.
struct MarkOperation {
  std::uint32_t layer = 0;
};

enum class Resource : std::uint8_t { Cbuf, Accumulator, Parameter, Operand, Table, External };
inline constexpr std::size_t kNumResources = 6;

/// Half-open range of atoms, words, groups, words, tables or bytes.
struct Access {
  Resource resource = Resource::Cbuf;
  bool write = false;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Units as indices.
enum UnitIndex : std::size_t { kLoad = 0, kCompute = 1, kStore = 2 };

struct Operation {
  isa::Unit unit = isa::Unit::Load;
  std::variant<LoadOperation, ConvOperation, StoreOperation, MarkOperation> body;
  std::vector<Access> accesses;
  // Filled in by assign_tokens, by direction as seen from this unit.
  bool wait_load = false, wait_compute = false, wait_store = false;
  bool post_load = false, post_compute = false, post_store = false;
};

}  // namespace tessera
