#include <fmt/format.h>

#include <filesystem>

#include "explore/json_text.hpp"
#include "explore/source.hpp"
#include "tessera/error.hpp"

namespace tessera::explore {
namespace {

using Json = nlohmann::ordered_json;

std::vector<Stretch> run_stretches(const Json& trace) {
  std::vector<Stretch> stretches;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") {
      continue;
    }
    Stretch stretch;
    stretch.lane = event.at("tid").get<std::size_t>() - 1;
    stretch.begin = event.at("ts");
    stretch.end = stretch.begin + event.at("dur").get<std::uint64_t>();
    stretch.bytes = event.at("args").at("bytes");
    stretch.layer = event.at("args").value("layer", "");
    stretch.what = event.at("name");
    if (!stretch.layer.empty()) {
      stretch.what = stretch.what.substr(std::min(stretch.layer.size() + 1, stretch.what.size()));
    }
    stretches.push_back(std::move(stretch));
  }
  return stretches;
}

class RunSource : public Source {
 public:
  RunSource(std::string path, const std::string& text, const std::string& trace)
      : path_(std::move(path)), run_(Json::parse(text)) {
    try {
      static_cast<void>(row());
      static_cast<void>(layer_list());
      if (!trace.empty()) {
        const Json json = Json::parse(trace);
        stretches_ = run_stretches(json);
        if (json.at("otherData").at("cycles") != run_.at("totals").at("cycles")) {
          throw InputError(path_ + ": the timeline beside it is another run's");
        }
      }
    } catch (const nlohmann::json::exception& problem) {
      throw InputError(fmt::format("{}: {}", path_, problem.what()));
    }
  }

  [[nodiscard]] std::string points() const override {
    return text_of({{"name", path_},
                    {"kind", "run"},
                    {"keys", Json::array()},
                    {"points", Json::array({row()})}});
  }

  [[nodiscard]] std::string layers(std::size_t point) const override {
    if (point != 0) {
      throw InputError(fmt::format("{}: one run; there is no point {}", path_, point));
    }
    return text_of(layer_list());
  }

  [[nodiscard]] std::string timeline(std::size_t /*point*/, const std::string& layer) override {
    if (stretches_.empty()) {
      throw InputError(path_ +
                       ": has no timeline; write one with --trace and name it after the run");
    }
    return window_of(stretches_, layer);
  }

 private:
  [[nodiscard]] Json layer_list() const {
    Json list = Json::array();
    for (const Json& layer : run_.at("layers")) {
      const auto bytes = layer.at("external_read_bytes").get<std::uint64_t>() +
                         layer.at("external_write_bytes").get<std::uint64_t>();
      list.push_back({{"name", layer.at("name")},
                      {"op", layer.at("op")},
                      {"mode", layer.at("mode")},
                      {"macs", layer.at("macs")},
                      {"cycles", layer.at("cycles")},
                      {"external_bytes", bytes}});
    }
    return list;
  }

  [[nodiscard]] Json row() const {
    const Json& hardware = run_.at("hardware");
    const Json& totals = run_.at("totals");
    return {{"point", 0},
            {"label", fmt::format("{} on {}, {}", run_.at("network").get<std::string>(),
                                  hardware.at("name").get<std::string>(),
                                  run_.at("engine").get<std::string>())},
            {"network", run_.at("network")},
            {"status", run_.at("verified") == false ? "wrong" : "ok"},
            {"cbuf_bytes", hardware.at("cbuf_bytes")},
            {"macs_per_cycle", hardware.at("atomic_c").get<std::uint64_t>() *
                                   hardware.at("atomic_k").get<std::uint64_t>()},
            {"cycles", totals.at("together_cycles")},
            {"ideal_cycles", totals.at("ideal_cycles")},
            {"external_read_bytes", totals.at("external_read_bytes")},
            {"external_write_bytes", totals.at("external_write_bytes")},
            {"arena_bytes", run_.at("memory").at("arena_bytes")},
            {"energy_pj", totals.at("energy_pj")}};
  }

  std::string path_;
  Json run_;
  std::vector<Stretch> stretches_;
};

}  // namespace

std::unique_ptr<Source> open_run(const std::string& path, const std::string& json,
                                 const std::string& trace) {
  return std::make_unique<RunSource>(path, json, trace);
}

}  // namespace tessera::explore
