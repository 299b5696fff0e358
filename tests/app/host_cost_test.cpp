#include "tessera/host_cost.hpp"

#include <gtest/gtest.h>

#include "report/layer_figures.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"

namespace tessera {
namespace {

Network softmax_network() {
  return import_yaml(
      "inputs: {x: {shape: [1, 10]}}\nlayers:\n  - relu: {name: r}\n  - softmax: {name: s}\n",
      "n.yaml", 1);
}

TEST(HostCost, CountsOperationsAndBytes) {
  const Network network = softmax_network();
  const HostWork work = host_work(network, network.operators[1]);
  EXPECT_EQ(work.operations, 450U);
  EXPECT_EQ(work.bytes, 20U);
}

TEST(HostCost, TimeIsInTheAcceleratorsCycles) {
  HostProcessor host{"custom", 50, 2, 1, 100};
  EXPECT_EQ(host_cycles(host, {100, 50}), 500U);  // 250 cycles at half the clock
  host.name.clear();
  EXPECT_EQ(host_cycles(host, {100, 50}), 0U);
}

TEST(HostCost, OnlyLayersOnTheHostCost) {
  const Program program = compile(softmax_network(), hardware_preset("small"), Policy{});
  const HostTotals totals = host_totals({"custom", 100, 1, 0, 100}, program);
  EXPECT_EQ(totals.layers, 1U);
  EXPECT_EQ(totals.cycles, 450U);
}

TEST(HostCost, ConfigurationsNameAPresetOrGiveNumbers) {
  const auto host = [](const std::string& text) {
    return parse_config("hardware: medium\nnetwork: lenet5\n" + text, "npu.yaml", {}).host;
  };
  EXPECT_FALSE(host("").counts());
  EXPECT_EQ(host("host: microcontroller\n").mhz, 120);
  EXPECT_EQ(host("host: {preset: application, mhz: 1000}\n").cycles_per_operation, 0.6);
  EXPECT_EQ(host("host: {mhz: 200, cycles_per_operation: 3, cycles_per_byte: 1}\n").name, "custom");
  EXPECT_THROW(host("host: {cycles_per_operation: 3}\n"), InputError);
  EXPECT_THROW(host("host: {mhz: 0}\n"), InputError);
  EXPECT_THROW(host("host: fast\n"), InputError);
}

}  // namespace
}  // namespace tessera
