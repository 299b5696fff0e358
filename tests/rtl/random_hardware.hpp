// Random arrays, buffers, accumulators, lanes, queues and buses.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tests/rtl/random_networks.hpp"

namespace tessera::test {

struct DrawnHardware {
  int atomic_c, atomic_k;
  int atoms;         ///< of the cbuf
  std::string yaml;  ///< with `SIZE` where the usable bytes go
};

inline int pick_power(int low, int high) {
  return 1 << pick(low, high);
}

/// All in half of the cases, else any of them.
inline std::string draw_features() {
  if (pick(0, 1) == 0) {
    return "all";
  }
  std::string features;
  for (const isa::NameDoc& feature : isa::kFeatures) {
    features += fmt::format("{}{}: {}", features.empty() ? "" : ", ", feature.name, yes_no());
  }
  return "{" + features + "}";
}

/// Sides, banks and depths of any kind; `most_macs` bounds what a simulator has to be built for.
inline DrawnHardware draw_hardware(int most_macs) {
  DrawnHardware drawn{};
  do {
    drawn.atomic_c = 2 * pick(1, 32);
    drawn.atomic_k = pick(0, 3) == 0 ? drawn.atomic_c : 2 * pick(1, 32);
  } while (drawn.atomic_c * drawn.atomic_k > most_macs);
  const int banks = pick(1, pick(0, 1) == 0 ? 8 : 64);
  const int depth = pick(16, std::max(17, 16384 / banks));
  drawn.atoms = banks * depth;
  int lanes = pick_power(0, 6);
  while (lanes > drawn.atomic_k) {
    lanes /= 2;
  }
  drawn.yaml = fmt::format(
      "{{array: {{atomic_c: {}, atomic_k: {}}}, cbuf: {{size: SIZE, capacity: {}, banks: {}}}, "
      "accumulators: {}, param_groups: {}, bus_bytes: {}, post_lanes: {}, read_outstanding: {}, "
      "queue_depth: {}, line_atoms: {}, features: {}}}",
      drawn.atomic_c, drawn.atomic_k, drawn.atoms * drawn.atomic_c, banks, pick_power(4, 11),
      pick_power(2, 7), pick_power(2, 6), lanes, pick_power(1, 5), pick_power(4, 8),
      pick_power(4, 8), draw_features());
  return drawn;
}

/// The same with microcode.
inline DrawnHardware draw_micro_hardware(int most_macs) {
  DrawnHardware drawn{};
  do {
    drawn.atomic_c = 2 * pick(1, 32);
    drawn.atomic_k = 2 * pick(1, 32);
  } while (drawn.atomic_c * drawn.atomic_k > most_macs);
  drawn.atoms = pick(16, 8192);
  drawn.yaml = fmt::format(
      "{{control: microcode, array: {{atomic_c: {}, atomic_k: {}}}, cbuf: {{size: SIZE, capacity: "
      "{}}}, "
      "accumulators: {}, param_groups: {}, bus_bytes: {}, features: none}}",
      drawn.atomic_c, drawn.atomic_k, drawn.atoms * drawn.atomic_c, pick_power(3, 11),
      pick_power(1, 7), pick_power(2, 6));
  return drawn;
}

/// A network on it, with a random part of its buffer, policy and memory.
inline RandomCase draw_case(const DrawnHardware& hardware, bool stutters) {
  const Recipe& recipe = one_of(recipes());
  const int atomic = pick(0, 1) == 0 ? hardware.atomic_c : hardware.atomic_k;
  const int atoms = std::max(1, hardware.atoms >> pick(0, 4));
  std::string yaml = hardware.yaml;
  yaml.replace(yaml.find("SIZE"), 4, std::to_string(atoms * hardware.atomic_c));
  RandomCase drawn;
  drawn.config = fmt::format(
      "hardware: {}\nmemory: {{bytes_per_cycle: {}, latency: {}{}}}\nnetwork: lenet5\n"
      "policy: {{{}}}\nseed: {}\n",
      yaml, pick(1, 16), pick(0, 80),
      stutters ? fmt::format(", jitter: {{latency: {}, stall_percent: {}, seed: {}}}", pick(0, 40),
                             pick(0, 60), pick(0, 1000))
               : "",
      policy_text(one_of<std::string>({"first-fit", "best"}),
                  one_of<std::string>({"cycles", "traffic", "energy"}), yes_no()),
      pick(0, 1000));
  drawn.network = recipe.draw(draw_shape(atomic), atomic);
  return drawn;
}

}  // namespace tessera::test
