// What reports say of a layer.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/energy.hpp"
#include "tessera/engine.hpp"
#include "tessera/network.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// How a layer on the accelerator runs: its mode with the parts of a split, and how many passes.
std::string mode_of(const LayerRecord& record);

/// Picojoules by the table.
double energy_of(const EnergyTable& table, const LayerRecord& record, const Counters& counters);

/// array, weights, read, write or start-up: where most of the layer's cycles went, by the
/// hardware's counters; empty without cycles.
std::string bottleneck_of(const Counters& counters);

/// What all layers on the host do, and its time in cycles of the accelerator.
struct HostTotals {
  std::size_t layers = 0;
  HostWork work;
  std::uint64_t cycles = 0;
};
HostTotals host_totals(const HostProcessor& host, const Program& program);

/// Each tensor of the operator once: inputs, constants, output. Less than that can move when
/// tensors stay on the chip.
std::uint64_t least_external_bytes(const Network& network, const Operator& op);

}  // namespace tessera
