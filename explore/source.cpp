#include "explore/source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "explore/json_text.hpp"
#include "input/read_file.hpp"
#include "tessera/error.hpp"

namespace tessera::explore {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostStretches = 20000;
const std::string kSqlite = "SQLite format 3";

enum class Kind : std::uint8_t { Sweep, Run, Trace };

Kind kind_of(const std::string& path, const std::string& text) {
  if (text.compare(0, kSqlite.size(), kSqlite) == 0) {
    return Kind::Sweep;
  }
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_object() && json.value("schema", "") == "tessera.run/1") {
    return Kind::Run;
  }
  if (json.is_object() && json.contains("traceEvents")) {
    return Kind::Trace;
  }
  throw InputError(fmt::format(
      "{}: not known; allowed are a sweep's points.sqlite, what --json writes of a run, and after "
      "that what --trace writes",
      path));
}

}  // namespace

std::string window_of(const std::vector<Stretch>& stretches, const std::string& layer) {
  std::uint64_t begin = UINT64_MAX;
  std::uint64_t end = 0;
  for (const Stretch& stretch : stretches) {
    if (stretch.layer == layer) {
      begin = std::min(begin, stretch.begin);
      end = std::max(end, stretch.end);
    }
  }
  if (begin > end) {
    throw InputError(fmt::format("layer `{}` has no commands of its own", layer));
  }
  Json json = {{"layer", layer},
               {"begin", begin},
               {"end", end},
               {"lanes", {"load", "compute", "store", "bus: read", "bus: write"}},
               {"slices", Json::array()},
               {"left_out", 0}};
  std::size_t left_out = 0;
  for (const Stretch& s : stretches) {
    if (s.end < begin || s.begin > end) {
      continue;
    }
    if (json["slices"].size() >= kMostStretches) {
      ++left_out;
      continue;
    }
    json["slices"].push_back({s.lane, s.begin, s.end, s.bytes, s.what, s.layer});
  }
  json["left_out"] = left_out;
  return text_of(json);
}

std::vector<std::unique_ptr<Source>> open_sources(const std::vector<std::string>& paths) {
  std::vector<std::unique_ptr<Source>> sources;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::vector<std::uint8_t> data = read_file(paths[i]);
    const std::string text(data.begin(), data.end());
    switch (kind_of(paths[i], text)) {
      case Kind::Sweep:
        sources.push_back(open_sweep(paths[i]));
        break;
      case Kind::Run: {
        std::string trace;
        if (i + 1 < paths.size()) {
          const std::vector<std::uint8_t> next = read_file(paths[i + 1]);
          const std::string next_text(next.begin(), next.end());
          if (kind_of(paths[i + 1], next_text) == Kind::Trace) {
            trace = next_text;
          }
        }
        sources.push_back(open_run(paths[i], text, trace));
        i += trace.empty() ? 0 : 1;
        break;
      }
      case Kind::Trace:
        throw InputError(paths[i] + ": a timeline; the run that it belongs to goes before it");
    }
  }
  return sources;
}

}  // namespace tessera::explore
