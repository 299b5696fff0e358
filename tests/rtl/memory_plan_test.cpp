// Programs on the addresses of every planner, in poisoned memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "input/read_file.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/merge.hpp"
#include "tests/rtl/conformance.hpp"
#include "tests/setups.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

struct Known {
  const char* model;
  std::uint64_t arena;  ///< planner best
  std::uint64_t plain;  ///< TensorFlow Lite Micro's planner, from the same order
  std::uint64_t vela;   ///< Arm's Vela 3.10, Ethos-U55-256 optimising size
};

void PrintTo(const Known& known, std::ostream* out) {
  *out << known.model;
}

constexpr Known kModels[] = {{"ic_resnet8", 32768, 49152, 35840},
                             {"kws_dscnn", 8000, 16000, 16000},
                             {"ad_autoencoder", 640, 768, 768},
                             {"person_detect", 36864, 55296, 30720}};

class PlannedModels : public testing::TestWithParam<Known> {};

TEST_P(PlannedModels, AreBitExactWithEveryPlanner) {
  TESSERA_NEEDS_SHARED();
  const Known& known = GetParam();
  const std::string dir = test::shared_dir() + "/models/" + known.model;
  const Network network = load_network(dir + "/model.tflite", 1);
  const std::string tag = test::model_inputs(known.model).at(0);
  for (std::size_t planner = 0; planner < planner_names().size(); ++planner) {
    SCOPED_TRACE(planner_names()[planner]);
    Policy policy;
    policy.plan.planner = static_cast<PlannerName>(planner);
    const test::Outcome outcome = test::conform(network, hardware_preset("medium"), policy,
                                                {read_file(tag + ".input.bin")}, ExternalMemory{});
    ASSERT_EQ(outcome.problem, "");
    EXPECT_EQ(outcome.result.outputs[0], read_file(tag + ".output.bin"));
    const MemoryPlan& memory = outcome.program.memory;
    EXPECT_EQ(memory.order_bytes, known.plain);
    if (policy.plan.planner == PlannerName::Best || policy.plan.planner == PlannerName::Exact) {
      EXPECT_EQ(memory.allocation.height, known.arena);
      EXPECT_TRUE(memory.allocation.is_optimal());
      EXPECT_EQ(memory.in_place_saved_bytes, known.plain - known.arena);
    } else {
      EXPECT_EQ(memory.allocation.height, known.plain);
    }
  }
}

std::string name_of(const testing::TestParamInfo<Known>& info) {
  return info.param.model;
}

INSTANTIATE_TEST_SUITE_P(All, PlannedModels, testing::ValuesIn(kModels), name_of);

// Slow rows, refreshes and turn-arounds change cycles, never bytes.
TEST(MemoryPresets, AllGiveTheSameBytes) {
  const Network network = import_yaml(
      "layers:\n  - conv2d: {in: [20, 20, 24], out_channels: 24, kernel: 3, padding: same}\n"
      "  - conv2d: {out_channels: 40, kernel: 3, stride: 2}\n",
      "presets.yaml", 1);
  const Hardware hardware = test::hardware_with("small", 16384);
  std::map<std::string, std::uint64_t> cycles;
  for (const char* name : {"ideal", "sram", "lpddr4", "ddr4"}) {
    SCOPED_TRACE(name);
    const test::Outcome outcome =
        test::conform(network, hardware, {}, test::seeded_inputs(network, 1), memory_preset(name));
    ASSERT_EQ(outcome.problem, "");
    cycles[name] = counter(outcome.result.totals, isa::Counter::Cycles);
  }
  EXPECT_LT(cycles["ideal"], cycles["sram"]);
  EXPECT_LT(cycles["sram"], cycles["ddr4"]);
  EXPECT_LT(cycles["ddr4"], cycles["lpddr4"]);
}

class CheckedMemory : public testing::Test {
 protected:
  static Network network() {
    return import_yaml(
        "layers:\n  - conv2d: {name: a, in: [8, 8, 8], out_channels: 8, kernel: 3, padding: same}\n"
        "  - conv2d: {name: b, out_channels: 8, kernel: 3, padding: same}\n"
        "  - conv2d: {name: c, out_channels: 4, kernel: 1}\n"
        "  - softmax: {name: d}\n",
        "checked.yaml", 1);
  }

