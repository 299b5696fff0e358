// What a program takes on the cost model, and which of two is better.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/energy.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// By the policy's objective; a little of the other figure counts, too.
struct Cost {
  double first = 0;
  double second = 0;
  [[nodiscard]] bool operator<(const Cost& other) const {
    return first != other.first ? first < other.first : second < other.second;
  }
};
Cost cost_of(const Policy& policy, const Effort& effort);

struct Measured {
  Cost cost;
  double wanted = 0;            ///< what must not become more than with `first-fit`
  std::vector<Effort> efforts;  ///< by operator
};

/// None: the hardware cannot run it, such as one with more tokens than can be counted.
std::optional<Measured> measure(const Program& program, const Policy& policy);

/// Of its commands, and of what they do inside the accelerator.
std::uint64_t digest_of(const Program& program);

}  // namespace tessera
