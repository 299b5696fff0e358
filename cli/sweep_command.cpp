#include "cli/sweep_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/options/common_options.hpp"
#include "console/output_file.hpp"
#include "console/progress.hpp"
#include "fpga/flow.hpp"
#include "fpga/parts/estimate.hpp"
#include "fpga/report.hpp"
#include "report/report_html.hpp"
#include "sweep/export.hpp"
#include "sweep/run.hpp"
#include "sweep/slurm.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

constexpr std::size_t kMostJobs = 1024;
constexpr std::size_t kManyPoints = 10'000;  // more are likelier a slip of the pen

bool sweeps_sizes(const sweep::SpaceRequest& request) {
  return !request.points.empty() ||
         std::any_of(request.sets.begin(), request.sets.end(), [](const std::string& set) {
           return set.rfind(std::string(sweep::kCbufKey) + "=", 0) == 0;
         });
}

}  // namespace

void SweepCommand::add_space(CLI::App& app) {
  app.add_option("network", positional_,
                 "network files or built-in names; default: the configuration's")
      ->group(kWhatRuns);
  app.add_option("--network", request_.networks, "the same, with commas; repeatable")
      ->allow_extra_args(false)
      ->group(kWhatRuns);
  add_config(app, request_.config);
  app.add_option("--cbuf", request_.cbuf,
                 "sizes the cbuf is built with: 16KiB,48KiB or 16KiB..1MiB (doublings) or "
                 "16KiB..64KiB:8KiB")
      ->group(kWhatRuns);
  app.add_flag(
         "--limit", request_.limits,
         "the sizes limit what is used of one buffer, as large as the preset's or the largest")
      ->group(kWhatRuns);
  app.add_option("--set", request_.sets, "path.to.key=a,b,c; one value: for all points; repeatable")
      ->allow_extra_args(false)
      ->group(kWhatRuns);
  app.add_option("--points", request_.points,
                 "JSON list of maps, each a point: path.to.key to its value")
      ->group(kWhatRuns);
  app.add_option("--part", request_.part,
                 "FPGA for which area, clock and inferences per second are estimated")
      ->group(kWhatRuns);
  app.add_option("--engine", engine_, "engine: rtl, tlm, model or netlist; default: the config's")
      ->group(kWhatRuns);
  app.add_option("--seed", seed_, "seed of weights and inputs that no file gives; default: 1")
      ->group(kWhatRuns);
  app.add_flag("--yes", yes_, fmt::format("also when there are more than {} points", kManyPoints));
  app.add_flag("--quiet", quiet_, "no progress and no tables")->group(kResults);
}