  static std::string run(const Program& program, const Network& network) {
    RunOptions options;
    options.inputs = test::seeded_inputs(network, 1);
    options.check_memory = true;
    try {
      run_on_rtl(program, options);
    } catch (const MemoryError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(CheckedMemory, NoticesReadsOfWhatIsDead) {
  const Network network = this->network();
  const Program sound = compile(network, hardware_preset("tiny"), {});
  ASSERT_EQ(run(sound, network), "");
  const auto& buffers = sound.memory.problem.buffers;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    // Without the overlaps, which would hide it where bytes are needed as something else's.
    Policy apart;
    apart.plan.in_place = false;
    Program program = compile(network, hardware_preset("tiny"), apart);
    Buffer& buffer = program.memory.problem.buffers[b];
    if (b == program.memory.output_buffers.at(0)) {
      continue;  // is taken when all is done
    }
    --buffer.upper;
    const std::string problem = run(program, network);
    if (buffer.upper == 0) {
      EXPECT_EQ(problem, "") << "nothing is poisoned before the first layer";
    } else {
      EXPECT_NE(problem.find("nobody was to need any more"), std::string::npos) << buffer.id;
    }
  }
}

TEST_F(CheckedMemory, NoticesReadsOfWhatNobodyWrote) {
  const Network network = this->network();
  Program program = compile(network, hardware_preset("tiny"), {});
  // The host's layer takes its input from elsewhere.
  for (Step& step : program.steps) {
    if (auto* call = std::get_if<HostCall>(&step); call != nullptr) {
      for (const MemoryRegion& region : program.regions) {
        if (region.kind == MemoryKind::Arena) {
          call->inputs[0]->address = region.range.address + region.range.bytes - 64;
        }
      }
    }
  }
  EXPECT_NE(run(program, network).find("layer `d` reads bytes"), std::string::npos);
}

Network two_models(std::uint32_t second_group, bool keep) {
  std::vector<ModelSource> sources;
  std::uint32_t group = 0;
  for (const char* name : {"ic_resnet8", "kws_dscnn"}) {
    sources.push_back({name,
                       load_network(test::shared_dir() + "/models/" + name + "/model.tflite", 1),
                       group, keep});
    group = second_group;
  }
  return merge_networks(sources);
}

std::vector<std::vector<std::uint8_t>> first_inputs() {
  return {read_file(test::model_inputs("ic_resnet8").at(0) + ".input.bin"),
          read_file(test::model_inputs("kws_dscnn").at(0) + ".input.bin")};
}

// On one device, in one arena.
TEST(SeveralModels, OneAfterTheOtherShareAnArena) {
  TESSERA_NEEDS_SHARED();
  for (const bool keep : {true, false}) {
    const test::Outcome outcome = test::conform(two_models(1, keep), hardware_preset("medium"), {},
                                                first_inputs(), ExternalMemory{});
    ASSERT_EQ(outcome.problem, "");
    EXPECT_EQ(outcome.result.outputs.at(0),
              read_file(test::model_inputs("ic_resnet8").at(0) + ".output.bin"));
    EXPECT_EQ(outcome.result.outputs.at(1),
              read_file(test::model_inputs("kws_dscnn").at(0) + ".output.bin"));
    EXPECT_EQ(outcome.program.memory.allocation.height, 32768U) << "as the larger one alone";
    // Kept outputs are still there when all is done, others are taken when their model ends.
    const std::vector<std::size_t>& steps = outcome.program.output_steps;
    EXPECT_EQ(steps[0] == steps[1], keep);
  }
}

TEST(SeveralModels, AtTheSameTimeShareNothing) {
  TESSERA_NEEDS_SHARED();
  const test::Outcome outcome = test::conform(two_models(0, false), hardware_preset("medium"), {},
                                              first_inputs(), ExternalMemory{});
  ASSERT_EQ(outcome.problem, "");
  EXPECT_EQ(outcome.program.memory.allocation.height, 32768U + 8000U);
  const MemoryPlan& memory = outcome.program.memory;
  const auto model = [&](std::size_t b) { return memory.problem.buffers[b].id.substr(0, 3); };
  for (std::size_t a = 0; a < memory.problem.buffers.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const std::uint64_t at = memory.allocation.offsets[a];
      const std::uint64_t other = memory.allocation.offsets[b];
      EXPECT_TRUE(model(a) == model(b) || at + memory.problem.buffers[a].size <= other ||
                  other + memory.problem.buffers[b].size <= at);
    }
  }
}

TEST(SeveralModels, EqualWeightsAndStreamsAreStoredOnce) {
  TESSERA_NEEDS_SHARED();
  const std::string path = test::shared_dir() + "/models/kws_dscnn/model.tflite";
  const Network network = load_network(path, 1);
  const Hardware hardware = hardware_preset("medium");
  const Program one = compile(network, hardware, {});
  const Program twice =
      compile(merge_networks({{"a", network, 0, false}, {"b", network, 1, false}}), hardware, {});
  EXPECT_GT(twice.commands_saved_bytes, 0U);
  EXPECT_EQ(twice.image.size(), one.image.size()) << "the second one costs nothing";
  EXPECT_THROW(merge_networks({{"a", network, 0, false}, {"a", network, 1, false}}), InputError);
}

// With height tiles the output trails its input, in poisoned memory.
TEST(SafeDistance, OutputOverwritesItsInputTileByTile) {
  Network network = import_yaml(
      "layers:\n  - conv2d: {name: a, in: [24, 24, 8], out_channels: 8, kernel: 3, padding: "
      "same}\n",
      "distance.yaml", 1);
  const Hardware hardware = test::hardware_with("tiny", 2048);
  const Program program = compile(network, hardware, {});
  ASSERT_EQ(program.memory.problem.overlaps.size(), 1U);
  const Overlap overlap = program.memory.problem.overlaps[0];
  EXPECT_GT(overlap.distance, 0U);
  EXPECT_LT(overlap.distance, program.memory.problem.buffers[overlap.below].size);
  EXPECT_EQ(program.memory.allocation.height,
            overlap.distance + program.memory.problem.buffers[overlap.above].size);
  EXPECT_EQ(test::conform(network, hardware, {}, test::seeded_inputs(network, 1), ExternalMemory{})
                .problem,
            "");
}

}  // namespace
}  // namespace tessera
