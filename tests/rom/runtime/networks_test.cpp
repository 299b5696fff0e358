// Whole networks: the C runtime beside the Verilated accelerator.
#include <gtest/gtest.h>

#include "sim/rtl/device.hpp"
#include "sim/rtl/variant.hpp"
#include "tests/rom/runtime/network_in_c.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

class RtlRegisters : public test::Registers {
 public:
  explicit RtlRegisters(rtl::Device& device) : device_(device) {}
  std::uint32_t read(std::uint32_t offset) override { return device_.read_register(offset).data; }
  void write(std::uint32_t offset, std::uint32_t value) override {
    device_.write_register(offset, value);
  }

 private:
  rtl::Device& device_;
};

class HostRuntimeOnRtl : public test::NetworkInC {
 protected:
  void expect_on_rtl(const std::vector<std::string>& sets, std::size_t steps) {
    ASSERT_TRUE(prepare(sets));
    rtl::Device npu(rtl::build_variant(config_.hardware, {}), config_.hardware, memory_,
                    config_.memory);
    RtlRegisters registers(npu);
    expect_reference_bytes(registers, steps);
  }
};

TEST_F(HostRuntimeOnRtl, RunsANetworkThatEndsInSoftmax) {
  expect_on_rtl({"hardware=small"}, 2);
}

TEST_F(HostRuntimeOnRtl, RunsStepsOfANetworkWithState) {
  expect_on_rtl(
      {"hardware=small", "network=" TESSERA_SOURCE_DIR "/configs/networks/wake_word.yaml"}, 3);
}

// Between two runs, and floats at the end.
TEST_F(HostRuntimeOnRtl, RunsOperatorsBetweenRuns) {
  test::write_text(path("net.yaml"), R"(inputs: {x: {shape: [1, 6, 6, 8]}}
layers:
  - conv2d: {name: a, from: x, kernel: [3, 3], out_channels: 8}
  - softmax: {name: s, from: a}
  - conv2d: {name: b, from: s, kernel: [1, 1], out_channels: 4}
  - transpose: {name: t, from: b, order: [0, 2, 1, 3]}
  - dequantize: {from: t}
)");
  expect_on_rtl({"hardware=nano", "network=" + path("net.yaml")}, 2);
}

// Inputs come and outputs go before the program's last step: their memory is others' before and
// after.
TEST_F(HostRuntimeOnRtl, RunsSeveralModels) {
  expect_on_rtl({"hardware=small",
                 "models=[{network: wake_word}, {network: lenet5, keep_outputs: no}, {network: "
                 "lenet5}]"},
                2);
  EXPECT_GT(image_.program.input_steps[2], image_.program.input_steps[1]);
  EXPECT_GT(image_.program.output_steps[0], image_.program.output_steps[1]);
}

// Tensors in segments: what the host reads, and an output. The scheduler makes none today.
TEST_F(HostRuntimeOnRtl, ReadsSegments) {
  ASSERT_TRUE(prepare({"hardware=small"}, [](Program& program) {
    Slot& input = *std::get<HostCall>(program.steps.back()).inputs[0];
    for (Slot* slot : {&input, &program.outputs[0]}) {
      ASSERT_EQ(slot->bytes, 10U);
      slot->segment_bytes = slot->stride = 5;
    }
  }));
  const std::string source = test::text_of(path("tessera_host.c"));
  EXPECT_NE(source.find("5, 5, 10, tessera_scratch + 0)"), std::string::npos);
  EXPECT_NE(source.find("5, 5, 10, (uint8_t *)outputs[0])"), std::string::npos);
  rtl::Device npu(rtl::build_variant(config_.hardware, {}), config_.hardware, memory_,
                  config_.memory);
  RtlRegisters registers(npu);
  expect_reference_bytes(registers, 1);
}

// What has no C is named, and nothing compiles that would leave it out.
TEST_F(HostRuntimeOnRtl, NamesWhatItLacks) {
  const Config config = load_config(TESSERA_SOURCE_DIR "/configs/npu.yaml", {"hardware=small"});
  rom::Image image =
      rom::make_image(compile(load_configured(config), config.hardware, config.policy), 0);
  std::get<HostCall>(image.program.steps.back()).output.segment_bytes = 5;
  const rom::HostRuntime runtime = host_runtime(image);
  const std::string layer =
      "the C runtime lacks SOFTMAX softmax (layer 8): its output lies in segments";
  EXPECT_EQ(runtime.missing, std::vector<std::string>{layer});
  EXPECT_NE(runtime.source.find("#error \"" + layer + "\"\n"), std::string::npos);
}

// Products, softmax and squared differences of a transformer between its runs; a detector's scores.
class HostRuntimeModelsOnRtl : public HostRuntimeOnRtl,
                               public testing::WithParamInterface<const char*> {};

TEST_P(HostRuntimeModelsOnRtl, RunBesideTheAccelerator) {
  TESSERA_NEEDS_SHARED();
  expect_on_rtl({"hardware=large", "network=" + test::shared_dir() + "/models/" +
                                       std::string(GetParam()) + ".tflite"},
                1);
}

INSTANTIATE_TEST_SUITE_P(All, HostRuntimeModelsOnRtl,
                         testing::Values("transformers/kwt1_int8", "ssd_slim/model"),
                         [](const auto& model) {
                           const std::string name = model.param;
                           return name.substr(0, 3);
                         });

}  // namespace
}  // namespace tessera
