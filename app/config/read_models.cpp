#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "app/config/sections.hpp"
#include "input/read_file.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::vector<ModelEntry> read_models(const YAML::Node& node, const std::string& file) {
  if (!node.IsSequence() || node.size() == 0) {
    throw InputError(place_of(node, file) +
                     "`models` must be a list of maps with a `network` each");
  }
  const std::string base = fs::path(file).parent_path().string();
  std::vector<ModelEntry> models;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < node.size(); ++i) {
    YamlFields fields(node[i], file, fmt::format("models[{}]", i));
    ModelEntry model;
    model.path = find_network(fields.text("network"), base);
    const std::string stem = fs::path(model.path).stem().string();
    const bool taken = std::find(names.begin(), names.end(), stem) != names.end();
    model.name = taken ? fmt::format("{}_{}", stem, i) : stem;
    if (const YAML::Node name = fields.get("name"); name.IsDefined()) {
      model.name = fields.text("name");
    }
    if (std::find(names.begin(), names.end(), model.name) != names.end()) {
      fields.fail("name", fmt::format("`{}` is the name of another model", model.name));
    }
    names.push_back(model.name);
    model.group = u32(fields.integer("group", 0, 1000, static_cast<std::int64_t>(i)));
    model.keep_outputs = fields.choice("keep_outputs", {"no", "yes"}, 1) == 1;
    model.signature = fields.text("signature", "");
    if (const YAML::Node states = fields.get("state"); states.IsDefined()) {
      model.states = read_state_ties(states, file, fmt::format("models[{}].state", i));
    }
    fields.finish();
    models.push_back(std::move(model));
  }
  std::stable_sort(models.begin(), models.end(),
                   [](const ModelEntry& a, const ModelEntry& b) { return a.group < b.group; });
  return models;
}

std::vector<StateTie> read_state_ties(const YAML::Node& node, const std::string& file,
                                      const std::string& map) {
  if (!node.IsSequence() || node.size() == 0) {
    throw InputError(fmt::format("{}`{}` must be a list of maps with an `input` and an `output`",
                                 place_of(node, file), map));
  }
  std::vector<StateTie> states;
  for (std::size_t i = 0; i < node.size(); ++i) {
    YamlFields fields(node[i], file, fmt::format("{}[{}]", map, i));
    StateTie state;
    state.input = fields.text("input");
    state.output = fields.text("output");
    state.initial = fields.number("initial", -1e30, 1e30, 0.0);
    state.keep = fields.choice("keep", {"no", "yes"}, 0) == 1;
    fields.finish();
    states.push_back(std::move(state));
  }
  return states;
}

std::vector<std::string> read_labels(const YAML::Node& node, const std::string& file) {
  std::vector<std::string> labels;
  if (node.IsSequence()) {
    for (const auto& label : node) {
      if (!label.IsScalar()) {
        throw InputError(place_of(label, file) + "`labels` must be names");
      }
      labels.push_back(label.Scalar());
    }
    return labels;
  }
  if (!node.IsScalar()) {
    throw InputError(place_of(node, file) + "`labels` must be a list of names or a file of them");
  }
  const fs::path path = fs::path(file).parent_path() / node.Scalar();
  const std::vector<std::uint8_t> data = read_file(path.string());
  std::istringstream lines(std::string(data.begin(), data.end()));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    if (!line.empty()) {
      labels.push_back(line);
    }
  }
  return labels;
}

Preprocess read_preprocess(const YAML::Node& node, const std::string& file) {
  YamlFields fields(node, file, "preprocess");
  Preprocess preprocess;
  preprocess.resize = fields.choice("resize", {"no", "bilinear"}, 1) == 1;
  preprocess.mean = fields.numbers("mean", -1e6, 1e6);
  preprocess.scale = fields.numbers("scale", -1e6, 1e6);
  fields.finish();
  return preprocess;
}

}  // namespace tessera
