#include "rom/runtime/c_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tessera::runtime {
namespace {

std::vector<std::string> numbers_of(const std::vector<std::int32_t>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const std::int32_t value : values) {
    texts.push_back(c_number(value));
  }
  return texts;
}

// Lines of at most 100 columns.
std::string wrapped(const std::vector<std::string>& values) {
  constexpr std::size_t kWidth = 98;
  std::string text;
  std::size_t column = kWidth;
  for (const std::string& value : values) {
    if (column + value.size() + 2 > kWidth) {
      text += "\n   ";
      column = 3;
    }
    text += " " + value + ",";
    column += value.size() + 2;
  }
  text.pop_back();
  return text + "\n";
}

}  // namespace

std::string c_number(std::int64_t value) {
  if (value == INT32_MIN) {
    return "(-2147483647 - 1)";
  }
  return fmt::format("{}", value);
}

std::string c_float(float value) {
  if (std::isnan(value)) {
    return "(0.0F / 0.0F)";
  }
  if (std::isinf(value)) {
    return value > 0 ? "(1.0F / 0.0F)" : "(-1.0F / 0.0F)";
  }
  std::string text = fmt::format("{:.9g}", value);
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text + "F";
}

std::string commented(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool plain =
        c >= ' ' && c <= '~' && c != '*' && c != '\\' && c != '?' && c != '"' && c != '\'';
    text += plain ? c : '_';
  }
  return text;
}

std::string braced(const std::vector<std::string>& values) {
  return fmt::format("{{{}}}", fmt::join(values, ", "));
}

void CText::need(const std::string& kernel) {
  if (std::find(kernels_.begin(), kernels_.end(), kernel) == kernels_.end()) {
    kernels_.push_back(kernel);
  }
}

std::string CText::array(const std::string& type, const std::vector<std::string>& values) {
  return defined("static const " + type, "[]", "{" + wrapped(values) + "}");
}

std::string CText::bytes(const std::vector<std::uint8_t>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const std::uint8_t value : values) {
    texts.push_back(c_number(value));
  }
  return array("uint8_t", texts);
}

std::string CText::integers(const std::vector<std::int32_t>& values) {
  return array("int32_t", numbers_of(values));
}

std::string CText::floats(const std::vector<float>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const float value : values) {
    texts.push_back(c_float(value));
  }
  return array("float", texts);
}

std::string CText::parameters(const std::string& type, const std::vector<std::string>& fields) {
  return "&" + defined("static const struct " + type, "", "{" + wrapped(fields) + "}");
}

void CText::use_scratch(std::uint64_t bytes) {
  scratch_ = std::max(scratch_, bytes);
}

std::string CText::defined(const std::string& head, const std::string& tail,
                           const std::string& values) {
  const auto [at, is_new] = names_.try_emplace(head + tail + values);
  if (is_new) {
    at->second = fmt::format("tessera_constant{}", names_.size() - 1);
    definitions_ += fmt::format("{} {}{} = {};\n", head, at->second, tail, values);
  }
  return at->second;
}

}  // namespace tessera::runtime
