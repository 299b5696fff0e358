// One decision per convolution layer: how it runs in the convolution buffer at hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/energy.hpp"
#include "tessera/hardware.hpp"
#include "tessera/memory_plan.hpp"
#include "tessera/network.hpp"

namespace tessera {

/// A convolution as the accelerator sees it. Fully connected layers are 1x1 on a 1 x rows input;
/// pooling is depthwise with equal weights, copying and element-wise work depthwise 1x1.
struct ConvShape {
  std::string name;
  std::int32_t in_h = 1, in_w = 1, in_c = 1;
  std::int32_t out_h = 1, out_w = 1, out_c = 1;
  std::int32_t kernel_h = 1, kernel_w = 1;
  std::int32_t stride_h = 1, stride_w = 1;
  std::int32_t dilation_h = 1, dilation_w = 1;
  std::int32_t pad_top = 0, pad_left = 0;  ///< negative: so much of the input is skipped
  std::int32_t weight_zero = 0;            ///< of the weights' bytes, as the array subtracts it
  bool depthwise = false;                  ///< each channel has a kernel of its own; in_c = out_c
  bool maximum = false;                    ///< maximum pooling
  bool same_kernels = false;               ///< depthwise: all channels have one kernel and bias

  [[nodiscard]] std::uint64_t macs() const;
};

/// Why the command set cannot express the convolution, or "" when it can.
std::string accelerator_problem(const ConvShape& shape, const Hardware& hardware);

/// How features and weights share the buffer.
enum class Mode : std::uint8_t { Direct, PingPong, Wait };
const char* name_of(Mode mode);

/// `mode` forces one of the four modes (and for split its direction) instead of the first that
/// fits.
enum class ForcedMode : std::uint8_t {
  None,
  Direct,
  PingPong,
  Wait,
  SplitChannels,
  SplitSpatial,
  SplitBoth
};
/// Which split to take when a layer must be split; Auto: the one with less external traffic.
enum class SplitChoice : std::uint8_t { Auto, Channels, Spatial };

/// first-fit: the published rules, layer by layer. best: what the cost model likes best.
enum class PolicyName : std::uint8_t { FirstFit, Best };
/// As configurations call them, in that order.
const std::vector<std::string>& policy_names();

/// What `best` wants least of. Cycles: bytes count a little, too.
enum class Objective : std::uint8_t { Cycles, Traffic, Energy };
/// As configurations call them, in that order.
const std::vector<std::string>& objective_names();

struct Policy {
  PolicyName name = PolicyName::FirstFit;
  SplitChoice split = SplitChoice::Auto;
  ForcedMode mode = ForcedMode::None;
  bool fuse = true;  ///< paddings, activations and additions ride on convolutions where they can
  Objective objective = Objective::Cycles;  ///< of `best`
  /// `best` begins with less of the hardware and with other memories, too: some times the trials,
  /// so that more of anything seldom takes longer.
  bool from_less = true;
  ExternalMemory memory;  ///< that `best` reckons with
  EnergyTable energy;     ///< with objective energy
  PlanOptions plan;
};

/// Bytes in the buffer, alignment and padding included (the terms of the published rules).
struct BufferSizes {
  std::uint64_t total_cbuf = 0;
  std::uint64_t total_weight = 0;
  std::uint64_t min_weight = 0;
  std::uint64_t total_feature = 0;
};

/// One tested inequality, for `cosim explain`.
struct Inequality {
  std::string rule;     ///< such as "direct"
  std::string formula;  ///< in terms
  std::string numbers;  ///< the same with numbers
  bool holds = false;
};

struct LayerDecision {
  std::uint32_t channel_parts = 1;
  std::uint32_t tiles_h = 1;
  std::uint32_t tiles_w = 1;
  /// Mode of every part; parts are ordered tile by tile, channel parts inside. One when not split.
  std::vector<Mode> modes;
  BufferSizes sizes;
  std::vector<Inequality> trace;
  std::string reason;  ///< why this decision among those possible
  /// Halvings of what the array works on at once (kernel groups, then pixels); negative: doublings.
  std::int32_t tile_shift = 0;
  /// Split by channels. The features of all parts of a tile stay while the kernel groups pass by.
  bool feature_resident = false;
  /// Split by channels: kernel groups whose sums are there at once; 0: as many as need least bytes.
  std::uint32_t block_groups = 0;
  bool whole_accumulators = false;  ///< sums take both halves: fewer, larger tiles, one at a time
  std::uint32_t feature_bands = 4;  ///< loads of a feature, so that work begins before all is there
  /// Weights stay while bands of so many output rows (of the last layer that is fused) pass; 0: no
  /// bands. Rows that the next band needs, too, stay.
  std::uint32_t band_rows = 0;
  /// With bands: parts of the kernels whose weights stay, one part after the other.
  std::uint32_t kernel_parts = 1;
  /// Tiles go from top to bottom, and rows that the next one needs, too, stay.
  bool rolling = false;
  std::int32_t output_columns = 1;  ///< side by side, in the place of kernels
  bool fused = false;               ///< its bands take turns with those of other layers
  bool feature_kept = false;        ///< the feature lies in the cbuf already
  bool output_kept = false;         ///< the output stays there
  bool output_stored = true;        ///< the output goes to external memory

  [[nodiscard]] bool is_split() const { return channel_parts * tiles_h * tiles_w > 1; }
  /// direct, ping-pong, wait, split or row-by-row.
  [[nodiscard]] std::string mode_name() const;
  /// As mode_name, a split with its parts: "split c4 (direct)".
  [[nodiscard]] std::string long_name() const;
};

/// Policy `first-fit`: the first of direct, ping-pong and wait that fits, else the smallest split.
/// Throws InputError naming the layer, the smallest need and the size given when nothing fits.
LayerDecision decide_layer(const ConvShape& shape, const Hardware& hardware, const Policy& policy);

/// For a layer whose feature lies in the cbuf already: the first of direct, ping-pong and wait for
/// its weights; nothing when not even one kernel group fits `hardware.cbuf_size`.
std::optional<LayerDecision> decide_kept(const ConvShape& shape, const Hardware& hardware);

/// External bytes of a decision: features, weights and parameters read, outputs written.
struct Traffic {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
};
Traffic traffic_of(const ConvShape& shape, const Hardware& hardware, const LayerDecision& decision);

}  // namespace tessera
