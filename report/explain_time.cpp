#include "report/explain_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "console/text_table.hpp"
#include "tessera/error.hpp"
#include "timing/machine/cost_model.hpp"

namespace tessera {
namespace {

// Steps of the array that some lanes idle through, by why.
struct Idle {
  std::uint64_t channels = 0, kernels = 0, rest = 0;
};

double filled(std::int64_t size, std::uint32_t atom) {
  const std::int64_t whole = (size + atom - 1) / atom * atom;
  return static_cast<double>(whole) / static_cast<double>(size);
}

// Nothing where lanes are filled another way than channel by channel and kernel by kernel.
std::optional<Idle> idle_of(const Network& network, const Operator& op, const Hardware& hw,
                            std::uint64_t ideal, std::uint64_t busy) {
  const bool is_conv = std::holds_alternative<Conv2d>(op.attributes);
  if (!is_conv && !std::holds_alternative<FullyConnected>(op.attributes)) {
    return std::nullopt;
  }
  const Tensor& in = network.tensors[static_cast<std::size_t>(op.inputs[0])];
  const Tensor& kernel = network.tensors[static_cast<std::size_t>(op.inputs[1])];
  if (is_conv && kernel.shape.back() != in.shape.back()) {
    return std::nullopt;
  }
  const double by_channels = filled(kernel.shape.back(), hw.atomic_c);
  const double by_kernels = filled(kernel.shape.front(), hw.atomic_k);
  const auto steps = static_cast<double>(ideal);
  if (steps * by_channels * by_kernels > static_cast<double>(busy)) {
    return std::nullopt;
  }
  Idle idle;
  idle.channels = static_cast<std::uint64_t>(steps * (by_channels - 1));
  idle.kernels = static_cast<std::uint64_t>(steps * by_channels * (by_kernels - 1));
  idle.rest = busy - ideal - idle.channels - idle.kernels;
  return idle;
}

std::string time_of(const Network& network, const Program& program, std::size_t index,
                    const Counters& counters, std::uint64_t whole) {
  const LayerRecord& record = program.layers[index];
  const auto count = [&](isa::Counter which) { return counter(counters, which); };
  const std::uint64_t cycles = count(isa::Counter::Cycles);
  const std::uint64_t ideal = record.macs / program.hardware.macs_per_cycle();
  const std::uint64_t busy = count(isa::Counter::ArrayBusy);
  std::string text = fmt::format(
      "{} ({})\n  time: {} cycles, {:.1f} % of the accelerator's\n", record.name, record.op,
      grouped(cycles),
      whole == 0 ? 0.0 : 100 * static_cast<double>(cycles) / static_cast<double>(whole));
  const auto line = [&](const char* what, std::uint64_t value) {
    if (value != 0) {
      text += fmt::format("    {:<26} {:>12}\n", what, grouped(value));
    }
  };
  line("the array worked", busy);
  line("  with all lanes at work", std::min(ideal, busy));
  if (const auto idle = idle_of(network, network.operators[index], program.hardware, ideal, busy)) {
    line("  in vain: channels", idle->channels);
    line("  in vain: kernels", idle->kernels);
    line("  in vain: borders, tiles", idle->rest);
  } else {
    line("  in vain", busy - std::min(ideal, busy));
  }
  line("waited for weights", count(isa::Counter::StallWeights));
  line("lost a bank to weights", count(isa::Counter::StallBank));
  line("waited for a load", count(isa::Counter::WaitLoad));
  line("waited for a store", count(isa::Counter::WaitStore));
  line("began or drained", count(isa::Counter::ComputeOther));
  return text + "\n";
}

struct Change {
  std::string what;
  std::function<void(Config&)> make;
};

std::vector<Change> changes_of(const Config& config) {
  const Hardware& hw = config.hardware;
  const auto twice = [](const char* what, auto before) {
    return fmt::format("{} {} -> {}", what, before, 2 * before);
  };
  // More than the bus takes is of no use.
  const bool wider = 2 * config.memory.bytes_per_cycle > hw.bus_bytes;
  return {
      {twice("memory.bytes_per_cycle", config.memory.bytes_per_cycle) +
           (wider ? ", " + twice("hardware.bus_bytes", hw.bus_bytes) : ""),
       [wider](Config& c) {
         c.memory.bytes_per_cycle *= 2;
         c.hardware.bus_bytes *= wider ? 2 : 1;
       }},
      {twice("hardware.bus_bytes", hw.bus_bytes), [](Config& c) { c.hardware.bus_bytes *= 2; }},
      {fmt::format("memory.latency {} -> {}", config.memory.latency, config.memory.latency / 2),
       [](Config& c) { c.memory.latency /= 2; }},
      {fmt::format("hardware.cbuf.size {:g} -> {:g} KiB", static_cast<double>(hw.cbuf_size) / 1024,
                   static_cast<double>(hw.cbuf_size) / 512),
       [](Config& c) {
         c.hardware.cbuf_size *= 2;
         c.hardware.cbuf_capacity = std::max(c.hardware.cbuf_capacity, c.hardware.cbuf_size);
       }},
      {twice("hardware.cbuf.banks", hw.cbuf_banks), [](Config& c) { c.hardware.cbuf_banks *= 2; }},
      {twice("hardware.accumulators", hw.acc_words), [](Config& c) { c.hardware.acc_words *= 2; }},
      {twice("hardware.array.atomic_c", hw.atomic_c), [](Config& c) { c.hardware.atomic_c *= 2; }},
      {twice("hardware.array.atomic_k", hw.atomic_k), [](Config& c) { c.hardware.atomic_k *= 2; }},
      {twice("hardware.post_lanes", hw.post_lanes), [](Config& c) { c.hardware.post_lanes *= 2; }},
  };
}

std::uint64_t cycles_of(const Config& config, const Network& network, const std::string& layer) {
  const Program program = compile(network, config.hardware, config.policy, Contents::Commands);
  const RunResult result = timing::estimate(program, config.memory);
  for (std::size_t i = 0; i < program.layers.size(); ++i) {
    if (program.layers[i].name == layer) {
      return counter(result.layers[i].counters, isa::Counter::Cycles);
    }
  }
  return counter(result.totals, isa::Counter::Cycles);
}

}  // namespace

std::string explain_time(const Network& network, const Program& program, const RunResult& result,
                         const std::string& layer) {
  std::string text;
  const std::uint64_t whole = counter(result.totals, isa::Counter::Cycles);
  for (std::size_t i = 0; i < program.layers.size(); ++i) {
    const LayerRecord& record = program.layers[i];
    if (record.pass && (layer.empty() || record.name == layer)) {
      text += time_of(network, program, i, result.layers[i].counters, whole);
    }
  }
  return text;
}

std::string what_if(const Config& config, const Network& network, const std::string& layer) {
  const std::uint64_t now = cycles_of(config, network, layer);
  // 0: the layer is the host's.
  const auto cell = [](std::uint64_t cycles) { return cycles == 0 ? "host" : grouped(cycles); };
  std::vector<Row> rows = {{"what if", "cycles", "change"}, {"as it is", cell(now), ""}};
  for (const Change& change : changes_of(config)) {
    Config changed = config;
    change.make(changed);
    changed.policy.memory = changed.memory;
    if (!hardware_problem(changed.hardware).empty()) {
      continue;
    }
    try {
      const std::uint64_t then = cycles_of(changed, network, layer);
      rows.push_back(
          {change.what, cell(then),
           now == 0 || then == 0
               ? ""
               : fmt::format("{:+.1f} %",
                             100 * (static_cast<double>(then) / static_cast<double>(now) - 1))});
    } catch (const InputError& problem) {
      rows.push_back({change.what, "", problem.what()});
    }
  }
  return fmt::format("{}, policy {}, by the cost model\n{}", layer.empty() ? network.name : layer,
                     policy_names()[static_cast<std::size_t>(config.policy.name)],
                     aligned(std::move(rows), 1));
}

}  // namespace tessera
