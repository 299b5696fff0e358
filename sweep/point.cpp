#include "sweep/point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/simulate.hpp"
#include "fpga/parts/estimate.hpp"
#include "report/layer_figures.hpp"
#include "tessera/error.hpp"

namespace tessera::sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kStatuses = 3;

std::string mode_text(const LayerRecord& record) {
  return record.pass       ? mode_of(record)
         : record.no_copy  ? "no copy"
         : record.rides_on ? "fused"
                           : "host";
}

void collect(const Config& config, const Simulation& simulation, PointResult& result) {
  const Program& program = simulation.program;
  for (std::size_t i = 0; i < program.layers.size(); ++i) {
    const LayerRecord& record = program.layers[i];
    const Counters& counters = simulation.result.layers[i].counters;
    LayerResult layer;
    layer.name = record.name;
    layer.op = record.op;
    layer.mode = mode_text(record);
    layer.macs = record.macs;
    layer.cycles = counter(counters, isa::Counter::Cycles) + host_cycles(config.host, record.host);
    layer.external_bytes = external_bytes(counters);
    result.macs += record.macs;
    result.ideal_cycles +=
        record.pass ? record.macs / config.hardware.macs_per_cycle() : std::uint64_t{0};
    result.energy_pj += energy_of(config.policy.energy, record, counters);
    result.layers.push_back(std::move(layer));
  }
  const Counters& totals = simulation.result.totals;
  const HostTotals host = host_totals(config.host, program);
  result.host_cycles = host.cycles;
  result.host_layers = host.layers;
  result.uncounted_work = config.host.counts() ? 0 : host.work.operations + host.work.bytes;
  result.cycles = counter(totals, isa::Counter::Cycles) + result.host_cycles;
  result.own_cycles = result.cycles;
  result.external_read_bytes = read_bytes(totals);
  result.external_write_bytes = counter(totals, isa::Counter::WriteBytes);
  result.arena_bytes = program.arena_bytes();
  for (const Step& step : program.steps) {
    if (const auto* run = std::get_if<CommandRun>(&step); run != nullptr) {
      result.command_bytes += run->stream.bytes;
    }
  }
  if (simulation.has_data) {
    result.verified = simulation.verified();
  }
  result.status = Status::Ok;
  if (simulation.first_mismatch) {
    result.status = Status::Wrong;
    result.error = fmt::format("layer `{}` differs from the reference kernels",
                               program.layers[*simulation.first_mismatch].name);
  }
}

PointResult::Area area_on(const std::string& name, const Hardware& hardware) {
  const fpga::Part& part = fpga::find_part(name);
  const fpga::Estimate estimate = fpga::estimate(part, hardware);
  return {estimate.luts, estimate.ffs, estimate.brams,
          estimate.dsps, estimate.mhz, estimate.fits(part)};
}

}  // namespace

const char* name_of(Status status) {
  constexpr const char* kNames[kStatuses] = {"ok", "wrong", "failed"};
  return kNames[static_cast<std::size_t>(status)];
}

Hardware with_buffer_of_its_size(Hardware hardware) {
  const std::uint64_t step = std::uint64_t{hardware.cbuf_banks} * hardware.atomic_c;
  hardware.cbuf_capacity = std::max((hardware.cbuf_size + step - 1) / step * step, 2 * step);
  return hardware;
}

