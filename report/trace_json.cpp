#include "report/trace_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned kBusRead = 3;
constexpr unsigned kBusWrite = 4;
constexpr const char* kLanes[] = {"load", "compute", "store", "bus: read", "bus: write"};

Json named(const char* what, unsigned thread, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", 1}, {"tid", thread}, {"args", {{"name", name}}}};
}

Json banks_by_name(const timing::BankRange& range) {
  return range.count == 0 ? Json(nullptr)
                          : Json{{"first", range.first}, {"last", range.first + range.count - 1}};
}

}  // namespace

std::string trace_json(const Program& program, const timing::Timeline& timeline) {
  Json events = Json::array();
  events.push_back(named("process_name", 0, program.network));
  for (unsigned lane = 0; lane < std::size(kLanes); ++lane) {
    events.push_back(named("thread_name", lane + 1, kLanes[lane]));
    events.push_back({{"name", "thread_sort_index"},
                      {"ph", "M"},
                      {"pid", 1},
                      {"tid", lane + 1},
                      {"args", {{"sort_index", lane}}}});
  }
  for (const timing::Slice& slice : timeline.slices) {
    Json args = {{"layer", program.layers[slice.layer].name},
                 {"tile", slice.number},
                 {"bytes", slice.bytes}};
    if (slice.writes.count > 0) {
      args["banks_written"] = banks_by_name(slice.writes);
    }
    if (slice.unit == 1) {
      args["banks_of_features"] = banks_by_name(slice.features);
      args["banks_of_weights"] = banks_by_name(slice.weights);
    }
    events.push_back({{"name", fmt::format("{} {}", program.layers[slice.layer].name, slice.what)},
                      {"cat", kLanes[slice.unit]},
                      {"ph", "X"},
                      {"ts", slice.begin},
                      {"dur", slice.end - slice.begin},
                      {"pid", 1},
                      {"tid", slice.unit + 1},
                      {"args", std::move(args)}});
  }
  const std::uint64_t beat = program.hardware.bus_bytes;
  for (const timing::BusSlice& slice : timeline.bus) {
    const unsigned lane = slice.write ? kBusWrite : kBusRead;
    events.push_back({{"name", slice.write ? "write" : "read"},
                      {"cat", "bus"},
                      {"ph", "X"},
                      {"ts", slice.begin},
                      {"dur", slice.end - slice.begin},
                      {"pid", 1},
                      {"tid", lane + 1},
                      {"args", {{"beats", slice.beats}, {"bytes", slice.beats * beat}}}});
  }
  const Json json = {{"displayTimeUnit", "ms"},
                     {"otherData",
                      {{"unit", "a microsecond is a cycle"},
                       {"cycles", counter(timeline.result.totals, isa::Counter::Cycles)}}},
                     {"traceEvents", std::move(events)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tessera
