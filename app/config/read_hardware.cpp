#include <fmt/format.h>

#include <algorithm>

#include "app/config/presets.hpp"
#include "app/config/sections.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

// `features: none`, `features: all`, or a map of some to whether they are built.
void read_features(const YAML::Node& node, const std::string& file, Hardware& hw) {
  if (node.IsScalar() && (node.Scalar() == "all" || node.Scalar() == "none")) {
    hw.features = node.Scalar() == "all" ? Hardware::kAllFeatures : 0;
    return;
  }
  YamlFields part(node, file, "hardware.features");
  for (std::size_t i = 0; i < isa::kFeatures.size(); ++i) {
    const std::uint32_t bit = 1U << i;
    const bool built = part.choice(std::string(isa::kFeatures[i].name), {"no", "yes"},
                                   (hw.features & bit) != 0 ? 1 : 0) == 1;
    hw.features = built ? hw.features | bit : hw.features & ~bit;
  }
  part.finish();
}

// What hardware with microcode does not have must not be asked for.
void refuse_of_units(const YAML::Node& node, const YamlFields& fields, Hardware& hw) {
  if (hw.control != Control::Microcode) {
    return;
  }
  for (const char* field : {"post_lanes", "read_outstanding", "queue_depth", "line_atoms"}) {
    if (node[field].IsDefined()) {
      fields.fail(node[field], fmt::format("hardware.{} is of `control: units`", field));
    }
  }
  if (hw.cbuf_banks != 1 && node["cbuf"].IsDefined() && node["cbuf"]["banks"].IsDefined()) {
    fields.fail(node["cbuf"]["banks"],
                fmt::format("hardware.cbuf.banks is {}; allowed is 1 with `control: microcode`",
                            hw.cbuf_banks));
  }
  hw.cbuf_banks = 1;
  hw.post_lanes = 1;
}

// MHz.
double read_clock(const YamlFields& fields, const YAML::Node& node, const std::string& file) {
  constexpr double kLeast = 0.001, kMost = 100'000;
  const double mhz = parse_quantity(node.IsScalar() ? node.Scalar() : "",
                                    {{"Hz", 1e-6}, {"kHz", 1e-3}, {"MHz", 1}, {"GHz", 1e3}},
                                    place_of(node, file) + "`hardware.clock`: ");
  if (mhz < kLeast || mhz > kMost) {
    fields.fail(node, "`hardware.clock` must be from 1 kHz to 100 GHz");
  }
  return mhz;
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
    hw.multipliers = static_cast<Multipliers>(part.choice(
        "multipliers", {"auto", "dsp", "luts"}, static_cast<std::size_t>(hw.multipliers)));
    part.finish();
  }
  std::uint64_t preset_capacity = preset_allowed ? hw.cbuf_capacity : 0;
  hw.cbuf_size = hw.cbuf_size / hw.atomic_c * hw.atomic_c;
  hw.cbuf_capacity = 0;
  if (const YAML::Node cbuf = fields.get("cbuf"); cbuf.IsDefined()) {
    YamlFields part(cbuf, file, "hardware.cbuf");
    hw.cbuf_size = part.size("size", hw.cbuf_size);
    const YAML::Node capacity = part.get("capacity");
    if (capacity.IsDefined() && capacity.IsScalar() && capacity.Scalar() == "auto") {
      preset_capacity = 0;
    } else {
      hw.cbuf_capacity = part.size("capacity", 0);
    }
    hw.cbuf_banks = u32(part.integer("banks", 1, 64, hw.cbuf_banks));
    part.finish();
  }
  // The size is a run-time limit; the buffer that is built is the preset's, or larger if need be;
  // with `capacity: auto` just as large as the size needs.
  if (hw.cbuf_capacity == 0) {
    const std::uint64_t step = std::uint64_t{hw.cbuf_banks} * hw.atomic_c;
    const std::uint64_t least = std::max({preset_capacity, hw.cbuf_size, 2 * step});
    hw.cbuf_capacity = (least + step - 1) / step * step;
  }
  hw.control = static_cast<Control>(
      fields.choice("control", {"units", "microcode"}, static_cast<std::size_t>(hw.control)));
  hw.acc_words = u32(fields.integer("accumulators", 4, 4096, hw.acc_words));
  hw.bus_bytes = u32(fields.integer("bus_bytes", 4, 64, hw.bus_bytes));
  while (hw.post_lanes > hw.atomic_k) {  // of a preset whose array is made narrower
    hw.post_lanes /= 2;
  }
  hw.post_lanes = u32(fields.integer("post_lanes", 1, 64, hw.post_lanes));
  if (const YAML::Node clock = fields.get("clock"); clock.IsDefined()) {
    hw.mhz = read_clock(fields, clock, file);
  }
  hw.param_groups = u32(fields.integer("param_groups", 2, 1024, hw.param_groups));
  hw.read_outstanding = u32(fields.integer("read_outstanding", 2, 64, hw.read_outstanding));
  hw.queue_depth = u32(fields.integer("queue_depth", 16, 256, hw.queue_depth));
  hw.line_atoms = u32(fields.integer("line_atoms", 16, 2048, hw.line_atoms));
  if (const YAML::Node features = fields.get("features"); features.IsDefined()) {
    read_features(features, file, hw);
  }
  fields.deeper("array", {"atomic_c", "atomic_k", "multipliers"});
  fields.deeper("cbuf", {"size", "capacity", "banks"});
  fields.finish();
  refuse_of_units(node, fields, hw);
  if (const std::string problem = hardware_problem(hw); !problem.empty()) {
    throw InputError(place_of_values(node, file, problem.substr(0, problem.find(' '))) + problem);
  }
}

Hardware preset_at(const std::string& name, const std::string& where) {
  const std::string path = preset_path("hardware", name, where);
  Hardware hardware;
  hardware.name = name;
  read_hardware_fields(parse_file(path), path, hardware, false);
  return hardware;
}

}  // namespace

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

void note_lanes(const YAML::Node& node, Config& config) {
  if (!node.IsMap() || !node["preset"].IsDefined() || node["post_lanes"].IsDefined()) {
    return;
  }
  const Hardware preset = hardware_preset(node["preset"].Scalar());
  const Hardware& hw = config.hardware;
  if (hw.post_lanes < preset.post_lanes && hw.control == Control::Units) {
    config.notes.push_back(fmt::format(
        "hardware.post_lanes is {}: the {} of preset `{}` are more than array.atomic_k, {}",
        hw.post_lanes, preset.post_lanes, preset.name, hw.atomic_k));
  }
}

Hardware hardware_preset(const std::string& name) {
  return preset_at(name, "");
}

}  // namespace tessera
