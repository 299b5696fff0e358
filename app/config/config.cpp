#include "tessera/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "app/config/overrides.hpp"
#include "app/config/presets.hpp"
#include "app/config/sections.hpp"
#include "input/read_file.hpp"
#include "network/import/float_islands.hpp"
#include "network/numerics.hpp"
#include "network/states.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/merge.hpp"
#include "tessera/resources.hpp"

namespace tessera {

Config parse_config(const std::string& text, const std::string& path,
                    const std::vector<std::string>& overrides) {
  try {
    YAML::Node root = parse_yaml(text, path);
    apply_overrides(root, overrides);
    YamlFields fields(root, path, "config");
    Config config;
    config.hardware = read_hardware(fields.need("hardware"), path);
    note_lanes(fields.get("hardware"), config);
    if (const YAML::Node memory = fields.get("memory"); memory.IsDefined()) {
      read_memory(memory, path, config);
    }
    if (const YAML::Node policy = fields.get("policy"); policy.IsDefined()) {
      config.policy = read_policy(policy, path);
    }
    config.policy.memory = config.memory;
    if (const YAML::Node energy = fields.get("energy"); energy.IsDefined()) {
      config.policy.energy = read_energy(energy, path);
      config.has_energy = true;
    }
    if (const YAML::Node host = fields.get("host"); host.IsDefined()) {
      config.host = read_host(host, path, config.hardware.mhz);
    }
    if (const YAML::Node models = fields.get("models"); models.IsDefined()) {
      config.models = read_models(models, path);
      if (fields.has("network")) {
        fields.fail("network", "stands beside `models`; allowed is one of the two");
      }
      for (const char* key : {"state", "signature"}) {
        if (fields.has(key)) {
          fields.fail(key, "stands beside `models`; each of them may have its own");
        }
      }
    } else {
      config.network =
          find_network(fields.text("network"), std::filesystem::path(path).parent_path().string());
    }
    if (const YAML::Node traffic = fields.get("traffic"); traffic.IsDefined()) {
      config.traffic = read_traffic(traffic, path, config.hardware);
    }
    config.engine = static_cast<Engine>(fields.choice("engine", engine_names(), 0));
    const std::size_t weights = fields.choice("weights", {"model", "seeded", "float"}, 0);
    config.seeded_weights = weights == 1;
    config.in_float = weights == 2;
    config.cut = fields.choice("unsupported", {"error", "cut"}, 0) == 1;
    config.numerics = static_cast<Numerics>(fields.choice("numerics", numerics_names(), 0));
    config.tensors = static_cast<TensorForm>(fields.choice("tensors", {"own", "stored"}, 0));
    if (const YAML::Node preprocess = fields.get("preprocess"); preprocess.IsDefined()) {
      config.preprocess = read_preprocess(preprocess, path);
    }
    config.signature = fields.text("signature", "");
    if (const YAML::Node states = fields.get("state"); states.IsDefined()) {
      config.states = read_state_ties(states, path, "state");
    }
    config.steps = static_cast<std::size_t>(fields.integer("steps", 0, 1000000, 0));
    if (const YAML::Node labels = fields.get("labels"); labels.IsDefined()) {
      config.labels = read_labels(labels, path);
    }
    config.seed = static_cast<std::uint64_t>(fields.integer("seed", 0, INT64_MAX, 1));
    fields.finish();
    return config;
  } catch (const YAML::Exception& error) {
    throw InputError(
        fmt::format("{}:{}:{}: {}", path, error.mark.line + 1, error.mark.column + 1, error.msg));
  }
}

bool has_network(const Config& config) {
  return !config.network.empty() || !config.models.empty();
}

Numerics numerics_of(const Config& config) {
  if (config.numerics != Numerics::Auto) {
    return config.numerics;
  }
  const bool is_onnx = std::filesystem::path(config.network).extension() == ".onnx";
  return is_onnx && config.hardware.has(isa::Feature::SingleRounding) ? Numerics::OnnxRuntime
                                                                      : Numerics::Tflm;
}

namespace {

// A layer list's layers say themselves how they round.
void check_numerics(const Config& config) {
  std::vector<std::string> paths = {config.network};
  for (const ModelEntry& model : config.models) {
    paths.push_back(model.path);
  }
  for (const std::string& path : paths) {
    const std::string ending = std::filesystem::path(path).extension().string();
    if (config.numerics != Numerics::Auto && !path.empty() && ending != ".tflite" &&
        ending != ".onnx") {
      throw InputError(fmt::format(
          "{}: `numerics` is for .tflite and .onnx files; a layer list has `rounding` in its "
          "layers (`cosim import --numerics {}` writes it)",
          path, numerics_names()[static_cast<std::size_t>(config.numerics)]));
    }
  }
}

}  // namespace

namespace {

// An input or output by its name in the file.
std::int32_t named(const Network& network, const std::vector<FileTensor>& tensors,
                   const std::vector<std::int32_t>& among, const std::string& name,
                   const char* what) {
  std::vector<std::string> names;
  for (const std::int32_t tensor : among) {
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const FileTensor& one) { return one.tensor == tensor; });
    names.push_back(found != tensors.end()
                        ? found->name
                        : network.tensors[static_cast<std::size_t>(tensor)].name);
    if (names.back() == name) {
      return tensor;
    }
  }
  throw InputError(fmt::format("{}: state: `{}` is no {} of the network; it has {}", network.name,
                               name, what, fmt::join(names, ", ")));
}

