#include "python/engine/calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/plan.hpp"
#include "app/tensor_file.hpp"
#include "cli/command_line.hpp"
#include "report/report.hpp"
#include "tessera/error.hpp"
#include "timing/machine/timeline.hpp"

namespace tessera::python {
namespace {

using Json = nlohmann::ordered_json;

// Names come from model files and may be no UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json tensors_json(const Config& config, const Network& network,
                  const std::vector<std::int32_t>& indices) {
  Json list = Json::array();
  for (const std::int32_t index : indices) {
    const Tensor& tensor = network.tensors[static_cast<std::size_t>(index)];
    list.push_back({{"name", tensor.name},
                    {"type", file_type(tensor, config.tensors)},
                    {"shape", file_shape(tensor, config.tensors)}});
  }
  return list;
}

Json states_json(const Network& network) {
  Json list = Json::array();
  for (const State& state : network.states) {
    list.push_back(state.name);
  }
  return list;
}

}  // namespace

std::string simulation(const Question& question, const SimulateOptions& options) {
  const Config config = load_config(question.config, question.sets);
  Progress progress(false);
  SimulateOptions possible = options;
  if (config.engine == Engine::Model) {
    possible.output.clear();  // it has none
    possible.states_out.clear();
  }
  const Simulation done = simulate(config, possible, progress);
  Json json;
  json["run"] = report_json(config, done);
  json["plan"] = plan_json(plan_of(done.program));
  json["explain"] = Json::array();
  for (const LayerRecord& layer : done.program.layers) {
    json["explain"].push_back(explain(done.program, layer.name));
  }
  json["outputs"] =
      done.has_data ? tensors_json(config, *done.network, done.network->outputs) : Json::array();
  json["states"] = done.has_data ? states_json(*done.network) : Json::array();
  return text_of(json);
}

std::string description(const Question& question) {
  const Config config = load_config(question.config, question.sets);
  const Network network = load_configured(config);
  Json json;
  json["network"] = network.name;
  json["inputs"] = tensors_json(config, network, network.inputs);
  json["outputs"] = tensors_json(config, network, network.outputs);
  json["states"] = states_json(network);
  json["notes"] = network.notes;
  json["left_out"] = network.left_out;
  json["layers"] = Json::array();
  for (const Operator& op : network.operators) {
    const Tensor& output = network.tensors[static_cast<std::size_t>(op.output)];
    json["layers"].push_back({{"name", op.name},
                              {"op", op.type_name()},
                              {"macs", macs_of(network, op)},
                              {"output_shape", output.shape}});
  }
  return text_of(json);
}

std::string timeline(const Question& question) {
  const Config config = load_config(question.config, question.sets);
  const Program program =
      compile(load_configured(config), config.hardware, config.policy, Contents::Commands);
  check(program);
  const timing::Timeline timeline = timing::record(program, config.memory);
  constexpr const char* kUnits[] = {"load", "compute", "store"};
  struct Row {
    const char* lane;
    Json layer, what, tile;
    timing::Cycle begin, end;
    std::uint64_t bytes;
  };
  std::vector<Row> rows;
  rows.reserve(timeline.slices.size() + timeline.bus.size());
  for (const timing::Slice& slice : timeline.slices) {
    rows.push_back({kUnits[slice.unit], program.layers[slice.layer].name, slice.what, slice.number,
                    slice.begin, slice.end, slice.bytes});
  }
  for (const timing::BusSlice& slice : timeline.bus) {
    rows.push_back({slice.write ? "bus write" : "bus read", nullptr, nullptr, nullptr, slice.begin,
                    slice.end, slice.beats * program.hardware.bus_bytes});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.begin < b.begin; });
  Json json = {{"lane", Json::array()}, {"layer", Json::array()}, {"what", Json::array()},
               {"tile", Json::array()}, {"begin", Json::array()}, {"end", Json::array()},
               {"bytes", Json::array()}};
  for (Row& row : rows) {
    json["lane"].push_back(row.lane);
    json["layer"].push_back(std::move(row.layer));
    json["what"].push_back(std::move(row.what));
    json["tile"].push_back(std::move(row.tile));
    json["begin"].push_back(row.begin);
    json["end"].push_back(row.end);
    json["bytes"].push_back(row.bytes);
  }
  return text_of(json);
}

std::string command(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"cosim"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size());
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  return fmt::format("{}", CommandLine().run(static_cast<int>(pointers.size()), pointers.data()));
}

}  // namespace tessera::python
