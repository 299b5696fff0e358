// `cosim plan`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "app/plan.hpp"

namespace tessera {

class PlanCommand {
 public:
  void add_to(CLI::App& app);

  /// False when the plan does not fit the capacity asked for. Throws InputError.
  [[nodiscard]] bool run() const;

 private:
  [[nodiscard]] PlanReport make() const;
  [[nodiscard]] PlanReport plan_tflite(const PlanOptions& options) const;

  CLI::Option* alignment_option_ = nullptr;
  std::string config_, network_, problem_, graph_, seed_;
  std::string planner_, order_, out_, svg_, json_, tflite_, offline_;
  std::vector<std::string> sets_;
  std::uint64_t capacity_ = 0;
  std::uint64_t bytes_per_element_ = 1;
  std::uint64_t alignment_ = 1;
  std::uint64_t budget_ = 0;
  bool check_ = false;
  bool in_place_ = false;
  bool quiet_ = false;
};

}  // namespace tessera
