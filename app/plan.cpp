#include "app/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "console/text_table.hpp"
#include "scheduler/interlayer/order_choice.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

// Exporters chain the names of all that was folded into one.
std::string shortened(const std::string& name) {
  constexpr std::size_t kMost = 40;
  return name.size() <= kMost ? name : name.substr(0, kMost - 3) + "...";
}

std::string name_of(PlannerName planner) {
  return planner_names()[static_cast<std::size_t>(planner)];
}

// The step's name, or its number where steps have none.
std::string step_name(const PlanReport& report, std::int64_t moment) {
  const auto at = static_cast<std::size_t>(moment);
  if (report.steps.empty() || moment < 0) {
    return fmt::format("{}", moment);
  }
  return at < report.steps.size() ? report.steps[at] : "end";
}

std::string peak_text(const PlanReport& report) {
  constexpr std::size_t kMostNamed = 6;
  const PlanPeak peak = peak_of(report);
  if (peak.buffers.empty()) {
    return "";
  }
  std::vector<std::string> names;
  for (const std::size_t b : peak.buffers) {
    if (names.size() == kMostNamed) {
      names.push_back(fmt::format("{} more", peak.buffers.size() - kMostNamed));
      break;
    }
    const Buffer& buffer = report.problem.buffers[b];
    names.push_back(fmt::format("{} ({})", shortened(buffer.id), grouped(buffer.size)));
  }
  return fmt::format("most bytes at {}: {}, taken by {}\n",
                     shortened(step_name(report, peak.moment)), grouped(peak.bytes),
                     fmt::join(names, ", "));
}

// Where a removable or merging operator lies in another one's memory there is nothing to do for it.
PlanReport plan_by_removal(const OperatorGraph& graph, PlanReport report) {
  const RemovalPlan plan = plan_removal(graph);
  std::vector<std::uint32_t> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  const GraphAllocation all = allocation_problem(graph, order, false);
  report.order = "given";
  report.allocation.height = plan.height;
  report.allocation.offsets.clear();
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const bool inside = plan.local_share[n].size() > 1;
    if (plan.removed[n]) {
      report.removed.push_back(graph.nodes[n].id);
      report.copies_saved_bytes += 2 * graph.nodes[n].bytes;
    }
    Buffer buffer = all.problem.buffers[n];
    buffer.id += inside ? " (shared)" : "";
    report.problem.buffers.push_back(std::move(buffer));
    report.allocation.offsets.push_back(plan.offsets[n]);
  }
  return report;
}

}  // namespace

PlanReport plan_problem(const std::string& name, AllocationProblem problem, PlannerName planner,
                        std::uint64_t capacity, std::uint64_t budget) {
  PlanReport report;
  report.name = name;
  report.planner = name_of(planner);
  report.capacity = capacity;
  report.allocation = planner == PlannerName::Exact  ? allocate_exact(problem, capacity, {budget})
                      : planner == PlannerName::Best ? allocate_best(problem, capacity, {budget})
                                                     : allocate(problem, planner, {budget});
  report.order_bytes = live_bound(problem);
  report.problem = std::move(problem);
  return report;
}

PlanReport check_plan(const std::string& name, AllocationProblem problem,
                      std::vector<std::uint64_t> offsets, std::uint64_t capacity) {
  if (offsets.size() != problem.buffers.size()) {
    throw InputError(name + ": no column `offset` to check");
  }
  if (const std::string found = violation(problem, offsets); !found.empty()) {
    throw InputError(name + ": " + found);
  }
  PlanReport report;
  report.name = name;
  report.planner = "of the file";
  report.capacity = capacity;
  for (std::size_t b = 0; b < offsets.size(); ++b) {
    report.allocation.height =
        std::max(report.allocation.height, offsets[b] + problem.buffers[b].size);
  }
  report.allocation.offsets = std::move(offsets);
  report.allocation.lower_bound = live_bound(problem);
  report.order_bytes = report.allocation.lower_bound;
  report.problem = std::move(problem);
  return report;
}

PlanReport plan_graph(const OperatorGraph& graph, const PlanOptions& options,
                      std::uint64_t alignment, std::uint64_t capacity) {
  PlanReport report;
  report.name = graph.name;
  report.planner = name_of(options.planner);
  report.capacity = capacity;
  const OrderProblem orders = order_problem(graph, options.in_place);
  const OrderChoice choice = choose_orders(orders, options);
  report.peaks = choice.peaks;
  if (options.planner == PlannerName::Removal) {
    report = plan_by_removal(graph, std::move(report));
    report.order_bytes = choice.peaks.given;
    return report;
  }
  for (std::size_t i = 0; i < choice.orders.size(); ++i) {
    GraphAllocation all = allocation_problem(graph, choice.orders[i], options.in_place);
    all.problem.alignment = alignment;
    Allocation allocation = options.planner == PlannerName::Best
                                ? allocate_best(all.problem, capacity, {options.budget})
                                : allocate(all.problem, options.planner, {options.budget});
    // Of two orders that fit equally low the one as given is kept.
    if (i == 0 || allocation.height < report.allocation.height) {
      const auto along = memory_along(orders, choice.orders[i]);
      report.order = choice.names[i];
      report.order_bytes = *std::max_element(along.begin(), along.end());
      report.allocation = std::move(allocation);
      report.problem = std::move(all.problem);
      report.steps.clear();
      for (const std::uint32_t node : choice.orders[i]) {
        report.steps.push_back(graph.nodes[node].id);
      }
    }
  }
  return report;
}

