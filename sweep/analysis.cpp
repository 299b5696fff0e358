#include "sweep/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace tessera::sweep {
namespace {

std::vector<LayerModes> mode_changes(const std::vector<PointResult>& all,
                                     const std::vector<std::size_t>& points) {
  std::vector<LayerModes> changes;
  const std::size_t layers = all[points[0]].layers.size();
  for (std::size_t l = 0; l < layers; ++l) {
    LayerModes modes;
    modes.layer = all[points[0]].layers[l].name;
    for (const std::size_t p : points) {
      const std::string& mode = all[p].layers[l].mode;
      if (modes.modes.empty() || modes.modes.back().mode != mode) {
        modes.modes.push_back({all[p].cbuf_bytes, mode});
      }
    }
    if (modes.modes.size() > 1) {
      changes.push_back(std::move(modes));
    }
  }
  return changes;
}

// Of one network: cycles, or milliseconds where there are several clocks.
double time_of(const PointResult& point, bool by_time) {
  return by_time ? point.milliseconds() : static_cast<double>(point.cycles);
}

bool has_several_clocks(const std::vector<PointResult>& points) {
  std::optional<double> first;
  bool several = false;
  for (const PointResult& point : points) {
    if (point.status == Status::Ok) {
      if (point.clock_mhz <= 0) {
        return false;
      }
      several = several || point.clock_mhz != first.value_or(point.clock_mhz);
      first = point.clock_mhz;
    }
  }
  return several;
}

// The least that one of them leaves to the host.
std::uint64_t least_uncounted(const std::vector<PointResult>& all,
                              const std::vector<std::size_t>& points) {
  std::uint64_t least = all[points[0]].uncounted_work;
  for (const std::size_t p : points) {
    least = std::min(least, all[p].uncounted_work);
  }
  return least;
}

Curve make_curve(const Space& space, const std::vector<PointResult>& all,
                 std::vector<std::size_t> points) {
  Curve curve;
  const std::vector<std::string> values = space.values(all[points[0]].index);
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    if (space.axes[a].key == kCbufKey) {
      continue;
    }
    const std::string label = label_of(space, space.axes[a], values[a]);
    curve.label += curve.label.empty() ? "" : ", ";
    curve.label += space.axes[a].key == kNetworkKey ? label : space.axes[a].key + "=" + label;
  }
  // Without other axes it is about one network.
  curve.label = curve.label.empty() ? all[points[0]].network : curve.label;
  const std::uint64_t least = least_uncounted(all, points);
  curve.fewest = *std::min_element(points.begin(), points.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(all[a].uncounted_work, all[a].cycles) <
           std::pair(all[b].uncounted_work, all[b].cycles);
  });
  for (std::size_t t = 0; t < kTolerances.size(); ++t) {
    const std::uint64_t fewest = all[curve.fewest].cycles;
    curve.within[t] = *std::find_if(points.begin(), points.end(), [&](std::size_t p) {
      return all[p].uncounted_work == least &&
             all[p].cycles * 100 <= fewest * (100 + kTolerances[t]);
    });
  }
  curve.changes = mode_changes(all, points);
  curve.points = std::move(points);
  return curve;
}

using Costs = std::array<double, 5>;

Costs costs_of(const PointResult& point, bool by_time) {
  const auto real = [](std::uint64_t value) { return static_cast<double>(value); };
  if (point.area) {
    return {1 / point.inferences_per_second(), real(point.external_bytes()), real(point.area->luts),
            real(point.area->brams), real(point.area->dsps)};
  }
  return {time_of(point, by_time), real(point.external_bytes()), real(point.cbuf_bytes),
          real(point.macs_per_cycle), 0};
}

bool dominates(const Costs& a, const Costs& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) {
      return false;
    }
  }
  return a != b;
}

