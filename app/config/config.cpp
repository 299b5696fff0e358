#include "tessera/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "app/config/overrides.hpp"
#include "input/read_file.hpp"
#include "input/yaml_fields.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/merge.hpp"
#include "tessera/resources.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& dir) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    if (entry.path().extension() == ".yaml") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::uint32_t u32(std::int64_t value) {
  return static_cast<std::uint32_t>(value);
}

// Overrides the values of `hw` that the map gives.
void read_hardware_fields(const YAML::Node& node, const std::string& file, Hardware& hw,
                          bool preset_allowed) {
  YamlFields fields(node, file, "hardware");
  if (preset_allowed) {
    fields.get("preset");
  }
  if (const YAML::Node array = fields.get("array"); array.IsDefined()) {
    YamlFields part(array, file, "hardware.array");
    hw.atomic_c = u32(part.integer("atomic_c", 2, 64, hw.atomic_c));
    hw.atomic_k = u32(part.integer("atomic_k", 2, 64, hw.atomic_k));
    part.finish();
  }
  const std::uint64_t preset_capacity = hw.cbuf_capacity;
  if (const YAML::Node cbuf = fields.get("cbuf"); cbuf.IsDefined()) {
    YamlFields part(cbuf, file, "hardware.cbuf");
    hw.cbuf_size = part.size("size", hw.cbuf_size);
    hw.cbuf_capacity = part.size("capacity", 0);
    hw.cbuf_banks = u32(part.integer("banks", 1, 64, hw.cbuf_banks));
    part.finish();
  }
  // The size is a run-time limit; the buffer that is built is the preset's, or larger if need be.
  if (hw.cbuf_capacity == 0) {
    hw.cbuf_capacity = preset_allowed ? preset_capacity : 1;
    while (hw.cbuf_capacity < hw.cbuf_size) {
      hw.cbuf_capacity *= 2;
    }
  }
  hw.acc_words = u32(fields.integer("accumulators", 4, 4096, hw.acc_words));
  hw.bus_bytes = u32(fields.integer("bus_bytes", 4, 64, hw.bus_bytes));
  hw.post_lanes = u32(fields.integer("post_lanes", 1, 64, hw.post_lanes));
  hw.param_groups = u32(fields.integer("param_groups", 2, 1024, hw.param_groups));
  hw.read_outstanding = u32(fields.integer("read_outstanding", 2, 64, hw.read_outstanding));
  hw.queue_depth = u32(fields.integer("queue_depth", 16, 256, hw.queue_depth));
  hw.line_atoms = u32(fields.integer("line_atoms", 16, 2048, hw.line_atoms));
  fields.finish();
  if (const std::string problem = hardware_problem(hw); !problem.empty()) {
    fields.fail(node, problem);
  }
}

// The file of a preset of some kind.
std::string preset_path(const std::string& kind, const std::string& name,
                        const std::string& where) {
  const fs::path dir = data_dir() / "configs" / kind;
  const std::vector<std::string> names = names_in(dir);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InputError(fmt::format("{}unknown {} preset `{}`{}; allowed are {}", where, kind, name,
                                 suggestion(name, names), fmt::join(names, ", ")));
  }
  return (dir / (name + ".yaml")).string();
}

Hardware preset_at(const std::string& name, const std::string& where) {
  const std::string path = preset_path("hardware", name, where);
  const std::vector<std::uint8_t> data = read_file(path);
  Hardware hardware;
  hardware.name = name;
  read_hardware_fields(parse_yaml({data.begin(), data.end()}, path), path, hardware, false);
  return hardware;
}

Hardware read_hardware(const YAML::Node& node, const std::string& file) {
  if (node.IsScalar()) {
    return preset_at(node.Scalar(), place_of(node, file));
  }
  Hardware hardware;
  bool has_preset = false;
  if (node.IsMap() && node["preset"].IsDefined()) {
    YamlFields fields(node, file, "hardware");
    hardware = preset_at(fields.text("preset"), place_of(node["preset"], file));
    has_preset = true;
  }
  read_hardware_fields(node, file, hardware, has_preset);
  return hardware;
}

