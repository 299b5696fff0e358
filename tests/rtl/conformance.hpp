// Runs a network on the RTL and compares every layer with the reference kernels.
#pragma once

#include <string>
#include <vector>

#include "sim/rtl/device.hpp"
#include "tessera/engine.hpp"
#include "tessera/network.hpp"

namespace tessera::test {

struct Outcome {
  std::string problem;  ///< "" when every layer is right
  Program program;
  RunResult result;
};

enum class Engines : std::uint8_t { All, WithoutRtl };

/// Compiles, checks, runs, compares; also that the cycle counters add up.
Outcome conform(const Network& network, const Hardware& hardware, const Policy& policy,
                const std::vector<std::vector<std::uint8_t>>& inputs, const ExternalMemory& memory,
                const MemoryDisturbance& disturbance = {}, Engines engines = Engines::All);

/// Inputs from a seed.
std::vector<std::vector<std::uint8_t>> seeded_inputs(const Network& network, std::uint64_t seed);

}  // namespace tessera::test
