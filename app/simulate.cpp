#include "app/simulate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstring>
#include <filesystem>

#include "app/classes.hpp"
#include "app/picture.hpp"
#include "app/tensor_file.hpp"
#include "console/output_file.hpp"
#include "tessera/checker.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/reference.hpp"
#include "tessera/rng.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

const Tensor& tensor_of(const Network& network, std::int32_t index) {
  return network.tensors[static_cast<std::size_t>(index)];
}

// The file for tensor i of `count`: the path itself, or in a folder input0.npy, input0.bin, ...
std::string file_for(const std::string& path, const char* stem, std::size_t i, std::size_t count) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (count != 1) {
      throw InputError(fmt::format("{}: the network has {} {}s; give a folder with {}0.npy, ...",
                                   path, count, stem, stem));
    }
    return path;
  }
  const auto named = [&](const char* ending) {
    return (fs::path(path) / fmt::format("{}{}{}", stem, i, ending)).string();
  };
  for (const char* ending : {".npy", ".bin", ".png", ".jpg", ".jpeg"}) {
    if (fs::exists(named(ending))) {
      return named(ending);
    }
  }
  return named(".npy");
}

// int8 over its range, float32 between -2 and 2, whole numbers 0 or 1: they may be indices.
Bytes seeded_values(const Tensor& tensor, SplitMix64& rng) {
  Bytes bytes(tensor.bytes());
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

// A run may take an hour: a file that cannot be written is better known before.
void check_outputs(const Network& network, const SimulateOptions& options) {
  if (!options.waves.empty()) {
    check_writable(options.waves);
  }
  if (options.output.empty()) {
    return;
  }
  if (network.outputs.size() > 1) {
    std::error_code error;  // what is in the way is said below
    fs::create_directories(options.output, error);
  }
  for (std::size_t i = 0; i < network.outputs.size(); ++i) {
    check_writable(file_for(options.output, "output", i, network.outputs.size()));
  }
}

// The host kernels compute every layer again.
std::optional<std::size_t> first_mismatch(const Network& network, const Program& program,
                                          const std::vector<Bytes>& inputs, const RunResult& result,
                                          Progress& progress) {
  std::uint64_t whole = 0;
  for (const Operator& op : network.operators) {
    whole += macs_of(network, op);
  }
  std::optional<std::size_t> mismatch;
  std::uint64_t done = 0;
  run_reference(network, inputs, [&](std::size_t op, const Bytes& output) {
    const bool kept = program.layers[op].output.bytes > 0;
    if (!mismatch && kept && result.layers[op].output != output) {
      mismatch = op;
    }
    done += macs_of(network, network.operators[op]);
    progress.update("verifying against the reference kernels", done, whole);
  });
  return mismatch;
}

// What only some engines can do.
void check_engine(const Config& config, const SimulateOptions& options) {
  const std::string& name = engine_names()[static_cast<std::size_t>(config.engine)];
  const auto refuse = [&](bool wanted, const std::string& what, const std::string& who) {
    if (wanted) {
      throw InputError(fmt::format("{}: not with engine `{}`; {}", what, name, who));
    }
  };
  refuse(config.engine != Engine::Rtl && !options.waves.empty(), "--waves", "waves come from rtl");
  if (config.engine == Engine::Model) {
    const std::string who = "it moves no data, rtl and tlm do";
    refuse(!options.input.empty(), "--input", who);
    refuse(!options.output.empty(), "--output", who);
    refuse(options.check_memory, "--check-memory", who);
    refuse(config.jitter.stall_percent != 0 || config.jitter.extra_latency != 0, "memory.jitter",
           "rtl and tlm take random delays");
  }
}

}  // namespace

void write_outputs(const Config& config, const Network& network, const std::vector<Bytes>& outputs,
                   const std::string& path) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    write_tensor_file(file_for(path, "output", i, outputs.size()),
                      tensor_of(network, network.outputs[i]), outputs[i], config.tensors);
  }
}

