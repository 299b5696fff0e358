// Running a program.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tessera/generated/command_set.hpp"
#include "tessera/program.hpp"

namespace tessera {

using Counters = std::array<std::uint64_t, isa::kNumCounters>;

inline std::uint64_t& counter(Counters& counters, isa::Counter which) {
  return counters[static_cast<std::size_t>(which)];
}
inline std::uint64_t counter(const Counters& counters, isa::Counter which) {
  return counters[static_cast<std::size_t>(which)];
}

/// Bytes read from external memory, of all kinds.
inline std::uint64_t read_bytes(const Counters& counters) {
  return counter(counters, isa::Counter::ReadCommandBytes) +
         counter(counters, isa::Counter::ReadFeatureBytes) +
         counter(counters, isa::Counter::ReadWeightBytes) +
         counter(counters, isa::Counter::ReadParamBytes);
}

/// Bytes read and written.
inline std::uint64_t external_bytes(const Counters& counters) {
  return read_bytes(counters) + counter(counters, isa::Counter::WriteBytes);
}

struct LayerResult {
  Counters counters{};               ///< zero for layers on the host
  std::vector<std::uint8_t> output;  ///< as it stood when the layer was done
};

struct RunResult {
  std::vector<LayerResult> layers;                 ///< as Program::layers
  Counters totals{};                               ///< sums over the layers
  std::vector<std::vector<std::uint8_t>> outputs;  ///< as Program::outputs
};

/// A readable sentence for a cause with its information.
std::string describe(isa::Error cause, std::uint32_t info);

/// The accelerator stopped with an error, or never finished. what() is a readable cause.
class EngineError : public std::runtime_error {
 public:
  EngineError(isa::Error cause, std::uint32_t info, const std::string& text)
      : std::runtime_error(text), cause_(cause), info_(info) {}
  [[nodiscard]] isa::Error cause() const { return cause_; }
  [[nodiscard]] std::uint32_t info() const { return info_; }

 private:
  isa::Error cause_;
  std::uint32_t info_;
};

/// With check_memory: something read activations that are not there. what() says who and where.
class MemoryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Disturbances for tests; none by default.
struct MemoryDisturbance {
  std::uint64_t seed = 0;
  std::uint32_t extra_latency = 0;  ///< up to so many cycles more, drawn per burst
  std::uint32_t stall_percent = 0;  ///< chance per cycle and channel of not being ready or valid
  std::optional<std::uint32_t> read_error_at;  ///< SLVERR for bursts that contain this address
  std::optional<std::uint32_t> write_error_at;
  bool mute = false;  ///< takes addresses, never answers
};

/// Another master on the bus that reads or writes at an even pace. Its addresses have a place in
/// rows and banks; it does not touch the bytes.
struct TrafficPattern {
  double bytes_per_cycle = 1;
  std::uint32_t burst_bytes = 64;  ///< a multiple of the bus' beat, at most 4096
  bool writes = false;
  bool random = false;  ///< addresses from the seed, otherwise one after the other
  std::uint64_t address = 0;
  std::uint64_t window_bytes = 65536;  ///< addresses repeat from there
  std::uint64_t seed = 1;
};

struct RunOptions {
  std::vector<std::vector<std::uint8_t>> inputs;  ///< as Program::inputs
  ExternalMemory memory;
  MemoryDisturbance disturbance;
  std::vector<TrafficPattern> traffic;
  std::string waves;          ///< FST file, or empty
  bool check_memory = false;  ///< dead activations are poisoned, reads of them an error
  /// Now and then, with the layers finished and the cycles simulated so far.
  std::function<void(std::size_t layers, std::uint64_t cycles)> tick;
  std::function<void(const std::string&)> announce;
};

enum class Engine : std::uint8_t { Rtl, Tlm, Model, Netlist };
/// In the order of the enum, as configs name them.
const std::vector<std::string>& engine_names();

/// A program on an engine: it may run many times, and its states stay between runs. One at a time
/// in a process.
class EngineSession {
 public:
  EngineSession() = default;
  virtual ~EngineSession() = default;
  EngineSession(const EngineSession&) = delete;
  EngineSession& operator=(const EngineSession&) = delete;
  EngineSession(EngineSession&&) = delete;
  EngineSession& operator=(EngineSession&&) = delete;

  /// States begin anew. Returns the cycles of the stream that does it, 0 without states.
  virtual std::uint64_t reset() = 0;
  /// One run of all steps. `inputs`: as RunOptions has them. Throws as run_on() does.
  virtual RunResult run(const std::vector<std::vector<std::uint8_t>>& inputs) = 0;
  /// As Program::states, between runs; empty from engines that move no data.
  [[nodiscard]] virtual std::vector<std::vector<std::uint8_t>> states() const = 0;
  virtual void set_states(const std::vector<std::vector<std::uint8_t>>& states) = 0;
};

/// The program, loaded; states must be reset or set before the first run. Both arguments must live
/// as long. RunOptions::inputs are of no account.
std::unique_ptr<EngineSession> open_engine(Engine engine, const Program& program,
                                           const RunOptions& options);

/// Runs the program once, with states reset, on the SystemC platform: on the Verilated RTL, or on
/// the accelerator's TLM model. Throw EngineError, MemoryError, MissingTool.
RunResult run_on_rtl(const Program& program, const RunOptions& options);
/// On what synthesis makes of the RTL, for an iCE40, in the place of the RTL.
RunResult run_on_netlist(const Program& program, const RunOptions& options);
RunResult run_on_tlm(const Program& program, const RunOptions& options);
/// Counters only, no data: inputs are not needed, outputs are empty.
RunResult run_on_model(const Program& program, const RunOptions& options);
RunResult run_on(Engine engine, const Program& program, const RunOptions& options);

}  // namespace tessera
