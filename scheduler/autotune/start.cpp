#include "scheduler/autotune/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "scheduler/autotune/limits.hpp"
#include "scheduler/program/assemble.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

// What decides how fast programs are, but not which there are. Programs are looked for with these
// rather than with those that there are, so that neither a faster memory nor more lanes leads the
// search elsewhere.
struct Timing {
  double bytes_per_cycle;
  std::uint32_t latency;
  std::uint32_t requests;
  std::uint32_t lanes_of;  // one for so many kernels
};
constexpr std::array<Timing, 2> kTimings = {{{6, 48, 16, 1}, {1.5, 100, 8, 2}}};

// And as presets of that size have it, with the memory that nobody has chosen.
Timing usual_timing(std::uint32_t kernels) {
  const ExternalMemory memory;
  return {memory.bytes_per_cycle, memory.latency, kernels <= 2 ? 2U : 16U,
          kernels <= 2 || kernels > 16 ? 2U
          : kernels <= 4               ? 4U
                                       : 1U};
}

void set_timing(const Timing& timing, Hardware& hardware, Policy& policy) {
  hardware.post_lanes = std::max(1U, hardware.atomic_k / timing.lanes_of);
  hardware.read_outstanding = timing.requests;
  policy.memory = {};
  policy.memory.bytes_per_cycle = timing.bytes_per_cycle;
  policy.memory.latency = timing.latency;
}

// Whether nothing but bytes per cycle and latency tells memories apart.
bool is_plain(const ExternalMemory& memory) {
  return memory.turnaround == 0 && memory.partial_beat == 0 && memory.dram.activate == 0 &&
         memory.dram.precharge == 0 && memory.dram.refresh_interval == 0 && !memory.rom.is_there();
}

// Of 1, 1.5, 2, 3, 4, 6, ... KiB the largest one below.
std::uint64_t size_below(std::uint64_t size) {
  std::uint64_t below = 0;
  for (std::uint64_t power = 1024; power < size; power *= 2) {
    below = power + power / 2 < size ? power + power / 2 : power;
  }
  return below;
}

struct Lesser {
  Hardware hardware;
  std::string made_for;
  bool is_usual_only = false;  ///< tried with one timing
};

// What lies in the part of the buffer that may be used, if that is not all of it.
void add(const Hardware& hardware, Lesser lesser, std::vector<Lesser>& all) {
  const bool lies_within = lesser.hardware.cbuf_begin() >= hardware.cbuf_begin() &&
                           lesser.hardware.cbuf_end() <= hardware.cbuf_end();
  if (hardware_problem(lesser.hardware).empty() && lies_within) {
    all.push_back(std::move(lesser));
  }
}

// Two smaller buffers.
template <class Add>
void for_smaller(const Hardware& hardware, const Add& add_size) {
  std::uint64_t size = hardware.cbuf_size;
  for (std::uint32_t i = 0; i < 2; ++i) {
    size = size_below(size);
    add_size(size, fmt::format("{} of {} KiB of cbuf", static_cast<double>(size) / 1024,
                               static_cast<double>(hardware.cbuf_size) / 1024));
  }
}

void add_lesser(const Hardware& hardware, std::uint64_t work, std::vector<Lesser>& all) {
  constexpr std::uint32_t kFewestWords = 64;
  const std::uint32_t fewest = work <= kMuchWork ? kFewestWords : hardware.acc_words / 2;
  for (std::uint32_t part = 2; hardware.acc_words / part >= fewest; part *= 2) {
    Lesser lesser{hardware, fmt::format("{} of {} accumulators", hardware.acc_words / part,
                                        hardware.acc_words)};
    lesser.hardware.acc_words /= part;
    add(hardware, std::move(lesser), all);
  }
  // Across the banks that there are, as a smaller buffer has them, or in the first ones.
  for_smaller(hardware, [&](std::uint64_t size, const std::string& made_for) {
    Lesser across{hardware, made_for + ", across banks"};
    across.hardware.cbuf_size = size;
    add(hardware, std::move(across), all);
    Lesser lesser{hardware, made_for, true};
    lesser.hardware.cbuf_size = lesser.hardware.cbuf_capacity = size;
    add(hardware, std::move(lesser), all);
  });
  if (work > kMuchWork || hardware.cbuf_banks < 2) {
    return;
  }
  Lesser banks{hardware,
               fmt::format("{} of {} banks", hardware.cbuf_banks / 2, hardware.cbuf_banks), true};
  banks.hardware.cbuf_banks /= 2;
  add(hardware, banks, all);
  for_smaller(hardware, [&](std::uint64_t size, const std::string& made_for) {
    Lesser across{banks.hardware, made_for + " and " + banks.made_for, true};
    across.hardware.cbuf_size = size;
    add(hardware, std::move(across), all);
  });
}

}  // namespace

