// Memory plans inside models.
#include <gtest/gtest.h>

#include "input/read_file.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/memory_plan.hpp"
#include "tessera/reference.hpp"
#include "tessera/rng.hpp"
#include "tessera/tflite_plan.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

std::vector<std::int32_t> planned(const TfliteActivations& activations, const Allocation& plan) {
  std::vector<std::int32_t> offsets(activations.tensors, -1);
  for (std::size_t b = 0; b < plan.offsets.size(); ++b) {
    offsets[static_cast<std::size_t>(activations.tensor_of[b])] =
        static_cast<std::int32_t>(plan.offsets[b]);
  }
  return offsets;
}

std::vector<std::uint8_t> final_output(const Network& network) {
  SplitMix64 rng(1);
  std::vector<std::vector<std::uint8_t>> inputs;
  for (const std::int32_t input : network.inputs) {
    inputs.emplace_back(network.tensors[static_cast<std::size_t>(input)].bytes());
    for (std::uint8_t& byte : inputs.back()) {
      byte = static_cast<std::uint8_t>(rng.int8());
    }
  }
  std::vector<std::uint8_t> last;
  run_reference(network, inputs,
                [&](std::size_t, const std::vector<std::uint8_t>& output) { last = output; });
  return last;
}

struct Known {
  const char* path;
  std::uint64_t bytes;
};

void PrintTo(const Known& known, std::ostream* out) {
  *out << known.path;
}

class OfflinePlans : public testing::TestWithParam<Known> {};

TEST_P(OfflinePlans, AreReadBackAndLeaveTheModelAsItWas) {
  TESSERA_NEEDS_SHARED();
  const std::string path = test::shared_dir() + "/" + GetParam().path;
  const std::vector<std::uint8_t> model = read_file(path);
  const TfliteActivations activations = tflite_activations(model, path, 16);
  const Allocation plan = allocate_best(activations.problem, 0, {});
  EXPECT_EQ(violation(activations.problem, plan.offsets), "");
  EXPECT_EQ(plan.height, GetParam().bytes);
  EXPECT_TRUE(plan.is_optimal());
  const std::vector<std::int32_t> offsets = planned(activations, plan);
  const std::vector<std::uint8_t> copy = with_offline_plan(model, path, offsets);
  EXPECT_EQ(offline_plan_of(model, path), std::vector<std::int32_t>{});
  EXPECT_EQ(offline_plan_of(copy, path), offsets);
  // Once more: replaced, not added.
  std::vector<std::int32_t> other(offsets.size(), -1);
  EXPECT_EQ(offline_plan_of(with_offline_plan(copy, path, other), path), other);
  EXPECT_EQ(final_output(import_tflite(copy, path)), final_output(import_tflite(model, path)));
}

std::string name_of(const testing::TestParamInfo<Known>& info) {
  std::string name;
  for (const char c : std::string(info.param.path)) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Known, OfflinePlans,
    testing::Values(Known{"benchmarks/graphs/mobilenet_v1_0.25_128_quant.tflite", 98304},
                    Known{"benchmarks/graphs/mcunet_vww.tflite", 161472},
                    Known{"models/kws_dscnn/model.tflite", 16000},
                    Known{"models/ic_resnet8/model.tflite", 49152}),
    name_of);

TEST(OfflinePlan, DamagedModelsAreErrors) {
  EXPECT_THROW(tflite_activations({1, 2, 3}, "m", 16), InputError);
  EXPECT_THROW(with_offline_plan({}, "m", {}), InputError);
}

// The interpreter's lifetimes: inputs from the start, outputs to the end, constants not at all.
TEST(OfflinePlan, LifetimesFollowTheFilesOrder) {
  TESSERA_NEEDS_SHARED();
  const std::string path = test::shared_dir() + "/models/ad_autoencoder/model.tflite";
  const TfliteActivations activations = tflite_activations(read_file(path), path, 16);
  const auto& buffers = activations.problem.buffers;
  ASSERT_FALSE(buffers.empty());
  EXPECT_EQ(buffers.front().lower, 0);
  EXPECT_EQ(buffers.front().upper, 1);
  std::int64_t last = 0;
  for (const Buffer& buffer : buffers) {
    last = std::max(last, buffer.upper);
    EXPECT_LE(buffer.size, 640U);
  }
  EXPECT_EQ(buffers.back().upper, last);
}

}  // namespace
}  // namespace tessera
