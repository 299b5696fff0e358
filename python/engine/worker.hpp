// Work in a process of its own: it can be stopped at any time, and its end takes nothing with it.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace tessera::python {

/// What went wrong, as Python calls it: InputError, MissingToolError, EngineError, Error.
class Failure : public std::runtime_error {
 public:
  Failure(std::string kind, const std::string& text)
      : std::runtime_error(text), kind_(std::move(kind)) {}
  [[nodiscard]] const std::string& kind() const { return kind_; }

 private:
  std::string kind_;
};

/// Said in the caller's process, while the work goes on.
struct Listener {
  std::function<void(const std::string& text)> say;
  std::function<void(const std::string& what, std::uint64_t done, std::uint64_t whole)> update;
  /// At least every tenth of a second; what it throws ends the work.
  std::function<void()> tick;
};

/// What `work` returns. Progress is redirected to the listener; standard output goes nowhere.
/// Throws Failure for what `work` throws and for the end of its process; std::system_error when
/// there can be no process.
std::string in_worker(const std::function<std::string()>& work, const Listener& listener);

}  // namespace tessera::python
