#include "input/yaml_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "input/field_log.hpp"
#include "tessera/error.hpp"

namespace tessera {

namespace {

// Kept in tags, which no value of a configuration has otherwise.
constexpr const char* kOrigin = "!tessera-origin ";

std::string origin_of(const YAML::Node& node) {
  const std::string tag = node.IsDefined() ? node.Tag() : "";
  return tag.rfind(kOrigin, 0) == 0 ? tag.substr(std::string(kOrigin).size()) : "";
}

// Each once, in the order in which they stand.
void collect_origins(const YAML::Node& node, std::vector<std::string>& origins) {
  const std::string origin = origin_of(node);
  if (!origin.empty() && std::find(origins.begin(), origins.end(), origin) == origins.end()) {
    origins.push_back(origin);
  }
  if (node.IsMap() || node.IsSequence()) {
    for (const auto& entry : node) {
      collect_origins(node.IsMap() ? entry.second : static_cast<YAML::Node>(entry), origins);
    }
  }
}

}  // namespace

void set_origin(YAML::Node& node, const std::string& origin) {
  node.SetTag(kOrigin + origin);
  if (node.IsSequence()) {
    for (const auto& element : node) {
      YAML::Node value = element;
      set_origin(value, origin);
    }
  } else if (node.IsMap()) {
    for (auto entry : node) {
      YAML::Node value = entry.second;
      set_origin(value, origin);
    }
  }
}

std::string place_of(const YAML::Node& node, const std::string& file) {
  if (const std::string origin = origin_of(node); !origin.empty()) {
    return origin + ": ";
  }
  if (!node.IsDefined() || node.Mark().is_null()) {
    return file + ": ";
  }
  return fmt::format("{}:{}:{}: ", file, node.Mark().line + 1, node.Mark().column + 1);
}

std::string place_of_values(const YAML::Node& map, const std::string& file,
                            const std::string& field) {
  std::vector<std::string> origins;
  collect_origins(map, origins);
  for (const std::string& origin : origins) {
    if (origin.find(" " + field + "=") != std::string::npos) {
      return origin + ": ";
    }
  }
  return origins.empty() ? place_of(map, file) : fmt::format("{}: ", fmt::join(origins, ", "));
}

double parse_quantity(const std::string& text,
                      const std::vector<std::pair<std::string, double>>& units,
                      const std::string& where) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  std::string unit = text.substr(used);
  unit.erase(std::remove(unit.begin(), unit.end(), ' '), unit.end());
  std::vector<std::string> names;
  for (const auto& [name, factor] : units) {
    if (used != 0 && unit == name && std::isfinite(value)) {
      return value * factor;
    }
    names.push_back(name);
  }
  throw InputError(fmt::format("{}`{}` is no number with a unit; allowed units are {}", where, text,
                               fmt::join(names, ", ")));
}

std::uint64_t parse_size(const std::string& text, const std::string& where) {
  static const std::vector<std::pair<std::string, double>> units = {
      {"", 1}, {"B", 1}, {"KiB", 1024}, {"MiB", 1024.0 * 1024}, {"GiB", 1024.0 * 1024 * 1024}};
  const auto bad = [&]() -> std::uint64_t {
    throw InputError(
        fmt::format("{}`{}` is not a size; write a number of bytes, or one with B, KiB, MiB or GiB",
                    where, text));
  };
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    return bad();
  }
  std::string unit = text.substr(used);
  unit.erase(std::remove(unit.begin(), unit.end(), ' '), unit.end());
  for (const auto& [name, factor] : units) {
    if (unit == name) {
      const double bytes = value * factor;
      if (!(bytes >= 0) || bytes > 1e15 || bytes != std::floor(bytes)) {
        return bad();
      }
      return static_cast<std::uint64_t>(bytes);
    }
  }
  return bad();
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kKi = 1024;
  if (bytes % (kKi * kKi) == 0) {
    return fmt::format("{}MiB", bytes / (kKi * kKi));
  }
  return bytes % kKi == 0 ? fmt::format("{}KiB", bytes / kKi) : fmt::format("{}", bytes);
}

namespace {

template <typename Number>
std::string between(Number low, Number high) {
  if constexpr (std::is_same_v<Number, std::int64_t>) {
    if (high == INT64_MAX) {
      return fmt::format("from {}", low);
    }
  }
  return fmt::format("{} to {}", low, high);
}

}  // namespace

