#include "sweep/export.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "console/text_table.hpp"

namespace tessera::sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRows = 40;    // of points, on a terminal
constexpr std::size_t kMostFront = 20;   // the same of the front
constexpr std::size_t kMostLayers = 12;  // of a curve, that change their mode

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
  row["program_cbuf_bytes"] = point.program_cbuf_bytes;
  row["status"] = name_of(point.status);
  row["cycles"] = point.cycles;
  row["host_cycles"] = point.host_cycles;
  row["own_cycles"] = point.own_cycles;
  row["ideal_cycles"] = point.ideal_cycles;
  row["macs"] = point.macs;
  row["macs_per_cycle"] = point.macs_per_cycle;
  row["external_read_bytes"] = point.external_read_bytes;
  row["external_write_bytes"] = point.external_write_bytes;
  row["arena_bytes"] = point.arena_bytes;
  row["command_bytes"] = point.command_bytes;
  row["energy_pj"] = point.energy_pj;
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
  row["pareto"] = static_cast<bool>(results.on_front[p]);
  row["error"] = point.error;
  return row;
}

std::string csv_field(const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>()
                     : value.is_null() ? ""
                                       : value.dump();
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return quoted + "\"";
}

std::string kib(std::uint64_t bytes) {
  return bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024) : fmt::format("{} B", bytes);
}

std::string above(const Results& results, const Curve& curve, std::size_t p) {
  const auto cycles = static_cast<double>(results.points[p].cycles);
  const auto fewest = static_cast<double>(results.points[curve.fewest].cycles);
  return fmt::format("{:+.1f} %", fewest == 0 ? 0.0 : 100 * (cycles / fewest - 1));
}

// Lookup tables, MHz, inferences per second.
std::vector<std::string> area_cells(const PointResult& point) {
  if (!point.area) {
    return {"?", "?", "?"};
  }
  return {grouped(point.area->luts) + (point.area->fits ? "" : ", does not fit"),
          fmt::format("{:.0f}", point.area->mhz),
          fmt::format("{:.1f}", point.inferences_per_second())};
}

std::string points_table(const Results& results) {
  std::vector<Row> rows = {
      {"sweep", "cbuf", "cycles", "vs fewest", "array %", "external bytes", "arena bytes"}};
  const bool has_part = !results.space.part.empty();
  if (has_part) {
    rows[0].insert(rows[0].end(), {"LUTs", "MHz", "inferences/s"});
  }
  rows[0].emplace_back("front");
  for (const Curve& curve : results.curves) {
    for (const std::size_t p : curve.points) {
      const PointResult& point = results.points[p];
      const double array = point.cycles == 0 ? 0.0
                                             : 100.0 * static_cast<double>(point.ideal_cycles) /
                                                   static_cast<double>(point.cycles);
      rows.push_back({curve.label, kib(point.cbuf_bytes), grouped(point.cycles),
                      above(results, curve, p), fmt::format("{:.1f}", array),
                      grouped(point.external_bytes()), grouped(point.arena_bytes)});
      if (has_part) {
        const std::vector<std::string> cells = area_cells(point);
        rows.back().insert(rows.back().end(), cells.begin(), cells.end());
      }
      rows.back().emplace_back(results.on_front[p] ? "*" : "");
    }
  }
  return aligned(rows, 1);
}

std::string smallest_table(const Results& results) {
  std::vector<Row> rows = {{"smallest cbuf within", "fewest cycles"}};
  for (const std::uint32_t tolerance : kTolerances) {
    rows[0].push_back(fmt::format("{} %", tolerance));
  }
  for (const Curve& curve : results.curves) {
    Row row = {curve.label, grouped(results.points[curve.fewest].cycles)};
    for (const std::size_t p : curve.within) {
      row.push_back(kib(results.points[p].cbuf_bytes));
    }
    rows.push_back(std::move(row));
  }
  return aligned(rows, 1);
}

