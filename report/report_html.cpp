#include "report/report_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "console/output_file.hpp"
#include "input/read_file.hpp"
#include "report/report.hpp"
#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostSlices = 20000;  // of a lane: more are drawn as one where they touch

fs::path library_path() {
  const char* path = std::getenv("TESSERA_ECHARTS");
  return path != nullptr ? fs::path(path) : data_dir() / "web" / "echarts.min.js";
}

std::string text_of(const fs::path& path) {
  const std::vector<std::uint8_t> data = read_file(path.string());
  return {data.begin(), data.end()};
}

// A script's text must not end the script.
std::string inside_script(std::string text) {
  for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3) {
    text.replace(at, 2, "<\\/");
  }
  return text;
}

std::string escaped(const std::string& text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '&':
        html += "&amp;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

void fill(std::string& page, const std::string& mark, const std::string& text) {
  const std::size_t at = page.find(mark);
  page.replace(at, mark.size(), text);
}

std::string page(const std::string& title, const Json& data) {
  check_web_assets();
  const fs::path parts = data_dir() / "report" / "page";
  std::string html = text_of(parts / "page.html");
  const std::string json = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  // What comes from outside goes in last: a mark inside it is no mark.
  fill(html, "@@STYLE@@", text_of(parts / "report.css"));
  std::string script;
  for (const char* const name : {"common", "charts", "run", "sweep", "sweep_charts", "design",
                                 "fit", "comparison", "start"}) {
    script += text_of(parts / (std::string(name) + ".js"));
  }
  fill(html, "@@SCRIPT@@", inside_script(script));
  fill(html, "@@LIBRARY@@", inside_script(text_of(library_path())));
  fill(html, "@@TITLE@@", escaped(title));
  fill(html, "@@DATA@@", inside_script(json));
  return html;
}

Json memory_rectangles(const Program& program) {
  const MemoryPlan& memory = program.memory;
  Json json;
  json["steps"] = Json::array();
  for (const std::uint32_t layer : memory.layers) {
    json["steps"].push_back(program.layers[layer].name);
  }
  json["buffers"] = Json::array();
  for (std::size_t b = 0; b < memory.problem.buffers.size(); ++b) {
    const Buffer& buffer = memory.problem.buffers[b];
    if (buffer.size > 0) {
      json["buffers"].push_back(
          {buffer.id, buffer.lower, buffer.upper, memory.allocation.offsets[b], buffer.size});
    }
  }
  return json;
}

// Slices of one lane, neighbours of a layer made one until there are few enough.
/// One or several that follow each other, and the cycles of those.
struct DrawnSlice : timing::Slice {
  std::uint64_t busy = 0;
};

std::vector<DrawnSlice> few(std::vector<DrawnSlice> slices) {
  for (timing::Cycle gap = 1; slices.size() > kMostSlices && gap < (timing::Cycle{1} << 40);
       gap *= 2) {
    std::vector<DrawnSlice> merged;
    for (DrawnSlice& slice : slices) {
      const bool joins = !merged.empty() && merged.back().layer == slice.layer &&
                         slice.begin <= merged.back().end + gap;
      if (!joins) {
        merged.push_back(std::move(slice));
        continue;
      }
      merged.back().end = std::max(merged.back().end, slice.end);
      merged.back().bytes += slice.bytes;
      merged.back().busy += slice.busy;
      merged.back().what = "several";
    }
    slices = std::move(merged);
  }
  return slices;
}

Json banks_json(const timing::BankRange& range) {
  return {range.first, range.count};
}

Json timeline_json(const Program& program, const timing::Timeline& timeline) {
  Json json;
  json["end"] = timeline.end;
  json["banks"] = program.hardware.cbuf_banks;
  json["lanes"] = {"load", "compute", "store"};
  std::array<std::vector<DrawnSlice>, 3> lanes;
  for (const timing::Slice& slice : timeline.slices) {
    lanes[slice.unit].push_back({slice, slice.end - slice.begin});
  }
  json["slices"] = Json::array();
  for (auto& lane : lanes) {
    for (const DrawnSlice& s : few(std::move(lane))) {
      json["slices"].push_back({s.unit, s.layer, s.begin, s.end, s.busy, s.bytes, s.what,
                                banks_json(s.writes), banks_json(s.features),
                                banks_json(s.weights)});
    }
  }
  json["bus"] = Json::array();
  std::vector<std::pair<timing::BusSlice, std::uint64_t>> merged;  // and the cycles of its parts
  for (timing::Cycle gap = 1; merged.empty() || merged.size() > kMostSlices; gap *= 4) {
    std::array<std::size_t, 2> last{SIZE_MAX, SIZE_MAX};
    merged.clear();
    for (const timing::BusSlice& slice : timeline.bus) {
      std::size_t& at = last[slice.write ? 1 : 0];
      const std::uint64_t busy = slice.end - slice.begin;
      if (at != SIZE_MAX && slice.begin <= merged[at].first.end + gap) {
        merged[at].first.end = std::max(merged[at].first.end, slice.end);
        merged[at].first.beats += slice.beats;
        merged[at].second += busy;
      } else {
        at = merged.size();
        merged.emplace_back(slice, busy);
      }
    }
    if (timeline.bus.empty()) {
      break;
    }
  }
  for (const auto& [slice, busy] : merged) {
    json["bus"].push_back({slice.write ? 1 : 0, slice.begin, slice.end, busy, slice.beats});
  }
  return json;
}

}  // namespace

void check_web_assets() {
  if (!fs::exists(library_path())) {
    throw MissingTool(fmt::format(
        "the charting library for --report is missing ({}); scripts/web-assets.sh of the sources "
        "fetches it, and TESSERA_ECHARTS can name an echarts.min.js",
        library_path().string()));
  }
}

void check_report(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  if (ending != ".html" && ending != ".htm") {
    throw InputError(
        fmt::format("--report {}: reports are pages; allowed are names that end with "
                    ".html",
                    path));
  }
  check_writable(path);
  check_web_assets();
}

std::string charting_library() {
  check_web_assets();
  return text_of(library_path());
}

std::string report_html(const Config& config, const Simulation& simulation,
                        const timing::Timeline& timeline) {
  Json data;
  data["kind"] = "run";
  data["run"] = Json::parse(report_json(config, simulation));
  data["memory_map"] = memory_rectangles(simulation.program);
  data["timeline"] = timeline_json(simulation.program, timeline);
  data["timeline"]["exact"] = counter(timeline.result.totals, isa::Counter::Cycles) ==
                              counter(simulation.result.totals, isa::Counter::Cycles);
  return page(fmt::format("{} on {}", simulation.network->name, config.hardware.name), data);
}

std::string sweep_html(const std::string& json) {
  return page("Sweep", {{"kind", "sweep"}, {"sweep", Json::parse(json)}});
}

std::string design_html(const std::string& json) {
  const Json design = Json::parse(json);
  const std::string title =
      fmt::format("{} on {}", design.at("hardware").at("name").get<std::string>(),
                  design.at("part").get<std::string>());
  return page(title, {{"kind", "design"}, {"design", design}});
}

std::string fit_html(const std::string& json) {
  const Json fit = Json::parse(json);
  return page(fmt::format("The hardware that fits {}", fit.at("part").get<std::string>()),
              {{"kind", "fit"}, {"fit", fit}});
}

std::string comparison_html(const std::string& json) {
  const Json comparison = Json::parse(json);
  return page(fmt::format("{} against {}", comparison.at("network").get<std::string>(),
                          comparison.at("runtime").get<std::string>()),
              {{"kind", "comparison"}, {"comparison", comparison}});
}

}  // namespace tessera
