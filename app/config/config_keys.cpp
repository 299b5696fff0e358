#include "tessera/config_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <stdexcept>

#include "app/config/key_texts.hpp"
#include "input/field_log.hpp"
#include "tessera/config.hpp"

namespace tessera {
namespace {

// Between them all maps: each reader says which keys it looks for.
constexpr const char* kWithPresets = R"(
hardware: {preset: small, clock: 1 GHz, array: {}, cbuf: {}, features: {}}
memory: {preset: ddr4, rom: {cycles_per_beat: 1}, dram: {}, jitter: {}}
network: lenet5
policy: {plan: {}}
energy: {preset: 45nm}
host: {preset: microcontroller}
traffic: [{bytes_per_cycle: 1}]
preprocess: {}
labels: [one]
state: [{input: a, output: b}]
)";
constexpr const char* kWithoutPresets = R"(
hardware: {array: {}, cbuf: {}, features: {}}
memory: {}
models: [{network: lenet5, state: [{input: a, output: b}]}]
energy: {}
host: {mhz: 1, cycles_per_operation: 1, cycles_per_byte: 1}
)";

// "traffic[0]" and "seed" as "traffic[].seed".
std::string path_of(const FieldRule& rule) {
  static const std::regex kIndex(R"(\[\d+\])");
  const std::string map = std::regex_replace(rule.map, kIndex, "[]");
  return map == "config" ? rule.key : map + "." + rule.key;
}

ConfigKey joined(const KeyText& text, const FieldRule& rule) {
  const bool says = !rule.type.empty();
  return {std::string(text.path),
          text.type.empty() ? rule.type : std::string(text.type),
          std::string(text.unit),
          text.allowed.empty() ? rule.allowed : std::string(text.allowed),
          says ? rule.fallback : std::string(text.fallback),
          rule.is_needed,
          std::string(text.text)};
}

}  // namespace

std::vector<ConfigKey> config_keys() {
  std::vector<FieldRule> rules;
  {
    const FieldLog log;
    parse_config(kWithoutPresets, "keys", {});
    parse_config(kWithPresets, "keys", {});
    rules = log.rules();
  }
  std::vector<ConfigKey> keys;
  for (const KeyText& text : key_texts()) {
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const FieldRule& candidate) {
      return path_of(candidate) == text.path;
    });
    if (rule == rules.end()) {
      throw std::logic_error(fmt::format("no reader asks for the key `{}`", text.path));
    }
    keys.push_back(joined(text, *rule));
    if (keys.back().type.empty()) {
      throw std::logic_error(fmt::format("the key `{}` has no type", text.path));
    }
    rules.erase(rule);
  }
  if (!rules.empty()) {
    throw std::logic_error(fmt::format("the key `{}` has no text", path_of(rules.front())));
  }
  return keys;
}

}  // namespace tessera
