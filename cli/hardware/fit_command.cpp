#include "cli/hardware/fit_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "board/run.hpp"
#include "cli/hardware/fit_placer.hpp"
#include "console/output_file.hpp"
#include "console/progress.hpp"
#include "fit/points.hpp"
#include "fit/result.hpp"
#include "fpga/flow.hpp"
#include "fpga/parts/area_dataset.hpp"
#include "report/report_html.hpp"
#include "sim/tools/build_cache.hpp"
#include "sweep/store.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPoints = 1000000;
constexpr std::size_t kMostJobs = 1024;
constexpr std::size_t kMostPlacements = 100;
constexpr double kChance = 0.05;
constexpr double kBytesPerMegabyte = 1e6;

}  // namespace

void FitCommand::add_to(CLI::App& app) {
  app.add_option("network", positional_,
                 "network files or built-in names; default: the configuration's");
  app.add_option("--network", given_, "the same, with commas; repeatable")->allow_extra_args(false);
  app.add_option("--config", config_,
                 "run configuration (YAML): memory, policy, host; default: configs/npu.yaml, as it "
                 "is installed, with policy best");
  auto* part = app.add_option("--part", part_, "FPGA, such as ecp5-25f");
  auto* board =
      app.add_option("--board", board_, "board, such as ulx3s: its part, memory and clocks")
          ->excludes(part);
  app.add_option("--out", out_, "folder for points, results and the best configuration")
      ->required();
  app.add_option("--objective", objective_,
                 "latency (fewest milliseconds), throughput-per-lut, or smallest (with --fps)");
  app.add_option("--fps", fps_,
                 "inferences per second of each network that --objective smallest keeps")
      ->check(CLI::PositiveNumber);
  app.add_option(
         "--bandwidth", bandwidth_,
         "megabytes per second of the board's memory: bytes per cycle follow from the clock")
      ->check(CLI::PositiveNumber)
      ->excludes(board);
  app.add_option("--fill", fill_,
                 "percent of the part's lookup tables to take at most (default 100); the router is "
                 "done the sooner, the less it is")
      ->check(CLI::Range(1, 100));
  app.add_option("--set", sets_, "path.to.key=value; repeatable")->allow_extra_args(false);
  app.add_option("--points", points_, "candidates to look at, at most (default 6000)")
      ->check(CLI::Range(std::size_t{1}, kMostPoints));
  app.add_option(
         "--place", placements_,
         "of the best, place as many at most (default 3); ends when none promises more, with "
         "--no-route when none promises nearly as much")
      ->check(CLI::Range(std::size_t{1}, kMostPlacements));
  auto* estimated = app.add_flag("--no-place", no_place_, "estimates only");
  app.add_flag("--no-route", no_route_,
               "only place: some minutes each instead of an hour where the part is nearly "
               "full, and the clock is what the placer promises")
      ->excludes(estimated);
  app.add_option("--seeds", seeds_,
                 "placements of each of the three best to choose the fastest from, with the seeds "
                 "from 1 on (default 1): what hardly differs reaches clocks that differ by a "
                 "tenth, by chance")
      ->check(CLI::Range(1U, fpga::kMostSeeds))
      ->excludes(estimated);
  app.add_option("--jobs", jobs_, "candidates at a time (default: as many as processors)")
      ->check(CLI::Range(std::size_t{1}, kMostJobs));
  app.add_option("--json", json_, "also write the results as JSON there; - for standard output");
  app.add_option("--report", report_, "write a page with charts (HTML)");
  app.add_flag("--fresh", fresh_, "forget what the folder has");
  app.add_flag("--quiet", quiet_, "no progress and no tables");
}

fit::Objective FitCommand::objective() const {
  fit::Objective objective;
  objective.goal = fit::goal_of(objective_);
  objective.fps = fps_;
  if ((objective.goal == fit::Goal::Smallest) != (fps_ > 0)) {
    throw InputError("fit: --objective smallest and --fps, the speed to keep, go together");
  }
  return objective;
}

fit::Question FitCommand::question() const {
  fit::Question question;
  question.part = &fpga::find_part(part_);
  if (on_) {
    // As small designs on boards take it beside the accelerator: controller, port, link, pads.
    constexpr fpga::Usage kWithSdram = {2200, 690, 2, 0};
    constexpr fpga::Usage kOnChip = {880, 180, 2, 0};
    // Six designs on boards reach 0.81 to 0.95 of their accelerators' estimates.
    constexpr double kSlower = 0.9;
    question.board = fit::BoardContext{
        on_->name,
        on_->sdram() != nullptr ? kWithSdram : kOnChip,
        kSlower,
        [clocks = board::clocks_of(*on_)](double mhz) { return board::clock_at_most(clocks, mhz); },
        {}};
  }
  question.bandwidth = bandwidth_ * kBytesPerMegabyte;
  question.fill = fill_ / 100.0;
  for (const std::string& network : networks_) {
    std::vector<std::string> sets = sets_;
    if (!network.empty()) {
      sets.push_back("network=\"" + network + "\"");
    }
    question.config = load_config(config_, sets);
    question.networks.push_back(std::make_shared<const Network>(load_configured(question.config)));
  }
  if (on_) {
    question.board->memory = [this, policy = question.config.policy](
                                 const Network& network, const Hardware& hardware, double mhz) {
      bool in_flash = false;
      if (on_->flash) {
        in_flash = image_for(*on_, compile(network, hardware, policy)).in_place();
      }
      return external_memory(*on_, hardware, mhz, in_flash);
    };
  }
  return question;
}

