#include "app/input_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "app/picture.hpp"
#include "app/tensor_file.hpp"
#include "console/output_file.hpp"
#include "tessera/error.hpp"
#include "tessera/rng.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

const Tensor& tensor_of(const Network& network, std::int32_t index) {
  return network.tensors[static_cast<std::size_t>(index)];
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// The file of that name in a folder, whatever its ending; .npy when there is none.
std::string in_folder(const std::string& folder, const std::string& name) {
  const auto named = [&](const char* ending) {
    return (fs::path(folder) / (name + ending)).string();
  };
  for (const char* ending : {".npy", ".bin", ".png", ".jpg", ".jpeg"}) {
    if (fs::exists(named(ending))) {
      return named(ending);
    }
  }
  return named(".npy");
}

// The file for tensor i of `count`: the path itself, or in a folder input0.npy, input0.bin, ...
std::string file_for(const std::string& path, const char* stem, std::size_t i, std::size_t count) {
  if (is_folder(path)) {
    return in_folder(path, fmt::format("{}{}", stem, i));
  }
  if (count != 1) {
    throw InputError(fmt::format("{}: the network has {} {}s; give a folder with {}0.npy, ...",
                                 path, count, stem, stem));
  }
  return path;
}

// int8 over its range, float32 between -2 and 2, whole numbers 0 or 1: they may be indices.
std::vector<std::uint8_t> seeded_values(const Tensor& tensor, SplitMix64& rng) {
  std::vector<std::uint8_t> bytes(tensor.bytes());
  const std::size_t size = size_of(tensor.type);
  for (std::size_t i = 0; i < bytes.size(); i += size) {
    const std::int8_t drawn = rng.int8();
    const float value = static_cast<float>(drawn) / 64.0F;
    if (tensor.type == DataType::Float32) {
      std::memcpy(&bytes[i], &value, sizeof(float));
    } else {
      bytes[i] = static_cast<std::uint8_t>(tensor.type == DataType::Int8 ? drawn : drawn & 1);
    }
  }
  return bytes;
}

Values seeded_inputs(const Network& network, SplitMix64& rng) {
  Values inputs;
  for (const std::int32_t input : network.inputs) {
    inputs.push_back(seeded_values(tensor_of(network, input), rng));
  }
  return inputs;
}

std::string step_name(std::size_t step) {
  return fmt::format("step{}", step);
}

bool is_step_name(const std::string& stem) {
  return stem.size() > 4 && stem.compare(0, 4, "step") == 0 &&
         std::all_of(stem.begin() + 4, stem.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool has_step_files(const std::string& path) {
  if (!is_folder(path)) {
    return false;
  }
  const fs::directory_iterator entries(path);
  return std::any_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
    return is_step_name(entry.path().stem().string());
  });
}

// Steps behind a gap, or numbered otherwise, are not left out without a word.
void check_step_names(const std::string& path, std::size_t count) {
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const std::string stem = entry.path().stem().string();
    bool is_known = !is_step_name(stem);
    for (std::size_t s = 0; s < count; ++s) {
      is_known = is_known || stem == step_name(s);
    }
    if (!is_known) {
      throw InputError(
          fmt::format("{}: {} is none of the steps; they are numbered from step0 on, "
                      "and {} is missing",
                      path, entry.path().filename().string(), step_name(count)));
    }
  }
}

// A file or folder for each step.
std::vector<Values> steps_from_folder(const Config& config, const Network& network,
                                      const std::string& path) {
  std::vector<Values> steps;
  while (true) {
    const std::string folder = (fs::path(path) / step_name(steps.size())).string();
    const std::string file = in_folder(path, step_name(steps.size()));
    if (!is_folder(folder) && !fs::exists(file)) {
      check_step_names(path, steps.size());
      return steps;
    }
    steps.push_back(read_inputs(config, network, is_folder(folder) ? folder : file));
  }
}

