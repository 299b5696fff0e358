// What tests with random networks have in common.
#pragma once

#include <fmt/format.h>
#include <rapidcheck.h>

#include <optional>
#include <string>

#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tests/rtl/conformance.hpp"

namespace tessera::test {

/// Over the whole range from the first case on: most of what goes wrong needs more than the
/// smallest.
inline int pick(int low, int high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
}

/// Everything of a case that is drawn, as a user would write it.
struct RandomCase {
  std::string config;
  std::string network;

  /// What repeats it, for the message of a failure.
  [[nodiscard]] std::string repeat() const {
    return fmt::format("\n--- npu.yaml (with `network: network.yaml`)\n{}--- network.yaml\n{}",
                       config, network);
  }
};

/// A configuration with random memory, buffer `cbuf` and `policy` as YAML has them.
inline std::string draw_config(const std::string& preset, int cbuf_bytes,
                               const std::string& policy) {
  return fmt::format(
      "hardware: {{preset: {}, cbuf: {{size: {}}}}}\n"
      "memory: {{bytes_per_cycle: {}, latency: {}, jitter: {{latency: {}, stall_percent: {}, seed: "
      "{}}}}}\nnetwork: lenet5\npolicy: {{{}}}\nseed: {}\n",
      preset, cbuf_bytes, pick(1, 16), pick(0, 80), pick(0, 40), pick(0, 60), pick(0, 1000), policy,
      pick(0, 1000));
}

/// Roundings of all kinds, drawn from the seed: some networks have one, others a mixture. The
/// file's words for it: `rounding`.
inline void draw_roundings(Network& network, const Hardware& hardware, std::uint64_t seed) {
  if (!hardware.has(isa::Feature::SingleRounding)) {
    return;
  }
  SplitMix64 rng(seed);
  const std::uint64_t one = rng.below(4);
  for (Operator& op : network.operators) {
    op.rounding = static_cast<Rounding>(one < 3 ? one : rng.below(3));
  }
}

/// Runs the case on the engines and all that they are compared with. Fails with what repeats it;
/// nothing when it does not fit the buffer.
inline std::optional<Outcome> run_case_if_it_fits(const RandomCase& drawn,
                                                  Engines engines = Engines::All) {
  const Config config = parse_config(drawn.config, "case.yaml", {});
  Network network = import_yaml(drawn.network, "network.yaml", config.seed);
  draw_roundings(network, config.hardware, config.seed);
  std::optional<Outcome> outcome;
  try {
    outcome = conform(network, config.hardware, config.policy, seeded_inputs(network, config.seed),
                      config.memory, config.jitter, engines);
  } catch (const InputError&) {
    return std::nullopt;
  }
  if (!outcome->problem.empty()) {
    RC_FAIL(outcome->problem + drawn.repeat());
  }
  return outcome;
}

/// The same; a case that does not fit is discarded.
inline Outcome run_case(const RandomCase& drawn, Engines engines = Engines::All) {
  std::optional<Outcome> outcome = run_case_if_it_fits(drawn, engines);
  if (!outcome) {
    RC_DISCARD("does not fit the buffer");
  }
  return std::move(*outcome);
}

}  // namespace tessera::test
