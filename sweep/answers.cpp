#include "sweep/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

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
  curve.fewest = *std::min_element(points.begin(), points.end(), [&](std::size_t a, std::size_t b) {
    return all[a].cycles < all[b].cycles;
  });
  for (std::size_t t = 0; t < kTolerances.size(); ++t) {
    const std::uint64_t fewest = all[curve.fewest].cycles;
    curve.within[t] = *std::find_if(points.begin(), points.end(), [&](std::size_t p) {
      return all[p].cycles * 100 <= fewest * (100 + kTolerances[t]);
    });
  }
  curve.changes = mode_changes(all, points);
  curve.points = std::move(points);
  return curve;
}

using Costs = std::array<double, 5>;

Costs costs_of(const PointResult& point) {
  const auto real = [](std::uint64_t value) { return static_cast<double>(value); };
  if (point.area) {
    return {1 / point.inferences_per_second(), real(point.external_bytes()), real(point.area->luts),
            real(point.area->brams), real(point.area->dsps)};
  }
  return {real(point.cycles), real(point.external_bytes()), real(point.cbuf_bytes),
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

// By point, the one with the fewest cycles among those that it competes with, the first of several.
std::vector<std::size_t> fewest_of(const Space& space, const std::vector<PointResult>& points) {
  std::map<std::string, std::size_t> best;
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (points[p].status == Status::Ok) {
      std::size_t& at = best.emplace(space.group(points[p].index), p).first->second;
      at = points[p].cycles < points[at].cycles ? p : at;
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

std::vector<bool> pareto_front(const Space& space, const std::vector<PointResult>& points) {
  std::vector<bool> on_front(points.size(), false);
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const bool fits = !points[p].area || points[p].area->fits;
    if (points[p].status == Status::Ok && fits) {
      groups[space.group(points[p].index)].push_back(p);
    }
  }
  for (auto& [group, candidates] : groups) {
    // A point is dominated only by one that comes before it in this order.
    std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
      return costs_of(points[a]) < costs_of(points[b]);
    });
    std::vector<std::size_t> front;
    for (const std::size_t p : candidates) {
      on_front[p] = std::none_of(front.begin(), front.end(), [&](std::size_t other) {
        return dominates(costs_of(points[other]), costs_of(points[p]));
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

Results evaluate(const Space& space, std::vector<PointResult> points) {
  Results results{space, std::move(points), {}, {}, {}};
  results.on_front = pareto_front(space, results.points);
  results.fewest = fewest_of(space, results.points);
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
