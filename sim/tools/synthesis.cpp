#include "sim/tools/synthesis.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "sim/tools/build_cache.hpp"
#include "sim/tools/fpga_tools.hpp"
#include "tessera/resources.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::string script_of(const Synthesis& s) {
  std::string script;
  for (const fs::path& source : s.sources) {
    script += fmt::format("read_verilog -sv {}\n", source.filename().string());
  }
  if (!s.parameters.empty()) {
    script += "chparam";
    for (const auto& [name, value] : s.parameters) {
      script += fmt::format(" -set {} {}", name, value);
    }
    script += fmt::format(" {}\n", s.top);
  }
  std::string command = s.command;
  const std::string top = "{top}";
  for (auto at = command.find(top); at != std::string::npos; at = command.find(top, at)) {
    command.replace(at, top.size(), s.top);
  }
  return script + fmt::format("{}\n{}\n", command, s.output);
}

}  // namespace

Netlist synthesise(const Synthesis& s, const std::function<void(const std::string&)>& announce) {
  const std::string yosys = find_tool("yosys");
  const std::string script = script_of(s);
  std::vector<fs::path> files = s.sources;
  files.insert(files.end(), s.maps.begin(), s.maps.end());
  CacheKey key;
  for (const fs::path& file : files) {
    key.add(contents(file));
  }
  key.add(script + version_of(yosys));
  const fs::path folder =
      fs::absolute(cache_dir()) / "fpga" / fmt::format("{}-{}", s.name, key.text());
  const double seconds = made_once(folder, [&](const fs::path& work) {
    if (announce) {
      announce(fmt::format("{} (once; kept in {})", s.announcement, folder.parent_path().string()));
    }
    for (const fs::path& file : files) {
      fs::copy_file(file, work / file.filename());
    }
    std::ofstream(work / "synthesis.ys") << script;
    // What Yosys prints is in its log; the rest is what the shell says.
    if (!run_logged(inside(work) + yosys + " -q -l synthesis.log synthesis.ys",
                    work / "shell.log")) {
      throw std::runtime_error("synthesis failed:\n" + tail(work / "shell.log"));
    }
  });
  return {folder, seconds};
}

}  // namespace tessera