PlanReport plan_of(const Program& program) {
  const MemoryPlan& memory = program.memory;
  PlanReport report;
  report.name = program.network;
  report.problem = memory.problem;
  report.allocation = memory.allocation;
  report.planner = memory.planner;
  report.order = memory.order;
  report.peaks = memory.peaks;
  report.order_bytes = memory.order_bytes;
  report.without_in_place = !memory.in_place;
  report.in_place_saved_bytes = memory.in_place_saved_bytes;
  report.models = memory.models;
  report.constants_saved_bytes = program.constants_saved_bytes;
  report.commands_saved_bytes = program.commands_saved_bytes;
  for (const std::uint32_t layer : memory.layers) {
    report.steps.push_back(program.layers[layer].name);
  }
  for (const LayerRecord& record : program.layers) {
    if (record.no_copy) {
      report.removed.push_back(record.name);
      report.copies_saved_bytes += 2 * record.output.bytes;
    }
  }
  return report;
}

namespace {

std::string models_text(const PlanReport& report) {
  if (report.models.empty()) {
    return "";
  }
  const ModelRules rules = apply_model_rules(report.models);
  std::vector<Row> rows = {{"several models", "bytes saved"}};
  rows.push_back({"equal weights are stored once", grouped(report.constants_saved_bytes)});
  rows.push_back({"equal command streams are stored once", grouped(report.commands_saved_bytes)});
  for (const RuleSaving& saving : rules.savings) {
    rows.push_back({saving.rule, grouped(saving.bytes)});
  }
  const std::uint64_t arena = report.allocation.height;
  rows.push_back({"planner " + report.planner + ", all together",
                  grouped(rules.apart_bytes - std::min(rules.apart_bytes, arena))});
  return fmt::format(
      "\n{}activations: {} bytes apart, {} in regions by the rules between models, {} as planned\n",
      aligned(rows, 1), grouped(rules.apart_bytes), grouped(rules.regions_bytes), grouped(arena));
}

}  // namespace

std::string plan_text(const PlanReport& report) {
  const AllocationProblem& problem = report.problem;
  std::vector<Row> rows = {{"buffer", "from", "to", "bytes", "offset", "in place"}};
  for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    const std::uint64_t offset = report.allocation.offsets[b];
    std::uint64_t shared = 0;
    for (const Overlap& overlap : problem.overlaps) {
      if (overlap.below == b || overlap.above == b) {
        const std::size_t other = overlap.below == b ? overlap.above : overlap.below;
        const std::uint64_t begin = std::max(offset, report.allocation.offsets[other]);
        const std::uint64_t end = std::min(
            offset + buffer.size, report.allocation.offsets[other] + problem.buffers[other].size);
        shared = std::max(shared, end > begin ? end - begin : 0);
      }
    }
    const std::int64_t last = buffer.upper - 1;
    rows.push_back({shortened(buffer.id), step_name(report, buffer.lower), step_name(report, last),
                    grouped(buffer.size), grouped(offset), shared == 0 ? "" : grouped(shared)});
  }
  std::string text = aligned(rows, 3) + "\n";
  if (!report.order.empty()) {
    text +=
        fmt::format("order {}: {} bytes alive at once", report.order, grouped(report.order_bytes));
    std::vector<std::string> others;
    for (const auto& [name, peak] :
         {std::pair{"given", report.peaks.given}, std::pair{"greedy", report.peaks.greedy},
          std::pair{"exact", report.peaks.exact}}) {
      if (peak != 0) {
        others.push_back(fmt::format("{} {}", name, grouped(peak)));
      }
    }
    text += fmt::format(" ({})\n", fmt::join(others, ", "));
    if (report.peaks.exact != 0) {
      text += report.peaks.exact == report.peaks.bound
                  ? "no order has fewer alive: proved\n"
                  : fmt::format("search for orders ended early: at least {} are needed, {} found\n",
                                grouped(report.peaks.bound), grouped(report.peaks.exact));
    }
  }
  text += fmt::format("planner {}: {} bytes", report.planner, grouped(report.allocation.height));
  if (report.allocation.lower_bound != 0) {
    text +=
        report.allocation.is_optimal()
            ? fmt::format(", no plan for this order{} is smaller: peak = lower bound",
                          report.without_in_place ? " without writing in place" : "")
            : fmt::format(", at least {} for this order{}", grouped(report.allocation.lower_bound),
                          report.without_in_place ? " without writing in place" : "");
  }
  text += '\n';
  if (report.in_place_saved_bytes != 0) {
    text += fmt::format("in place: {} bytes saved\n", grouped(report.in_place_saved_bytes));
  }
  if (!report.removed.empty()) {
    text += fmt::format("no copy is left of {}: {} bytes of traffic saved\n",
                        fmt::join(report.removed, ", "), grouped(report.copies_saved_bytes));
  }
  text += peak_text(report);
  text += models_text(report);
  if (!report.fits()) {
    text += fmt::format("TOO LARGE: {} bytes were allowed\n", grouped(report.capacity));
  }
  return text;
}

