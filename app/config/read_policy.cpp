#include "app/config/presets.hpp"
#include "app/config/sections.hpp"

namespace tessera {
namespace {

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
  EnergyTable energy;
  energy.name = name;
  YamlFields fields(parse_file(path), path, "energy");
  read_energy_fields(fields, energy);
  fields.finish();
  return energy;
}

}  // namespace

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
  if (policy.name != PolicyName::Best && policy.objective != Objective::Cycles) {
    fields.fail("objective",
                "stands beside policy `first-fit`, which has none; allowed is cycles, "
                "or policy `best`");
  }
  if (const YAML::Node plan = fields.get("plan"); plan.IsDefined()) {
    policy.plan = read_plan(plan, file);
  }
  fields.finish();
  return policy;
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

}  // namespace tessera
