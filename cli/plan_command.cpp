#include "cli/plan_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "cli/options/common_options.hpp"
#include "console/output_file.hpp"
#include "input/read_file.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/plan_picture.hpp"
#include "tessera/tflite_plan.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kInterpreterAlignment = 16;   // of TensorFlow Lite Micro's arena
constexpr std::uint64_t kProblemBudget = 30'000'000;  // for problems of files
constexpr std::uint64_t kFileBudget = 3'000'000;      // for graphs and models of files

std::size_t index_of(const std::string& option, const std::string& name,
                     const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw InputError(fmt::format("{} is `{}`{}; allowed is one of {}", option, name,
                                 suggestion(name, names), fmt::join(names, ", ")));
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::string text_of(const std::string& path) {
  const std::vector<std::uint8_t> data = read_file(path);
  return {data.begin(), data.end()};
}

void write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.flush();
  if (!out) {
    throw InputError(path + ": cannot be written");
  }
}

}  // namespace

void PlanCommand::add_to(CLI::App& app) {
  auto* network = add_network(app, network_);
  auto* config = add_config(app, config_);
  auto* problem =
      app.add_option("--problem", problem_, "buffers with lifetimes (CSV: id,lower,upper,size)");
  auto* graph =
      app.add_option("--graph", graph_, "operator graph (CSV: id,op,output_elements,inputs)");
  auto* tflite =
      app.add_option("--tflite", tflite_, "model (.tflite) as TensorFlow Lite Micro runs it");
  for (CLI::Option* source : {problem, graph, tflite}) {
    config->excludes(source);
    network->excludes(source);
  }
  problem->excludes(graph)->excludes(tflite);
  graph->excludes(tflite);
  app.add_option("--offline-plan", offline_, "write that model with the plan inside")
      ->needs(tflite);
  auto* sets = add_sets(app, sets_);
  auto* seed = app.add_option("--seed", seed_, "seed of weights that no file gives; default: 1");
  for (CLI::Option* source : {problem, graph, tflite}) {
    sets->excludes(source);
    seed->excludes(source);
  }
  app.add_option("--capacity", capacity_, "bytes; any plan up to it will do")
      ->check(CLI::PositiveNumber);
  app.add_option("--bytes-per-element", bytes_per_element_, "of the graph's outputs")
      ->check(CLI::Range(1, 16))
      ->needs(graph);
  alignment_option_ =
      app.add_option("--alignment", alignment_, "of offsets, in bytes")->check(CLI::Range(1, 4096));
  app.add_flag("--in-place", in_place_, "element-wise operators of a graph may write in place")
      ->needs(graph);
  app.add_option("--planner", planner_, fmt::format("{}", fmt::join(planner_names(), ", ")));
  app.add_option("--order", order_, fmt::format("{}", fmt::join(order_names(), ", ")));
  app.add_option("--budget", budget_, "steps of search")->check(CLI::PositiveNumber);
  app.add_option("--out", out_, "write the plan (CSV: id,lower,upper,size,offset)");
  app.add_flag("--check", check_, "look at the offsets in the problem's file, plan nothing")
      ->needs(problem);
  app.add_option("--svg", svg_, "draw the plan");
  app.add_option("--json", json_, "write the plan as JSON; - for standard output");
  app.add_flag("--quiet", quiet_, "no table");
}

