#include "scheduler/search/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "scheduler/program/assemble.hpp"
#include "scheduler/search/limits.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

// What decides how fast programs are, but not which there are. A program is looked for with these
// rather than with those that there are, so that neither a faster memory nor more lanes leads the
// search elsewhere; and then with those, too.
struct Timing {
  double bytes_per_cycle;
  std::uint32_t latency;
  std::uint32_t requests;
  std::uint32_t lanes_of;  // one for so many kernels
};
constexpr std::array<Timing, 2> kTimings = {{{6, 48, 16, 1}, {1.5, 100, 8, 2}}};

void set_timing(const Timing& timing, Hardware& hardware, Policy& policy) {
  hardware.post_lanes = std::max(1U, hardware.atomic_k / timing.lanes_of);
  hardware.read_outstanding = timing.requests;
  policy.memory = {};
  policy.memory.bytes_per_cycle = timing.bytes_per_cycle;
  policy.memory.latency = timing.latency;
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
};

void add(Lesser lesser, std::vector<Lesser>& all) {
  if (hardware_problem(lesser.hardware).empty()) {
    all.push_back(std::move(lesser));
  }
}

void add_lesser(const Hardware& hardware, std::uint64_t work, std::vector<Lesser>& all) {
  const bool little = work <= kLittleWork;
  for (std::uint32_t part = 2; part <= (little ? 4 : 2); part *= 2) {
    Lesser lesser{hardware, fmt::format("{} of {} accumulators", hardware.acc_words / part,
                                        hardware.acc_words)};
    lesser.hardware.acc_words /= part;
    add(std::move(lesser), all);
  }
  std::uint64_t size = hardware.cbuf_size;
  for (std::uint32_t i = 0; i < (work <= kMuchWork ? 2 : 1); ++i) {
    size = size_below(size);
    Lesser lesser{hardware, fmt::format("{} of {} KiB of cbuf", static_cast<double>(size) / 1024,
                                        static_cast<double>(hardware.cbuf_size) / 1024)};
    lesser.hardware.cbuf_size = lesser.hardware.cbuf_capacity = size;
    add(std::move(lesser), all);
  }
}

}  // namespace

Program Start::program(const Tuning& tuning) {
  std::vector<double> key = {tuning.keep, tuning.fuse ? 1.0 : 0.0, tuning.small_bands ? 1.0 : 0.0};
  for (const Variant& variant : tuning.variants) {
    key.push_back(variant.parts * 4 + (variant.least_traffic ? 2 : 0) +
                  (variant.side_by_side ? 1 : 0));
  }
  auto known = decided_.find(key);
  if (known == decided_.end()) {
    known = decided_.emplace(std::move(key), decide_network(prepared_, tuning)).first;
  }
  DecidedNetwork decided = known->second;
  set_sizes(prepared_, tuning, decided);
  Program program = assemble(prepared_, tuning, decided, Contents::Commands);
  program.hardware.acc_words = std::max(hardware_.acc_words, hardware_.acc_built);
  return program;
}

Starts starts_of(const Network& network, const Hardware& hardware, const Policy& policy,
                 std::uint64_t work) {
  Starts starts;
  const bool all_timings =
      policy.from_less && policy.objective == Objective::Cycles && work <= kMuchWork;
  std::vector<Lesser> all = {{hardware, ""}};
  if (policy.from_less && work <= kVeryMuchWork) {
    add_lesser(hardware, work, all);
  }
  for (const Lesser& lesser : all) {
    const Hardware part = part_of(hardware, lesser.hardware);
    try {
      starts.push_back(std::make_unique<Start>(network, part, policy, lesser.made_for));
      for (std::size_t t = 0; all_timings && t < kTimings.size(); ++t) {
        Hardware timed = part;
        Policy tried = policy;
        set_timing(kTimings[t], timed, tried);
        starts.push_back(std::make_unique<Start>(network, timed, tried, lesser.made_for));
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
