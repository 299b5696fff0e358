// Where layers run and where their tensors lie.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "timing/machine/cost_model.hpp"

namespace tessera {
namespace {

Program compiled(const char* layers) {
  const Network network = import_yaml(std::string("layers: [{") + layers + "}]", "net.yaml", 1);
  Program program = compile(network, hardware_preset("small"), {});
  EXPECT_TRUE(check_program(program).empty());
  return program;
}

TEST(Compile, ReshapeIsItsInputsMemory) {
  const Program alone = compiled("flatten: {in: [4, 4, 3]}");
  ASSERT_EQ(alone.steps.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<NoCopy>(alone.steps[0]));
  EXPECT_EQ(alone.outputs[0].address, alone.inputs[0].address);
  EXPECT_EQ(alone.arena_bytes(), 64U);

  const Program inside = compiled(
      "conv2d: {in: [4, 4, 3], out_channels: 4, kernel: 1}}, {flatten: {}}, "
      "{fully_connected: {out_features: 5}");
  EXPECT_EQ(inside.steps.size(), 1U) << "a reshape does not end a command stream";
  EXPECT_EQ(inside.layers[1].output.address, inside.layers[0].output.address);
}

// As many groups as channels are a depthwise layer, whatever the model calls it.
TEST(Compile, GroupsOfOneChannelAreDepthwise) {
  const auto cycles = [](const char* layer) {
    return counter(timing::estimate(compiled(layer), {}).totals, isa::Counter::Cycles);
  };
  EXPECT_EQ(
      cycles("conv2d: {in: [14, 14, 64], out_channels: 64, groups: 64, kernel: 3, padding: same}"),
      cycles("depthwise_conv2d: {in: [14, 14, 64], kernel: 3, padding: same}"));
}

TEST(Compile, SaysWhyALayerRunsOnTheHost) {
  const auto reason = [](const char* layer) { return compiled(layer).layers[0].host_reason; };
  EXPECT_EQ(reason("avg_pool2d: {in: [8, 8, 5], kernel: 2, stride: 2}"), "");
  EXPECT_EQ(reason("avg_pool2d: {in: [8, 8, 5], kernel: 3, stride: 2, padding: same}"), "");
  EXPECT_EQ(reason("max_pool2d: {in: [8, 8, 5], kernel: 3, stride: 2, padding: same}"), "");
  EXPECT_EQ(reason("depthwise_conv2d: {in: [8, 8, 5], kernel: 3}"), "");
  EXPECT_EQ(reason("depthwise_conv2d: {in: [8, 8, 5], kernel: 3, multiplier: 2}"), "");
  EXPECT_EQ(reason("depthwise_conv2d: {in: [8, 8, 1], kernel: 3, multiplier: 4}"), "");
  EXPECT_NE(reason("conv2d: {in: [40, 40, 3], out_channels: 2, kernel: 17}").find("kernel height"),
            std::string::npos);
  EXPECT_NE(reason("softmax: {in: [1, 1, 8]}").find("needs `softmax`"), std::string::npos);
}

TEST(Compile, KernelsThatAreTooLargeAreToldByWhatLimitsThem) {
  const auto reason = [](const char* layer) {
    const Network network = import_yaml(fmt::format("layers: [{{{}}}]", layer), "net.yaml", 1);
    return compile(network, hardware_preset("tiny"), {}).layers[0].host_reason;
  };
  EXPECT_EQ(reason("conv2d: {in: [20, 9, 4], out_channels: 4, kernel: [17, 1]}"),
            "kernel height is 17, the command set allows 16");
  EXPECT_EQ(reason("depthwise_conv2d: {in: [20, 9, 4], kernel: [17, 1]}"),
            "its kernel needs 17 x 1 windows of the array, the command set allows 16");
}

// Passes of a pool have the same large kernel, which is stored once, also where nobody wants it: on
// sides that do not divide each other.
TEST(Compile, CommandsAloneHaveTheAddressesOfAll) {
  Hardware hardware = hardware_preset("micro");
  const std::uint64_t rows = hardware.bank_atoms();
  hardware.atomic_c = 8;
  hardware.atomic_k = 6;
  hardware.cbuf_size = hardware.cbuf_capacity = rows * hardware.atomic_c;
  const Network network = import_yaml(
      "layers: [{conv2d: {in: [25, 5, 3], out_channels: 24, kernel: 1}}, "
      "{avg_pool2d: {kernel: [25, 5]}}]",
      "net.yaml", 1);
  const Program all = compile(network, hardware, {});
  EXPECT_EQ(all.layers[1].host_reason, "");
  EXPECT_GT(all.constants_saved_bytes, 8U << 10);
  EXPECT_EQ(compile(network, hardware, {}, Contents::Commands).memory_bytes(), all.memory_bytes());
}

// What a constant is subtracted from and what is subtracted from it.
TEST(Compile, ConstantsComeAsTheOperandWhereverTheyStand) {
  for (const std::size_t constant : {std::size_t{0}, std::size_t{1}}) {
    Network network = import_yaml(
        "inputs: {x: {shape: [1, 4, 6, 9]}, y: {shape: [1, 4, 6, 9]}}\n"
        "layers: [{sub: {from: [x, y]}}]",
        "net.yaml", 1);
    const auto tensor = static_cast<std::size_t>(network.operators[0].inputs[constant]);
    network.tensors[tensor].constant.assign(network.tensors[tensor].bytes(), 17);
    network.inputs.erase(network.inputs.begin() + static_cast<std::ptrdiff_t>(constant));
    const Program program = compile(network, hardware_preset("small"), {});
    EXPECT_EQ(program.layers[0].host_reason, "");
    EXPECT_EQ(check_program(program), std::vector<std::string>{});
  }
}

TEST(Compile, BiasesThatAreAbsentAreZero) {
  Network network = import_yaml(
      "layers: [{conv2d: {in: [6, 5, 4], out_channels: 9, kernel: 3}}, "
      "{depthwise_conv2d: {kernel: 2}}]",
      "net.yaml", 1);
  for (const Operator& op : network.operators) {
    auto& bias = network.tensors[static_cast<std::size_t>(op.inputs[2])].constant;
    std::fill(bias.begin(), bias.end(), std::uint8_t{0});
  }
  const std::vector<std::uint8_t> zeros = compile(network, hardware_preset("small"), {}).image;
  for (Operator& op : network.operators) {
    op.inputs[2] = -1;
  }
  EXPECT_EQ(compile(network, hardware_preset("small"), {}).image, zeros);
}

TEST(Compile, NoConstantIsStoredTwiceAndOthersSaveNothing) {
  EXPECT_EQ(compiled("conv2d: {in: [4, 4, 4], out_channels: 8, kernel: 3}").constants_saved_bytes,
            0U);
}

TEST(Compile, PaddingFunctionsAndAdditionsRideOnConvolutions) {
  const char* layers =
      "pad: {name: p, in: [8, 8, 4], before: [0, 1, 1, 0], after: [0, 1, 1, 0]}}, "
      "{conv2d: {name: a, out_channels: 8, kernel: 3}}, {leaky_relu: {name: f}}, "
      "{conv2d: {name: b, from: p, out_channels: 8, kernel: 3}}, {add: {name: s, from: [b, f]}";
  const Program program = compiled(layers);
  EXPECT_EQ(program.layers[0].rides_on, 1U);
  EXPECT_EQ(program.layers[2].rides_on, 1U);
  EXPECT_EQ(program.layers[4].rides_on, 3U);
  const std::string listing = disassemble(program);
  EXPECT_NE(listing.find("operation=1"), std::string::npos) << "leaky_relu is a table";
  EXPECT_NE(listing.find("operation=2"), std::string::npos) << "add";
  // The padded tensor and the convolutions' own outputs never exist.
  EXPECT_EQ(program.layers[0].output.bytes + program.layers[1].output.bytes +
                program.layers[3].output.bytes,
            0U);
}

// Random hardware found it: features that stay in parts have one tile for all rows, a value per
// pixel is loaded row by row.
TEST(Compile, ValuesPerPixelAreLoadedForAllRows) {
  const Network network = import_yaml(
      "inputs: {x: {shape: [1, 3, 8, 3]}, y: {shape: [1, 3, 8, 1]}}\n"
      "layers: [{add: {from: [y, x]}}]",
      "net.yaml", 1);
  const Config config = parse_config(
      "hardware: {array: {atomic_c: 2, atomic_k: 52}, cbuf: {size: 19278, banks: 63}, "
      "accumulators: 128, param_groups: 64, bus_bytes: 8, post_lanes: 4, features: {depthwise: "
      "no}}\n"
      "memory: {bytes_per_cycle: 7, latency: 50}\nnetwork: lenet5\npolicy: best\n",
      "npu.yaml", {});
  const Program program = compile(network, config.hardware, config.policy);
  EXPECT_EQ(check_program(program), std::vector<std::string>{});
}

// Random layers found it: tiles of unequal sizes that take their kernel groups in one chunk and in
// several.
TEST(Compile, ParametersThatStayAreThoseOfTheChunk) {
  const Network network = import_yaml(
      "layers: [{conv2d: {in: [8, 15, 7], out_channels: 3, kernel: [1, 2], stride: [3, 2]}}]",
      "net.yaml", 1);
  const Config config = parse_config(
      "hardware: {preset: nano, cbuf: {size: 138}}\nnetwork: lenet5\npolicy: {mode: "
      "split-spatial}\n",
      "npu.yaml", {});
  const Program program = compile(network, config.hardware, config.policy);
  EXPECT_EQ(check_program(program), std::vector<std::string>{});
}

TEST(Compile, ChannelsOfAConcatenationAreWrittenInPlace) {
  const Program program = compiled(
      "conv2d: {name: a, in: [2, 4, 4], out_channels: 4, kernel: 1}}, "
      "{conv2d: {name: b, from: a, out_channels: 6, kernel: 1}}, "
      "{conv2d: {name: c, from: a, out_channels: 5, kernel: 1}}, "
      "{concat: {name: d, from: [b, c], axis: 3}");
  EXPECT_TRUE(program.layers[3].no_copy);
  const Slot& whole = program.layers[3].output;
  const Slot& second = program.layers[2].output;
  EXPECT_EQ(second.address, whole.address + 6);
  EXPECT_EQ(second.segment_bytes, 5U);
  EXPECT_EQ(second.stride, 11U);
  EXPECT_EQ(program.arena_bytes(), 192U) << "the concatenation and a, none of its parts";
}

TEST(Compile, SlicesOfChannelsAreReadWhereTheyLie) {
  const Program program = compiled(
      "conv2d: {name: a, in: [4, 4, 4], out_channels: 12, kernel: 1}}, "
      "{slice: {name: s, from: a, begin: [0, 0, 0, 4], size: [1, 4, 4, 8]}}, "
      "{slice: {name: t, from: s, begin: [0, 0, 0, 2], size: [1, 4, 4, 3]}}, "
      "{conv2d: {name: b, from: s, out_channels: 5, kernel: 3}}, "
      "{max_pool2d: {name: c, from: t, kernel: 2}");
  EXPECT_TRUE(program.layers[1].no_copy);
  EXPECT_TRUE(program.layers[2].no_copy);
  const Slot& whole = program.layers[0].output;
  const Slot& part = program.layers[2].output;
  EXPECT_EQ(part.address, whole.address + 6);
  EXPECT_EQ(part.segment_bytes, 3U);
  EXPECT_EQ(part.stride, 12U);
}

TEST(Compile, ConcatenationsWithinEachOtherAndWithOtherReadersCopyNothing) {
  const Program program = compiled(
      "conv2d: {name: a, in: [4, 4, 4], out_channels: 4, kernel: 1}}, "
      "{conv2d: {name: b, from: a, out_channels: 6, kernel: 1}}, "
      "{concat: {name: c, from: [a, b], axis: 3}}, "
      "{conv2d: {name: d, from: c, out_channels: 5, kernel: 1}}, "
      "{concat: {name: e, from: [d, c], axis: 3}}, "
      "{conv2d: {name: f, from: e, out_channels: 4, kernel: 1}");
  EXPECT_TRUE(program.layers[2].no_copy);
  EXPECT_TRUE(program.layers[4].no_copy);
  const Slot& whole = program.layers[4].output;
  EXPECT_EQ(program.layers[0].output.address, whole.address + 5);
  EXPECT_EQ(program.layers[1].output.address, whole.address + 9);
  EXPECT_EQ(program.layers[1].output.stride, 15U);
}

TEST(Compile, ConcatenationAndSlicesAlongTheOutermostAxisNeedNoCopy) {
  const Program program = compiled(
      "conv2d: {name: a, in: [2, 4, 4], out_channels: 4, kernel: 1}}, "
      "{conv2d: {name: b, from: a, out_channels: 4, kernel: 1}}, "
      "{concat: {name: c, from: [a, b], axis: 1}}, "
      "{slice: {name: d, begin: [0, 3, 0, 0]}");
  EXPECT_TRUE(program.layers[2].no_copy);
  EXPECT_EQ(program.layers[1].output.address, program.layers[0].output.address + 32);
  EXPECT_TRUE(program.layers[3].no_copy);
  EXPECT_EQ(program.layers[3].output.address, program.layers[1].output.address + 16);
}

// Converters write them without a dimension.
TEST(Compile, ScalarsAreOperands) {
  for (const BinaryKind kind : {BinaryKind::Add, BinaryKind::Mul}) {
    for (const bool has_constant : {true, false}) {
      for (const char* preset : {"micro", "nano", "tiny", "small", "medium"}) {
        SCOPED_TRACE(preset);
        Network network;
        network.name = "net";
        const Quantisation steps{{0.1F}, 0};
        network.tensors = {{"in", {1, 1}, DataType::Int8, steps, {}, {}},
                           {"scalar", {}, DataType::Int8, steps, {}, {}},
                           {"out", {1, 1}, DataType::Int8, steps, {}, {}},
                           {"both", {}, DataType::Int8, steps, {}, {}}};
        network.inputs = {0};
        if (has_constant) {
          network.tensors[1].constant = {3};
        } else {
          network.inputs.push_back(1);
        }
        network.operators = {
            {"first", Binary{kind, Activation::None}, {0, 1}, 2, Rounding::Twice},
            {"second", Binary{kind, Activation::None}, {1, 1}, 3, Rounding::Twice}};
        network.outputs = {2, 3};
        if (has_constant) {  // nothing is left to compute
          network.operators.pop_back();
          network.tensors.pop_back();
          network.outputs.pop_back();
        }
        check_network(network);
        const Program program = compile(network, hardware_preset(preset), {});
        EXPECT_TRUE(check_program(program).empty());
      }
    }
  }
}

}  // namespace
}  // namespace tessera
