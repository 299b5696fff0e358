// Tables of single convolutions, each layer against what its multiplications and bytes need at
// least.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "tests/shared_data.hpp"
#include "timing/machine/cost_model.hpp"

namespace tessera {
namespace {

// The better of an output- and a weight-stationary 16 x 16 array with an ideal memory, as SCALE-Sim
// has them.
double systolic_cycles(double pixels, double taps, double kernels) {
  const auto sixteens = [](double of) { return std::ceil(of / 16); };
  return std::min(sixteens(pixels) * sixteens(kernels) * (taps + 30),
                  sixteens(taps) * sixteens(kernels) * (pixels + 46)) -
         1;
}

double product(const std::vector<std::int32_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), 1.0, std::multiplies<>());
}

// Convolutions with more cycles than the larger of that and 1.03 times the larger of their
// multiplications on a full array and their bytes, each once, on a full bus.
std::set<std::string> slow_layers(const std::string& table, double& cycles, double& bounds) {
  const Network network =
      load_network(fmt::format("{}/benchmarks/topologies/{}.csv", test::shared_dir(), table), 1);
  const Hardware hw = hardware_preset("medium");
  Policy policy;
  policy.name = PolicyName::Best;
  const Program program = compile(network, hw, policy, Contents::Commands);
  const RunResult result = timing::estimate(program, policy.memory);
  std::set<std::string> slow;
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    const Operator& op = network.operators[i];
    const auto shape = [&](std::int32_t tensor) {
      return network.tensors[static_cast<std::size_t>(tensor)].shape;
    };
    if (program.layers[i].macs == 0) {
      continue;
    }
    const double inputs = product(shape(op.inputs[0]));
    const double weights = product(shape(op.inputs[1]));
    const double outputs = product(shape(op.output));
    const double kernels = shape(op.output).back();
    const double bound = std::max(static_cast<double>(program.layers[i].macs) / 256,
                                  (inputs + weights + outputs) / policy.memory.bytes_per_cycle);
    const auto own = static_cast<double>(counter(result.layers[i].counters, isa::Counter::Cycles));
    if (own >
        std::max(bound * 1.03, systolic_cycles(outputs / kernels, weights / kernels, kernels))) {
      slow.insert(op.name);
    }
    cycles += own;
    bounds += bound;
  }
  return slow;
}

TEST(LayerTables, AreAsFastAsArrayOrMemoryButForThreeLayers) {
  TESSERA_NEEDS_SHARED();
  const struct {
    const char* table;
    std::set<std::string> slow;
    double most;  // cycles by bounds
  } cases[] = {
      // Rows that come while it works: 0.7 % slower than tiles, and all layers together faster.
      {"Resnet18", {"Conv1"}, 1.0125},
      {"alexnet", {}, 1.0041},
      // 27 taps of a first layer in three thirds of a kernel row, not in two atoms; a
      // layer in whose time the next one's features are read.
      {"mobilenet", {"Conv1", "Conv3"}, 1.0925}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.table);
    double cycles = 0;
    double bounds = 0;
    EXPECT_EQ(slow_layers(c.table, cycles, bounds), c.slow);
    EXPECT_LE(cycles, bounds * c.most);
  }
}

}  // namespace
}  // namespace tessera
