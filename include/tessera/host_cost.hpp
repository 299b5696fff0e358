// What layers on the host cost.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/network.hpp"

namespace tessera {

/// Work of one layer on the host.
struct HostWork {
  std::uint64_t operations = 0;  ///< multiply-accumulates, additions, comparisons, ...
  std::uint64_t bytes = 0;       ///< of its inputs, constants and output, each once
};

/// The work of a plain kernel: macs_of() for convolutions, else a number per element by kind.
HostWork host_work(const Network& network, const Operator& op);

/// The processor beside the accelerator.
struct HostProcessor {
  std::string name;  ///< empty: none is given, its time is not counted
  double mhz = 100;
  double cycles_per_operation = 0;
  double cycles_per_byte = 0;
  double accelerator_mhz = 100;  ///< clock that host_cycles() counts in

  [[nodiscard]] bool counts() const { return !name.empty(); }
};

/// The time of that work in cycles of the accelerator, rounded up; 0 without a processor.
std::uint64_t host_cycles(const HostProcessor& host, const HostWork& work);

}  // namespace tessera