// By point, the fastest of those of its group that compete, the first of several.
std::vector<std::size_t> fewest_of(const Space& space, const std::vector<PointResult>& points,
                                   const std::vector<bool>& competes, bool by_time) {
  std::map<std::string, std::size_t> best;
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (competes[p]) {
      std::size_t& at = best.emplace(space.group(points[p].index), p).first->second;
      at = time_of(points[p], by_time) < time_of(points[at], by_time) ? p : at;
    }
  }
  std::vector<std::size_t> fewest(points.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto found = best.find(space.group(points[p].index));
    fewest[p] = found == best.end() ? p : found->second;
  }
  return fewest;
}

}  // namespace

std::vector<bool> that_compete(const Space& space, const std::vector<PointResult>& points) {
  std::map<std::string, std::uint64_t> least;
  for (const PointResult& point : points) {
    if (point.status == Status::Ok) {
      std::uint64_t& of =
          least.emplace(space.group(point.index), point.uncounted_work).first->second;
      of = std::min(of, point.uncounted_work);
    }
  }
  std::vector<bool> competes(points.size(), false);
  for (std::size_t p = 0; p < points.size(); ++p) {
    competes[p] = points[p].status == Status::Ok &&
                  points[p].uncounted_work == least.at(space.group(points[p].index));
  }
  return competes;
}

std::vector<bool> pareto_front(const Space& space, const std::vector<PointResult>& points) {
  const std::vector<bool> competes = that_compete(space, points);
  const bool by_time = has_several_clocks(points);
  std::vector<bool> on_front(points.size(), false);
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const bool fits = !points[p].area || points[p].area->fits;
    if (competes[p] && fits) {
      groups[space.group(points[p].index)].push_back(p);
    }
  }
  for (auto& [group, candidates] : groups) {
    // A point is dominated only by one that comes before it in this order.
    std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
      return costs_of(points[a], by_time) < costs_of(points[b], by_time);
    });
    std::vector<std::size_t> front;
    for (const std::size_t p : candidates) {
      on_front[p] = std::none_of(front.begin(), front.end(), [&](std::size_t other) {
        return dominates(costs_of(points[other], by_time), costs_of(points[p], by_time));
      });
      if (on_front[p]) {
        front.push_back(p);
      }
    }
  }
  return on_front;
}

std::string label_of(const Space& space, const Axis& axis, const std::string& value) {
  if (axis.key != kNetworkKey) {
    return value;
  }
  std::string stem = std::filesystem::path(value).stem().string();
  const Axis* const networks = space.axis(kNetworkKey);
  const auto same = std::count_if(
      networks->values.begin(), networks->values.end(),
      [&](const std::string& other) { return std::filesystem::path(other).stem() == stem; });
  if (same == 1) {
    return stem;
  }
  // Models are often called alike, in folders of their own.
  const std::string folder = std::filesystem::path(value).parent_path().filename().string();
  return folder.empty() ? value : folder + "/" + stem;
}

double Results::time_of(std::size_t point) const {
  return sweep::time_of(points[point], by_time);
}

Results evaluate(const Space& space, std::vector<PointResult> points) {
  Results results{space, std::move(points), false, {}, {}, {}, {}};
  results.by_time = has_several_clocks(results.points);
  results.competes = that_compete(space, results.points);
  results.on_front = pareto_front(space, results.points);
  results.fewest = fewest_of(space, results.points, results.competes, results.by_time);
  std::vector<std::vector<std::size_t>> curves;
  for (std::size_t p = 0; p < results.points.size(); ++p) {
    if (results.points[p].status != Status::Ok) {
      continue;
    }
    if (curves.empty() ||
        !space.on_one_curve(results.points[curves.back().front()].index, results.points[p].index)) {
      curves.emplace_back();
    }
    curves.back().push_back(p);
  }
  for (std::vector<std::size_t>& members : curves) {
    results.curves.push_back(make_curve(space, results.points, std::move(members)));
  }
  return results;
}

}  // namespace tessera::sweep
