#include <nlohmann/json.hpp>

#include "app/classes.hpp"
#include "report/layer_figures.hpp"
#include "report/report.hpp"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

Json counters_json(const Counters& counters) {
  Json json;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    std::string name;
    for (const char c : isa::kCounters[i].name) {
      name += c == '_' ? '_' : static_cast<char>(c | 0x20);
    }
    json[name] = counters[i];
  }
  return json;
}

struct Sums {
  std::uint64_t macs = 0;
  std::uint64_t cycles = 0;
  std::uint64_t ideal_cycles = 0;
  double energy_pj = 0;
};

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

Json layer_json(const Config& config, const Program& program, const LayerRecord& record,
                const LayerResult& result, std::uint64_t least, Sums& sums) {
  const std::uint64_t cycles = counter(result.counters, isa::Counter::Cycles);
  const std::uint64_t ideal = record.pass ? record.macs / config.hardware.macs_per_cycle() : 0;
  Json layer;
  layer["name"] = record.name;
  layer["op"] = record.op;
  layer["mode"] = record.pass       ? mode_name(record.pass->strategy)
                  : record.no_copy  ? "no-copy"
                  : record.rides_on ? "fused"
                                    : "host";
  if (record.pass) {
    layer["split"] = {{"channels", channel_parts(record.pass->strategy)},
                      {"height", grid_of(record.pass->strategy).rows},
                      {"width", grid_of(record.pass->strategy).cols},
                      {"kernels", kernel_parts(record.pass->strategy)}};
  } else {
    layer["split"] = nullptr;
    if (record.rides_on) {
      layer["into"] = program.layers[*record.rides_on].name;
    } else if (!record.no_copy) {
      layer["host_reason"] = record.host_reason;
      layer["host"] = {{"operations", record.host.operations},
                       {"bytes", record.host.bytes},
                       {"cycles", host_cycles(config.host, record.host)}};
    }
  }
  const double energy = energy_of(config.policy.energy, record, result.counters);
  layer["energy_pj"] = energy;
  sums.energy_pj += energy;
  if (record.pass && rows_at_once(record.pass->strategy) > 0) {
    layer["band_rows"] = rows_at_once(record.pass->strategy);
  }
  if (record.pass && record.pass->output_columns > 1) {
    layer["output_columns"] = record.pass->output_columns;
  }
  layer["kept"] = {{"feature", record.pass && record.pass->ifmap_kept},
                   {"output", record.pass && record.pass->ofmap_kept},
                   {"output_stored", !record.pass || record.pass->ofmap_stored}};
  layer["passes"] = record.passes;
  layer["macs"] = record.macs;
  layer["cycles"] = cycles;
  layer["ideal_cycles"] = ideal;
  layer["utilization"] = ratio(ideal, cycles);
  layer["external_read_bytes"] = read_bytes(result.counters);
  layer["external_write_bytes"] = counter(result.counters, isa::Counter::WriteBytes);
  layer["least_external_bytes"] = least;
  layer["weight_bytes"] = record.weight_bytes;
  layer["stored_weight_bytes"] = record.stored_weight_bytes;
  layer["cbuf_peak_bytes"] = record.cbuf_peak_bytes;
  layer["limit"] = bottleneck_of(result.counters);
  layer["counters"] = counters_json(result.counters);
  sums.macs += record.macs;
  sums.cycles += cycles;
  sums.ideal_cycles += ideal;
  return layer;
}

Json hardware_json(const Config& config) {
  const Hardware& hw = config.hardware;
  Json json = {{"name", hw.name},
               {"atomic_c", hw.atomic_c},
               {"atomic_k", hw.atomic_k},
               {"cbuf_bytes", hw.cbuf_size},
               {"cbuf_capacity_bytes", hw.cbuf_capacity},
               {"cbuf_banks", hw.cbuf_banks},
               {"accumulators", hw.acc_words},
               {"bus_bytes", hw.bus_bytes},
               {"clock_mhz", hw.mhz > 0 ? Json(hw.mhz) : Json(nullptr)},
               {"memory", config.memory.name},
               {"memory_bytes_per_cycle", config.memory.bytes_per_cycle},
               {"memory_latency_cycles", config.memory.latency},
               {"memory_banks", config.memory.dram.banks}};
  if (const ProgramRom& rom = config.memory.rom; rom.is_there()) {
    json["rom_latency_cycles"] = rom.latency;
    json["rom_cycles_per_beat"] = rom.cycles_per_beat;
  }
  return json;
}

// Bytes that operators without a copy would have read and written.
std::uint64_t copies_saved(const Program& program) {
  std::uint64_t bytes = 0;
  for (const LayerRecord& record : program.layers) {
    bytes += record.no_copy ? 2 * record.output.bytes : 0;
  }
  return bytes;
}

Json memory_json(const Program& program) {
  const MemoryPlan& memory = program.memory;
  return {{"arena_bytes", memory.allocation.height},
          {"lower_bound_bytes", memory.allocation.lower_bound},
          {"proved_optimal", memory.allocation.is_optimal()},
          {"order_bytes", memory.order_bytes},
          {"in_place", memory.in_place},
          {"in_place_saved_bytes", memory.in_place_saved_bytes},
          {"removed_copies_saved_bytes", copies_saved(program)},
          {"planner", memory.planner},
          {"order", memory.order},
          {"peak_by_order",
           {{"given", memory.peaks.given},
            {"greedy", memory.peaks.greedy},
            {"exact", memory.peaks.exact},
            {"bound", memory.peaks.bound}}}};
}

