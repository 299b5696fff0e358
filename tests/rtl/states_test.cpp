// States on the engines: models of others, step by step, several in one memory, and interrupted.
#include <gtest/gtest.h>

#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/merge.hpp"
#include "tessera/reference.hpp"
#include "tests/rtl/conformance.hpp"
#include "tests/setups.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

Network streaming(const char* name) {
  return load_network(test::shared_dir() + "/models/streaming/" + name + ".tflite", 1);
}

class Streaming : public testing::TestWithParam<const char*> {};

// Nothing is left to the host where there are tables; RTL, TLM and cost model count the same.
TEST_P(Streaming, ModelsOfOthersRunOnTheArray) {
  TESSERA_NEEDS_SHARED();
  const Network network = streaming(GetParam());
  for (const Policy& policy : {Policy{}, test::best_for(Objective::Cycles)}) {
    const test::Outcome outcome = test::conform(network, hardware_preset("small"), policy,
                                                test::seeded_inputs(network, 1), ExternalMemory{});
    EXPECT_EQ(outcome.problem, "");
    EXPECT_EQ(outcome.program.states.size(), network.states.size());
    for (const LayerRecord& layer : outcome.program.layers) {
      EXPECT_EQ(layer.host_reason, "") << layer.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Streaming, testing::Values("okay_nabu_v2", "vad_v2"),
                         [](const auto& file) { return std::string(file.param); });

TEST(Streams, OfTwoModelsShareOneMemory) {
  TESSERA_NEEDS_SHARED();
  const Network both = merge_networks(
      {{"wake", streaming("okay_nabu_v2"), 0, true}, {"voice", streaming("vad_v2"), 1, true}});
  const test::Outcome outcome = test::conform(both, hardware_preset("small"), {},
                                              test::seeded_inputs(both, 1), ExternalMemory{});
  EXPECT_EQ(outcome.problem, "");
}

struct Awkward {
  const char* name;
  const char* text;
};

void PrintTo(const Awkward& graph, std::ostream* out) {
  *out << graph.name;
}

// Two inputs and two states of one shape; what each case does with them.
constexpr Awkward kAwkward[] = {
    {"ATensorThatNobodyReadsShowsTheOldValue",
     "  - concat: {name: all, from: [s, x], axis: 1}\n  - add: {name: n, from: [x, s], Q}\n"
     "  - relu: {name: y, from: x, Q}\nstate: [{input: s, output: n}, {input: t, output: y}]\n"},
    {"EachIsMadeOfTheOther",
     "  - add: {name: y, from: [s, t], Q}\n  - relu: {name: r, from: s, Q}\n"
     "  - add: {name: n, from: [x, t], Q}\nstate: [{input: s, output: n}, {input: t, output: "
     "r}]\n"},
    {"TheyChangePlaces",
     "  - add: {name: y, from: [s, x], Q}\nstate: [{input: s, output: t}, {input: t, output: "
     "s}]\n"},
    {"OneIsASliceOfAllOfItself",
     "  - slice: {name: n, from: s, begin: [0, 0, 0, 0], size: [1, 6, 5, 8]}\n"
     "  - add: {name: y, from: [x, n], Q}\nstate: [{input: s, output: n}, {input: t, output: "
     "y}]\n"},
    {"AFunctionOfAConvolutionOfItself",
     "  - conv2d: {name: c, from: s, kernel: 3, padding: same, out_channels: 8, Q}\n"
     "  - relu: {name: n, from: c, Q}\n  - add: {name: y, from: [x, t], Q}\n"
     "state: [{input: s, output: n}, {input: t, output: y}]\n"},
    {"AnOutputShowsTheOldValue",
     "  - reshape: {name: y, from: s, shape: [1, 240]}\n  - add: {name: n, from: [x, s], Q}\n"
     "  - relu: {name: r, from: t, Q}\nstate: [{input: s, output: n}, {input: t, output: r}]\n"}};

class AwkwardStates : public testing::TestWithParam<Awkward> {};

TEST_P(AwkwardStates, EqualTheReference) {
  std::string text =
      "inputs: {x: {shape: [1, 6, 5, 8], Q}, s: {shape: [1, 6, 5, 8], Q}, t: {shape: [1, 6, 5, 8], "
      "Q}}\nlayers:\n" +
      std::string(GetParam().text) + "outputs: [y]\n";
  for (std::size_t at = text.find('Q'); at != std::string::npos; at = text.find('Q')) {
    text.replace(at, 1, "scale: 0.1, zero_point: 3");
  }
  const Network network = import_yaml(text, "net.yaml", 1);
  for (const char* preset : {"micro", "tiny"}) {
    for (const Policy& policy : {Policy{}, test::best_for(Objective::Cycles)}) {
      const test::Outcome outcome = test::conform(network, test::hardware_with(preset, 2048),
                                                  policy, test::seeded_inputs(network, 1),
                                                  ExternalMemory{}, {}, test::Engines::WithoutRtl);
      EXPECT_EQ(outcome.problem, "") << preset;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, AwkwardStates, testing::ValuesIn(kAwkward),
                         [](const auto& graph) { return std::string(graph.param.name); });

// What a run leaves is what another one goes on with.
TEST(Streams, GoOnWhereTheyWereInterrupted) {
  const Network network = import_yaml(
      "inputs: {x: {shape: [1, 1, 3, 8]}, h: {shape: [1, 3, 3, 8]}}\nlayers:\n"
      "  - concat: {name: a, from: [h, x], axis: 1}\n"
      "  - slice: {name: n, from: a, begin: [0, 1, 0, 0], size: [1, 3, 3, 8]}\n"
      "  - conv2d: {from: a, kernel: [4, 1], out_channels: 5}\n"
      "state: [{input: h, output: n}]\n",
      "net.yaml", 1);
  const Program program = compile(network, hardware_preset("tiny"), {});
  RunOptions options;
  const auto input = [&](std::uint64_t seed) { return test::seeded_inputs(network, seed); };
  std::vector<std::vector<Bytes>> whole;
  {
    const auto session = open_engine(Engine::Tlm, program, options);
    session->reset();
    for (std::uint64_t step = 0; step < 6; ++step) {
      whole.push_back(session->run(input(step)).outputs);
    }
    // Begun anew, it is as before.
    EXPECT_GT(session->reset(), 0U);
    EXPECT_EQ(session->run(input(0)).outputs, whole[0]);
  }
  std::vector<Bytes> left;
  {
    const auto session = open_engine(Engine::Tlm, program, options);
    session->reset();
    for (std::uint64_t step = 0; step < 3; ++step) {
      session->run(input(step));
    }
    left = session->states();
  }
  const auto session = open_engine(Engine::Rtl, program, options);
  session->set_states(left);
  for (std::uint64_t step = 3; step < 6; ++step) {
    EXPECT_EQ(session->run(input(step)).outputs, whole[step]) << step;
  }
  EXPECT_THROW(session->set_states({}), std::invalid_argument);
}

}  // namespace
}  // namespace tessera
