#include "sim/rtl/verilate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "sim/rtl/model_library.hpp"
#include "sim/tools/build_cache.hpp"
#include "sim/tools/fpga_tools.hpp"
#include "sim/tools/shell.hpp"
#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera::rtl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVerilatorFlags =
    "--cc --no-timing -O3 --x-assign fast --x-initial fast --noassert -Wno-fatal -Wno-lint";
// Members of bundles by their names.
constexpr const char* kWaveFlags = " --trace-fst --trace-structs";
// With the folder that this variable names, each model leaves there what it has reached.
constexpr const char* kCoverageVariable = "TESSERA_RTL_COVERAGE";
constexpr const char* kCoverageFlags = " --coverage-line --coverage-toggle";

// -march=native makes code for this processor: a cache carried to another one must not serve it.
std::string processor_features() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("flags", 0) == 0) {
      return line;
    }
  }
  return "";
}

// What every model needs of Verilator's own, compiled once: its archive as Debian installs it is
// not position-independent.
fs::path runtime_library(bool waves, bool coverage) {
  CacheKey hash;
  hash.add(kModelFlags);
  hash.add(version_of("verilator"));
  hash.add(processor_features());
  hash.add(fmt::format("{}{}", waves, coverage));
  std::string names = "verilated verilated_threads";
  names += waves ? " verilated_fst_c" : "";
  names += coverage ? " verilated_cov" : "";
  const fs::path folder = cache_dir() / ("runtime-" + hash.text());
  made_once(folder, [&](const fs::path& work) {
    run_build_step(
        fmt::format("cd {}; V=$(verilator --getenv VERILATOR_ROOT)/include; "
                    "for n in {}; do g++ {} -O3 -c -isystem $V -isystem $V/vltstd $V/$n.cpp || "
                    "exit 1; done; ar rc runtime.a *.o && rm *.o",
                    shell_quoted(work.string()), names, kModelFlags),
        work / "build.log");
  });
  return folder / "runtime.a";
}

}  // namespace

std::string verilate(const Verilation& v, const std::function<void(const std::string&)>& announce) {
  std::string parameters;
  for (const auto& [name, value] : v.parameters) {
    parameters += fmt::format(" -G{}={}", name, value);
  }
  const bool coverage = std::getenv(kCoverageVariable) != nullptr;
  const std::string flags = v.flags + (coverage ? kCoverageFlags : "");
  CacheKey hash;
  hash.add(v.top + parameters + flags + kModelFlags + kOptimisedOften + kOptimisedOnce +
           kVerilatorFlags + (v.waves ? kWaveFlags : ""));
  hash.add(processor_features());
  hash.add(contents(v.wrapper));
  for (const fs::path& header : v.headers) {
    hash.add(contents(header));
  }
  for (const fs::path& file : v.sources) {
    hash.add(file.filename().string() + contents(file));
  }
  const std::string name = fmt::format("{}-{}", v.prefix, hash.text());
  const fs::path library = cache_dir() / (name + ".so");
  if (fs::exists(library)) {
    return library.string();
  }
  for (const char* tool : {"verilator", "g++"}) {
    if (!has_tool(tool)) {
      throw MissingTool(
          fmt::format("`{}` is needed to build the RTL model and is not installed", tool));
    }
  }
  // One builds, others wait for it: a sweep's workers want the same variant at once.
  make_cache_folder(cache_dir());
  const FileLock lock(cache_dir() / (name + ".lock"));
  if (fs::exists(library)) {
    return library.string();
  }
  if (announce) {
    announce(fmt::format("{} (once; kept in {})", v.announcement, cache_dir().string()));
  }
  // Built aside and moved into place at the end, so that others see all of it or nothing.
  const fs::path work = cache_dir() / fmt::format("build-{}-{}", name, ::getpid());
  fs::create_directories(work);
  const fs::path log = work / "build.log";
  std::string sources;
  for (const fs::path& file : v.sources) {
    sources += " " + shell_quoted(file.string());
  }
  run_build_step(fmt::format("verilator {}{}{} --top-module {}{} -Mdir {} {}", kVerilatorFlags,
                             v.waves ? kWaveFlags : "", flags, v.top, parameters,
                             shell_quoted(work.string()), sources),
                 log);
  ModelLibrary model;
  model.folder = work;
  model.wrapper = v.wrapper;
  model.runtime = runtime_library(v.waves, coverage).string();
  model.definitions = fmt::format(
      " -DTESSERA_WAVES={0} -DTESSERA_COVERAGE={1} -DVM_TRACE={0} -DVM_TRACE_FST={0} "
      "-DVM_COVERAGE={1}",
      v.waves ? 1 : 0, coverage ? 1 : 0);
  model.libraries = v.waves ? " -lz" : "";
  const fs::path built = work / "model.so";
  compile_model(model, built);
  fs::rename(built, library);
  fs::remove_all(work);
  return library.string();
}

}  // namespace tessera::rtl