// Files with a dimension more in front.
std::vector<Values> steps_from_files(const Config& config, const Network& network,
                                     const std::string& path) {
  std::vector<Values> by_input;
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    const Tensor& tensor = tensor_of(network, network.inputs[i]);
    const std::string file = file_for(path, "input", i, network.inputs.size());
    by_input.push_back(is_picture(file)
                           ? Values{read_picture(file, tensor, config.preprocess)}
                           : read_tensor_steps(file, tensor, config.tensors, config.steps > 1));
    if (by_input.back().size() != by_input.front().size()) {
      throw InputError(fmt::format("{}: holds {} steps, input 0 has {}", file,
                                   by_input.back().size(), by_input.front().size()));
    }
  }
  std::vector<Values> steps(by_input.front().size());
  for (Values& input : by_input) {
    for (std::size_t s = 0; s < steps.size(); ++s) {
      steps[s].push_back(std::move(input[s]));
    }
  }
  return steps;
}

}  // namespace

Values read_inputs(const Config& config, const Network& network, const std::string& path) {
  SplitMix64 rng(config.seed);
  if (path.empty()) {
    return seeded_inputs(network, rng);
  }
  Values inputs;
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    const Tensor& tensor = tensor_of(network, network.inputs[i]);
    const std::string file = file_for(path, "input", i, network.inputs.size());
    inputs.push_back(is_picture(file) ? read_picture(file, tensor, config.preprocess)
                                      : read_tensor_file(file, tensor, config.tensors));
  }
  return inputs;
}

std::vector<Values> read_steps(const Config& config, const Network& network,
                               const std::string& path) {
  std::vector<Values> steps;
  if (path.empty()) {
    SplitMix64 rng(config.seed);
    for (std::size_t s = 0; s < std::max<std::size_t>(config.steps, 1); ++s) {
      steps.push_back(seeded_inputs(network, rng));
    }
    return steps;
  }
  steps = has_step_files(path) ? steps_from_folder(config, network, path)
                               : steps_from_files(config, network, path);
  if (config.steps > steps.size()) {
    throw InputError(fmt::format("{}: holds {} step{}; `steps` asks for {}", path, steps.size(),
                                 steps.size() == 1 ? "" : "s", config.steps));
  }
  if (config.steps != 0) {
    steps.resize(config.steps);
  }
  return steps;
}

void write_outputs(const Config& config, const Network& network, const std::vector<Values>& steps,
                   const std::string& path) {
  for (std::size_t i = 0; i < network.outputs.size(); ++i) {
    const std::string file = file_for(path, "output", i, network.outputs.size());
    const Tensor& tensor = tensor_of(network, network.outputs[i]);
    if (steps.size() == 1) {
      write_tensor_file(file, tensor, steps[0][i], config.tensors);
      continue;
    }
    Values values;
    for (const Values& step : steps) {
      values.push_back(step[i]);
    }
    write_tensor_steps(file, tensor, values, config.tensors);
  }
}

void check_outputs(const Network& network, const std::string& path) {
  if (network.outputs.size() > 1) {
    std::error_code error;  // what is in the way is said below
    fs::create_directories(path, error);
  }
  for (std::size_t i = 0; i < network.outputs.size(); ++i) {
    check_writable(file_for(path, "output", i, network.outputs.size()));
  }
}

Values read_states(const Config& config, const Network& network, const std::string& folder) {
  if (!is_folder(folder)) {
    throw InputError(folder + ": is no folder; states are saved in one, as state0.npy, ...");
  }
  if (const std::string more = in_folder(folder, fmt::format("state{}", network.states.size()));
      fs::exists(more)) {
    throw InputError(fmt::format("{}: the network has {} states", more, network.states.size()));
  }
  Values states;
  for (std::size_t s = 0; s < network.states.size(); ++s) {
    states.push_back(read_tensor_file(in_folder(folder, fmt::format("state{}", s)),
                                      tensor_of(network, network.states[s].input), config.tensors));
  }
  return states;
}

void write_states(const Config& config, const Network& network, const Values& states,
                  const std::string& folder) {
  std::error_code error;  // what is in the way is said below
  fs::create_directories(folder, error);
  for (std::size_t s = 0; s < states.size(); ++s) {
    write_tensor_file((fs::path(folder) / fmt::format("state{}.npy", s)).string(),
                      tensor_of(network, network.states[s].input), states[s], config.tensors);
  }
}

}  // namespace tessera
