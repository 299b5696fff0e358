#include "sweep/listed_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "input/read_file.hpp"
#include "input/yaml_fields.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"

namespace tessera::sweep {
namespace {

using Json = nlohmann::ordered_json;
using Point = std::map<std::string, std::string>;

struct List {
  std::vector<Point> points;
  std::vector<std::string> keys;  ///< of all points, in the order in which they come first

  void know(const std::string& key) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      keys.push_back(key);
    }
  }
};

constexpr std::size_t kMostPoints = 1'000'000;

Json parsed(const std::string& path) {
  const std::vector<std::uint8_t> data = read_file(path);
  try {
    // The library would take the last of two equal keys.
    std::vector<std::set<std::string>> keys;
    const auto once = [&](int /*depth*/, Json::parse_event_t event, Json& value) {
      if (event == Json::parse_event_t::object_start) {
        keys.emplace_back();
      } else if (event == Json::parse_event_t::object_end) {
        keys.pop_back();
      } else if (event == Json::parse_event_t::key &&
                 !keys.back().insert(value.get<std::string>()).second) {
        throw InputError(
            fmt::format("{}: key `{}` is there twice in a point", path, value.get<std::string>()));
      }
      return true;
    };
    return Json::parse(data.begin(), data.end(), once);
  } catch (const nlohmann::json::exception& problem) {
    throw InputError(fmt::format("{}: {}", path, problem.what()));
  }
}

// As `--set` takes it.
std::string value_of(const std::string& key, const Json& value, const std::string& where) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (value.is_null() || text.empty()) {
    throw InputError(fmt::format("{}: `{}` has no value; leave the key out", where, key));
  }
  if (key == kNetworkKey) {
    return find_network(text, ".");
  }
  return key == kCbufKey ? size_text(parse_size(text, where + ": " + key + ": ")) : text;
}

List read_points(const std::string& path) {
  const Json json = parsed(path);
  if (!json.is_array() || json.empty() || json.size() > kMostPoints) {
    throw InputError(fmt::format("{}: must be a list of 1 to {} points", path, kMostPoints));
  }
  List list;
  for (const Json& entry : json) {
    const std::string where = fmt::format("{}: point {}", path, list.points.size());
    if (!entry.is_object()) {
      throw InputError(where + " must be a map from keys to values");
    }
    Point& point = list.points.emplace_back();
    for (const auto& [key, value] : entry.items()) {
      point[key] = value_of(key, value, where);
      list.know(key);
    }
  }
  return list;
}

// In the order of the keys, the size of the cbuf last.
std::vector<Axis> axes_of(const std::string& path, const std::vector<Axis>& given, List& list) {
  std::vector<Point>& points = list.points;
  for (const Axis& axis : given) {
    if (axis.values.size() != 1) {
      throw InputError(
          fmt::format("{} lists the points; `{}` may have one value beside it", path, axis.key));
    }
    for (Point& point : points) {
      point.emplace(axis.key, axis.values[0]);
    }
    list.know(axis.key);
  }
  std::vector<Axis> axes;
  axes.reserve(list.keys.size());
  for (const std::string& key : list.keys) {
    axes.push_back({key, {}});
  }
  for (const Point& point : points) {
    for (const auto& [key, value] : point) {
      const auto same = [name = key](const Axis& axis) { return axis.key == name; };
      const auto axis = std::find_if(axes.begin(), axes.end(), same);
      if (std::find(axis->values.begin(), axis->values.end(), value) == axis->values.end()) {
        axis->values.push_back(value);
      }
    }
  }
  for (Axis& axis : axes) {
    const auto lacks = [name = axis.key](const Point& point) { return point.count(name) == 0; };
    if (std::any_of(points.begin(), points.end(), lacks)) {
      if (axis.key == kNetworkKey) {
        throw InputError(
            fmt::format("{}: point {} has no `network`, others have; give all points one", path,
                        std::find_if(points.begin(), points.end(), lacks) - points.begin()));
      }
      axis.values.insert(axis.values.begin(), "");
    }
    if (axis.key == kCbufKey) {
      const auto bytes = [](const std::string& size) {
        return size.empty() ? 0 : parse_size(size, "");
      };
      std::sort(axis.values.begin(), axis.values.end(),
                [&](const auto& a, const auto& b) { return bytes(a) < bytes(b); });
    }
  }
  std::stable_partition(axes.begin(), axes.end(),
                        [](const Axis& axis) { return axis.key != kCbufKey; });
  return axes;
}

}  // namespace

void list_points(const std::string& path, Space& space) {
  List list = read_points(path);
  const std::vector<Point>& points = list.points;
  for (const std::string& set : space.fixed) {
    const std::string key = set.substr(0, set.find('='));
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (points[p].count(key) != 0) {
        throw InputError(fmt::format("{}: point {}: `{}` is given for all points", path, p, key));
      }
    }
  }
  space.axes = axes_of(path, space.axes, list);
  std::vector<std::map<std::string, std::size_t>> indices(space.axes.size());
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    for (std::size_t v = 0; v < space.axes[a].values.size(); ++v) {
      indices[a][space.axes[a].values[v]] = v;
    }
  }
  const bool has_cbuf = !space.axes.empty() && space.axes.back().key == kCbufKey;
  using Coordinates = std::vector<std::size_t>;
  std::map<Coordinates, std::size_t> curves;  // by what differs beside the cbuf, as they come
  std::map<Coordinates, std::size_t> seen;
  std::vector<std::tuple<std::size_t, std::size_t, Coordinates>> rows;
  for (std::size_t p = 0; p < points.size(); ++p) {
    Coordinates at;
    for (std::size_t a = 0; a < space.axes.size(); ++a) {
      const auto value = points[p].find(space.axes[a].key);
      at.push_back(indices[a].at(value == points[p].end() ? "" : value->second));
    }
    if (const auto [first, fresh] = seen.emplace(at, p); !fresh) {
      throw InputError(fmt::format("{}: point {} is the same as point {}", path, p, first->second));
    }
    Coordinates curve = at;
    curve.resize(at.size() - (has_cbuf ? 1 : 0));
    const std::size_t number = curves.emplace(curve, curves.size()).first->second;
    rows.emplace_back(number, has_cbuf ? at.back() : 0, std::move(at));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  for (auto& row : rows) {
    space.listed.push_back(std::move(std::get<2>(row)));
  }
}

}  // namespace tessera::sweep