PlanOptions read_plan(const YAML::Node& node, const std::string& file) {
  YAML::Node map = node;
  if (node.IsScalar()) {
    map.reset(YAML::Node(YAML::NodeType::Map));  // an assignment would change `node`
    map["planner"] = node;
  }
  YamlFields fields(map, file, "policy.plan");
  PlanOptions plan;
  plan.planner = static_cast<PlannerName>(fields.choice("planner", planner_names(), 0));
  plan.order = static_cast<OrderName>(fields.choice("order", order_names(), 0));
  plan.in_place = fields.choice("in_place", {"no", "yes"}, 1) == 1;
  plan.budget = static_cast<std::uint64_t>(
      fields.integer("budget", 1, 1'000'000'000, static_cast<std::int64_t>(plan.budget)));
  fields.finish();
  return plan;
}

Policy read_policy(const YAML::Node& node, const std::string& file) {
  static const std::vector<std::string> splits = {"auto", "channels", "spatial"};
  static const std::vector<std::string> modes = {
      "auto", "direct", "ping-pong", "wait", "split-channels", "split-spatial", "split-both"};
  YAML::Node map = node;
  if (node.IsScalar()) {
    map.reset(YAML::Node(YAML::NodeType::Map));  // an assignment would change `node`
    map["name"] = node;
  }
  YamlFields fields(map, file, "policy");
  Policy policy;
  policy.name = static_cast<PolicyName>(fields.choice("name", policy_names(), 0));
  policy.split = static_cast<SplitChoice>(fields.choice("split", splits, 0));
  policy.mode = static_cast<ForcedMode>(fields.choice("mode", modes, 0));
  if (policy.name == PolicyName::Best && policy.mode != ForcedMode::None) {
    fields.fail("mode", "stands beside policy `best`, which chooses the mode; allowed is auto");
  }
  policy.fuse = fields.choice("fuse", {"no", "yes"}, 1) == 1;
  policy.objective = static_cast<Objective>(fields.choice("objective", objective_names(), 0));
  if (const YAML::Node plan = fields.get("plan"); plan.IsDefined()) {
    policy.plan = read_plan(plan, file);
  }
  fields.finish();
  return policy;
}

// Overrides the values of `memory` that the map gives.
void read_memory_fields(YamlFields& fields, const std::string& file, ExternalMemory& memory) {
  const auto cycles = [](YamlFields& from, const char* key, std::uint32_t fallback) {
    return u32(from.integer(key, 0, 100000, fallback));
  };
  memory.bytes_per_cycle = fields.number("bytes_per_cycle", 0.01, 1024, memory.bytes_per_cycle);
  memory.latency = cycles(fields, "latency", memory.latency);
  memory.turnaround = cycles(fields, "turnaround", memory.turnaround);
  const YAML::Node dram = fields.get("dram");
  if (!dram.IsDefined()) {
    return;
  }
  YamlFields part(dram, file, "memory.dram");
  DramTiming& timing = memory.dram;
  timing.banks = u32(part.integer("banks", 0, 256, timing.banks));
  timing.row_bytes = u32(part.integer("row_bytes", 4096, 65536, timing.row_bytes));
  timing.activate = cycles(part, "activate", timing.activate);
  timing.precharge = cycles(part, "precharge", timing.precharge);
  timing.refresh_interval = cycles(part, "refresh_interval", timing.refresh_interval);
  timing.refresh_cycles = cycles(part, "refresh_cycles", timing.refresh_cycles);
  part.finish();
  if (timing.row_bytes % 4096 != 0) {
    fields.fail(dram, fmt::format("`memory.dram.row_bytes` is {}; allowed is a multiple of 4096, "
                                  "which bursts do not cross",
                                  timing.row_bytes));
  }
  if (timing.refresh_interval != 0 && timing.refresh_cycles >= timing.refresh_interval) {
    fields.fail(dram, fmt::format("`memory.dram.refresh_cycles` is {}; allowed is less than "
                                  "refresh_interval, {}",
                                  timing.refresh_cycles, timing.refresh_interval));
  }
}

ExternalMemory memory_preset_at(const std::string& name, const std::string& where) {
  const std::string path = preset_path("memory", name, where);
  const std::vector<std::uint8_t> data = read_file(path);
  ExternalMemory memory;
  memory.name = name;
  YamlFields fields(parse_yaml({data.begin(), data.end()}, path), path, "memory");
  read_memory_fields(fields, path, memory);
  fields.finish();
  return memory;
}

void read_memory(const YAML::Node& node, const std::string& file, Config& config) {
  if (node.IsScalar()) {
    config.memory = memory_preset_at(node.Scalar(), place_of(node, file));
    return;
  }
  YamlFields fields(node, file, "memory");
  ExternalMemory& memory = config.memory;
  if (const YAML::Node preset = fields.get("preset"); preset.IsDefined()) {
    memory = memory_preset_at(fields.text("preset"), place_of(preset, file));
  }
  read_memory_fields(fields, file, memory);
  if (const YAML::Node jitter = fields.get("jitter"); jitter.IsDefined()) {
    YamlFields part(jitter, file, "memory.jitter");
    config.jitter.extra_latency = u32(part.integer("latency", 0, 10000, 0));
    config.jitter.stall_percent = u32(part.integer("stall_percent", 0, 90, 0));
    config.jitter.seed = static_cast<std::uint64_t>(part.integer("seed", 0, INT64_MAX, 1));
    part.finish();
  }
  fields.finish();
}

// Overrides the values of `energy` that the map gives.
void read_energy_fields(YamlFields& fields, EnergyTable& energy) {
  constexpr double kMost = 1e6;
  energy.mac = fields.number("mac", 0, kMost, energy.mac);
  energy.cbuf_byte = fields.number("cbuf_byte", 0, kMost, energy.cbuf_byte);
  energy.accumulator_byte = fields.number("accumulator_byte", 0, kMost, energy.accumulator_byte);
  energy.external_byte = fields.number("external_byte", 0, kMost, energy.external_byte);
  energy.cycle = fields.number("cycle", 0, kMost, energy.cycle);
}

EnergyTable energy_preset_at(const std::string& name, const std::string& where) {
  const std::string path = preset_path("energy", name, where);
  const std::vector<std::uint8_t> data = read_file(path);
  EnergyTable energy;
  energy.name = name;
  YamlFields fields(parse_yaml({data.begin(), data.end()}, path), path, "energy");
  read_energy_fields(fields, energy);
  fields.finish();
  return energy;
}

EnergyTable read_energy(const YAML::Node& node, const std::string& file) {
  if (node.IsScalar()) {
    return energy_preset_at(node.Scalar(), place_of(node, file));
  }
  YamlFields fields(node, file, "energy");
  EnergyTable energy;
  energy.name = "custom";
  if (const YAML::Node preset = fields.get("preset"); preset.IsDefined()) {
    energy = energy_preset_at(fields.text("preset"), place_of(preset, file));
  }
  read_energy_fields(fields, energy);
  fields.finish();
  return energy;
}

// Other masters, each with addresses of its own.
std::vector<TrafficPattern> read_traffic(const YAML::Node& node, const std::string& file,
                                         const Hardware& hardware) {
  constexpr std::size_t kMost = 4;
  constexpr std::uint64_t kFirstAddress = std::uint64_t{1} << 31;
  if (!node.IsSequence() || node.size() > kMost) {
    throw InputError(place_of(node, file) +
                     fmt::format("`traffic` must be a list of at most {} maps with a "
                                 "`bytes_per_cycle` each",
                                 kMost));
  }
  std::vector<TrafficPattern> traffic;
  for (std::size_t i = 0; i < node.size(); ++i) {
    YamlFields fields(node[i], file, fmt::format("traffic[{}]", i));
    fields.need("bytes_per_cycle");
    TrafficPattern pattern;
    pattern.bytes_per_cycle = fields.number("bytes_per_cycle", 0.001, 1024, 1);
    const std::int64_t most = std::min<std::int64_t>(4096, std::int64_t{256} * hardware.bus_bytes);
    pattern.burst_bytes = u32(fields.integer("burst_bytes", hardware.bus_bytes, most, 64));
    pattern.writes = fields.choice("direction", {"read", "write"}, 0) == 1;
    pattern.random = fields.choice("addresses", {"linear", "random"}, 0) == 1;
    pattern.window_bytes = fields.size("window", pattern.window_bytes);
    pattern.seed = static_cast<std::uint64_t>(fields.integer("seed", 0, INT64_MAX, 1));
    pattern.address = kFirstAddress + (std::uint64_t{i} << 26);
    if (pattern.burst_bytes % hardware.bus_bytes != 0) {
      fields.fail("burst_bytes", fmt::format("is {}; allowed is a multiple of the bus, {} bytes",
                                             pattern.burst_bytes, hardware.bus_bytes));
    }
    fields.finish();
    traffic.push_back(pattern);
  }
  return traffic;
}

std::vector<ModelEntry> read_models(const YAML::Node& node, const std::string& file) {
  if (!node.IsSequence() || node.size() == 0) {
    throw InputError(place_of(node, file) +
                     "`models` must be a list of maps with a `network` each");
  }
  const std::string base = fs::path(file).parent_path().string();
  std::vector<ModelEntry> models;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < node.size(); ++i) {
    YamlFields fields(node[i], file, fmt::format("models[{}]", i));
    ModelEntry model;
    model.path = find_network(fields.text("network"), base);
    const std::string stem = fs::path(model.path).stem().string();
    const bool taken = std::find(names.begin(), names.end(), stem) != names.end();
    model.name = taken ? fmt::format("{}_{}", stem, i) : stem;
    if (const YAML::Node name = fields.get("name"); name.IsDefined()) {
      model.name = fields.text("name");
    }
    if (std::find(names.begin(), names.end(), model.name) != names.end()) {
      fields.fail("name", fmt::format("`{}` is the name of another model", model.name));
    }
    names.push_back(model.name);
    model.group = u32(fields.integer("group", 0, 1000, static_cast<std::int64_t>(i)));
    model.keep_outputs = fields.choice("keep_outputs", {"no", "yes"}, 1) == 1;
    fields.finish();
    models.push_back(std::move(model));
  }
  std::stable_sort(models.begin(), models.end(),
                   [](const ModelEntry& a, const ModelEntry& b) { return a.group < b.group; });
  return models;
}

// A list of names, or a file with one per line.
std::vector<std::string> read_labels(const YAML::Node& node, const std::string& file) {
  std::vector<std::string> labels;
  if (node.IsSequence()) {
    for (const auto& label : node) {
      if (!label.IsScalar()) {
        throw InputError(place_of(label, file) + "`labels` must be names");
      }
      labels.push_back(label.Scalar());
    }
    return labels;
  }
  if (!node.IsScalar()) {
    throw InputError(place_of(node, file) + "`labels` must be a list of names or a file of them");
  }
  const fs::path path = fs::path(file).parent_path() / node.Scalar();
  const std::vector<std::uint8_t> data = read_file(path.string());
  std::istringstream lines(std::string(data.begin(), data.end()));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    if (!line.empty()) {
      labels.push_back(line);
    }
  }
  return labels;
}

}  // namespace

