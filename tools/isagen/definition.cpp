#include "definition.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>

namespace tessera::isagen {
namespace {

constexpr int kOpcodeLsb = 58;

std::vector<Named> read_named(const YAML::Node& list, const char* doc_key) {
  std::vector<Named> result;
  for (const auto& node : list) {
    result.push_back({node["name"].as<std::string>(), node[doc_key].as<std::string>()});
  }
  return result;
}

Field read_field(const YAML::Node& node, int lsb, const std::string& command) {
  Field field;
  field.name = node["name"].as<std::string>();
  field.doc = node["doc"].as<std::string>();
  field.lsb = lsb;
  field.bits = node["bits"].as<int>();
  field.is_signed = node["signed"].as<bool>(false);
  const std::int64_t lowest = field.is_signed ? -(std::int64_t{1} << (field.bits - 1)) : 0;
  const std::int64_t highest = (std::int64_t{1} << (field.bits - (field.is_signed ? 1 : 0))) - 1;
  field.min = node["min"].as<std::int64_t>(lowest);
  field.max = node["max"].as<std::int64_t>(highest);
  if (field.min < lowest || field.max > highest || field.min > field.max) {
    throw std::runtime_error(
        fmt::format("{}.{}: range does not fit {} bits", command, field.name, field.bits));
  }
  for (const auto& value : node["values"]) {
    field.values.push_back(value.as<std::string>());
  }
  return field;
}

CommandWord read_command(const YAML::Node& node) {
  CommandWord command;
  command.name = node["name"].as<std::string>();
  command.opcode = node["opcode"].as<std::uint32_t>();
  command.unit = node["unit"].as<std::string>();
  command.doc = node["doc"].as<std::string>();
  int lsb = 0;
  for (const auto& field : node["fields"]) {
    command.fields.push_back(read_field(field, lsb, command.name));
    lsb += command.fields.back().bits;
  }
  if (lsb > kOpcodeLsb) {
    throw std::runtime_error(fmt::format("{}: fields need {} bits", command.name, lsb));
  }
  if (command.opcode == 0 || command.opcode > 63) {
    throw std::runtime_error(fmt::format("{}: opcode must be 1 to 63", command.name));
  }
  return command;
}

FeatureUse read_use(const YAML::Node& node, const std::vector<CommandWord>& commands,
                    const std::string& feature) {
  FeatureUse use;
  use.command = node["command"].as<std::string>();
  const auto command = std::find_if(commands.begin(), commands.end(),
                                    [&](const CommandWord& c) { return c.name == use.command; });
  if (command == commands.end()) {
    throw std::runtime_error(fmt::format("{}: unknown command {}", feature, use.command));
  }
  if (!node["field"].IsDefined()) {
    return use;
  }
  const auto name = node["field"].as<std::string>();
  const auto field = std::find_if(command->fields.begin(), command->fields.end(),
                                  [&](const Field& f) { return f.name == name; });
  if (field == command->fields.end()) {
    throw std::runtime_error(fmt::format("{}: {} has no field {}", feature, use.command, name));
  }
  use.field = *field;
  for (const auto& value : node["values"]) {
    const auto place =
        std::find(field->values.begin(), field->values.end(), value.as<std::string>());
    if (place == field->values.end()) {
      throw std::runtime_error(fmt::format("{}: {}.{} has no value {}", feature, use.command, name,
                                           value.as<std::string>()));
    }
    use.values.push_back(static_cast<std::size_t>(place - field->values.begin()));
  }
  return use;
}

}  // namespace

Definition read_definition(const std::string& path) {
  const YAML::Node root = YAML::LoadFile(path);
  Definition definition;
  definition.version = root["version"].as<int>();
  definition.units = read_named(root["units"], "doc");
  definition.errors = read_named(root["errors"], "info");
  definition.counters = read_named(root["counters"], "doc");
  std::set<std::uint32_t> opcodes;
  for (const auto& node : root["commands"]) {
    definition.commands.push_back(read_command(node));
    const CommandWord& command = definition.commands.back();
    if (!opcodes.insert(command.opcode).second) {
      throw std::runtime_error(command.name + ": opcode is taken");
    }
    const auto& units = definition.units;
    if (std::none_of(units.begin(), units.end(),
                     [&](const Named& unit) { return unit.name == command.unit; })) {
      throw std::runtime_error(command.name + ": unknown unit " + command.unit);
    }
  }
  for (const auto& node : root["features"]) {
    Feature feature{node["name"].as<std::string>(), node["doc"].as<std::string>(), {}};
    for (const auto& use : node["words"]) {
      feature.uses.push_back(read_use(use, definition.commands, feature.name));
    }
    definition.features.push_back(std::move(feature));
  }
  for (const auto& node : root["registers"]) {
    definition.registers.push_back({node["name"].as<std::string>(),
                                    node["access"].as<std::string>(), node["doc"].as<std::string>(),
                                    node["offset"].as<std::uint32_t>()});
  }
  return definition;
}

std::string camel_case(const std::string& name) {
  std::string result;
  bool upper = true;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    result += static_cast<char>(upper ? std::toupper(byte) : std::tolower(byte));
    upper = false;
  }
  return result;
}

}  // namespace tessera::isagen
