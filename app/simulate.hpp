// The main job: schedule, check, run, verify.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "console/progress.hpp"
#include "tessera/config.hpp"
#include "tessera/engine.hpp"
#include "tessera/network.hpp"
#include "tessera/program.hpp"

namespace tessera {

struct SimulateOptions {
  /// As read_steps() has it; empty: from the seed
  std::string input;
  std::string output;        ///< the same for the outputs; empty: not written
  std::string states_in;     ///< folder of states that the first step begins with; empty: their own
  std::string states_out;    ///< folder for those that the last step leaves; empty: not written
  bool needs_states = true;  ///< folders of states are errors where the network has none
  bool check_memory = false;
  std::string waves;  ///< FST file; empty: none
  /// The program is made for that one, whose hardware and memory have no more of anything; none:
  /// for the configuration that runs it.
  const Config* made_for = nullptr;
};

/// One of several runs that follow each other.
struct StepResult {
  Counters totals{};
  std::vector<std::vector<std::uint8_t>> outputs;  ///< as Program::outputs
};

struct Simulation {
  std::shared_ptr<const Network> network;
  Program program;
  RunResult result;                ///< of the last step
  std::vector<StepResult> steps;   ///< at least one
  std::uint64_t reset_cycles = 0;  ///< of the stream that gives states their first values
  bool has_data = true;            ///< the engine computes, there is something to verify
  std::optional<std::size_t> first_mismatch;  ///< layer whose output differs from the reference
  std::size_t mismatch_step = 0;              ///< the first one where it does
  [[nodiscard]] bool verified() const { return has_data && !first_mismatch.has_value(); }
  /// A layer's bytes were computed twice: by the accelerator and by the reference kernels, which
  /// are the host's, too.
  [[nodiscard]] bool compared() const;
};

/// Throws std::runtime_error when the program checker objects.
void check(const Program& program);

/// Throws InputError, MissingTool, EngineError; std::runtime_error when the program checker
/// objects.
Simulation simulate(const Config& config, const SimulateOptions& options, Progress& progress);
/// The same with the network of `config`, loaded already.
Simulation simulate(const Config& config, std::shared_ptr<const Network> network,
                    const SimulateOptions& options, Progress& progress);

}  // namespace tessera