Hardware hardware_preset(const std::string& name) {
  return preset_at(name, "");
}

std::vector<std::string> preset_files() {
  std::vector<std::string> files;
  for (const char* kind : {"hardware", "memory", "energy"}) {
    for (const std::string& name : names_in(data_dir() / "configs" / kind)) {
      files.push_back((data_dir() / "configs" / kind / (name + ".yaml")).string());
    }
  }
  return files;
}

std::string find_network(const std::string& name, const std::string& base) {
  const fs::path dir = data_dir() / "configs" / "networks";
  for (const fs::path& candidate :
       {fs::path(name), fs::path(base) / name, dir / (name + ".yaml")}) {
    std::error_code error;
    if (fs::is_regular_file(candidate, error)) {
      return candidate.string();
    }
  }
  const std::vector<std::string> names = names_in(dir);
  throw InputError(
      fmt::format("network `{}`: no such file, and none of the built-in networks{} ({})", name,
                  suggestion(name, names), fmt::join(names, ", ")));
}

Config parse_config(const std::string& text, const std::string& path,
                    const std::vector<std::string>& overrides) {
  try {
    YAML::Node root = parse_yaml(text, path);
    for (const std::string& override : overrides) {
      apply_override(root, override);
    }
    YamlFields fields(root, path, "config");
    Config config;
    config.hardware = read_hardware(fields.need("hardware"), path);
    if (const YAML::Node memory = fields.get("memory"); memory.IsDefined()) {
      read_memory(memory, path, config);
    }
    if (const YAML::Node policy = fields.get("policy"); policy.IsDefined()) {
      config.policy = read_policy(policy, path);
    }
    config.policy.memory = config.memory;
    if (const YAML::Node energy = fields.get("energy"); energy.IsDefined()) {
      config.policy.energy = read_energy(energy, path);
    }
    if (const YAML::Node models = fields.get("models"); models.IsDefined()) {
      config.models = read_models(models, path);
      if (fields.has("network")) {
        fields.fail("network", "stands beside `models`; allowed is one of the two");
      }
    } else {
      config.network = find_network(fields.text("network"), fs::path(path).parent_path().string());
    }
    if (const YAML::Node traffic = fields.get("traffic"); traffic.IsDefined()) {
      config.traffic = read_traffic(traffic, path, config.hardware);
    }
    config.engine = static_cast<Engine>(fields.choice("engine", engine_names(), 0));
    config.seeded_weights = fields.choice("weights", {"model", "seeded"}, 0) == 1;
    if (const YAML::Node labels = fields.get("labels"); labels.IsDefined()) {
      config.labels = read_labels(labels, path);
    }
    config.seed = static_cast<std::uint64_t>(fields.integer("seed", 0, INT64_MAX, 1));
    fields.finish();
    return config;
  } catch (const YAML::Exception& error) {
    throw InputError(
        fmt::format("{}:{}:{}: {}", path, error.mark.line + 1, error.mark.column + 1, error.msg));
  }
}

ExternalMemory memory_preset(const std::string& name) {
  return memory_preset_at(name, "");
}

Network load_configured(const Config& config) {
  if (config.models.empty()) {
    return load_network(config.network, config.seed, config.seeded_weights);
  }
  std::vector<ModelSource> sources;
  for (const ModelEntry& model : config.models) {
    sources.push_back({model.name, load_network(model.path, config.seed, config.seeded_weights),
                       model.group, model.keep_outputs});
  }
  return merge_networks(sources);
}

Config load_config(const std::string& path, const std::vector<std::string>& overrides) {
  const std::vector<std::uint8_t> data = read_file(path);
  return parse_config({data.begin(), data.end()}, path, overrides);
}

}  // namespace tessera
