#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "console/text_table.hpp"
#include "sweep/export.hpp"

namespace tessera::sweep {
namespace {

constexpr std::size_t kAllRows = 40;    // so many points are all shown
constexpr std::size_t kBestRows = 10;   // of more, the best
constexpr std::size_t kMostGroups = 4;  // that do not compete with each other
constexpr std::size_t kMostFront = 20;
constexpr std::size_t kMostCurves = 12;
constexpr std::size_t kCurvesOfModes = 3;
constexpr std::size_t kMostLayers = 12;  // of a curve, that change their mode
constexpr std::size_t kMostFailures = 8;

std::string kib(std::uint64_t bytes) {
  return bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024) : fmt::format("{} B", bytes);
}

std::string cbuf_of(const PointResult& point) {
  const bool limited = point.cbuf_bytes != point.cbuf_capacity_bytes;
  return limited && point.cbuf_capacity_bytes % 1024 == 0 && point.cbuf_bytes % 1024 == 0
             ? fmt::format("{} of {} KiB", point.cbuf_bytes / 1024,
                           point.cbuf_capacity_bytes / 1024)
             : kib(point.cbuf_bytes);
}

// Those that do not compete come last.
bool is_faster(const Results& results, std::size_t a, std::size_t b) {
  const auto key = [&](std::size_t p) {
    return std::pair(!results.competes[p], results.time_of(p));
  };
  return key(a) < key(b);
}

// Against the points that it competes with.
std::string above(const Results& results, std::size_t p) {
  if (!results.competes[p]) {
    return "-";
  }
  const double cycles = results.time_of(p);
  const double fewest = results.time_of(results.fewest[p]);
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

// What one of the points has.
struct Columns {
  bool clock = false, energy = false, part = false, host = false;
  const char* fewest;

  explicit Columns(const Results& results)
      : part(!results.space.part.empty()), fewest(results.by_time ? "vs fastest" : "vs fewest") {
    for (std::size_t p = 0; p < results.points.size(); ++p) {
      const PointResult& point = results.points[p];
      host = host || (point.status == Status::Ok && !results.competes[p]);
      clock = clock || point.clock_mhz > 0;
      energy = energy || point.has_energy;
    }
  }

  [[nodiscard]] Row header() const {
    Row row = {"sweep", "cbuf", "cycles", fewest};
    if (clock) {
      row.emplace_back("ms");
    }
    row.insert(row.end(), {"array %", "external bytes", "arena bytes"});
    if (energy) {
      row.emplace_back("energy uJ");
    }
    if (part) {
      row.insert(row.end(), {"LUTs", "MHz", "inferences/s"});
    }
    if (host) {
      row.emplace_back("host layers");
    }
    row.emplace_back("front");
    return row;
  }

  [[nodiscard]] Row row(const Results& results, const std::string& label, std::size_t p) const {
    const PointResult& point = results.points[p];
    const double array = point.cycles == 0 ? 0.0
                                           : 100.0 * static_cast<double>(point.ideal_cycles) /
                                                 static_cast<double>(point.cycles);
    Row row = {label, cbuf_of(point), grouped(point.cycles), above(results, p)};
    if (clock) {
      row.push_back(fmt::format("{:.4g}", point.milliseconds()));
    }
    row.insert(row.end(), {fmt::format("{:.1f}", array), grouped(point.external_bytes()),
                           grouped(point.arena_bytes)});
    if (energy) {
      row.push_back(fmt::format("{:.3g}", point.energy_pj / 1e6));
    }
    if (part) {
      const std::vector<std::string> cells = area_cells(point);
      row.insert(row.end(), cells.begin(), cells.end());
    }
    if (host) {
      row.push_back(fmt::format("{}", point.host_layers));
    }
    row.emplace_back(results.on_front[p] ? "*" : "");
    return row;
  }
};

// Why some points are not compared.
std::string host_text(const Results& results) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < results.points.size(); ++p) {
    count += results.points[p].status == Status::Ok && !results.competes[p] ? 1 : 0;
  }
  return count == 0
             ? ""
             : fmt::format(
                   "{} leave{} more to the host than others do, and its time is in no "
                   "figure: not compared (`host: microcontroller` counts it)\n",
                   count == 1 ? "1 point" : fmt::format("{} points", count), count == 1 ? "s" : "");
}

