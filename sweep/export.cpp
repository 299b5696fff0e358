#include "sweep/export.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "input/csv_table.hpp"

namespace tessera::sweep {
namespace {

using Json = nlohmann::ordered_json;

// All that a point has, by name, in the order of the columns.
Json fields_of(const Results& results, std::size_t p) {
  const Space& space = results.space;
  const PointResult& point = results.points[p];
  Json row;
  row["point"] = point.index;
  row["network"] = "";
  const std::vector<std::string> values = space.values(point.index);
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    row[space.axes[a].key] = label_of(space, space.axes[a], values[a]);
  }
  if (space.axis(kNetworkKey) == nullptr) {
    row["network"] = point.network;
  }
  row["cbuf_bytes"] = point.cbuf_bytes;
  row["cbuf_capacity_bytes"] = point.cbuf_capacity_bytes;
  row["program_of"] = point.program_of;
  row["status"] = name_of(point.status);
  row["cycles"] = point.cycles;
  row["host_cycles"] = point.host_cycles;
  row["host_layers"] = point.host_layers;
  row["own_cycles"] = point.own_cycles;
  row["ideal_cycles"] = point.ideal_cycles;
  row["macs"] = point.macs;
  row["macs_per_cycle"] = point.macs_per_cycle;
  row["external_read_bytes"] = point.external_read_bytes;
  row["external_write_bytes"] = point.external_write_bytes;
  row["arena_bytes"] = point.arena_bytes;
  row["command_bytes"] = point.command_bytes;
  row["energy_pj"] = point.energy_pj;
  row["clock_mhz"] = point.clock_mhz > 0 ? Json(point.clock_mhz) : Json(nullptr);
  row["milliseconds"] = point.clock_mhz > 0 ? Json(point.milliseconds()) : Json(nullptr);
  if (!space.part.empty()) {
    const auto cell = [&](std::uint64_t PointResult::Area::*figure) {
      return point.area ? Json((*point.area).*figure) : Json(nullptr);
    };
    row["luts"] = cell(&PointResult::Area::luts);
    row["ffs"] = cell(&PointResult::Area::ffs);
    row["brams"] = cell(&PointResult::Area::brams);
    row["dsps"] = cell(&PointResult::Area::dsps);
    const auto tenths = [](double value) { return std::round(value * 10) / 10; };
    row["mhz"] = point.area ? Json(tenths(point.area->mhz)) : Json(nullptr);
    row["inferences_per_second"] =
        point.area ? Json(tenths(point.inferences_per_second())) : Json(nullptr);
    row["fits"] = point.area ? Json(point.area->fits) : Json(nullptr);
  }
  row["verified"] = point.verified ? Json(*point.verified) : Json(nullptr);
  row["competes"] = static_cast<bool>(results.competes[p]);
  row["pareto"] = static_cast<bool>(results.on_front[p]);
  row["error"] = point.error;
  return row;
}

std::string csv_field(const Json& value) {
  const std::string text = value.is_string() ? value.get<std::string>()
                           : value.is_null() ? ""
                                             : value.dump();
  return csv_cell(text);
}

Json curve_json(const Results& results, const Curve& curve) {
  Json json;
  json["label"] = curve.label;
  json["points"] = Json::array();
  for (const std::size_t p : curve.points) {
    json["points"].push_back(results.points[p].index);
  }
  json["fewest_cycles"] = results.points[curve.fewest].cycles;
  json["smallest_cbuf_bytes"] = Json::array();
  for (std::size_t t = 0; t < kTolerances.size(); ++t) {
    json["smallest_cbuf_bytes"].push_back(
        {{"within_percent", kTolerances[t]},
         {"cbuf_bytes", results.points[curve.within[t]].cbuf_bytes},
         {"cycles", results.points[curve.within[t]].cycles}});
  }
  json["mode_changes"] = Json::array();
  for (const LayerModes& layer : curve.changes) {
    Json modes = Json::array();
    for (const ModeAt& at : layer.modes) {
      modes.push_back({{"from_cbuf_bytes", at.cbuf_bytes}, {"mode", at.mode}});
    }
    json["mode_changes"].push_back({{"layer", layer.layer}, {"modes", modes}});
  }
  return json;
}

}  // namespace

std::string to_csv(const Results& results) {
  std::string text;
  for (std::size_t p = 0; p < results.points.size(); ++p) {
    const Json row = fields_of(results, p);
    std::string header;
    std::string line;
    for (const auto& [name, value] : row.items()) {
      const char* const comma = header.empty() ? "" : ",";
      header += comma + csv_field(name);
      line += comma + csv_field(value);
    }
    text += p == 0 ? header + "\n" : "";
    text += line + "\n";
  }
  return text;
}

std::string to_json(const Results& results) {
  Json json;
  json["schema"] = "tessera.sweep/1";
  json["axes"] = Json::array();
  for (const Axis& axis : results.space.axes) {
    Json values = Json::array();
    for (const std::string& value : axis.values) {
      values.push_back(label_of(results.space, axis, value));
    }
    json["axes"].push_back({{"key", axis.key}, {"values", values}});
  }
  json["fixed"] = results.space.fixed;
  if (!results.space.part.empty()) {
    json["part"] = results.space.part;
  }
  json["points"] = Json::array();
  for (std::size_t p = 0; p < results.points.size(); ++p) {
    json["points"].push_back(fields_of(results, p));
  }
  json["curves"] = Json::array();
  for (const Curve& curve : results.curves) {
    json["curves"].push_back(curve_json(results, curve));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tessera::sweep
