#include "sweep/neighbours.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>

#include "input/yaml_fields.hpp"
#include "tessera/error.hpp"

namespace tessera::sweep {
namespace {

constexpr std::array<const char*, 10> kMore = {"hardware.cbuf.size",        "hardware.cbuf.banks",
                                               "hardware.accumulators",     "hardware.post_lanes",
                                               "hardware.queue_depth",      "hardware.param_groups",
                                               "hardware.read_outstanding", "hardware.line_atoms",
                                               "memory.bytes_per_cycle",    "memory.bandwidth"};
constexpr std::array<const char*, 3> kLess = {"memory.latency", "memory.turnaround",
                                              "memory.partial_beat"};

double objective_of(const PointResult& point) {
  if (point.objective == "traffic") {
    return static_cast<double>(point.external_bytes());
  }
  return point.objective == "energy" ? point.energy_pj : static_cast<double>(point.cycles);
}

// Of an axis; nothing where it is no number or size, or is left to the configuration.
std::optional<double> number_of(const std::string& key, const std::string& value) {
  if (key == "memory.bandwidth") {
    try {
      return parse_quantity(value, {{"MB/s", 1}, {"GB/s", 1000}}, "");
    } catch (const InputError&) {
      return std::nullopt;
    }
  }
  if (key == kCbufKey) {
    try {
      return static_cast<double>(parse_size(value, ""));
    } catch (const InputError&) {
      return std::nullopt;
    }
  }
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  return end == value.c_str() || *end != '\0' ? std::nullopt : std::optional(number);
}

// The values of an axis from the least of the resource to the most; empty: there is no such order.
std::vector<std::size_t> in_order(const Axis& axis) {
  const int direction = direction_of(axis.key);
  std::vector<std::pair<double, std::size_t>> values;
  for (std::size_t v = 0; direction != 0 && v < axis.values.size(); ++v) {
    if (const auto number = number_of(axis.key, axis.values[v])) {
      values.emplace_back(direction * *number, v);
    }
  }
  std::sort(values.begin(), values.end());
  std::vector<std::size_t> order;
  order.reserve(values.size());
  for (const auto& value : values) {
    order.push_back(value.second);
  }
  return order;
}

}  // namespace

int direction_of(const std::string& key) {
  const auto is_in = [&](const auto& keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  return is_in(kMore) ? 1 : is_in(kLess) ? -1 : 0;
}

Neighbours::Neighbours(const Space& space, std::vector<PointResult>& points)
    : points_(points), below_(points.size()) {
  std::map<std::vector<std::size_t>, std::size_t> at;
  for (std::size_t p = 0; p < points.size(); ++p) {
    at.emplace(space.coordinates(points[p].index), p);
  }
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    const std::vector<std::size_t> order = in_order(space.axes[a]);
    for (std::size_t p = 0; p < points.size(); ++p) {
      std::vector<std::size_t> place = space.coordinates(points[p].index);
      auto rank = std::find(order.begin(), order.end(), place[a]);
      if (points[p].objective.empty() || rank == order.end()) {
        continue;
      }
      // Of points that are listed one by one, the next value may be another curve's.
      for (bool found = false; !found && rank != order.begin();) {
        place[a] = *--rank;
        const auto other = at.find(place);
        found = other != at.end() && points[other->second].status == Status::Ok;
        if (found) {
          below_[p].push_back(other->second);
        }
      }
    }
  }
}

std::vector<Trial> Neighbours::next() {
  std::vector<Trial> trials;
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const PointResult& point = points_[p];
    if (point.status != Status::Ok) {
      continue;
    }
    const PointResult* best = nullptr;
    for (const std::size_t other : below_[p]) {
      const PointResult& its = points_[other];
      if (objective_of(its) < objective_of(point) && its.program_of != point.program_of &&
          tried_.count({point.index, its.program_of}) == 0 &&
          (best == nullptr || objective_of(its) < objective_of(*best))) {
        best = &its;
      }
    }
    if (best != nullptr) {
      tried_.insert({point.index, best->program_of});
      trials.push_back({point.index, best->program_of});
    }
  }
  return trials;
}

void Neighbours::done(PointResult result) {
  const auto point =
      std::lower_bound(points_.begin(), points_.end(), result.index,
                       [](const PointResult& p, std::size_t index) { return p.index < index; });
  if (point != points_.end() && point->index == result.index && result.status == Status::Ok &&
      result.uncounted_work <= point->uncounted_work &&
      objective_of(result) < objective_of(*point)) {
    result.own_cycles = point->own_cycles;
    *point = std::move(result);
  }
}

}  // namespace tessera::sweep