PlanPeak peak_of(const PlanReport& report) {
  const std::vector<Buffer>& buffers = report.problem.buffers;
  PlanPeak peak;
  // Buffers begin to be there at their lower ends, and at no other moment.
  std::set<std::int64_t> moments;
  for (const Buffer& buffer : buffers) {
    moments.insert(buffer.lower);
  }
  for (const std::int64_t moment : moments) {
    std::vector<std::size_t> alive;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (std::size_t b = 0; b < buffers.size(); ++b) {
      if (buffers[b].lower <= moment && moment < buffers[b].upper && buffers[b].size != 0) {
        alive.push_back(b);
        const std::uint64_t offset = report.allocation.offsets[b];
        taken.emplace_back(offset, offset + buffers[b].size);
      }
    }
    std::sort(taken.begin(), taken.end());
    std::uint64_t bytes = 0;
    std::uint64_t end = 0;
    for (const auto& [from, to] : taken) {
      bytes += to > end ? to - std::max(from, end) : 0;
      end = std::max(end, to);
    }
    if (bytes > peak.bytes) {
      std::stable_sort(alive.begin(), alive.end(), [&](std::size_t a, std::size_t b) {
        return buffers[a].size > buffers[b].size;
      });
      peak = {moment, bytes, std::move(alive)};
    }
  }
  return peak;
}

std::string plan_json(const PlanReport& report) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["schema"] = "tessera.plan/1";
  json["name"] = report.name;
  json["planner"] = report.planner;
  json["order"] = report.order;
  json["arena_bytes"] = report.allocation.height;
  json["lower_bound_bytes"] = report.allocation.lower_bound;
  json["proved_optimal"] = report.allocation.is_optimal();
  json["order_bytes"] = report.order_bytes;
  json["peak_by_order"] = {{"given", report.peaks.given},
                           {"greedy", report.peaks.greedy},
                           {"exact", report.peaks.exact},
                           {"bound", report.peaks.bound}};
  json["in_place"] = !report.without_in_place;
  json["in_place_saved_bytes"] = report.in_place_saved_bytes;
  json["removed_copies_saved_bytes"] = report.copies_saved_bytes;
  json["removed"] = report.removed;
  json["constants_saved_bytes"] = report.constants_saved_bytes;
  json["commands_saved_bytes"] = report.commands_saved_bytes;
  if (!report.models.empty()) {
    const ModelRules rules = apply_model_rules(report.models);
    json["models"] = {{"apart_bytes", rules.apart_bytes}, {"regions_bytes", rules.regions_bytes}};
    for (const RuleSaving& saving : rules.savings) {
      json["models"]["saved"][saving.rule] = saving.bytes;
    }
  }
  const PlanPeak peak = peak_of(report);
  json["peak"] = {{"step", peak.moment},
                  {"name", step_name(report, peak.moment)},
                  {"bytes", peak.bytes},
                  {"buffers", Json::array()}};
  for (const std::size_t b : peak.buffers) {
    json["peak"]["buffers"].push_back(report.problem.buffers[b].id);
  }
  json["steps"] = report.steps;
  json["buffers"] = Json::array();
  for (std::size_t b = 0; b < report.problem.buffers.size(); ++b) {
    const Buffer& buffer = report.problem.buffers[b];
    json["buffers"].push_back({{"id", buffer.id},
                               {"lower", buffer.lower},
                               {"upper", buffer.upper},
                               {"bytes", buffer.size},
                               {"offset", report.allocation.offsets[b]}});
  }
  json["overlaps"] = Json::array();
  for (const Overlap& overlap : report.problem.overlaps) {
    json["overlaps"].push_back({{"below", report.problem.buffers[overlap.below].id},
                                {"above", report.problem.buffers[overlap.above].id},
                                {"distance", overlap.distance}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tessera