YamlFields::YamlFields(const YAML::Node& node, std::string file, std::string what)
    : node_(node), file_(std::move(file)), what_(std::move(what)) {
  if (!node_.IsMap()) {
    fail(node_, fmt::format("`{}` must be a map of keys and values", what_));
  }
}

void YamlFields::note(const std::string& key, const std::string& type, const std::string& allowed,
                      const std::string& fallback, bool is_needed) const {
  if (FieldLog* const log = FieldLog::current(); log != nullptr) {
    log->note({what_, key, type, allowed, fallback, is_needed});
  }
}

void YamlFields::know(const std::string& key) {
  note(key, "", "", "", false);
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
    known_.push_back(key);
  }
}

bool YamlFields::has(const std::string& key) const {
  return node_[key].IsDefined();
}

YAML::Node YamlFields::get(const std::string& key) {
  know(key);
  return node_[key];
}

YAML::Node YamlFields::need(const std::string& key) {
  note(key, "", "", "", true);
  const YAML::Node value = get(key);
  if (!value.IsDefined()) {
    for (const auto& entry : node_) {  // a slip of the pen is the likelier reason
      const std::string found = entry.first.IsScalar() ? entry.first.Scalar() : "";
      const std::string hint = suggestion(found, {key});
      if (!hint.empty() && std::find(known_.begin(), known_.end(), found) == known_.end()) {
        fail(entry.first, fmt::format("unknown key `{}` in `{}`{}", found, what_, hint));
      }
    }
    fail(node_, fmt::format("`{}` lacks the key `{}`", what_, key));
  }
  return value;
}

std::int64_t YamlFields::to_integer(const YAML::Node& value, const std::string& key,
                                    std::int64_t low, std::int64_t high) const {
  std::int64_t result = 0;
  bool good = value.IsScalar();
  if (good) {
    try {
      result = value.as<std::int64_t>();
    } catch (const YAML::Exception&) {
      good = false;
    }
  }
  if (!good || result < low || result > high) {
    fail(value,
         fmt::format("`{}.{}` is {}; allowed is a whole number from {} to {}", what_, key,
                     value.IsScalar() ? "`" + value.Scalar() + "`" : "not a number", low, high));
  }
  return result;
}

std::int64_t YamlFields::integer(const std::string& key, std::int64_t low, std::int64_t high) {
  note(key, "integer", between(low, high), "", true);
  return to_integer(need(key), key, low, high);
}

std::int64_t YamlFields::integer(const std::string& key, std::int64_t low, std::int64_t high,
                                 std::int64_t fallback) {
  note(key, "integer", between(low, high), std::to_string(fallback), false);
  const YAML::Node value = get(key);
  return value.IsDefined() ? to_integer(value, key, low, high) : fallback;
}

double YamlFields::to_number(const YAML::Node& value, const std::string& key, double low,
                             double high) const {
  double result = NAN;
  try {
    result = value.as<double>();
  } catch (const YAML::Exception&) {
    result = NAN;
  }
  if (std::isnan(result) || result < low || result > high) {
    fail(value, fmt::format("`{}.{}` must be a number from {} to {}", what_, key, low, high));
  }
  return result;
}

double YamlFields::number(const std::string& key, double low, double high, double fallback) {
  note(key, "number", between(low, high), fmt::format("{:g}", fallback), false);
  const YAML::Node value = get(key);
  return value.IsDefined() ? to_number(value, key, low, high) : fallback;
}

std::uint64_t YamlFields::size(const std::string& key, std::uint64_t fallback) {
  note(key, "size", "", fallback == 0 ? "" : size_text(fallback), false);
  const YAML::Node value = get(key);
  if (!value.IsDefined()) {
    return fallback;
  }
  if (!value.IsScalar()) {
    fail(value, fmt::format("`{}.{}` must be a size such as 128 KiB", what_, key));
  }
  return parse_size(value.Scalar(), place_of(value, file_) + fmt::format("`{}.{}`: ", what_, key));
}

std::string YamlFields::to_text(const YAML::Node& value, const std::string& key) const {
  if (!value.IsScalar()) {
    fail(value, fmt::format("`{}.{}` must be a single value", what_, key));
  }
  return value.Scalar();
}

std::string YamlFields::text(const std::string& key) {
  note(key, "text", "", "", true);
  return to_text(need(key), key);
}

