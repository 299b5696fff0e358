#include "cli/fpga_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "app/simulate.hpp"
#include "console/output_file.hpp"
#include "console/progress.hpp"
#include "fpga/flow.hpp"
#include "fpga/report.hpp"
#include "report/report_html.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kMostSeeds = 100;
constexpr double kMostMhz = 1000;

// Of the network that the configuration names, on the cost model: it counts the same cycles as the
// RTL.
std::optional<fpga::Speed> speed_of(Config config, Progress& progress) {
  if (config.network.empty() && config.models.empty()) {
    return std::nullopt;
  }
  config.engine = Engine::Model;
  const Simulation simulation = simulate(config, {}, progress);
  return fpga::Speed{simulation.network->name,
                     counter(simulation.result.totals, isa::Counter::Cycles)};
}

}  // namespace

void FpgaCommand::add_to(CLI::App& app) {
  common_.add_to(app);
  app.add_option("--part", part_, "FPGA, such as ecp5-25f or ice40-up5k")->required();
  app.add_option("--out", out_, "folder for netlist, placed design, bitstream and report")
      ->required();
  app.add_option("--seeds", seeds_, "placements to choose the fastest from (default 1)")
      ->check(CLI::Range(1U, kMostSeeds));
  app.add_flag("--no-place", no_place_, "only count what it takes: no clock, no bitstream");
  app.add_option("--freq", mhz_, "MHz that the placer aims at (default 80)")
      ->check(CLI::Range(1.0, kMostMhz));
  app.add_option("--report", report_, "write a page with charts (HTML)");
  common_.add_json(app);
}

void FpgaCommand::run() const {
  fpga::FlowRequest request;
  request.part = &fpga::find_part(part_);
  const Config config = common_.load();
  common_.check_json();
  if (!report_.empty()) {
    check_web_assets();
    check_writable(report_);
  }
  request.hardware = config.hardware;
  request.mhz = mhz_;
  request.seeds = no_place_ ? 0 : seeds_;
  request.folder = out_;
  const bool quiet = common_.quiet || common_.json == "-";
  Progress progress(quiet);
  const std::optional<fpga::Speed> speed = speed_of(config, progress);
  const fpga::Design design =
      run_flow(request, [&](const std::string& text) { progress.say(text); });
  const std::string json = to_json(design, speed);
  write_text((std::filesystem::path(out_) / "fpga.json").string(), json);
  common_.write_json(json);
  if (!report_.empty()) {
    write_text(report_, design_html(json));
  }
  if (!quiet) {
    fmt::print("{}files: {}\n", to_text(design, speed), out_);
  }
}

}  // namespace tessera
