// SystemVerilog as shared libraries, Verilated on demand and kept in a cache.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::rtl {

struct Verilation {
  std::string top;     ///< module
  std::string prefix;  ///< of the library's name
  std::vector<std::filesystem::path> sources;
  std::vector<std::pair<std::string, std::uint64_t>> parameters;  ///< of the top module
  std::filesystem::path wrapper;                                  ///< C++ around the model
  std::vector<std::filesystem::path> headers;                     ///< that the wrapper depends on
  std::string flags;                                              ///< further ones of Verilator
  bool waves = false;                                             ///< with tracing compiled in
  std::string announcement;                                       ///< what is said before a build
};

/// Path of the library. Builds it unless the cache has one for the same sources, parameters and
/// compiler options. `announce` is told before a build, which takes a while. Throws MissingTool
/// when Verilator or the compiler is missing, std::runtime_error when the build fails.
std::string verilate(const Verilation& verilation,
                     const std::function<void(const std::string&)>& announce);

}  // namespace tessera::rtl
