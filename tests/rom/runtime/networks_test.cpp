// Whole networks: the C runtime beside the Verilated accelerator.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/input_steps.hpp"
#include "app/simulate.hpp"
#include "rom/driver.hpp"
#include "rom/host_runtime.hpp"
#include "sim/rtl/device.hpp"
#include "sim/rtl/variant.hpp"
#include "tessera/config.hpp"
#include "tessera/reference.hpp"
#include "tests/app/cli.hpp"
#include "tests/rom/runtime/compiled.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

using test::write_text;

// What the C code's registers are, while it runs.
rtl::Device* device = nullptr;

std::uint32_t read32(std::uint32_t offset) {
  return device->read_register(offset).data;
}
void write32(std::uint32_t offset, std::uint32_t value) {
  device->write_register(offset, value);
}

// Counts what is done to the cache: once before and once behind each run.
const char* const kConfig = R"(#include <stdint.h>
extern uint32_t (*read32)(uint32_t);
extern void (*write32)(uint32_t, uint32_t);
extern uint8_t *memory;
extern int cleaned, invalidated;
#define TESSERA_READ32(base, offset) ((void)(base), read32(offset))
#define TESSERA_WRITE32(base, offset, value) ((void)(base), write32(offset, value))
#define TESSERA_MEMORY(address) (memory + (address))
#define TESSERA_CLEAN_CACHE(first, bytes) ((void)(first), (void)(bytes), ++cleaned)
#define TESSERA_INVALIDATE_CACHE(first, bytes) ((void)(first), (void)(bytes), ++invalidated)
)";
const char* const kDefinitions = R"(#include "tessera_host.c"
uint32_t (*read32)(uint32_t);
void (*write32)(uint32_t, uint32_t);
uint8_t *memory;
int cleaned, invalidated;
)";

constexpr std::uint32_t kPolls = 20'000'000;

class HostRuntime : public test::Cli {
 protected:
  // The network's steps, in C on the RTL.
  void expect_reference_bytes(const std::vector<std::string>& sets, std::size_t steps) {
    const Config config = load_config(TESSERA_SOURCE_DIR "/configs/npu.yaml", sets);
    const Network network = load_configured(config);
    const rom::Image image = rom::make_image(compile(network, config.hardware, config.policy), 0);
    const rom::HostRuntime runtime = host_runtime(image);
    ASSERT_TRUE(runtime.missing.empty()) << runtime.missing[0];
    write_text(path("tessera_program.h"), driver_header(image));
    write_text(path("tessera_host.h"), runtime.header);
    write_text(path("tessera_host.c"), runtime.source);
    write_text(path("config.h"), kConfig);
    write_text(path("all.c"), kDefinitions);
    const test::Compiled compiled(path("all"), "-DTESSERA_CONFIG='\"config.h\"'");
    ASSERT_TRUE(compiled.loaded());
    *compiled.at<std::uint32_t (**)(std::uint32_t)>("read32") = &read32;
    *compiled.at<void (**)(std::uint32_t, std::uint32_t)>("write32") = &write32;
    const auto reset = compiled.at<int (*)(void*, std::uint32_t)>("tessera_reset");
    const auto infer = compiled.at<int (*)(void*, const void* const*, void* const*, std::uint32_t)>(
        "tessera_infer");

    std::vector<std::uint8_t> bytes = image.program.image;
    *compiled.at<std::uint8_t**>("memory") = bytes.data();
    rtl::Device npu(rtl::build_variant(config.hardware, {}), config.hardware, bytes, config.memory);
    device = &npu;
    // States begin anew after as many steps.
    for (int time = 0; time < (network.states.empty() ? 1 : 2); ++time) {
      ASSERT_EQ(reset(nullptr, kPolls), 0);
      std::vector<Bytes> states = initial_states(network);
      for (std::size_t step = 0; step < steps; ++step) {
        run_step(config, network, step, states, infer);
      }
    }
    EXPECT_GT(*compiled.at<int*>("cleaned"), 0);
    EXPECT_EQ(*compiled.at<int*>("cleaned"), *compiled.at<int*>("invalidated"));
    device = nullptr;
  }

 private:
  template <class Infer>
  static void run_step(const Config& config, const Network& network, std::size_t step,
                       std::vector<Bytes>& states, const Infer& infer) {
    Config seeded = config;
    seeded.seed = config.seed + step;
    const std::vector<Bytes> inputs = read_inputs(seeded, network, "");
    const std::vector<Bytes> expected = run_reference(network, inputs, {}, &states);
    std::vector<const void*> from;
    for (const Bytes& input : inputs) {
      from.push_back(input.data());
    }
    std::vector<Bytes> outputs;
    for (const Bytes& output : expected) {
      outputs.emplace_back(output.size());
    }
    std::vector<void*> to;
    for (Bytes& output : outputs) {
      to.push_back(output.data());
    }
    if (network.states.empty()) {
      constexpr int kBusy = 1;
      EXPECT_EQ(infer(nullptr, from.data(), to.data(), 0), kBusy);
      while (device->read_register(isa::reg::kStatus).data % 2 != 0) {
      }
    }
    ASSERT_EQ(infer(nullptr, from.data(), to.data(), kPolls), 0);
    EXPECT_EQ(outputs, expected) << "step " << step;
  }
};

TEST_F(HostRuntime, RunsANetworkThatEndsInSoftmax) {
  expect_reference_bytes({"hardware=small"}, 2);
}

TEST_F(HostRuntime, RunsStepsOfANetworkWithState) {
  expect_reference_bytes(
      {"hardware=small", "network=" TESSERA_SOURCE_DIR "/configs/networks/wake_word.yaml"}, 3);
}

// More on the host: nano has few of the array's features, and operators between runs.
TEST_F(HostRuntime, RunsOperatorsBetweenRuns) {
  write_text(path("net.yaml"), R"(inputs: {x: {shape: [1, 6, 6, 8]}}
layers:
  - conv2d: {name: a, kernel: [3, 3], out_channels: 8}
  - softmax: {name: s, from: a}
  - conv2d: {name: b, from: s, kernel: [1, 1], out_channels: 4}
  - transpose: {name: t, from: b, order: [0, 2, 1, 3]}
  - dequantize: {from: t}
)");
  expect_reference_bytes({"hardware=nano", "network=" + path("net.yaml")}, 2);
}

// Products, softmax and squared differences of a transformer between its runs; a detector's scores.
class HostRuntimeModels : public HostRuntime, public testing::WithParamInterface<const char*> {};

TEST_P(HostRuntimeModels, RunBesideTheAccelerator) {
  TESSERA_NEEDS_SHARED();
  expect_reference_bytes({"hardware=large", "network=" + test::shared_dir() + "/models/" +
                                                std::string(GetParam()) + ".tflite"},
                         1);
}

INSTANTIATE_TEST_SUITE_P(All, HostRuntimeModels,
                         testing::Values("transformers/kwt1_int8", "ssd_slim/model",
                                         "kws_dscnn/model"),
                         [](const auto& model) {
                           const std::string name = model.param;
                           return name.substr(0, 3);
                         });

}  // namespace
}  // namespace tessera
