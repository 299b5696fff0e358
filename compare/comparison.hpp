// A network's operators against those of a runtime that runs the same file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/runtime.hpp"
#include "tessera/config.hpp"

namespace tessera {

/// Ours against theirs. Bytes are counted in steps of the scale, all others as they are; floats
/// that differ by less than a hundred-thousandth of the tensor's largest are equal.
struct Differences {
  std::uint64_t values = 0;
  std::uint64_t different = 0;
  double greatest = 0;
  std::map<std::int32_t, std::uint64_t> steps;  ///< of bytes: ours less theirs, and how often

  [[nodiscard]] bool is_equal() const { return different == 0; }
};

/// Where an output differs: the greatest difference over all channels, by row and column.
struct DifferenceMap {
  std::int32_t rows = 0, columns = 0;
  std::vector<double> greatest;
};

struct ComparedOperator {
  std::string name, type;
  std::string output;  ///< in the file
  bool known = false;  ///< the runtime shows the output; else nothing is compared
  bool on_theirs =
      true;           ///< all of its inputs are the runtime's values; else some are ours of those
  Differences alone;  ///< on the runtime's values
  Differences whole;  ///< at the end of our own run up to here
  std::vector<std::string> agree;  ///< other numerics without a difference here
};

struct Alternative {
  Numerics numerics = Numerics::Auto;
  std::uint64_t different = 0;  ///< of all operators, each on the runtime's values
};

struct ComparedOutput {
  std::string name;
  Differences whole;
};

struct Comparison {
  std::string network, model;
  Runtime runtime = Runtime::Litert;
  std::string version;  ///< the runtime's package
  Numerics numerics = Numerics::Auto;
  std::string inputs;  ///< where they come from
  std::vector<ComparedOperator> operators;
  std::vector<ComparedOutput> outputs;
  std::optional<std::size_t> first;  ///< operator that differs first
  DifferenceMap map;                 ///< of that one
  std::vector<Alternative> alternatives;
  std::vector<std::string> notes;

  [[nodiscard]] bool is_equal() const;
  /// Operators whose outputs the runtime shows.
  [[nodiscard]] std::size_t compared() const;
};

struct CompareOptions {
  std::string runtime;  ///< "": the one that the file is rounded as by default
  std::string python = "python3";
  std::string input;  ///< as SimulateOptions::input; of several steps the last is compared
};

/// Ours are the reference kernels, which every run of an engine is compared with. Throws
/// InputError, MissingTool.
Comparison compare(const Config& config, const CompareOptions& options);

/// The same with values that a runtime gave for the last of the steps' inputs; `network` and
/// `tensors` as load_configured() gives them.
Comparison compare_with(const Config& config, const Network& network,
                        const std::vector<FileTensor>& tensors,
                        const std::vector<std::vector<Bytes>>& steps, const RuntimeValues& values);

/// Operators that differ, or `all`; what differs first, and which numerics agree.
std::string comparison_table(const Comparison& comparison, bool all);
/// One JSON object, schema "tessera.comparison/1".
std::string comparison_json(const Comparison& comparison);

}  // namespace tessera