// Null without a clock.
void add_times(const Config& config, const Counters& totals, std::uint64_t cycles, Json& json) {
  const double ms = config.hardware.milliseconds(cycles);
  json["milliseconds"] = ms > 0 ? Json(ms) : Json(nullptr);
  json["inferences_per_second"] = ms > 0 ? Json(1000 / ms) : Json(nullptr);
  json["external_gb_per_second"] =
      ms > 0 ? Json(static_cast<double>(external_bytes(totals)) / ms / 1e6) : Json(nullptr);
}

// Cycles are the accelerator's; `difference_cycles` is the first step's less the last one's.
Json steps_json(const Simulation& simulation) {
  Json cycles = Json::array();
  Json bytes = Json::array();
  for (const StepResult& step : simulation.steps) {
    cycles.push_back(counter(step.totals, isa::Counter::Cycles));
    bytes.push_back(external_bytes(step.totals));
  }
  Json states = Json::array();
  for (const StateRecord& state : simulation.program.states) {
    states.push_back({{"name", state.name}, {"bytes", state.place.bytes}});
  }
  const std::uint64_t first =
      simulation.reset_cycles + counter(simulation.steps.front().totals, isa::Counter::Cycles);
  const std::uint64_t steady = counter(simulation.steps.back().totals, isa::Counter::Cycles);
  return {
      {"count", simulation.steps.size()},
      {"states", std::move(states)},
      {"reset_cycles", simulation.reset_cycles},
      {"first_cycles", first},
      {"steady_cycles", steady},
      {"difference_cycles", static_cast<std::int64_t>(first) - static_cast<std::int64_t>(steady)},
      {"cycles", std::move(cycles)},
      {"external_bytes", std::move(bytes)}};
}

}  // namespace

std::string report_json(const Config& config, const Simulation& simulation) {
  const Program& program = simulation.program;
  Json json;
  json["schema"] = "tessera.run/1";
  json["hardware"] = hardware_json(config);
  json["network"] = simulation.network->name;
  json["engine"] = engine_names()[static_cast<std::size_t>(config.engine)];
  json["policy"] = policy_names()[static_cast<std::size_t>(config.policy.name)];
  json["verified"] = simulation.compared() || simulation.first_mismatch
                         ? Json(simulation.verified())
                         : Json(nullptr);
  json["layers"] = Json::array();
  Sums sums;
  std::uint64_t cbuf_peak = 0;
  for (std::size_t i = 0; i < program.layers.size(); ++i) {
    json["layers"].push_back(layer_json(
        config, program, program.layers[i], simulation.result.layers[i],
        least_external_bytes(*simulation.network, simulation.network->operators[i]), sums));
    cbuf_peak = std::max(cbuf_peak, program.layers[i].cbuf_peak_bytes);
  }
  const auto classes = scored_classes(config, *simulation.network, simulation.result.outputs);
  if (!classes.empty()) {
    json["classes"] = Json::array();
    for (const ScoredClass& scored : classes) {
      json["classes"].push_back({{"label", scored.label}, {"score", scored.score}});
    }
  }
  const WeightBytes weights = program.weight_bytes();
  const Counters& totals = simulation.result.totals;
  const HostTotals host = host_totals(config.host, program);
  json["host"] = {{"name", config.host.counts() ? Json(config.host.name) : Json(nullptr)},
                  {"mhz", config.host.mhz},
                  {"accelerator_mhz", config.host.accelerator_mhz},
                  {"layers", host.layers},
                  {"operations", host.work.operations},
                  {"bytes", host.work.bytes},
                  {"cycles", host.cycles}};
  json["notes"] = config.notes;
  for (const std::string& note : simulation.network->notes) {
    json["notes"].push_back(note);
  }
  json["left_out"] = simulation.network->left_out;
  json["totals"] = {{"macs", sums.macs},
                    {"cycles", sums.cycles},
                    {"host_cycles", host.cycles},
                    {"together_cycles", sums.cycles + host.cycles},
                    {"ideal_cycles", sums.ideal_cycles},
                    {"utilization", ratio(sums.ideal_cycles, sums.cycles)},
                    {"external_read_bytes", read_bytes(totals)},
                    {"external_write_bytes", counter(totals, isa::Counter::WriteBytes)},
                    {"energy_pj", sums.energy_pj},
                    {"weight_bytes", weights.bytes},
                    {"stored_weight_bytes", weights.stored_bytes},
                    {"cbuf_peak_bytes", cbuf_peak},
                    {"counters", counters_json(totals)}};
  add_times(config, totals, sums.cycles + host.cycles, json["totals"]);
  if (simulation.steps.size() > 1 || !program.states.empty()) {
    json["steps"] = steps_json(simulation);
  }
  json["memory"] = memory_json(program);
  // Names come from model files: bytes that are no UTF-8 must not end the run.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tessera
