#include <fmt/format.h>

#include <algorithm>

#include "explore/json_text.hpp"
#include "explore/source.hpp"
#include "sweep/export.hpp"
#include "sweep/store.hpp"
#include "tessera/checker.hpp"
#include "tessera/error.hpp"
#include "tessera/program.hpp"

namespace tessera::explore {
namespace {

using Json = nlohmann::ordered_json;

std::vector<Stretch> stretches_of(const Program& program, const timing::Timeline& timeline) {
  std::vector<Stretch> stretches;
  stretches.reserve(timeline.slices.size());
  for (const timing::Slice& s : timeline.slices) {
    stretches.push_back({s.unit, s.begin, s.end, s.bytes, s.what, program.layers[s.layer].name});
  }
  constexpr std::size_t kBusRead = 3;
  for (const timing::BusSlice& s : timeline.bus) {
    stretches.push_back({kBusRead + (s.write ? 1U : 0U), s.begin, s.end,
                         s.beats * program.hardware.bus_bytes, s.write ? "write" : "read", ""});
  }
  return stretches;
}

class SweepSource : public Source {
 public:
  explicit SweepSource(std::string path) : path_(std::move(path)) {
    sweep::Store store = sweep::Store::open(path_);
    definition_ = store.definition();
    results_ = sweep::evaluate(definition_.space, store.read());
  }

  [[nodiscard]] std::string points() const override {
    const Json results = Json::parse(to_json(results_));
    Json json = {{"name", path_},
                 {"kind", "sweep"},
                 {"keys", Json::array()},
                 {"points", results.at("points")}};
    for (const sweep::Axis& axis : definition_.space.axes) {
      json["keys"].push_back(axis.key);
    }
    for (Json& point : json["points"]) {
      std::string label;
      for (const Json& key : json["keys"]) {
        label += label.empty() ? "" : ", ";
        label += point.at(key.get<std::string>()).get<std::string>();
      }
      point["label"] = label.empty() ? point.at("network") : Json(label);
    }
    return text_of(json);
  }

  [[nodiscard]] std::string layers(std::size_t point) const override {
    Json list = Json::array();
    for (const sweep::LayerResult& layer : find(point).layers) {
      list.push_back({{"name", layer.name},
                      {"op", layer.op},
                      {"mode", layer.mode},
                      {"macs", layer.macs},
                      {"cycles", layer.cycles},
                      {"external_bytes", layer.external_bytes}});
    }
    return text_of(list);
  }

  // A file of points has no timelines: the point is scheduled anew.
  [[nodiscard]] std::string timeline(std::size_t point, const std::string& layer) override {
    if (!timed_ || timed_ != point) {
      check_contents();
      sweep::PointRunner runner(definition_.space);
      const Config config = runner.config_of(point);
      const Config made_for = runner.config_of(find(point).program_of);
      Program program =
          compile(load_configured(config), part_of(config.hardware, made_for.hardware),
                  made_for.policy, Contents::Commands);
      program.hardware = config.hardware;
      stretches_ = stretches_of(program, timing::record(program, config.memory));
      timed_ = point;
    }
    return window_of(stretches_, layer);
  }

 private:
  [[nodiscard]] const sweep::PointResult& find(std::size_t point) const {
    const auto found = std::find_if(results_.points.begin(), results_.points.end(),
                                    [&](const auto& p) { return p.index == point; });
    if (found == results_.points.end()) {
      throw InputError(fmt::format("{}: there is no point {}", path_, point));
    }
    return *found;
  }

  void check_contents() const {
    try {
      if (const std::string why =
              sweep::define(definition_.space, definition_.shard).difference(definition_);
          why.empty()) {
        return;
      }
    } catch (const InputError& gone) {
      throw InputError(fmt::format("{}: what it was made from is gone: {}", path_, gone.what()));
    }
    throw InputError(path_ +
                     ": its configuration, networks, presets or the program have changed since it "
                     "was made; the timeline would be another one's");
  }

  std::string path_;
  sweep::Definition definition_;
  sweep::Results results_;
  std::optional<std::size_t> timed_;  ///< point of `stretches_`
  std::vector<Stretch> stretches_;
};

}  // namespace

std::unique_ptr<Source> open_sweep(const std::string& path) {
  return std::make_unique<SweepSource>(path);
}

}  // namespace tessera::explore