std::string YamlFields::text(const std::string& key, const std::string& fallback) {
  note(key, "text", "", fallback, false);
  const YAML::Node value = get(key);
  return value.IsDefined() ? to_text(value, key) : fallback;
}

std::size_t YamlFields::choice(const std::string& key, const std::vector<std::string>& choices,
                               std::size_t fallback) {
  note(key, "choice", fmt::format("{}", fmt::join(choices, ", ")), choices.at(fallback), false);
  const YAML::Node value = get(key);
  if (!value.IsDefined()) {
    return fallback;
  }
  const std::string word = value.IsScalar() ? value.Scalar() : "";
  const auto found = std::find(choices.begin(), choices.end(), word);
  if (found == choices.end()) {
    fail(value, fmt::format("`{}.{}` is `{}`; allowed is one of {}{}", what_, key, word,
                            fmt::join(choices, ", "), suggestion(word, choices)));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

std::vector<std::int32_t> YamlFields::integers(const std::string& key, std::size_t count,
                                               std::int64_t low, std::int64_t high,
                                               std::int64_t fallback) {
  note(key, "list", fmt::format("one number or {}, {}", count, between(low, high)),
       std::to_string(fallback), false);
  const YAML::Node value = get(key);
  if (!value.IsDefined()) {
    return std::vector<std::int32_t>(count, static_cast<std::int32_t>(fallback));
  }
  if (value.IsScalar()) {
    return std::vector<std::int32_t>(count,
                                     static_cast<std::int32_t>(to_integer(value, key, low, high)));
  }
  if (!value.IsSequence() || value.size() != count) {
    fail(value, fmt::format("`{}.{}` must be one number or a list of {}", what_, key, count));
  }
  std::vector<std::int32_t> result;
  for (const auto& element : value) {
    result.push_back(static_cast<std::int32_t>(to_integer(element, key, low, high)));
  }
  return result;
}

std::vector<std::int32_t> YamlFields::list(const std::string& key, std::size_t least,
                                           std::size_t most, std::int64_t low, std::int64_t high) {
  note(key, "list",
       fmt::format("{} numbers, {}", least == most ? std::to_string(least) : between(least, most),
                   between(low, high)),
       "", true);
  const YAML::Node value = need(key);
  if (!value.IsSequence() || value.size() < least || value.size() > most) {
    fail(value,
         fmt::format("`{}.{}` must be a list of {} numbers", what_, key,
                     least == most ? std::to_string(least) : fmt::format("{} to {}", least, most)));
  }
  std::vector<std::int32_t> result;
  for (const auto& element : value) {
    result.push_back(static_cast<std::int32_t>(to_integer(element, key, low, high)));
  }
  return result;
}

std::vector<float> YamlFields::numbers(const std::string& key, double low, double high) {
  note(key, "list", fmt::format("one number or several, {}", between(low, high)), "", false);
  const YAML::Node value = get(key);
  std::vector<float> result;
  if (!value.IsDefined()) {
    return result;
  }
  if (value.IsScalar()) {
    return {static_cast<float>(to_number(value, key, low, high))};
  }
  if (!value.IsSequence()) {
    fail(value, fmt::format("`{}.{}` must be a number or a list of numbers", what_, key));
  }
  for (const auto& element : value) {
    result.push_back(static_cast<float>(to_number(element, key, low, high)));
  }
  return result;
}

void YamlFields::deeper(const std::string& key, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    deeper_[name] = fmt::format("{}{}.{}", what_ == "config" ? "" : what_ + ".", key, name);
  }
}

void YamlFields::finish() const {
  for (const auto& entry : node_) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) {
      continue;
    }
    const auto elsewhere = deeper_.find(key);
    const std::string hint = elsewhere == deeper_.end()
                                 ? suggestion(key, known_)
                                 : fmt::format(" (did you mean `{}`?)", elsewhere->second);
    fail(origin_of(entry.second).empty() ? entry.first : entry.second,
         fmt::format("unknown key `{}` in `{}`{}; allowed are {}", key, what_, hint,
                     fmt::join(known_, ", ")));
  }
}

void YamlFields::fail(const YAML::Node& node, const std::string& text) const {
  throw InputError(place_of(node, file_) + text);
}

void YamlFields::fail(const std::string& key, const std::string& text) {
  fail(get(key), fmt::format("`{}.{}`: {}", what_, key, text));
}

}  // namespace tessera
