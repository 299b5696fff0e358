// C that is being written: the kernels that it needs, constants, scratch memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::runtime {

/// As C literals. Floats keep every bit; infinities and what is no number are quotients.
std::string c_number(std::int64_t value);
std::string c_float(float value);

/// Of a name from a model file: it ends no comment and no string.
std::string commented(const std::string& name);

/// {a, b, c}
std::string braced(const std::vector<std::string>& values);

/// One file's constants. Equal ones are there once.
class CText {
 public:
  /// A file of rom/kernels.
  void need(const std::string& kernel);
  /// A static array of `type`; returns its name.
  std::string array(const std::string& type, const std::vector<std::string>& values);
  std::string bytes(const std::vector<std::uint8_t>& values);
  std::string integers(const std::vector<std::int32_t>& values);
  std::string floats(const std::vector<float>& values);
  /// A static `struct type`; returns a pointer to it.
  std::string parameters(const std::string& type, const std::vector<std::string>& fields);
  /// So many bytes of scratch memory are needed at once.
  void use_scratch(std::uint64_t bytes);

  [[nodiscard]] const std::vector<std::string>& kernels() const { return kernels_; }
  [[nodiscard]] const std::string& definitions() const { return definitions_; }
  [[nodiscard]] std::uint64_t scratch_bytes() const { return scratch_; }

 private:
  std::string defined(const std::string& head, const std::string& tail, const std::string& values);

  std::vector<std::string> kernels_;  // in the order in which they came up
  std::map<std::string, std::string> names_;
  std::string definitions_;
  std::uint64_t scratch_ = 0;
};

}  // namespace tessera::runtime