std::size_t Start::host_operators() const {
  const auto& units = prepared_.plan.units;
  return static_cast<std::size_t>(
      std::count_if(units.begin(), units.end(),
                    [](const FusedOperator& unit) { return unit.kind == OperatorPlace::Host; }));
}

Program Start::program(const Tuning& tuning) {
  std::vector<double> key = {tuning.keep, tuning.fuse ? 1.0 : 0.0, tuning.small_bands ? 1.0 : 0.0};
  for (const Variant& variant : tuning.variants) {
    key.push_back(variant.parts * 4 + (variant.least_traffic ? 2 : 0) +
                  (variant.packs_columns ? 1 : 0));
  }
  auto known = decided_.find(key);
  if (known == decided_.end()) {
    known = decided_.emplace(std::move(key), decide_network(prepared_, tuning)).first;
  }
  DecidedNetwork decided = known->second;
  set_sizes(prepared_, tuning, decided);
  Program program = assemble(prepared_, tuning, std::move(decided), Contents::Commands);
  program.hardware.acc_words = std::max(hardware_.acc_words, hardware_.acc_built);
  return program;
}

Starts starts_of(const Network& network, const Hardware& hardware, const Policy& policy,
                 std::uint64_t work) {
  Starts starts;
  // A trial of the largest takes a minute: nothing is measured twice.
  const bool has_timings = work <= kFarTooMuchWork && policy.from_less &&
                           policy.objective == Objective::Cycles && is_plain(policy.memory);
  std::vector<Timing> timings = {usual_timing(hardware.atomic_k), kTimings[0], kTimings[1]};
  if (work > kMuchWork) {
    const double bytes = policy.memory.bytes_per_cycle;
    timings = {timings[bytes > 7 ? 0 : bytes > 2.5 ? 1 : 2]};
  }
  // What is best for one may be less of another than any program that was looked for.
  std::vector<Objective> others;
  if (work <= kMuchWork && policy.objective != Objective::Cycles) {
    others = {Objective::Cycles};
    if (policy.objective == Objective::Energy) {
      others.push_back(Objective::Traffic);
    }
  }
  std::vector<Lesser> all = {{hardware, ""}};
  if (policy.from_less && work <= kVeryMuchWork) {
    add_lesser(hardware, work, all);
  }
  // The host's time is in no figure: programs that leave it more would seem faster.
  const auto add_start = [&](auto&&... what) {
    auto start = std::make_unique<Start>(network, std::forward<decltype(what)>(what)...);
    if (starts.empty() || start->host_operators() <= starts[0]->host_operators()) {
      starts.push_back(std::move(start));
    }
  };
  for (const Lesser& lesser : all) {
    const Hardware part = part_of(hardware, lesser.hardware);
    try {
      if (!has_timings) {
        add_start(part, policy, lesser.made_for, true);
        for (std::size_t o = 0; o < (lesser.made_for.empty() ? others.size() : 0); ++o) {
          Policy tried = policy;
          tried.objective = others[o];
          add_start(part, tried, lesser.made_for);
        }
        continue;
      }
      for (std::size_t t = 0; t < (lesser.is_usual_only ? 1 : timings.size()); ++t) {
        const Timing& timing = timings[t];
        Hardware timed = part;
        Policy tried = policy;
        set_timing(timing, timed, tried);
        add_start(timed, tried, lesser.made_for);
      }
    } catch (const InputError&) {
      if (starts.empty()) {
        throw;
      }
      // A layer needs more than that.
    }
  }
  return starts;
}

std::uint64_t work_of(const Network& network, const Hardware& hardware) {
  std::uint64_t work = 0;
  for (const Operator& op : network.operators) {
    work += macs_of(network, op) / hardware.macs_per_cycle();
  }
  for (const Tensor& tensor : network.tensors) {
    work += tensor.bytes() / 8;
  }
  return work;
}

}  // namespace tessera
