// What readers of YAML maps ask for, for pages that list all keys.
#pragma once

#include <string>
#include <vector>

namespace tessera {

/// One key as the code reads it.
struct FieldRule {
  std::string map;  ///< name of the map in errors: "hardware.cbuf"; "config" is the whole file
  std::string key;  ///< "banks"
  std::string
      type;  ///< "integer", "number", "size", "text", "choice", "list"; "": read by its own reader
  std::string allowed;   ///< "1 to 64", "rtl, tlm, model"; "": no limit of its own
  std::string fallback;  ///< the value without the key; "": none, or it depends
  bool is_needed = false;
};

/// While it lives, every key that a YamlFields of this thread asks for is noted once, in the order
/// of the questions. The first question says whether the key is needed: one that is first looked
/// for is not. The first that says a type says type, limits and fallback.
class FieldLog {
 public:
  FieldLog();
  ~FieldLog();
  FieldLog(const FieldLog&) = delete;
  FieldLog& operator=(const FieldLog&) = delete;

  [[nodiscard]] const std::vector<FieldRule>& rules() const { return rules_; }

  /// The one that is alive in this thread, or none.
  static FieldLog* current();
  void note(FieldRule rule);

 private:
  FieldLog* outer_;
  std::vector<FieldRule> rules_;
};

}  // namespace tessera
