#include "scheduler/autotune/measured.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/error.hpp"
#include "tessera/isa.hpp"
#include "timing/machine/cost_model.hpp"

namespace tessera {
namespace {

// A third of the bytes saved is worth two or three hundredths of the cycles; a third of the cycles
// six thousandths of the bytes.
constexpr double kBytesInCycles = 1.0 / 16;
constexpr double kCyclesInBytes = 1.0 / 64;

// What must not become more than with `first-fit`.
double wanted_of(const Policy& policy, const Effort& effort) {
  switch (policy.objective) {
    case Objective::Cycles:
      return static_cast<double>(effort.cycles);
    case Objective::Traffic:
      return static_cast<double>(effort.external_bytes);
    default:
      return cost_of(policy, effort).first;
  }
}

}  // namespace

Cost cost_of(const Policy& policy, const Effort& effort) {
  const auto cycles = static_cast<double>(std::max<std::uint64_t>(effort.cycles, 1));
  const auto bytes = static_cast<double>(std::max<std::uint64_t>(effort.external_bytes, 1));
  switch (policy.objective) {
    case Objective::Traffic:
      return {bytes * std::pow(cycles, kCyclesInBytes), bytes};
    case Objective::Energy:
      return {energy_pj(policy.energy, effort), cycles};
    default:
      return {cycles * std::pow(bytes, kBytesInCycles), cycles};
  }
}

std::optional<Measured> measure(const Program& program, const Policy& policy) {
  RunResult result;
  try {
    result = timing::estimate(program, policy.memory);
  } catch (const EngineError&) {
    return std::nullopt;
  }
  Measured measured;
  Effort sum;
  measured.efforts.reserve(result.layers.size());
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    const Counters& counters = result.layers[i].counters;
    const LayerRecord& record = program.layers[i];
    measured.efforts.push_back({record.macs, record.accesses, external_bytes(counters),
                                counter(counters, isa::Counter::Cycles)});
    sum.macs += record.macs;
    sum.accesses += record.accesses;
  }
  sum.cycles = counter(result.totals, isa::Counter::Cycles);
  sum.external_bytes = external_bytes(result.totals);
  measured.cost = cost_of(policy, sum);
  measured.wanted = wanted_of(policy, sum);
  return measured;
}

std::uint64_t digest_of(const Program& program) {
  std::uint64_t digest = 0xCBF29CE484222325ULL;
  const auto add = [&](std::uint64_t word) {
    digest = (digest ^ word) * 0x9E3779B97F4A7C15ULL;
    digest ^= digest >> 29;
  };
  for (const Step& step : program.steps) {
    if (const auto* run = std::get_if<CommandRun>(&step); run != nullptr) {
      for (const std::uint64_t word : isa::words_of(program.commands_of(*run), run->stream.bytes)) {
        add(word);
      }
      add(run->stream.address);
      add(run->layers.size());
    }
  }
  for (const LayerRecord& layer : program.layers) {
    add(layer.accesses.cbuf_bytes);
    add(layer.accesses.accumulator_bytes);
  }
  return digest;
}

}  // namespace tessera
