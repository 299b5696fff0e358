// A real network on the RTL: every layer's bytes against the reference outputs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tests/digest.hpp"
#include "tests/rtl/conformance.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

Network resnet8() {
  return load_network(test::shared_dir() + "/models/ic_resnet8/model.tflite", 1);
}

test::Outcome run(const Network& network, const Hardware& hw, const std::string& tag) {
  return test::conform(network, hw, {}, {read_file(tag + ".input.bin")}, ExternalMemory{});
}

class Resnet8 : public testing::TestWithParam<const char*> {};

TEST_P(Resnet8, EveryLayerOfEveryInputIsBitExact) {
  TESSERA_NEEDS_SHARED();
  const Network network = resnet8();
  for (const std::string& tag : test::model_inputs("ic_resnet8")) {
    SCOPED_TRACE(tag);
    const test::Outcome outcome = run(network, hardware_preset(GetParam()), tag);
    ASSERT_EQ(outcome.problem, "");
    std::ifstream file(tag + ".layers.json");
    const auto layers = nlohmann::json::parse(file);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      EXPECT_EQ(test::sha256(outcome.result.layers[i].output), layers[i]["sha256"]) << i;
      const std::string op = layers[i]["op"];
      EXPECT_EQ(outcome.program.layers[i].decision.has_value(),
                op == "CONV_2D" || op == "FULLY_CONNECTED" || op == "AVERAGE_POOL_2D");
    }
    EXPECT_EQ(outcome.result.outputs[0], read_file(tag + ".output.bin"));
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, Resnet8, testing::Values("small", "medium", "large"));

std::string kind_of(const LayerDecision& decision) {
  if (!decision.is_split()) {
    return name_of(decision.modes[0]);
  }
  const bool channels = decision.channel_parts > 1;
  const bool space = decision.tiles_h * decision.tiles_w > 1;
  return channels && space ? "both splits" : channels ? "channel split" : "spatial split";
}

TEST(Resnet8CbufLimits, EveryModeOccursAndStaysBitExact) {
  TESSERA_NEEDS_SHARED();
  const Network network = resnet8();
  const std::string tag = test::model_inputs("ic_resnet8").at(0);
  std::set<std::string> kinds;
  for (const char* preset : {"small", "medium"}) {
    for (const std::uint64_t kib : {4U, 6U, 8U, 12U, 16U, 24U, 32U, 48U, 64U, 128U, 256U}) {
      Hardware hw = hardware_preset(preset);
      hw.cbuf_size = kib * 1024;
      if (hw.cbuf_size > hw.cbuf_capacity) {
        continue;
      }
      SCOPED_TRACE(fmt::format("{} {} KiB", preset, kib));
      const test::Outcome outcome = run(network, hw, tag);
      ASSERT_EQ(outcome.problem, "");
      EXPECT_EQ(outcome.result.outputs[0], read_file(tag + ".output.bin"));
      for (const LayerRecord& layer : outcome.program.layers) {
        if (layer.decision) {
          kinds.insert(kind_of(*layer.decision));
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
  Hardware hw = hardware_preset("large");
  hw.cbuf_size = 4096;
  try {
    compile(resnet8(), hw, {});
    FAIL() << "a group of 32 kernels of 3x3x32 has 9216 bytes";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("layer `CONV_2D_"), std::string::npos);
  }
}

}  // namespace
}  // namespace tessera