std::string label_of_point(const Results& results, std::size_t p) {
  for (const Curve& curve : results.curves) {
    if (std::find(curve.points.begin(), curve.points.end(), p) != curve.points.end()) {
      return curve.label;
    }
  }
  return "";
}

std::string table_of(const Results& results, const std::vector<std::size_t>& points) {
  const Columns columns(results);
  std::vector<Row> rows = {columns.header()};
  for (const std::size_t p : points) {
    rows.push_back(columns.row(results, label_of_point(results, p), p));
  }
  return aligned(rows, 1);
}

std::string points_table(const Results& results) {
  std::vector<std::size_t> all;
  for (const Curve& curve : results.curves) {
    all.insert(all.end(), curve.points.begin(), curve.points.end());
  }
  return table_of(results, all);
}

// Of many points those with the fewest cycles, of each group.
std::string best_table(const Results& results) {
  std::vector<std::vector<std::size_t>> groups;  // as they come
  std::map<std::string, std::size_t> known;
  for (const Curve& curve : results.curves) {
    for (const std::size_t p : curve.points) {
      const std::string group = results.space.group(results.points[p].index);
      const auto [at, fresh] = known.emplace(group, groups.size());
      if (fresh) {
        groups.emplace_back();
      }
      groups[at->second].push_back(p);
    }
  }
  std::vector<std::size_t> shown;
  for (std::size_t g = 0; g < std::min(groups.size(), kMostGroups); ++g) {
    std::vector<std::size_t>& points = groups[g];
    const std::size_t most = std::min(points.size(), kBestRows);
    std::stable_sort(points.begin(), points.end(),
                     [&](std::size_t a, std::size_t b) { return is_faster(results, a, b); });
    shown.insert(shown.end(), points.begin(), points.begin() + static_cast<std::ptrdiff_t>(most));
  }
  std::string text = fmt::format("{} points; {}:\n{}", results.points.size(),
                                 results.by_time ? "the fastest" : "with the fewest cycles",
                                 table_of(results, shown));
  if (groups.size() > kMostGroups) {
    text += fmt::format("... and those of {} networks or environments more\n",
                        groups.size() - kMostGroups);
  }
  return text;
}

std::string front_table(const Results& results) {
  std::vector<std::size_t> front;
  for (std::size_t p = 0; p < results.points.size(); ++p) {
    if (results.on_front[p]) {
      front.push_back(p);
    }
  }
  if (front.empty()) {
    return "";
  }
  std::string text = fmt::format(
      "\n{} on the front of {}",
      front.size() == 1 ? "1 point is" : fmt::format("{} points are", front.size()),
      results.space.part.empty()
          ? (results.by_time ? "time" : "cycles") +
                std::string(", external bytes, cbuf bytes and MACs per cycle")
          : std::string("time, external bytes, lookup tables, block RAMs and multipliers"));
  if (front.size() > kMostFront) {
    std::stable_sort(front.begin(), front.end(),
                     [&](std::size_t a, std::size_t b) { return is_faster(results, a, b); });
    front.resize(kMostFront);
    text += fmt::format("; the {} fastest of them", kMostFront);
  }
  return text + ":\n" + table_of(results, front);
}

std::string smallest_table(const Results& results) {
  std::vector<Row> rows = {{"smallest cbuf within", "fewest cycles"}};
  for (const std::uint32_t tolerance : kTolerances) {
    rows[0].push_back(fmt::format("{} %", tolerance));
  }
  for (const Curve& curve : results.curves) {
    if (rows.size() > kMostCurves) {
      break;
    }
    Row row = {curve.label, grouped(results.points[curve.fewest].cycles)};
    for (const std::size_t p : curve.within) {
      row.push_back(kib(results.points[p].cbuf_bytes));
    }
    rows.push_back(std::move(row));
  }
  std::string text = aligned(rows, 1);
  if (results.curves.size() > kMostCurves) {
    text += fmt::format("... and {} more, in results.json\n", results.curves.size() - kMostCurves);
  }
  return text;
}