/// A network's file, and what of its inputs and outputs are states.
Network load_with_states(const std::string& path, ImportOptions options,
                         const std::vector<StateTie>& ties) {
  std::vector<FileTensor> own;
  if (options.file_tensors == nullptr) {
    options.file_tensors = &own;
  }
  Network network = load_network(path, options);
  const std::vector<FileTensor>& tensors = *options.file_tensors;
  std::vector<std::int32_t> outputs;  // of the ties
  std::vector<std::int32_t> left = network.outputs;
  for (const StateTie& tie : ties) {
    outputs.push_back(named(network, tensors, network.outputs, tie.output, "output"));
    if (!tie.keep) {
      left.erase(std::remove(left.begin(), left.end(), outputs.back()), left.end());
    }
  }
  // A network without outputs would be of no use: all of them stay then.
  if (!left.empty()) {
    network.outputs = std::move(left);
  }
  for (std::size_t i = 0; i < ties.size(); ++i) {
    const StateTie& tie = ties[i];
    const std::int32_t input =
        named(network, tensors, network.inputs, tie.input, "input (or is another state's)");
    tie_state(network, tie.input, input, outputs[i], tie.initial, tie.output);
  }
  if (!ties.empty()) {
    fold_float_islands(network);
    settle_states(network);
    check_network(network);
  }
  return network;
}

}  // namespace

Network load_configured(const Config& config, std::vector<FileTensor>* file_tensors) {
  check_numerics(config);
  ImportOptions options{config.seed,  config.seeded_weights, config.cut,      config.numerics,
                        file_tensors, config.in_float,       config.signature};
  const bool falls_back =
      config.numerics == Numerics::Auto && !config.hardware.has(isa::Feature::SingleRounding);
  if (falls_back) {
    options.numerics = Numerics::Tflm;
  }
  if (config.models.empty()) {
    Network network = load_with_states(config.network, options, config.states);
    if (falls_back && std::filesystem::path(config.network).extension() == ".onnx") {
      network.notes.emplace_back(
          "the hardware has no `single_rounding`: numerics are tflm, not onnxruntime");
    }
    return network;
  }
  std::vector<ModelSource> sources;
  sources.reserve(config.models.size());
  for (const ModelEntry& model : config.models) {
    options.signature = model.signature;
    sources.push_back({model.name, load_with_states(model.path, options, model.states), model.group,
                       model.keep_outputs});
  }
  return merge_networks(sources);
}

std::string default_config() {
  return (data_dir() / "configs" / "npu.yaml").string();
}

bool names_policy(const std::string& path) {
  const YAML::Node root = parse_file(path);
  const YAML::Node policy = root.IsMap() ? root["policy"] : YAML::Node();
  return policy.IsScalar() || (policy.IsMap() && policy["name"].IsDefined());
}

Config load_config(const std::string& path, const std::vector<std::string>& overrides) {
  const std::vector<std::uint8_t> data = read_file(path);
  return parse_config({data.begin(), data.end()}, path, overrides);
}

}  // namespace tessera
