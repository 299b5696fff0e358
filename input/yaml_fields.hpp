// Reading YAML maps with errors that say where and what is allowed.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera {

/// Parses one YAML document. Throws InputError with file, line and column, for keys that are there
/// twice, too.
YAML::Node parse_yaml(const std::string& text, const std::string& file);

/// Says that the node and all in it came from somewhere else than the file: errors name that.
void set_origin(YAML::Node& node, const std::string& origin);

/// "file:line:column: " of a node, as far as it has a place; or its origin.
std::string place_of(const YAML::Node& node, const std::string& file);

/// The same of what is wrong with a map's values together; `field` is the one that the error names.
/// What came from somewhere else is the likelier reason: that field, or all that did.
std::string place_of_values(const YAML::Node& map, const std::string& file,
                            const std::string& field);

/// Bytes from "128 KiB", "1MiB", "512 B" or a plain number. Throws InputError prefixed by `where`.
std::uint64_t parse_size(const std::string& text, const std::string& where);

/// As parse_size reads it, in the largest unit that keeps it whole: "128KiB".
std::string size_text(std::uint64_t bytes);

/// A number with one of these units, such as MHz from "500 MHz" or "0.5 GHz". Throws InputError
/// prefixed by `where`.
double parse_quantity(const std::string& text,
                      const std::vector<std::pair<std::string, double>>& units,
                      const std::string& where);

/// One map. Every key that is read is known; finish() refuses the others with a suggestion.
class YamlFields {
 public:
  /// `what` names the map in errors ("hardware", "conv2d"). Throws unless `node` is a map.
  YamlFields(const YAML::Node& node, std::string file, std::string what);

  [[nodiscard]] bool has(const std::string& key) const;
  /// The value, or an undefined node. Marks the key as known.
  YAML::Node get(const std::string& key);
  /// The value; throws when it is missing.
  YAML::Node need(const std::string& key);

  std::int64_t integer(const std::string& key, std::int64_t low, std::int64_t high);
  std::int64_t integer(const std::string& key, std::int64_t low, std::int64_t high,
                       std::int64_t fallback);
  double number(const std::string& key, double low, double high, double fallback);
  std::uint64_t size(const std::string& key, std::uint64_t fallback);
  std::string text(const std::string& key);
  std::string text(const std::string& key, const std::string& fallback);
  /// Index of the value among `choices`.
  std::size_t choice(const std::string& key, const std::vector<std::string>& choices,
                     std::size_t fallback);
  /// One integer for all, or a list of `count` integers.
  std::vector<std::int32_t> integers(const std::string& key, std::size_t count, std::int64_t low,
                                     std::int64_t high, std::int64_t fallback);

  /// A list of `least` to `most` integers, which must be there.
  std::vector<std::int32_t> list(const std::string& key, std::size_t least, std::size_t most,
                                 std::int64_t low, std::int64_t high);
  /// A number or a list of numbers; empty when it is missing.
  std::vector<float> numbers(const std::string& key, double low, double high);

  /// Names of a map further in, for hints to those who look for them here.
  void deeper(const std::string& key, const std::vector<std::string>& names);
  void finish() const;
  [[noreturn]] void fail(const YAML::Node& node, const std::string& text) const;
  [[noreturn]] void fail(const std::string& key, const std::string& text);

 private:
  void know(const std::string& key);
  /// For the FieldLog that is alive, if any.
  void note(const std::string& key, const std::string& type, const std::string& allowed,
            const std::string& fallback, bool is_needed) const;
  std::int64_t to_integer(const YAML::Node& value, const std::string& key, std::int64_t low,
                          std::int64_t high) const;
  std::string to_text(const YAML::Node& value, const std::string& key) const;
  double to_number(const YAML::Node& value, const std::string& key, double low, double high) const;

  YAML::Node node_;
  std::string file_;
  std::string what_;
  std::vector<std::string> known_;
  std::map<std::string, std::string> deeper_;  ///< path by name
};

}  // namespace tessera