PlanReport PlanCommand::make() const {
  PlanOptions options;
  options.in_place = in_place_;
  options.budget = budget_ != 0 ? budget_ : kFileBudget;
  if (!planner_.empty()) {
    options.planner = static_cast<PlannerName>(index_of("--planner", planner_, planner_names()));
  }
  if (!order_.empty()) {
    options.order = static_cast<OrderName>(index_of("--order", order_, order_names()));
  }
  if (!problem_.empty()) {
    if (!order_.empty()) {
      throw InputError("--order: a problem fixes the times, there is no order to choose");
    }
    std::vector<std::uint64_t> offsets;
    AllocationProblem problem = read_problem_csv(text_of(problem_), problem_, &offsets);
    if (!check_ && !offsets.empty()) {
      throw InputError(problem_ +
                       ": column `offset` holds a plan; give --check to look at it, or take the "
                       "column out to plan anew");
    }
    problem.alignment = std::lcm(problem.alignment, alignment_);
    if (check_) {
      return check_plan(problem_, std::move(problem), std::move(offsets), capacity_);
    }
    return plan_problem(problem_, std::move(problem), options.planner, capacity_,
                        budget_ != 0 ? budget_ : kProblemBudget);
  }
  if (!graph_.empty()) {
    return plan_graph(read_graph_csv(text_of(graph_), graph_, bytes_per_element_), options,
                      alignment_, capacity_);
  }
  if (!tflite_.empty()) {
    return plan_tflite(options);
  }
  if (config_.empty() && network_.empty()) {
    throw InputError("plan: give a network, --config, --problem, --graph or --tflite");
  }
  if (alignment_option_->count() > 0) {
    throw InputError(
        "--alignment: a network's tensors lie at multiples of 64 bytes; allowed with --problem, "
        "--graph and --tflite");
  }
  std::vector<std::string> sets = sets_;
  if (!seed_.empty()) {
    sets.push_back("seed=" + seed_);
  }
  if (!network_.empty()) {
    sets.push_back("network=\"" + find_network(network_, ".") + "\"");
  }
  const auto set = [&](const char* key, const std::string& value) {
    if (!value.empty()) {
      sets.push_back(fmt::format("policy.plan.{}={}", key, value));
    }
  };
  set("planner", planner_);
  set("order", order_);
  set("budget", budget_ == 0 ? "" : std::to_string(budget_));
  const Config config = load_config(config_.empty() ? default_config() : config_, sets);
  const Network network = load_configured(config);
  PlanReport report = plan_of(compile(network, config.hardware, config.policy));
  report.capacity = capacity_;
  return report;
}

PlanReport PlanCommand::plan_tflite(const PlanOptions& options) const {
  if (!order_.empty()) {
    throw InputError("--order: the interpreter runs a model's operators as the file has them");
  }
  const std::vector<std::uint8_t> model = read_file(tflite_);
  const std::uint64_t alignment = std::max<std::uint64_t>(alignment_, kInterpreterAlignment);
  TfliteActivations activations = tflite_activations(model, tflite_, alignment);
  PlanReport report = plan_problem(tflite_, std::move(activations.problem), options.planner,
                                   capacity_, options.budget);
  if (!offline_.empty()) {
    std::vector<std::int32_t> offsets(activations.tensors, -1);
    for (std::size_t b = 0; b < activations.tensor_of.size(); ++b) {
      offsets[static_cast<std::size_t>(activations.tensor_of[b])] =
          static_cast<std::int32_t>(report.allocation.offsets[b]);
    }
    const auto planned = with_offline_plan(model, tflite_, offsets);
    write(offline_, {planned.begin(), planned.end()});
  }
  return report;
}

bool PlanCommand::run() const {
  for (const std::string& path : {out_, svg_, offline_, json_ == "-" ? std::string() : json_}) {
    if (!path.empty()) {
      check_writable(path);
    }
  }
  const PlanReport report = make();
  if (!quiet_ && json_ != "-") {
    fmt::print("{}", plan_text(report));
  }
  if (json_ == "-") {
    fmt::print("{}", plan_json(report));
  } else if (!json_.empty()) {
    write(json_, plan_json(report));
  }
  if (!out_.empty()) {
    write(out_, write_plan_csv(report.problem, report.allocation.offsets));
  }
  if (!svg_.empty()) {
    write(svg_, plan_svg(report.problem, report.allocation, report.steps, report.name));
  }
  return report.fits();
}

}  // namespace tessera
