// The built-in networks and layer tables on the RTL of `medium`: their first and widest layers, and
// whole.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>

#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tests/rtl/conformance.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

void expect_conforms(const Network& network) {
  const auto outcome = test::conform(network, hardware_preset("medium"), {},
                                     test::seeded_inputs(network, 1), ExternalMemory{});
  EXPECT_EQ(outcome.problem, "");
  for (const LayerRecord& layer : outcome.program.layers) {
    EXPECT_TRUE(layer.host_reason.empty() || layer.op == "SOFTMAX") << layer.host_reason;
  }
}

std::string built_in(const std::string& name) {
  return std::string(TESSERA_SOURCE_DIR "/configs/networks/") + name + ".yaml";
}

// One operator as a network.
Network alone(const Network& network, std::size_t index) {
  const Operator& op = network.operators[index];
  Network result;
  result.name = op.name;
  Operator copy{op.name, op.attributes, {}, 0};
  for (const std::int32_t input : op.inputs) {
    const auto place = static_cast<std::int32_t>(result.tensors.size());
    copy.inputs.push_back(place);
    result.tensors.push_back(network.tensors[static_cast<std::size_t>(input)]);
    if (result.tensors.back().constant.empty()) {
      result.inputs.push_back(place);
    }
  }
  copy.output = static_cast<std::int32_t>(result.tensors.size());
  result.tensors.push_back(network.tensors[static_cast<std::size_t>(op.output)]);
  result.outputs.push_back(copy.output);
  result.operators.push_back(std::move(copy));
  return result;
}

class Layers : public testing::TestWithParam<const char*> {};

TEST_P(Layers, FirstAndWidestRun) {
  const Network network = load_network(built_in(GetParam()), 1);
  std::size_t widest = 0;
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    if (macs_of(network, network.operators[i]) > macs_of(network, network.operators[widest])) {
      widest = i;
    }
  }
  expect_conforms(alone(network, 0));
  if (widest != 0) {
    expect_conforms(alone(network, widest));
  }
}

std::string name_of_file(const testing::TestParamInfo<const char*>& file) {
  return file.param;
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, Layers, testing::Values("vgg16", "resnet50", "mobilenet_v2"),
                         name_of_file);

class LongNetworks : public testing::TestWithParam<const char*> {};

TEST_P(LongNetworks, RunWhole) {
  expect_conforms(load_network(built_in(GetParam()), 1));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::cout << GetParam() << ": " << usage.ru_maxrss / 1024 << " MiB at most\n";
  EXPECT_LT(usage.ru_maxrss, 2 * 1024 * 1024) << "KiB";
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, LongNetworks,
                         testing::Values("lenet5", "alexnet", "resnet18", "mobilenet_v1",
                                         "mobilenet_v2", "resnet50", "vgg16"),
                         name_of_file);

class LongTables : public testing::TestWithParam<const char*> {};

TEST_P(LongTables, RunWhole) {
  TESSERA_NEEDS_SHARED();
  const fs::path file = fs::path(test::shared_dir()) / "benchmarks/topologies" / GetParam();
  expect_conforms(load_network(file.string() + ".csv", 1));
}

INSTANTIATE_TEST_SUITE_P(Topologies, LongTables,
                         testing::Values("alexnet", "mobilenet", "Resnet18", "Resnet50",
                                         "Googlenet", "yolo_tiny"),
                         name_of_file);

}  // namespace
}  // namespace tessera