PointResult PointRunner::run(std::size_t index, std::size_t program_of) {
  PointResult result;
  result.index = index;
  result.program_of = program_of;
  try {
    const Config config = config_of(index);
    if (config.policy.name == PolicyName::Best) {
      result.objective = objective_names()[static_cast<std::size_t>(config.policy.objective)];
    }
    result.cbuf_capacity_bytes = config.hardware.cbuf_capacity;
    result.cbuf_bytes = config.hardware.cbuf_size;
    result.macs_per_cycle = config.hardware.macs_per_cycle();
    result.clock_mhz = config.hardware.mhz;
    result.has_energy = config.has_energy;
    if (!space_.part.empty()) {
      result.area = area_on(space_.part, with_buffer_of_its_size(config.hardware));
    }
    Progress silent(true);
    const std::shared_ptr<const Network> network = network_of(config);
    result.network = network->name;
    SimulateOptions options;
    std::optional<Config> lesser;
    if (program_of != index) {
      lesser = config_of(program_of);
      options.made_for = &*lesser;
    }
    collect(config, simulate(config, network, options, silent), result);
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  return result;
}

Config PointRunner::config_of(std::size_t index) {
  Config config = load_config(space_.config, space_.overrides(index));
  if (!space_.limits) {
    return config;
  }
  if (const std::size_t largest = space_.largest_cbuf(index); largest_ != largest) {
    capacity_ = 0;
    largest_ = largest;
    try {
      capacity_ = load_config(space_.config, space_.overrides(largest)).hardware.cbuf_capacity;
    } catch (const InputError&) {
      // That point will say so; the others are as they are.
    }
  }
  config.hardware.cbuf_capacity = std::max(config.hardware.cbuf_capacity, capacity_);
  return config;
}

std::shared_ptr<const Network> PointRunner::network_of(const Config& config) {
  std::string key = fmt::format(
      "{} {} {} {} {} {}", config.network, config.seed, config.seeded_weights, config.cut,
      static_cast<int>(config.numerics), config.hardware.has(isa::Feature::SingleRounding));
  for (const ModelEntry& model : config.models) {
    key += fmt::format("\n{} {} {} {}", model.path, model.name, model.group, model.keep_outputs);
  }
  if (!network_ || key != network_key_) {
    network_ = std::make_shared<const Network>(load_configured(config));
    network_key_ = key;
  }
  return network_;
}

std::string to_text(const PointResult& r) {
  Json layers = Json::array();
  for (const LayerResult& l : r.layers) {
    layers.push_back({l.name, l.op, l.mode, l.macs, l.cycles, l.external_bytes});
  }
  const Json area = r.area ? Json({r.area->luts, r.area->ffs, r.area->brams, r.area->dsps,
                                   r.area->mhz, r.area->fits})
                           : Json(nullptr);
  const Json json = {r.index,
                     static_cast<std::uint32_t>(r.status),
                     r.error,
                     r.network,
                     r.objective,
                     r.cbuf_bytes,
                     r.cbuf_capacity_bytes,
                     r.program_of,
                     r.macs_per_cycle,
                     r.macs,
                     r.cycles,
                     r.host_cycles,
                     r.host_layers,
                     r.uncounted_work,
                     r.own_cycles,
                     r.ideal_cycles,
                     r.external_read_bytes,
                     r.external_write_bytes,
                     r.arena_bytes,
                     r.command_bytes,
                     r.energy_pj,
                     r.has_energy,
                     r.clock_mhz,
                     r.verified ? Json(*r.verified) : Json(nullptr),
                     layers,
                     area};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

PointResult from_text(const std::string& text) {
  const Json json = Json::parse(text);
  PointResult r;
  std::size_t at = 0;
  const auto next = [&](auto& value) { json.at(at++).get_to(value); };
  std::uint32_t status = 0;
  next(r.index);
  next(status);
  r.status = static_cast<Status>(status % kStatuses);
  next(r.error);
  next(r.network);
  next(r.objective);
  next(r.cbuf_bytes);
  next(r.cbuf_capacity_bytes);
  next(r.program_of);
  next(r.macs_per_cycle);
  next(r.macs);
  next(r.cycles);
  next(r.host_cycles);
  next(r.host_layers);
  next(r.uncounted_work);
  next(r.own_cycles);
  next(r.ideal_cycles);
  next(r.external_read_bytes);
  next(r.external_write_bytes);
  next(r.arena_bytes);
  next(r.command_bytes);
  next(r.energy_pj);
  next(r.has_energy);
  next(r.clock_mhz);
  if (const Json& verified = json.at(at++); !verified.is_null()) {
    r.verified = verified.get<bool>();
  }
  if (const Json& area = json.at(at + 1); !area.is_null()) {
    r.area = PointResult::Area{area.at(0).get<std::uint64_t>(), area.at(1).get<std::uint64_t>(),
                               area.at(2).get<std::uint64_t>(), area.at(3).get<std::uint64_t>(),
                               area.at(4).get<double>(),        area.at(5).get<bool>()};
  }
  for (const Json& l : json.at(at)) {
    LayerResult layer;
    l.at(0).get_to(layer.name);
    l.at(1).get_to(layer.op);
    l.at(2).get_to(layer.mode);
    l.at(3).get_to(layer.macs);
    l.at(4).get_to(layer.cycles);
    l.at(5).get_to(layer.external_bytes);
    r.layers.push_back(std::move(layer));
  }
  return r;
}

}  // namespace tessera::sweep
