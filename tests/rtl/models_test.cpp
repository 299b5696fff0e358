// Real networks on the RTL: every layer's bytes against the reference outputs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "input/read_file.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tests/digest.hpp"
#include "tests/rtl/conformance.hpp"
#include "tests/setups.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

Network model(const std::string& name) {
  return load_network(test::shared_dir() + "/models/" + name + "/model.tflite", 1);
}

test::Outcome run_model(const Network& network, const Hardware& hw, const std::string& tag,
                        const Policy& policy = {}) {
  return test::conform(network, hw, policy, {read_file(tag + ".input.bin")}, ExternalMemory{});
}

// Every layer that is left in memory, and all outputs.
void expect_published(const test::Outcome& outcome, const std::string& tag, bool every_layer) {
  std::ifstream file(tag + ".layers.json");
  const auto layers = nlohmann::json::parse(file);
  ASSERT_EQ(layers.size(), outcome.program.layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const LayerRecord& record = outcome.program.layers[i];
    const std::string op = layers[i]["op"];
    EXPECT_EQ(record.op, op);
    const bool is_accelerated =
        op != "SOFTMAX" || outcome.program.hardware.has(isa::Feature::Softmax);
    EXPECT_EQ(record.host_reason.empty(), is_accelerated) << record.host_reason;
    if (every_layer || record.output.bytes > 0) {
      EXPECT_EQ(test::sha256(outcome.result.layers[i].output), layers[i]["sha256"]) << i;
    }
  }
  const auto& outputs = outcome.result.outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string number = outputs.size() > 1 ? std::to_string(i) : "";
    EXPECT_EQ(outputs[i], read_file(fmt::format("{}.output{}.bin", tag, number)));
  }
}

using ModelAndPreset = std::tuple<std::string, std::string>;

class Models : public testing::TestWithParam<ModelAndPreset> {};

// Without fusion every layer leaves its output in memory.
void expect_bit_exact(const ModelAndPreset& which, std::size_t first, std::size_t count) {
  const auto& [name, preset] = which;
  const Network network = model(name);
  const std::vector<std::string> tags = test::model_inputs(name);
  ASSERT_GT(tags.size(), first);
  for (std::size_t i = first; i < std::min(tags.size(), first + count); ++i) {
    const std::string& tag = tags[i];
    SCOPED_TRACE(tag);
    Policy layer_by_layer;
    layer_by_layer.fuse = false;
    const test::Outcome apart = run_model(network, hardware_preset(preset), tag, layer_by_layer);
    ASSERT_EQ(apart.problem, "");
    expect_published(apart, tag, true);
    const test::Outcome fused = run_model(network, hardware_preset(preset), tag);
    ASSERT_EQ(fused.problem, "");
    expect_published(fused, tag, false);
    Policy best;
    best.name = PolicyName::Best;
    const test::Outcome kept = run_model(network, hardware_preset(preset), tag, best);
    ASSERT_EQ(kept.problem, "");
    expect_published(kept, tag, false);
    EXPECT_LE(kept.program.arena_bytes(), fused.program.arena_bytes());
  }
}

TEST_P(Models, EveryLayerIsBitExact) {
  TESSERA_NEEDS_SHARED();
  expect_bit_exact(GetParam(), 0, 1);
}

class LongModels : public testing::TestWithParam<ModelAndPreset> {};

TEST_P(LongModels, EveryLayerOfEveryInputIsBitExact) {
  TESSERA_NEEDS_SHARED();
  expect_bit_exact(GetParam(), 0, 1000);
}

std::string model_and_preset(const testing::TestParamInfo<ModelAndPreset>& parameters) {
  return std::get<0>(parameters.param) + "_" + std::get<1>(parameters.param);
}

INSTANTIATE_TEST_SUITE_P(Medium, Models,
                         testing::Combine(testing::Values("ic_resnet8", "ad_autoencoder",
                                                          "person_detect"),
                                          testing::Values("medium")),
                         model_and_preset);
INSTANTIATE_TEST_SUITE_P(Others, Models,
                         testing::Combine(testing::Values("kws_dscnn"),
                                          testing::Values("small", "large")),
                         model_and_preset);
INSTANTIATE_TEST_SUITE_P(Medium, LongModels,
                         testing::Combine(testing::Values("ic_resnet8", "kws_dscnn",
                                                          "ad_autoencoder", "person_detect",
                                                          "ssd_slim"),
                                          testing::Values("medium")),
                         model_and_preset);
INSTANTIATE_TEST_SUITE_P(Others, LongModels,
                         testing::Combine(testing::Values("ic_resnet8", "kws_dscnn"),
                                          testing::Values("small", "large")),
                         model_and_preset);

std::string kind_of(const PassRecord& pass) {
  if (!is_split(pass.strategy)) {
    return mode_name(pass.strategy);
  }
  const bool channels = channel_parts(pass.strategy) > 1;
  const bool space = grid_of(pass.strategy).tiles() > 1;
  return channels && space ? "both splits" : channels ? "channel split" : "spatial split";
}

TEST(LongResnet8CbufLimits, EveryModeOccursAndStaysBitExact) {
  TESSERA_NEEDS_SHARED();
  const Network network = model("ic_resnet8");
  const std::string tag = test::model_inputs("ic_resnet8").at(0);
  std::set<std::string> kinds;
  for (const char* preset : {"small", "medium"}) {
    for (const std::uint64_t kib : {4U, 6U, 8U, 12U, 16U, 24U, 32U, 48U, 64U, 128U, 256U}) {
      const Hardware hw = test::hardware_with(preset, kib * 1024);
      if (hw.cbuf_size > hw.cbuf_capacity) {
        continue;
      }
      SCOPED_TRACE(fmt::format("{} {} KiB", preset, kib));
      const test::Outcome outcome = run_model(network, hw, tag);
      ASSERT_EQ(outcome.problem, "");
      EXPECT_EQ(outcome.result.outputs[0], read_file(tag + ".output.bin"));
      for (const LayerRecord& layer : outcome.program.layers) {
        if (layer.pass) {
          kinds.insert(kind_of(*layer.pass));
          EXPECT_LE(layer.cbuf_peak_bytes, hw.cbuf_size);
        }
      }
    }
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"both splits", "channel split", "direct", "ping-pong",
                                          "spatial split", "wait"}));
}

TEST(Resnet8CbufLimits, TooSmallABufferIsAnErrorThatNamesTheLayer) {
  TESSERA_NEEDS_SHARED();
  const Hardware hw = test::hardware_with("large", 4096);
  try {
    compile(model("ic_resnet8"), hw, {});
    FAIL() << "a group of 32 kernels of 3x3x32 has 9216 bytes";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("layer `CONV_2D_"), std::string::npos);
  }
}

}  // namespace
}  // namespace tessera
