// RTL to netlists, with Yosys; kept in a cache.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

struct Synthesis {
  std::string name;     ///< the folder's name begins with it
  std::string command;  ///< of Yosys, or several lines of them; {top} stands for the top module:
                        ///< synth_ice40 -dsp -top {top}
  std::string output;   ///< commands that write the netlist: write_json netlist.json
  std::string top;      ///< module
  std::vector<std::filesystem::path> sources;
  std::vector<std::filesystem::path> maps;                        ///< files that the commands read
  std::vector<std::pair<std::string, std::uint64_t>> parameters;  ///< of the top module
  std::string announcement;                                       ///< what is said before it
};

struct Netlist {
  std::filesystem::path folder;  ///< has the netlist and synthesis.log
  double seconds = 0;            ///< that it took when it was made
};

/// Makes the netlist unless the cache has one of the same sources, parameters, commands and version
/// of Yosys. Throws MissingTool, std::runtime_error when synthesis fails.
Netlist synthesise(const Synthesis& synthesis,
                   const std::function<void(const std::string&)>& announce);

}  // namespace tessera
