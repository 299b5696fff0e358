#include "cli/compare_command.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "console/output_file.hpp"
#include "report/report_html.hpp"
#include "tessera/error.hpp"

namespace tessera {

void CompareCommand::add_to(CLI::App& app) {
  add_network(app, common_.network);
  add_config(app, common_.config);
  add_sets(app, common_.sets);
  app.add_option("--seed", common_.seed, "seed of inputs that no file gives; default: 1")
      ->group(kWhatRuns);
  app.add_option("--input", options_.input,
                 "input tensor (.npy, .bin), picture (.png, .jpg) or folder; default: drawn from "
                 "the seed")
      ->group(kWhatRuns);
  app.add_option("--runtime", options_.runtime,
                 "litert (its reference kernels), xnnpack (LiteRT as it is by default), tflm, "
                 "onnxruntime (without graph optimisations) or onnxruntime_fused (as it is by "
                 "default); default: the one that the file is rounded as")
      ->group(kWhatRuns);
  const char* const python = std::getenv("TESSERA_PYTHON");
  options_.python = python != nullptr ? python : "python3";
  app.add_option("--python", options_.python,
                 "a Python that has the runtime; default: TESSERA_PYTHON, or python3")
      ->group(kWhatRuns);
  app.add_flag("--quiet", common_.quiet, "no table")->group(kResults);
  app.add_flag("--all", all_, "operators that are equal, too")->group(kResults);
  common_.add_json(app);
  app.add_option("--report", report_, "write a page with charts (HTML)")->group(kResults);
}

bool CompareCommand::run() const {
  const Config config = common_.load();
  common_.check_json();
  if (!report_.empty()) {
    check_report(report_);
  }
  const auto is_same = [](const std::string& a, const std::string& b) {
    std::error_code error;
    return !a.empty() && !b.empty() && (a == b || std::filesystem::equivalent(a, b, error));
  };
  for (const std::string& out : {common_.json, report_}) {
    if (is_same(out, config.network)) {
      throw InputError(fmt::format("{} is the model that is compared; name another file", out));
    }
  }
  if (is_same(common_.json, report_)) {
    throw InputError(fmt::format("--json and --report both name {}", report_));
  }
  const Comparison comparison = compare(config, options_);
  if (!common_.quiet && common_.json != "-") {
    fmt::print("{}", comparison_table(comparison, all_));
  }
  const std::string json = comparison_json(comparison);
  common_.write_json(json);
  if (!report_.empty()) {
    write_text(report_, comparison_html(json));
  }
  return comparison.is_equal();
}

}  // namespace tessera
