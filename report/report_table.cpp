#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/classes.hpp"
#include "console/text_table.hpp"
#include "report/layer_figures.hpp"
#include "report/report.hpp"

namespace tessera {
namespace {

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? ""
                    : fmt::format("{:.1f}",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// Bytes moved for each byte that must move when every tensor moves once.
std::string times(std::uint64_t bytes, std::uint64_t least) {
  return least == 0
             ? ""
             : fmt::format("{:.2f}x", static_cast<double>(bytes) / static_cast<double>(least));
}

std::string coloured(const std::string& word, const std::string& padded) {
  const char* const code = word == "array"     ? "32"
                           : word == "weights" ? "35"
                           : word == "read"    ? "33"
                           : word == "write"   ? "31"
                                               : "36";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, padded);
}

std::string microjoules(double picojoules) {
  return fmt::format("{:.3g}", picojoules / 1e6);
}

/// `whole`: cycles of all layers, accelerator and host.
Row layer_row(const Config& config, const Program& program, const LayerRecord& record,
              const LayerResult& result, std::uint64_t least, std::uint64_t whole) {
  const std::uint64_t cycles = counter(result.counters, isa::Counter::Cycles);
  if (record.rides_on) {
    return {record.name, record.op, "in " + program.layers[*record.rides_on].name};
  }
  if (!record.pass && !record.no_copy) {
    const std::uint64_t time = host_cycles(config.host, record.host);
    return {record.name,
            record.op,
            "host",
            record.macs == 0 ? "" : grouped(record.macs),
            config.host.counts() ? grouped(time) : "",
            config.host.counts() ? percent(time, whole) : ""};
  }
  if (record.no_copy) {
    return {record.name,
            record.op,
            "no copy",
            "",
            cycles == 0 ? "" : grouped(cycles),
            cycles == 0 ? "" : percent(cycles, whole)};
  }
  const std::uint64_t ideal = record.macs / config.hardware.macs_per_cycle();
  Row row = {record.name,
             record.op,
             mode_of(record),
             grouped(record.macs),
             grouped(cycles),
             percent(cycles, whole),
             grouped(ideal),
             percent(ideal, cycles),
             bottleneck_of(result.counters),
             grouped(read_bytes(result.counters)),
             grouped(counter(result.counters, isa::Counter::WriteBytes)),
             times(external_bytes(result.counters), least),
             grouped(record.cbuf_peak_bytes)};
  if (config.has_energy) {
    row.push_back(microjoules(energy_of(config.policy.energy, record, result.counters)));
  }
  return row;
}

TableStyle table_style(const Terminal& terminal) {
  enum Column : std::size_t {
    Operator = 1,
    Macs = 3,
    Share = 5,
    Ideal,
    Limit = 8,
    Read,
    Write,
    Least,
    Cbuf
  };
  TableStyle style;
  style.names = 3;
  style.width = terminal.width;
  style.least_first = {Cbuf, Ideal, Macs, Operator, Least, Write, Read, Share};
  if (terminal.colour) {
    style.paint = [](std::size_t column, const std::string& cell, const std::string& padded) {
      return column == Limit && !cell.empty() && cell != "limit" ? coloured(cell, padded) : padded;
    };
  }
  return style;
}

// With a clock: how long, how often, how many bytes per second of those that there are.
std::string time_text(const Config& config, const Counters& totals, std::uint64_t cycles) {
  const Hardware& hw = config.hardware;
  if (hw.mhz == 0 || cycles == 0) {
    return "";
  }
  const double milliseconds = hw.milliseconds(cycles);
  return fmt::format(
      "\ntime: {:.4g} ms at {:g} MHz, {:.1f} inferences per second, {:.3g} GB/s of {:.3g} GB/s\n",
      milliseconds, hw.mhz, 1000 / milliseconds,
      static_cast<double>(external_bytes(totals)) / milliseconds / 1e6,
      config.memory.bytes_per_cycle * hw.mhz / 1000);
}

// What outlives a step, and how the first step differs from the last one, which the table is of.
std::string steps_text(const Simulation& simulation) {
  const Program& program = simulation.program;
  std::string text;
  if (!program.states.empty()) {
    std::uint64_t bytes = 0;
    for (const StateRecord& state : program.states) {
      bytes += state.place.bytes;
    }
    text += fmt::format("states: {} of {} bytes; their first values take {} cycles\n",
                        program.states.size(), grouped(bytes), grouped(simulation.reset_cycles));
  }
  if (simulation.steps.size() > 1) {
    const auto cycles = [](const StepResult& step) {
      return counter(step.totals, isa::Counter::Cycles);
    };
    const std::uint64_t first = simulation.reset_cycles + cycles(simulation.steps.front());
    const std::uint64_t steady = cycles(simulation.steps.back());
    text += fmt::format("steps: {}; the first {} cycles{}, the last (above) {}: {} {}\n",
                        grouped(simulation.steps.size()), grouped(first),
                        program.states.empty() ? "" : " with its states", grouped(steady),
                        grouped(first > steady ? first - steady : steady - first),
                        first >= steady ? "fewer" : "more");
  }
  return text;
}

}  // namespace

std::string report_table(const Config& config, const Simulation& simulation,
                         const Terminal& terminal) {
  const Hardware& hw = config.hardware;
  std::vector<Row> rows = {{"layer", "operator", "mode", "MACs", "cycles", "share %",
                            "ideal cycles", "array %", "limit", "read bytes", "write bytes",
                            "of least", "cbuf bytes"}};
  if (config.has_energy) {
    rows[0].emplace_back("energy uJ");
  }
  const Counters& totals = simulation.result.totals;
  const std::uint64_t cycles = counter(totals, isa::Counter::Cycles);
  const HostTotals host = host_totals(config.host, simulation.program);
  double picojoules = 0;
  std::uint64_t macs = 0;
  std::uint64_t ideal = 0;
  std::uint64_t least = 0;
  for (std::size_t i = 0; i < simulation.program.layers.size(); ++i) {
    const LayerRecord& record = simulation.program.layers[i];
    const std::uint64_t once =
        least_external_bytes(*simulation.network, simulation.network->operators[i]);
    rows.push_back(layer_row(config, simulation.program, record, simulation.result.layers[i], once,
                             cycles + host.cycles));
    picojoules += energy_of(config.policy.energy, record, simulation.result.layers[i].counters);
    if (record.pass) {
      least += once;
      macs += record.macs;
      ideal += record.macs / hw.macs_per_cycle();
    }
  }
  rows.push_back(
      {"accelerator", "", "", grouped(macs), grouped(cycles), percent(cycles, cycles + host.cycles),
       grouped(ideal), percent(ideal, cycles), bottleneck_of(totals), grouped(read_bytes(totals)),
       grouped(counter(totals, isa::Counter::WriteBytes)), times(external_bytes(totals), least)});
  if (config.has_energy) {
    rows.back().insert(rows.back().end(), {"", microjoules(picojoules)});
  }
  if (host.layers > 0 && config.host.counts()) {
    rows.push_back(
        {"host", "", "", "", grouped(host.cycles), percent(host.cycles, cycles + host.cycles)});
    rows.push_back({"together", "", "", "", grouped(cycles + host.cycles)});
  }
  std::string text = fmt::format(
      "{} on {}: {} x {} MACs, {} cbuf, {} bytes/cycle external memory{}, latency {} cycles{}; "
      "policy {}, engine {}\n\n",
      simulation.network->name, hw.name, hw.atomic_c, hw.atomic_k, cbuf_text(hw),
      config.memory.bytes_per_cycle,
      config.memory.name == "custom" ? "" : " (" + config.memory.name + ")", config.memory.latency,
      config.memory.rom.is_there() ? ", program in a ROM" : "",
      policy_names()[static_cast<std::size_t>(config.policy.name)],
      engine_names()[static_cast<std::size_t>(config.engine)]);
  text += styled(std::move(rows), table_style(terminal));
  text += time_text(config, totals, cycles + host.cycles);
  if (const WeightBytes weights = simulation.program.weight_bytes();
      weights.stored_bytes < weights.bytes) {
    text += fmt::format(
        "\nweights: {} bytes, compressed to {} ({:.1f} %)", grouped(weights.bytes),
        grouped(weights.stored_bytes),
        100.0 * static_cast<double>(weights.stored_bytes) / static_cast<double>(weights.bytes));
  }
  text += fmt::format("\nactivations: {} bytes in external memory (at least {})\n",
                      grouped(simulation.program.arena_bytes()),
                      grouped(simulation.program.memory.allocation.lower_bound));
  text += steps_text(simulation);
  if (host.layers > 0) {
    text += fmt::format(
        "host: {} layer{}, {} operations, {} bytes; {}\n", host.layers, host.layers == 1 ? "" : "s",
        grouped(host.work.operations), grouped(host.work.bytes),
        config.host.counts()
            ? fmt::format("{}, {:g} MHz (accelerator {:g} MHz): {:.3f} ms", config.host.name,
                          config.host.mhz, config.host.accelerator_mhz,
                          static_cast<double>(host.cycles) / (config.host.accelerator_mhz * 1000))
            : "its time is in no figure (`host: microcontroller` counts it)");
  }
  for (const std::vector<std::string>* notes : {&config.notes, &simulation.network->notes}) {
    for (const std::string& note : *notes) {
      text += "note: " + note + "\n";
    }
  }
  for (const std::string& left_out : simulation.network->left_out) {
    text += "left out: " + left_out + "\n";
  }
  constexpr std::size_t kMostClasses = 5;
  const auto classes = scored_classes(config, *simulation.network, simulation.result.outputs);
  for (std::size_t i = 0; i < std::min(classes.size(), kMostClasses); ++i) {
    text += fmt::format("{} {:<24} {:.4f}\n", i == 0 ? "class:" : "      ", classes[i].label,
                        classes[i].score);
  }
  if (!simulation.has_data) {
    text += "not verified: this engine counts cycles and bytes, it computes nothing\n";
  } else if (simulation.first_mismatch) {
    const std::size_t layer = *simulation.first_mismatch;
    text += fmt::format(
        "WRONG: {}layer {} (`{}`) is the first that differs from the reference\n",
        simulation.steps.size() > 1 ? fmt::format("step {}: ", simulation.mismatch_step + 1) : "",
        layer, simulation.program.layers[layer].name);
  } else if (!simulation.compared()) {
    text += "not verified: no layer runs on the accelerator\n";
  } else {
    text +=
        simulation.steps.size() > 1
            ? "verified: every layer of every step equals the reference kernels, byte for byte\n"
            : "verified: every layer equals the reference kernels, byte for byte\n";
  }
  return text;
}

}  // namespace tessera
