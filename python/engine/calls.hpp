// What Python asks for, as JSON texts.
#pragma once

#include <string>
#include <vector>

#include "app/simulate.hpp"

namespace tessera::python {

/// A run configuration's file and what changes it, as on the command line.
struct Question {
  std::string config;
  std::vector<std::string> sets;  ///< "path.to.key=value"
};

/// {"run": what `--json` writes, "plan": the same of `plan`, "explain": [texts by layer],
/// "outputs": as in description()}. Outputs are not written when the engine has none. All throw
/// what simulate() does.
std::string simulation(const Question& question, const SimulateOptions& options);

/// {"network", "inputs" and "outputs": [{"name", "type", "shape"}] as files have them, "layers":
/// [{"name", "op", "macs", "output_shape"}]}
std::string description(const Question& question);

/// Columns: {"lane", "layer", "what", "tile", "begin", "end", "bytes"}, a row per command of a unit
/// and per stretch of the bus, by begin. Cycles count from the first start on.
std::string timeline(const Question& question);

/// `cosim` with these arguments: its exit code, as text. Throws what commands throw.
std::string command(const std::vector<std::string>& arguments);

}  // namespace tessera::python