// Then the answer may lie beyond it.
std::string end_of_range(const Results& results) {
  std::size_t count = 0;
  std::string first;
  for (const Curve& curve : results.curves) {
    if (curve.points.size() > 1 && curve.fewest == curve.points.back()) {
      first = count++ == 0 ? curve.label : first;
    }
  }
  if (count == 0) {
    return "";
  }
  return fmt::format(
      "the fewest cycles are at the end of the range: {}{}; a larger cbuf may take fewer\n", first,
      count == 1 ? "" : fmt::format(" and {} more", count - 1));
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

std::string changes_of(const Curve& curve) {
  std::vector<Row> rows = {{"layer", "mode from size on"}};
  for (const LayerModes& layer : curve.changes) {
    if (const std::string kinds = kinds_text(layer); !kinds.empty()) {
      rows.push_back({layer.layer, kinds});
    }
  }
  if (rows.size() == 1) {
    return "";
  }
  const std::size_t more = rows.size() > kMostLayers + 1 ? rows.size() - kMostLayers - 1 : 0;
  rows.resize(rows.size() - more);
  std::string text = fmt::format("\nmodes that change with the size{}{}\n{}",
                                 curve.label.empty() ? "" : ": ", curve.label, aligned(rows, 2));
  if (more > 0) {
    text += fmt::format("... and {} layer{} more, in results.json\n", more, more == 1 ? "" : "s");
  }
  return text;
}

std::string changes_text(const Results& results) {
  std::string text;
  std::size_t curves = 0;
  for (const Curve& curve : results.curves) {
    const std::string changes = changes_of(curve);
    curves += changes.empty() ? 0 : 1;
    text += curves <= kCurvesOfModes ? changes : "";
  }
  if (curves > kCurvesOfModes) {
    text += fmt::format("... and {} curves more, in results.json\n", curves - kCurvesOfModes);
  }
  return text;
}

std::string settings_text(const Results& results, const PointResult& point) {
  std::string settings;
  const std::vector<std::string> values = results.space.values(point.index);
  for (std::size_t a = 0; a < values.size(); ++a) {
    const Axis& axis = results.space.axes[a];
    settings += fmt::format("{}{}={}", settings.empty() ? "" : ", ", axis.key,
                            label_of(results.space, axis, values[a]));
  }
  return settings;
}

// Two errors that differ in numbers alone are of one kind.
std::string kind_of_failure(const PointResult& point) {
  std::string kind = name_of(point.status);
  bool in_number = false;
  for (const char c : point.error) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit || !in_number) {
      kind += digit ? '#' : c;
    }
    in_number = digit;
  }
  return kind;
}

std::string failures_text(const Results& results) {
  std::vector<std::pair<const PointResult*, std::size_t>> kinds;  // the first, and how many
  std::map<std::string, std::size_t> known;
  for (const PointResult& point : results.points) {
    if (point.status == Status::Ok) {
      continue;
    }
    const auto [at, fresh] = known.emplace(kind_of_failure(point), kinds.size());
    if (fresh) {
      kinds.emplace_back(&point, 0);
    }
    ++kinds[at->second].second;
  }
  std::string text;
  for (std::size_t k = 0; k < std::min(kinds.size(), kMostFailures); ++k) {
    const auto& [point, count] = kinds[k];
    text += fmt::format("{} ({}): {}\n", name_of(point->status), settings_text(results, *point),
                        point->error);
    if (count > 1) {
      text += fmt::format("    and {} more like it\n", count - 1);
    }
  }
  if (kinds.size() > kMostFailures) {
    text += fmt::format("... and {} other kinds of failures, in results.csv\n",
                        kinds.size() - kMostFailures);
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string to_terminal(const Results& results) {
  std::string text;
  if (!results.curves.empty()) {
    text += results.points.size() <= kAllRows ? points_table(results)
                                              : best_table(results) + front_table(results);
    text += host_text(results);
    if (results.space.axis(kCbufKey) != nullptr) {
      text += "\n" + smallest_table(results) + end_of_range(results) + changes_text(results);
    }
  }
  return text + failures_text(results);
}

}  // namespace tessera::sweep
