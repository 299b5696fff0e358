// One decision per convolution layer: how it runs in the convolution buffer at hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
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
  bool whole_pixels = false;  ///< tiles have all channels of their pixels, as a softmax wants them

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

/// How one pass came to its strategy.
struct Explanation {
  BufferSizes sizes;
  std::vector<Inequality> trace;
  std::string reason;  ///< why this strategy among those possible
};

/// What the output is cut into.
struct TileGrid {
  std::uint32_t rows = 1;
  std::uint32_t cols = 1;
  [[nodiscard]] std::uint32_t tiles() const { return rows * cols; }
};

/// Tile by tile, all channels at once.
struct SpatialTiles {
  TileGrid grid;
  std::vector<Mode> modes = {Mode::Direct};  ///< of every tile, row by row
  /// Tiles go from top to bottom, and rows that the next one needs, too, stay in a line buffer.
  bool line_buffer = false;
};

/// Tile by tile, the channels in parts. The sums of a block of pixels and kernel groups stay in an
/// accumulator half while the parts pass by, the block chosen for the fewest bytes. Depthwise: the
/// parts are parts of the kernels.
struct ChannelSplit {
  TileGrid grid;
  std::uint32_t parts = 2;
  std::vector<Mode> modes;  ///< of every part, tile by tile
};

/// The same with all accumulators for the sums of a tile and so many kernel groups.
struct SumBlocks {
  TileGrid grid;
  std::uint32_t parts = 2;
  std::uint32_t kernel_groups = 1;
  Mode mode = Mode::Direct;  ///< of every part
};

/// The ifmaps of all channel parts of a tile stay while the kernel groups pass by, part by part.
struct ResidentIfmap {
  TileGrid grid;
  std::uint32_t parts = 2;
  bool whole_accumulators = false;  ///< sums take both halves: fewer, larger tiles, one at a time
  bool line_buffer = false;         ///< as SpatialTiles has it
};

/// Weights of some kernels stay while strips of columns pass, some rows at once; then the next
/// kernels. Rows that the next ones need, too, stay.
struct KernelSplit {
  std::uint32_t rows = 1;    ///< of the output, at once
  std::uint32_t parts = 1;   ///< of the kernels
  std::uint32_t strips = 1;  ///< of columns
};

/// All weights stay while rows pass, in turns with those of the layers of a group.
struct DepthFirst {
  std::uint32_t rows = 1;  ///< of the group's last output, at once
  bool is_alone = false;   ///< a group of one
};

/// One alternative for each order of the tile loops.
using Strategy =
    std::variant<SpatialTiles, ChannelSplit, SumBlocks, ResidentIfmap, KernelSplit, DepthFirst>;

/// 1 x 1 where the output is not cut.
TileGrid grid_of(const Strategy& strategy);
/// 1 where the channels are not cut; 1 where the kernels are not.
std::uint32_t channel_parts(const Strategy& strategy);
std::uint32_t kernel_parts(const Strategy& strategy);
/// Output rows at once of KernelSplit and DepthFirst; 0 of others.
std::uint32_t rows_at_once(const Strategy& strategy);
/// Into tiles or channel parts.
bool is_split(const Strategy& strategy);
/// direct, ping-pong, wait, split or row-by-row.
std::string mode_name(const Strategy& strategy);
/// The same, a split with its parts: "split c4 (direct)".
std::string long_name(const Strategy& strategy);

struct LayerDecision {
  Strategy strategy;
  Explanation explanation;
};

/// What was decided for a pass, for reports.
struct PassRecord {
  Strategy strategy;
  bool ifmap_kept = false;          ///< the ifmap lies in the cbuf already
  bool ofmap_kept = false;          ///< the ofmap stays there
  bool ofmap_stored = true;         ///< the ofmap goes to external memory
  std::int32_t output_columns = 1;  ///< side by side, in the place of kernels
  Explanation explanation;

  /// The strategy's, and what stays: "split c4 (direct), out kept".
  [[nodiscard]] std::string long_name() const;
};

/// Policy `first-fit`: the first of direct, ping-pong and wait that fits, else the smallest split.
/// Throws InputError naming the layer, the smallest need and the size given when nothing fits.
LayerDecision decide_layer(const ConvShape& shape, const Hardware& hardware, const Policy& policy);

/// External bytes of a strategy: ifmaps, weights and parameters read, ofmaps written.
struct Traffic {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
};
Traffic traffic_of(const ConvShape& shape, const Hardware& hardware, const Strategy& strategy);

}  // namespace tessera