void SweepCommand::add_to(CLI::App& app) {
  add_space(app);
  app.add_option("--out", out_, "folder for the results")->group(kResults);
  app.add_option("--jobs", jobs_, "points at a time (default: as many as processors)")
      ->check(CLI::Range(std::size_t{1}, kMostJobs));
  app.add_option("--shard", shard_, "i/n: only one share of n, into a file of its own");
  app.add_option("--json", json_, "also write the results as JSON there; - for standard output")
      ->group(kResults);
  app.add_option("--report", report_, "write a page with charts (HTML)")->group(kResults);
  app.add_flag("--place", place_,
               "with --part: also place the points of the front, into placed.json");
  app.add_flag("--fresh", fresh_, "forget what the folder has");
  app.add_flag("--retry-failed", retry_, "run points again that failed");
  merge_ = app.add_subcommand("merge", "join the shares of a sweep");
  merge_->add_option("--out", out_, "folder for the results")->required();
  merge_->add_option("shares", files_, "files of shares (default: all in the folder)");
  merge_->add_option("--jobs", jobs_, "points at a time (default: as many as processors)")
      ->check(CLI::Range(std::size_t{1}, kMostJobs));
  merge_->add_option("--json", json_, "also write the results as JSON there");
  merge_->add_option("--report", report_, "write a page with charts (HTML)");
  merge_->add_flag("--quiet", quiet_, "no tables");
  submit_ = app.add_subcommand("submit", "run the shares as an array of jobs on a cluster");
  add_space(*submit_);
  submit_->add_option("--out", out_, "folder for the results, seen by all nodes")->required();
  submit_->add_flag("--slurm", slurm_, "with Slurm")->required();
  submit_->add_option("--tasks", tasks_, "shares (default 8)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100000}));
  submit_->add_option("--cpus", cpus_, "processors of each task (default 1)")
      ->check(CLI::Range(std::size_t{1}, kMostJobs));
  submit_
      ->add_option("--sbatch", slurm_options_,
                   "a further option of sbatch, such as --sbatch=--partition=long; repeatable")
      ->allow_extra_args(false);
  submit_->add_flag("--dry-run", dry_run_, "only write the scripts");
}

std::vector<std::string> SweepCommand::networks() const {
  std::vector<std::string> all = positional_;
  all.insert(all.end(), request_.networks.begin(), request_.networks.end());
  return all;
}

sweep::Space SweepCommand::space() const {
  sweep::SpaceRequest request = request_;
  request.networks = networks();
  request.config = request.config.empty() ? default_config() : request.config;
  if (!request.part.empty()) {
    // A part without estimates is refused here, not by each point.
    static_cast<void>(fpga::estimated_control(fpga::find_part(request.part)));
  }
  if (request.limits && request.cbuf.empty() && !sweeps_sizes(request)) {
    throw InputError("--limit says how sizes of the cbuf are meant; give some with --cbuf");
  }
  if (!engine_.empty()) {
    request.fixed.push_back("engine=" + engine_);
  }
  if (!seed_.empty()) {
    request.fixed.push_back("seed=" + seed_);
  }
  sweep::Space space = sweep::make_space(request);
  if (space.points() > kManyPoints && !yes_) {
    throw InputError(fmt::format("sweep: {} points; give --yes if you mean it, or larger steps",
                                 space.points()));
  }
  return space;
}

std::size_t SweepCommand::jobs() const {
  return jobs_ != 0 ? jobs_ : std::max(1U, std::thread::hardware_concurrency());
}

bool SweepCommand::report(const std::string& folder) const {
  const sweep::Results results = sweep::finish(folder);
  if (json_ == "-") {
    fmt::print("{}", to_json(results));
  } else if (!json_.empty()) {
    write_text(json_, to_json(results));
  }
  if (!report_.empty()) {
    write_text(report_, sweep_html(to_json(results)));
  }
  if (!quiet_ && json_ != "-") {
    fmt::print("{}\npoints, curves and the front: {}\n", to_terminal(results),
               (std::filesystem::path(folder) / "results.{csv,json}").string());
  }
  const auto bad =
      std::count_if(results.points.begin(), results.points.end(),
                    [](const sweep::PointResult& p) { return p.status != sweep::Status::Ok; });
  if (bad > 0) {
    fmt::print(stderr, "cosim: {} of {} points failed or are wrong\n", bad, results.points.size());
  }
  return bad == 0;
}

// What the front's points really take, beside what was estimated.
void SweepCommand::place_front(Progress& progress) const {
  const sweep::Results results = sweep::finish(out_);
  const fpga::Part& part = fpga::find_part(results.space.part);
  nlohmann::ordered_json placed = nlohmann::ordered_json::array();
  for (std::size_t p = 0; p < results.points.size(); ++p) {
    if (!results.on_front[p]) {
      continue;
    }
    const sweep::PointResult& point = results.points[p];
    const Config config = load_config(results.space.config, results.space.overrides(point.index));
    fpga::FlowRequest request;
    request.part = &part;
    request.hardware = sweep::with_buffer_of_its_size(config.hardware);
    request.folder = std::filesystem::path(out_) / fmt::format("point-{}", point.index);
    const fpga::Design design = run_flow(request, progress.listener());
    nlohmann::ordered_json entry = {{"point", point.index}};
    entry["design"] = nlohmann::ordered_json::parse(
        fpga::to_json(design, fpga::Speed{point.network, point.cycles}));
    placed.push_back(std::move(entry));
    progress.say(fmt::format("point {}: {} LUTs ({} estimated), {:.1f} MHz ({:.1f})", point.index,
                             design.usage.luts, point.area->luts, design.fastest().mhz,
                             point.area->mhz));
  }
  write_text((std::filesystem::path(out_) / "placed.json").string(), placed.dump(2) + "\n");
}

bool SweepCommand::run_here() {
  if (out_.empty()) {
    throw InputError("sweep: --out is required: the folder for the results");
  }
  if (place_ && request_.part.empty()) {
    throw InputError("sweep: --place needs --part, the FPGA to place on");
  }
  if (place_ && sweep::parse_shard(shard_).count > 1) {
    throw InputError("sweep: --place places the front of all points; a share does not know it");
  }
  if (!json_.empty() && json_ != "-") {
    check_writable(json_);
  }
  sweep::RunRequest run;
  const sweep::Space points = space();
  run.definition = sweep::define(points, sweep::parse_shard(shard_));
  run.folder = out_;
  run.jobs = jobs();
  run.fresh = fresh_;
  run.retry_failed = retry_;
  Progress progress(quiet_);
  if (!run_points(run, progress)) {
    return false;
  }
  if (run.definition.shard.count > 1) {
    progress.say(fmt::format("share {} is in {}", shard_, points_file(out_, run.definition.shard)));
    return true;
  }
  const bool all_well = report(out_);
  if (place_) {
    place_front(progress);
  }
  return all_well;
}

bool SweepCommand::submit() const {
  static_cast<void>(sweep::define(space(), {}));  // what is wrong is better known now
  namespace fs = std::filesystem;
  sweep::SlurmRequest request;
  const auto add = [&](const char* option, const std::string& value) {
    request.arguments.emplace_back(option);
    request.arguments.push_back(value);
  };
  add("--config", fs::absolute(space().config).string());
  for (const std::string& network : networks()) {
    add("--network", network);
  }
  for (const std::string& set : request_.sets) {
    add("--set", set);
  }
  if (!request_.cbuf.empty()) {
    add("--cbuf", request_.cbuf);
  }
  if (request_.limits) {
    request.arguments.emplace_back("--limit");
  }
  if (yes_) {
    request.arguments.emplace_back("--yes");
  }
  if (!request_.points.empty()) {
    add("--points", fs::absolute(request_.points).string());
  }
  if (!request_.part.empty()) {
    add("--part", request_.part);
  }
  if (!engine_.empty()) {
    add("--engine", engine_);
  }
  if (!seed_.empty()) {
    add("--seed", seed_);
  }
  request.folder = out_;
  request.tasks = tasks_;
  request.cpus = cpus_;
  request.options = slurm_options_;
  request.submit = !dry_run_;
  const sweep::SlurmJobs jobs = sweep::submit(request);
  if (!quiet_) {
    fmt::print("{}\n{}\n", jobs.array_script, jobs.merge_script);
    if (!jobs.array_job.empty()) {
      fmt::print("array job {}, merge job {}\n", jobs.array_job, jobs.merge_job);
    }
  }
  return true;
}

bool SweepCommand::run() {
  if (!report_.empty()) {
    check_report(report_);
  }
  if (merge_->parsed()) {
    Progress progress(quiet_);
    return sweep::merge(out_, files_, jobs(), progress) && report(out_);
  }
  return submit_->parsed() ? submit() : run_here();
}

}  // namespace tessera