// Whatever the points depend on.
std::string FitCommand::asked() const {
  sweep::Space space;
  space.config = config_;
  space.fixed = sets_;
  space.part = part_;
  if (!networks_.front().empty()) {
    space.axes.push_back({sweep::kNetworkKey, networks_});
  }
  const sweep::Definition definition = sweep::define(space, {});
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", definition.contents, definition.build,
                     board_.empty() ? part_ : board_ + contents(on_->folder / "board.yaml"),
                     bandwidth_, fill_, fmt::join(networks_, ","), fmt::join(sets_, "\n"));
}

// Who looks for the best hardware wants the best programs on it, unless the configuration says what
// policy it is about.
void FitCommand::choose_config() {
  const bool is_default = config_.empty();
  config_ = is_default ? default_config() : config_;
  const bool set = std::any_of(sets_.begin(), sets_.end(), [](const std::string& text) {
    return text.rfind("policy=", 0) == 0 || text.rfind("policy.name=", 0) == 0;
  });
  if (!set && (is_default || !names_policy(config_))) {
    sets_.insert(sets_.begin(), "policy.name=best");
  }
}

bool FitCommand::run() {
  if (part_.empty() && board_.empty()) {
    throw InputError("cosim fit: give --part or --board");
  }
  if (!board_.empty()) {
    on_ = board::find_board(board_);
    part_ = on_->part.name;
    on_->part.pins = contents(on_->folder / on_->part.family->pins_file);
  }
  choose_config();
  fit::SearchRequest request;
  request.objective = objective();
  request.points = points_;
  request.jobs = jobs_ != 0 ? jobs_ : std::max(1U, std::thread::hardware_concurrency());
  request.placements = no_place_ ? 0 : placements_;
  request.seeds = seeds_;
  request.chance = no_route_ ? kChance : 0;
  given_.insert(given_.begin(), positional_.begin(), positional_.end());
  for (const std::string& list : given_) {
    for (const std::string& name : sweep::split_list(list)) {
      names_.push_back(name);
      networks_.push_back(find_network(name, "."));
    }
  }
  for (const std::string& set : sets_) {
    if (set.rfind("hardware", 0) == 0) {
      throw InputError(fmt::format("--set {}: the hardware is what fit looks for", set));
    }
  }
  if (networks_.empty()) {
    if (!load_config(config_, sets_).models.empty()) {
      throw InputError(fmt::format(
          "{}: has several models; fit wants --network, each of which runs alone", config_));
    }
    networks_.emplace_back();  // the configuration's
  }
  if (!json_.empty() && json_ != "-") {
    check_writable(json_);
  }
  if (!report_.empty()) {
    check_report(report_);
  }
  const fit::Evaluator evaluator(question());
  std::error_code error;
  fs::create_directories(out_, error);
  if (!fs::is_directory(out_, error)) {
    throw InputError(fmt::format("{}: cannot be made a folder", out_));
  }
  fit::Points points((fs::path(out_) / "points.sqlite").string(), asked(), fresh_);
  Progress progress(quiet_);
  const std::unique_ptr<fit::Search> search = searched(evaluator, request, points, progress);
  if (!search) {
    progress.say(fmt::format(
        "interrupted: what was looked at is in {}; the same command goes on from there", out_));
    return false;
  }
  FitPlacer placer(evaluator, on_ ? &*on_ : nullptr, progress, !no_route_);
  search->place(
      [&](const Hardware& hardware, std::uint32_t seeds) { return placer.place(hardware, seeds); },
      progress);
  const fit::Result result = fit::result_of(evaluator, request, *search);
  const fit::Candidate& first = result.candidates[result.best];
  if (first.placed && first.placed->problem.empty()) {
    placer.deliver(first, fs::path(out_) / "placed");
  }
  const std::string json = to_json(result);
  write_text((fs::path(out_) / "fit.json").string(), json);
  const std::string network = names_.empty() ? evaluator.question().config.network : names_.front();
  write_text((fs::path(out_) / "best.yaml").string(), best_config(result, config_, sets_, network));
  if (!report_.empty()) {
    write_text(report_, fit_html(json));
  }
  if (json_ == "-") {
    fmt::print("{}", json);
  } else if (!json_.empty()) {
    write_text(json_, json);
  }
  if (!quiet_ && json_ != "-") {
    const std::string best = (fs::path(out_) / "best.yaml").string();
    fmt::print("{}\nthe best as a configuration: {}\n", to_text(result), best);
    if (on_) {
      const std::string seed = first.placed && first.placed->seed > 1
                                   ? fmt::format(" --placer-seed {}", first.placed->seed)
                                   : "";
      fmt::print("its bitstream: cosim fpga --board {} --config {} --freq {}{} --out FOLDER\n",
                 board_, best, result.mhz[result.best], seed);
    }
  }
  return true;
}

}  // namespace tessera