// The kind of a mode, without its parts: split, direct, row by row.
std::string kind_of(const std::string& mode) {
  const std::size_t passes = mode.find(" passes, ");
  const std::string one = passes == std::string::npos ? mode : mode.substr(passes + 9);
  if (one.rfind("split", 0) == 0) {
    return "split";
  }
  return one.substr(0, one.find(','));
}

// Where the kind changes; empty when it does not.
std::string kinds_text(const LayerModes& layer) {
  std::string text;
  std::string last;
  std::size_t kinds = 0;
  for (const ModeAt& at : layer.modes) {
    const std::string kind = kind_of(at.mode);
    if (kind != last) {
      text += fmt::format("{}{} {}", kinds == 0 ? "" : ", ", kib(at.cbuf_bytes), kind);
      last = kind;
      ++kinds;
    }
  }
  return kinds > 1 ? text : "";
}

std::string changes_text(const Results& results) {
  std::string text;
  for (const Curve& curve : results.curves) {
    std::vector<Row> rows = {{"layer", "mode from size on"}};
    for (const LayerModes& layer : curve.changes) {
      if (const std::string kinds = kinds_text(layer); !kinds.empty()) {
        rows.push_back({layer.layer, kinds});
      }
    }
    if (rows.size() == 1) {
      continue;
    }
    const std::size_t more = rows.size() > kMostLayers + 1 ? rows.size() - kMostLayers - 1 : 0;
    rows.resize(rows.size() - more);
    text += fmt::format("\nmodes that change with the size{}{}\n{}",
                        curve.label.empty() ? "" : ": ", curve.label, aligned(rows, 2));
    if (more > 0) {
      text += fmt::format("... and {} layers more, in results.json\n", more);
    }
  }
  return text;
}

std::string failures_text(const Results& results) {
  std::string text;
  for (const PointResult& point : results.points) {
    if (point.status != Status::Ok) {
      std::string settings;
      const std::vector<std::string> values = results.space.values(point.index);
      for (std::size_t a = 0; a < values.size(); ++a) {
        const Axis& axis = results.space.axes[a];
        settings += fmt::format("{}{}={}", settings.empty() ? "" : ", ", axis.key,
                                label_of(results.space, axis, values[a]));
      }
      text += fmt::format("{} ({}): {}\n", name_of(point.status), settings, point.error);
    }
  }
  return text.empty() ? "" : "\n" + text;
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

std::string to_terminal(const Results& results) {
  std::string text;
  if (results.points.size() <= kMostRows && !results.curves.empty()) {
    text += points_table(results) + "\n";
  }
  if (results.space.axis(kCbufKey) != nullptr && !results.curves.empty()) {
    text += smallest_table(results);
    text += changes_text(results);
  }
  std::size_t front = 0;
  for (std::size_t p = 0; p < results.points.size(); ++p) {
    front += results.on_front[p] ? 1 : 0;
  }
  if (results.points.size() > kMostRows && front > 0) {
    text += fmt::format("\n{} points are on the front of {}", front,
                        results.space.part.empty()
                            ? "cycles, external bytes, cbuf bytes and MACs per cycle"
                            : "time, external bytes, lookup tables, block RAMs and multipliers");
    text += front > kMostFront ? "; see `pareto` in results.csv\n" : ":\n";
    std::vector<Row> rows = {{"point", "cycles", "external bytes", "cbuf", "MACs/cycle"}};
    for (std::size_t p = 0; front <= kMostFront && p < results.points.size(); ++p) {
      if (results.on_front[p]) {
        const PointResult& point = results.points[p];
        rows.push_back({fmt::format("{}", point.index), grouped(point.cycles),
                        grouped(point.external_bytes()), kib(point.cbuf_bytes),
                        fmt::format("{}", point.macs_per_cycle)});
      }
    }
    text += rows.size() > 1 ? aligned(rows, 0) : "";
  }
  return text + failures_text(results);
}

}  // namespace tessera::sweep
