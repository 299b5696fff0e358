// Values that outlive a run: which graphs may have them, and what they are after each step.
#include "network/states.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/merge.hpp"
#include "tessera/reference.hpp"

namespace tessera {
namespace {

std::string error_of(const std::string& text) {
  try {
    import_yaml(text, "net.yaml", 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const char* const kSum =
    "inputs: {x: {shape: [1, 1, 1, 2], scale: 1, zero_point: 3}, h: {shape: [1, 1, 1, 2], scale: "
    "1, "
    "zero_point: 3}}\n"
    "layers:\n  - add: {name: n, from: [x, h], scale: 1, zero_point: 3}\n"
    "state:\n  - {input: h, output: n}\n";

// Zero is stored as 3; the last value is an output, too.
TEST(States, GrowStepByStep) {
  const Network network = import_yaml(kSum, "net.yaml", 1);
  ASSERT_EQ(network.states.size(), 1U);
  EXPECT_EQ(network.inputs.size(), 1U);
  EXPECT_EQ(network.states[0].initial, Bytes({3, 3}));
  std::vector<Bytes> states = initial_states(network);
  const std::vector<Bytes> input = {{4, 13}};
  EXPECT_EQ(run_reference(network, input, {}, &states)[0], Bytes({4, 13}));
  EXPECT_EQ(run_reference(network, input, {}, &states)[0], Bytes({5, 23}));
  EXPECT_EQ(run_reference(network, input)[0], Bytes({4, 13})) << "without states it begins anew";
  EXPECT_EQ(states[0], Bytes({5, 23}));
}

// Of what reads itself while it is written, a copy is written in its place.
TEST(States, ThatAreReadWhileTheyAreWrittenAreCopied) {
  const Network network = import_yaml(kSum, "net.yaml", 1);
  ASSERT_EQ(network.operators.size(), 2U);
  EXPECT_EQ(network.operators[1].type_name(), "STRIDED_SLICE");
  EXPECT_EQ(network.states[0].output, network.operators[1].output);
  EXPECT_TRUE(is_settled(network, network.states[0]));
  State itself = network.states[0];
  itself.output = network.operators[0].output;
  EXPECT_FALSE(is_settled(network, itself));
}

// All that looks at the old rows does so before.
TEST(States, ThatSlideNeedNoCopy) {
  const Network network = import_yaml(
      "inputs: {x: {shape: [1, 1, 2, 4]}, h: {shape: [1, 3, 2, 4]}}\nlayers:\n"
      "  - concat: {name: a, from: [h, x], axis: 1}\n"
      "  - slice: {name: n, from: a, begin: [0, 1, 0, 0], size: [1, 3, 2, 4]}\n"
      "  - conv2d: {from: a, kernel: [4, 1], out_channels: 3}\n"
      "state: [{input: h, output: n}]\n",
      "net.yaml", 1);
  EXPECT_EQ(network.operators.size(), 3U);
}

TEST(States, ThatAreOnlyRenamedNeverChange) {
  const Network network = import_yaml(
      "inputs: {x: {shape: [1, 1, 1, 2], scale: 1, zero_point: 0}, h: {shape: [1, 1, 1, 2], scale: "
      "1, "
      "zero_point: 0}}\nlayers:\n  - reshape: {name: r, from: h, shape: [1, 2]}\n"
      "  - reshape: {name: n, from: r, shape: [1, 1, 1, 2]}\n"
      "  - add: {from: [x, h], scale: 1, zero_point: 0}\nstate: [{input: h, output: n}]\n",
      "net.yaml", 1);
  EXPECT_EQ(network.states[0].output, network.states[0].input);
  std::vector<Bytes> states = {{5, 7}};
  EXPECT_EQ(run_reference(network, {{1, 1}}, {}, &states)[0], Bytes({6, 8}));
  EXPECT_EQ(states[0], Bytes({5, 7}));
}

TEST(States, WithAnotherScaleAreRequantised) {
  const Network network = import_yaml(
      "inputs: {x: {shape: [1, 1, 1, 2], scale: 1, zero_point: 0}, h: {shape: [1, 1, 1, 2], scale: "
      "2, zero_point: 0}}\n"
      "layers:\n  - add: {name: n, from: [x, h], scale: 1, zero_point: 0}\nstate: [{input: h, "
      "output: n}]\n",
      "net.yaml", 1);
  EXPECT_EQ(network.operators.back().type_name(), "QUANTIZE");
  std::vector<Bytes> states = initial_states(network);
  run_reference(network, {{8, 20}}, {}, &states);
  EXPECT_EQ(states[0], Bytes({4, 10}));
}

TEST(States, AreRefusedWithTheirNames) {
  const std::string layers =
      "inputs: {x: {shape: [1, 1, 1, 2]}, h: {shape: [1, 1, 1, 3]}}\nlayers:\n"
      "  - relu: {name: n, from: x}\n";
  EXPECT_NE(
      error_of(layers + "state: [{input: h, output: n}]\n")
          .find("output `n` is int8 of shape [1, 1, 1, 2], input `h` is int8 of shape [1, 1, 1, "
                "3]; allowed are two that are alike"),
      std::string::npos);
  EXPECT_NE(error_of(layers + "state: [{input: n, output: n}]\n").find("`n` is no input"),
            std::string::npos);
  EXPECT_NE(error_of(layers + "state: {input: h}\n").find("must be a list of maps"),
            std::string::npos);
  Network network = import_yaml(kSum, "net.yaml", 1);
  network.states[0].output = network.operators[0].output;
  EXPECT_THROW(check_network(network), InputError) << "read while it is written";
  network.states[0].output = network.inputs[0];
  EXPECT_THROW(check_network(network), InputError) << "computed by no operator";
  Network two = import_yaml(kSum, "net.yaml", 1);
  two.states.push_back(two.states[0]);
  EXPECT_THROW(check_network(two), InputError) << "twice the same";
}

// Files may hold circles; what refuses them comes later.
TEST(States, OfCirclesEndToo) {
  Network network = import_yaml(kSum, "net.yaml", 1);
  network.operators.push_back({"circle", Reshape{}, {network.outputs[0]}, network.outputs[0]});
  settle_states(network);
  EXPECT_THROW(check_network(network), InputError);
}

TEST(States, SurviveTheirLayerListAndTheirMerge) {
  const Network network = import_yaml(kSum, "net.yaml", 1);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "tessera_states_test";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "again.yaml").string();
  export_yaml(network, path);
  const Network again = load_network(path, 1);
  std::filesystem::remove_all(folder);
  ASSERT_EQ(again.states.size(), 1U);
  EXPECT_EQ(again.states[0].initial, network.states[0].initial);
  EXPECT_EQ(again.operators.size(), network.operators.size());
  const Network both = merge_networks({{"a", network, 0, true}, {"b", network, 1, true}});
  ASSERT_EQ(both.states.size(), 2U);
  check_network(both);
  std::vector<Bytes> states = initial_states(both);
  run_reference(both, {{4, 4}, {9, 9}}, {}, &states);
  EXPECT_EQ(states, std::vector<Bytes>({{4, 4}, {9, 9}}));
}

}  // namespace
}  // namespace tessera