std::vector<Bytes> read_inputs(const Config& config, const Network& network,
                               const std::string& path) {
  std::vector<Bytes> inputs;
  SplitMix64 rng(config.seed);
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    const Tensor& tensor = tensor_of(network, network.inputs[i]);
    if (!path.empty()) {
      const std::string file = file_for(path, "input", i, network.inputs.size());
      inputs.push_back(is_picture(file) ? read_picture(file, tensor, config.preprocess)
                                        : read_tensor_file(file, tensor, config.tensors));
      continue;
    }
    inputs.push_back(seeded_values(tensor, rng));
  }
  return inputs;
}

bool Simulation::compared() const {
  return has_data && std::any_of(program.layers.begin(), program.layers.end(),
                                 [](const LayerRecord& layer) { return layer.pass.has_value(); });
}

void check(const Program& program) {
  const std::vector<std::string> problems = check_program(program);
  if (!problems.empty()) {
    throw std::runtime_error(fmt::format("{}: the program checker refuses the program:\n  {}",
                                         program.network, fmt::join(problems, "\n  ")));
  }
}

Simulation simulate(const Config& config, const SimulateOptions& options, Progress& progress) {
  check_engine(config, options);
  return simulate(config, std::make_shared<const Network>(load_configured(config)), options,
                  progress);
}

Simulation simulate(const Config& config, std::shared_ptr<const Network> loaded,
                    const SimulateOptions& options, Progress& progress) {
  check_engine(config, options);
  Simulation simulation;
  simulation.network = std::move(loaded);
  const Network& network = *simulation.network;
  simulation.has_data = config.engine != Engine::Model;
  check_outputs(network, options);
  check_labels(config, network);
  std::vector<Bytes> inputs;
  if (simulation.has_data) {
    inputs = read_inputs(config, network, options.input);
  }
  const auto begun = std::chrono::steady_clock::now();
  const SearchListener searching = [&](std::size_t tried, std::size_t most) {
    const std::string left = time_left(begun, tried, most);
    progress.update(fmt::format("searching: program {} of {} at most{}{}", tried + 1, most,
                                left.empty() ? "" : ", ", left),
                    tried, most);
  };
  const Config& made_for = options.made_for != nullptr ? *options.made_for : config;
  simulation.program =
      compile(network, part_of(config.hardware, made_for.hardware), made_for.policy,
              simulation.has_data ? Contents::All : Contents::Commands, searching);
  progress.clear();
  simulation.program.hardware = config.hardware;
  check(simulation.program);

  std::uint64_t ideal = 0;
  for (const LayerRecord& layer : simulation.program.layers) {
    ideal += layer.pass ? layer.macs / config.hardware.macs_per_cycle() : 0;
  }
  RunOptions run;
  run.inputs = inputs;
  run.memory = config.memory;
  run.disturbance = config.jitter;
  run.traffic = config.traffic;
  run.waves = options.waves;
  run.check_memory = options.check_memory;
  run.announce = [&](const std::string& text) { progress.say(text); };
  run.tick = [&](std::size_t layers, std::uint64_t cycles) {
    // Layers seldom run at the ideal rate: what is left is never shown as done.
    const std::uint64_t whole = std::max(ideal + ideal / 4, cycles + cycles / 64);
    progress.update(fmt::format("simulating: layer {} of {}, {} cycles", layers,
                                simulation.program.layers.size(), cycles),
                    cycles, whole);
  };
  simulation.result = run_on(config.engine, simulation.program, run);
  if (simulation.has_data) {
    simulation.first_mismatch =
        first_mismatch(network, simulation.program, inputs, simulation.result, progress);
  }
  progress.clear();
  if (!options.output.empty()) {
    write_outputs(config, network, simulation.result.outputs, options.output);
  }
  return simulation;
}

}  // namespace tessera
