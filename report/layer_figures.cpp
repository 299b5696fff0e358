#include "report/layer_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace tessera {

std::string mode_of(const LayerRecord& record) {
  const std::string name = record.pass->long_name();
  return record.passes == 1 ? name : fmt::format("{} passes, {}", record.passes, name);
}

double energy_of(const EnergyTable& table, const LayerRecord& record, const Counters& counters) {
  return energy_pj(table, {record.pass ? record.macs : 0, record.accesses, external_bytes(counters),
                           counter(counters, isa::Counter::Cycles)});
}

std::string bottleneck_of(const Counters& counters) {
  using isa::Counter;
  // Lost banks are lost to weights that arrive.
  const std::array<std::pair<const char*, std::uint64_t>, 5> causes{
      {{"array", counter(counters, Counter::ArrayBusy)},
       {"weights",
        counter(counters, Counter::StallWeights) + counter(counters, Counter::StallBank)},
       {"read", counter(counters, Counter::WaitLoad)},
       {"write", counter(counters, Counter::WaitStore)},
       {"start-up", counter(counters, Counter::ComputeOther)}}};
  const auto* const most =
      std::max_element(causes.begin(), causes.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->second == 0 ? "" : most->first;
}

HostTotals host_totals(const HostProcessor& host, const Program& program) {
  HostTotals totals;
  for (const LayerRecord& record : program.layers) {
    if (record.host_reason.empty()) {
      continue;
    }
    ++totals.layers;
    totals.work.operations += record.host.operations;
    totals.work.bytes += record.host.bytes;
    totals.cycles += host_cycles(host, record.host);
  }
  return totals;
}

std::uint64_t least_external_bytes(const Network& network, const Operator& op) {
  std::set<std::int32_t> tensors(op.inputs.begin(), op.inputs.end());
  tensors.insert(op.output);
  std::uint64_t bytes = 0;
  for (const std::int32_t tensor : tensors) {
    bytes += tensor < 0 ? 0 : network.tensors[static_cast<std::size_t>(tensor)].bytes();
  }
  return bytes;
}

}  // namespace tessera
