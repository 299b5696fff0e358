// Layers that run row by row one behind the other, and bands of rows of a single one.
#include "scheduler/interlayer/fused_operations.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scheduler/lower/tiling.hpp"
#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "timing/machine/cost_model.hpp"

namespace tessera {
namespace {

ConvShape conv(std::int32_t size, std::int32_t in_c, std::int32_t out_c, std::int32_t kernel,
               std::int32_t stride = 1, bool depthwise = false) {
  ConvShape shape;
  shape.in_h = shape.in_w = size;
  shape.in_c = in_c;
  shape.out_c = out_c;
  shape.kernel_h = shape.kernel_w = kernel;
  shape.stride_h = shape.stride_w = stride;
  shape.pad_top = shape.pad_left = (kernel - 1) / 2;
  shape.out_h = shape.out_w = (size + stride - 1) / stride;
  shape.depthwise = depthwise;
  return shape;
}

struct Block {
  ConvShape expand = conv(56, 24, 144, 1);
  ConvShape middle = conv(56, 144, 144, 3, 2, true);
  ConvShape project = conv(28, 144, 32, 1);
  FusedShapes shapes;
  Block() { shapes.layers = {&expand, &middle, &project}; }
};

TEST(FusedLayout, MoreRoomIsNeverSlower) {
  Block block;
  const Hardware hw = hardware_preset("medium");
  std::uint64_t cycles = UINT64_MAX;
  std::size_t found = 0;
  for (std::uint32_t atoms = 1024; atoms <= hw.cbuf_atoms(); atoms *= 2) {
    if (const auto layout = fused_layout(block.shapes, hw, atoms)) {
      EXPECT_LE(layout->atoms, atoms);
      EXPECT_LE(layout->cycles, cycles);
      cycles = layout->cycles;
      ++found;
    }
  }
  EXPECT_GE(found, 3U);
}

TEST(FusedLayout, NothingFitsWhereTheWeightsDoNot) {
  Block block;
  EXPECT_FALSE(fused_layout(block.shapes, hardware_preset("medium"), 512));
}

// With room for all rows nothing is made twice.
TEST(FusedLayout, CountsNoRowTwiceWhenAllFit) {
  Block block;
  Hardware hw = hardware_preset("medium");
  const auto layout = fused_layout(block.shapes, hw, 1U << 20);
  ASSERT_TRUE(layout);
  std::uint64_t once = 0;
  for (const ConvShape* shape : block.shapes.layers) {
    once += array_cycles(*shape, hw, {0, shape->out_h});
  }
  EXPECT_EQ(layout->band, 28U);
  EXPECT_EQ(layout->cycles, once + 600);
  EXPECT_EQ(layout->bytes, std::uint64_t{56} * 56 * 24);
}

// The last layer's rows are made once each, in order, whatever is made again before them.
TEST(Fused, MakesEveryRowOnceAndReadsWhatIsThere) {
  Block block;
  const Hardware hw = hardware_preset("medium");
  for (const std::uint32_t atoms : {4000U, 6000U, 9000U}) {
    const auto layout = fused_layout(block.shapes, hw, atoms);
    ASSERT_TRUE(layout) << atoms;
    StreamState state(hw);
    state.allocator.set_window({0, atoms});
    std::vector<ScheduledPass> passes;
    for (const ConvShape* shape : block.shapes.layers) {
      ScheduledPass& pass = passes.emplace_back();
      pass.shape.conv = *shape;
      pass.strategy = DepthFirst{layout->band, false};
      pass.binding = unplaced(*shape);
    }
    std::vector<FusedLayer> layers;
    layers.reserve(passes.size());
    for (const ScheduledPass& pass : passes) {
      layers.push_back({&pass});
    }
    std::vector<bool> written(std::size_t{28} * 28 * 32, false);
    for (const FusedSegment& segment : plan_fused(layers, *layout, hw, state)) {
      for (const Operation& operation : segment.operations) {
        for (const Access& access : operation.accesses) {
          EXPECT_TRUE(access.resource != Resource::Cbuf || access.end <= atoms);
        }
        const auto* store = std::get_if<StoreOperation>(&operation.body);
        if (store == nullptr || store->keep_only) {
          continue;
        }
        EXPECT_EQ(segment.layer, 2U);
        for (std::uint64_t outer = 0; outer < store->dest.outer; ++outer) {
          for (std::uint64_t inner = 0; inner < store->dest.inner; ++inner) {
            const std::uint64_t first = store->dest.address + outer * store->dest.outer_stride +
                                        inner * store->dest.inner_stride;
            for (std::uint64_t at = first; at < first + store->dest.segment_bytes; ++at) {
              EXPECT_FALSE(written.at(at)) << at;
              written.at(at) = true;
            }
          }
        }
      }
    }
    EXPECT_EQ(std::count(written.begin(), written.end(), false), 0);
  }
}

const char* const kBottleneck =
    "layers:\n  - conv2d: {in: [56, 56, 24], out_channels: 144, kernel: 1, activation: relu6}\n"
    "  - depthwise_conv2d: {kernel: 3, stride: 2, padding: same, activation: relu6}\n"
    "  - conv2d: {out_channels: 32, kernel: 1}\n";

TEST(Fused, IsTakenWhereTensorsAreTooLarge) {
  const Network network = import_yaml(kBottleneck, "bottleneck.yaml", 1);
  Policy policy;
  const Program apart = compile(network, hardware_preset("medium"), policy);
  policy.name = PolicyName::Best;
  const Program program = compile(network, hardware_preset("medium"), policy);
  EXPECT_TRUE(check_program(program).empty());
  for (const LayerRecord& layer : program.layers) {
    EXPECT_EQ(mode_name(layer.pass.value().strategy), "row-by-row") << layer.name;
  }
  // Neither tensor between the layers is ever in external memory.
  EXPECT_EQ(program.layers[0].traffic.write_bytes + program.layers[1].traffic.write_bytes, 0U);
  EXPECT_LT(program.arena_bytes(), apart.arena_bytes());
  const auto cycles = [](const Program& of) {
    return counter(timing::estimate(of, ExternalMemory{}).totals, isa::Counter::Cycles);
  };
  EXPECT_LT(3 * cycles(program), 2 * cycles(apart));
}

}  // namespace
}  // namespace tessera
