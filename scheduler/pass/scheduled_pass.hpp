// One pass of the array with all that is decided for it. Each part is filled in one place.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "scheduler/lower/fold.hpp"
#include "scheduler/lower/lowering.hpp"
#include "scheduler/pass/kept_rows.hpp"
#include "tessera/program.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// What `best` tries instead of the published rules, where a pass allows it.
struct Variant {
  bool least_traffic = false;  ///< tiles for the fewest bytes
  bool packs_columns = false;  ///< output columns in the place of kernels
  /// Channel parts of a feature whose sums are all there at once, so that work begins with the
  /// first of them; 1: none.
  std::uint32_t parts = 1;
};

/// What the array computes: the lowered pass, or another shape with the same bytes.
struct PassShape {
  ConvShape conv;
  std::optional<Fold> fold;  ///< `conv` is folded, the ifmap is not
  std::int32_t columns = 1;  ///< of the output that are kernels of `conv`
  /// The ifmap is rows and columns of the tensor at these distances: all that a pointwise layer
  /// reads.
  std::int32_t step_h = 1, step_w = 1;
  Variant variant;  ///< so far as the pass allows it
};

/// What the autotuner varies of any strategy.
struct TileSizes {
  /// Halvings of what the array works on at once (kernel groups, then pixels); negative: doublings.
  std::int32_t shift = 0;
  std::uint32_t ifmap_loads = 4;  ///< of an ifmap, so that work begins before all of it is there
};

/// What is in the cbuf before the pass, and what stays behind it.
struct PassResidency {
  std::optional<KeptRows> ifmap;  ///< where it lies already
  std::optional<KeptRows> ofmap;  ///< where it is kept
  bool is_stored = true;          ///< the ofmap goes to external memory
};

/// Bytes per output channel of a parameter record that holds any value.
inline constexpr std::uint32_t kParamBytes = 12;

/// External addresses and constants of what a pass reads and writes.
struct Binding {
  View ifmap;                                 ///< int8, channels adjacent
  std::uint64_t weights = 0;                  ///< as packed by pack_weights for the same strategy
  std::shared_ptr<const CodedWeights> coded;  ///< they are compressed
  /// Instead of those, weights that are computed: [kernel][channel], kernels pixel_stride apart.
  std::optional<View> computed_weights;
  /// With them, of the ifmap's zero point, which no bias can take into account: the array subtracts
  /// it; or, where it cannot, values of pixels that are added to the ifmap's.
  std::int32_t subtracted = 0;
  std::vector<std::int32_t> added_pixels;
  std::uint64_t params = 0;                 ///< as packed by pack_params
  std::uint32_t param_bytes = kParamBytes;  ///< per output channel
  std::optional<isa::LdFactor> factor;      ///< of all output channels
  View ofmap;                               ///< int8
  std::optional<View> operand;
  std::optional<std::uint64_t> table;  ///< 256 int32
  std::int32_t padding_value = 0;
  isa::StQuant quant;
  isa::StPost post;
  std::optional<isa::StSoftmax> softmax;  ///< in the place of `post`
  isa::StResult result;

  /// Every pixel has the same operands.
  [[nodiscard]] bool has_operand_per_channel() const {
    return operand && operand->row_stride == 0 && operand->pixel_stride == 0;
  }
  /// Bytes of a pixel are written or read one by one: a transfer then takes one row.
  [[nodiscard]] bool is_scattered() const {
    return ofmap.channel_stride != 1 ||
           (operand && operand->channel_stride != 1 && !has_operand_per_channel());
  }
};

struct ScheduledPass {
  PassShape shape;          ///< by decide_pass
  Strategy strategy;        ///< by decide_pass, or by schedule_beside for what is left of the cbuf
  TileSizes sizes;          ///< by set_sizes
  PassResidency residency;  ///< by schedule_beside
  Binding binding;          ///< by bind_passes
  Explanation explanation;  ///< with the strategy
};

/// Packed tensors at addresses that mean nothing, for the traffic that a strategy causes.
Binding unplaced(const ConvShape& shape);

}  // namespace tessera
