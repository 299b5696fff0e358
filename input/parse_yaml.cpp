#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include <map>
#include <sstream>
#include <vector>

#include "input/yaml_fields.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

// yaml-cpp recurses for every level; a hostile file must not exhaust the stack.
void refuse_depth(const std::string& text, const std::string& file) {
  constexpr int kMaxDepth = 64;
  constexpr std::size_t kMaxIndent = 1024;
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' || c == '{' ? 1 : 0;
    depth -= c == ']' || c == '}' ? 1 : 0;
    if (depth > kMaxDepth) {
      throw InputError(fmt::format("{}: nested deeper than {} levels", file, kMaxDepth));
    }
  }
  std::size_t indent = 0;
  for (const char c : text) {
    const bool indents = c == ' ' || c == '-' || c == '?' || c == ':';
    indent = indents ? indent + 1 : 0;
    if (indent > kMaxIndent) {
      throw InputError(fmt::format("{}: indented by more than {} columns", file, kMaxIndent));
    }
  }
}

// Of lines up to the one with the error: the first that begins with a tab; 0: none.
int line_with_tab(const std::string& text, int last) {
  std::istringstream in(text);
  std::string line;
  for (int number = 1; number <= last && std::getline(in, line); ++number) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin != std::string::npos && line.substr(0, begin).find('\t') != std::string::npos) {
      return number;
    }
  }
  return 0;
}

// yaml-cpp keeps both of two equal keys, and finds the first.
class DuplicateKeys : public YAML::EventHandler {
 public:
  explicit DuplicateKeys(const std::string& file) : file_(file) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override { ended(); }
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override { ended(); }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    if (!levels_.empty() && levels_.back().is_key) {
      const auto [first, fresh] = levels_.back().keys.emplace(value, mark);
      if (!fresh) {
        throw InputError(fmt::format("{}:{}:{}: key `{}` is there twice, first in line {}", file_,
                                     mark.line + 1, mark.column + 1, value,
                                     first->second.line + 1));
      }
    }
    ended();
  }
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {
    levels_.push_back({false, false, {}});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    levels_.push_back({true, true, {}});
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    bool is_map;
    bool is_key;  ///< what comes next, in a map
    std::map<std::string, YAML::Mark> keys;
  };

  void close() {
    levels_.pop_back();
    ended();
  }
  // A key or a value.
  void ended() {
    if (!levels_.empty() && levels_.back().is_map) {
      levels_.back().is_key = !levels_.back().is_key;
    }
  }

  const std::string& file_;
  std::vector<Level> levels_;
};

// What YAML::Load would not say: keys that are there twice, and documents behind the first one.
void refuse_doubles(const std::string& text, const std::string& file) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  DuplicateKeys keys(file);
  if (parser.HandleNextDocument(keys) && parser.HandleNextDocument(keys)) {
    throw InputError(file + ": has several YAML documents; allowed is one");
  }
}

}  // namespace

YAML::Node parse_yaml(const std::string& text, const std::string& file) {
  refuse_depth(text, file);
  try {
    const YAML::Node node = YAML::Load(text);
    refuse_doubles(text, file);
    return node;
  } catch (const YAML::Exception& error) {
    if (const int line = line_with_tab(text, error.mark.line + 1); line != 0) {
      throw InputError(fmt::format(
          "{}:{}: the line is indented with a tab; YAML allows spaces only", file, line));
    }
    throw InputError(
        fmt::format("{}:{}:{}: {}", file, error.mark.line + 1, error.mark.column + 1, error.msg));
  }
}

}  // namespace tessera
