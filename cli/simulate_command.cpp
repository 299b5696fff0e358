#include "cli/simulate_command.hpp"

#include <fmt/format.h>

#include "console/output_file.hpp"
#include "console/progress.hpp"
#include "report/report.hpp"
#include "report/report_html.hpp"
#include "report/trace_json.hpp"
#include "timing/machine/timeline.hpp"

namespace tessera {

void SimulateCommand::add_to(CLI::App& app) {
  common_.add_to(app);
  app.add_option(
         "--input", simulate_.input,
         "input tensor (.npy, with a dimension more in front of several steps; .bin), picture "
         "(.png, .jpg) or folder; default: drawn from the seed")
      ->group(kWhatRuns);
  app.add_option("--states-in", simulate_.states_in,
                 "folder of states (state0.npy, ...) that the first step begins with; default: "
                 "what the model begins with")
      ->group(kWhatRuns);
  app.add_flag("--check-memory", simulate_.check_memory,
               "poison activations nobody needs any more; reading them is an error")
      ->group(kWhatRuns);
  const auto result = [&](const char* name, std::string& path, const char* what) {
    app.add_option(name, path, what)->group(kResults);
  };
  result("--output", simulate_.output, "where to write the output (.npy, .bin)");
  result("--states-out", simulate_.states_out, "folder for the states that the last step leaves");
  common_.add_json(app);
  result("--report", report_, "write a page with charts (HTML)");
  result("--trace", trace_, "write a timeline for Perfetto (JSON)");
  result("--waves", simulate_.waves, "write waves (FST)");
}

bool SimulateCommand::run() const {
  const Config config = common_.load();
  check_outputs();
  Progress progress(common_.quiet);
  const Simulation simulation = simulate(config, simulate_, progress);
  // The table gives way to JSON on the same stream.
  if (!common_.quiet && common_.json != "-") {
    fmt::print("{}", report_table(config, simulation, standard_output()));
  }
  common_.write_json(report_json(config, simulation));
  write_timeline(config, simulation);
  if (simulation.first_mismatch) {
    fmt::print(stderr, "cosim: layer `{}` differs from the reference kernels\n",
               simulation.program.layers[*simulation.first_mismatch].name);
    return false;
  }
  return true;
}

// What cannot be written is said before the work.
void SimulateCommand::check_outputs() const {
  common_.check_json();
  if (!trace_.empty()) {
    check_writable(trace_);
  }
  if (!report_.empty()) {
    check_report(report_);
  }
}

void SimulateCommand::write_timeline(const Config& config, const Simulation& simulation) const {
  if (trace_.empty() && report_.empty()) {
    return;
  }
  const auto timeline = timing::record(simulation.program, config.memory);
  if (!trace_.empty()) {
    write_text(trace_, trace_json(simulation.program, timeline));
  }
  if (!report_.empty()) {
    write_text(report_, report_html(config, simulation, timeline));
  }
}

}  // namespace tessera
