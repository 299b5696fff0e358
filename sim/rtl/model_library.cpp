#include "sim/rtl/model_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "sim/tools/build_cache.hpp"
#include "sim/tools/shell.hpp"
#include "tessera/resources.hpp"

namespace tessera::rtl {
namespace {

namespace fs = std::filesystem;

// Of source text that is compiled as one file. Each file takes the compiler a second for headers
// alone; larger ones than this would only be compiled one behind the other.
constexpr std::uintmax_t kMostTogether = 2'000'000;

// What runs once, before the first cycle. Verilator calls the same slow.
bool runs_once(const std::string& name) {
  return name.find("__Slow") != std::string::npos ||
         name.find("__ConstPool") != std::string::npos || name.find("__Syms") != std::string::npos;
}

std::vector<fs::path> written_sources(const ModelLibrary& model) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(model.folder)) {
    if (entry.path().extension() == ".cpp") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Sources that include others: as few as are not too large.
class Together {
 public:
  Together(fs::path folder, std::string name, std::string level)
      : folder_(std::move(folder)), name_(std::move(name)), level_(std::move(level)) {}

  void add(const fs::path& file) {
    const std::uintmax_t size = fs::file_size(file);
    if (files_.empty() || size_ + size > kMostTogether) {
      files_.emplace_back();
      size_ = 0;
    }
    size_ += size;
    files_.back() += fmt::format("#include \"{}\"\n", file.filename().string());
  }

  /// Arguments of the compiler for each source, a line each.
  [[nodiscard]] std::string write() const {
    std::string lines;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const std::string name = fmt::format("{}_{}", name_, i);
      std::ofstream(folder_ / (name + ".cc")) << files_[i];
      lines += fmt::format("{0} -c {1}.cc -o {1}.o\n", level_, name);
    }
    return lines;
  }

 private:
  fs::path folder_;
  std::string name_;
  std::string level_;
  std::vector<std::string> files_;
  std::uintmax_t size_ = 0;
};

}  // namespace

void run_build_step(const std::string& command, const fs::path& log) {
  if (!run_logged(command, log)) {
    throw std::runtime_error(
        fmt::format("building the RTL model failed: {}\n{}", command, tail(log)));
  }
}

void compile_model(const ModelLibrary& model, const fs::path& file) {
  Together often(model.folder, "often", kOptimisedOften);
  Together once(model.folder, "once", kOptimisedOnce);
  for (const fs::path& source : written_sources(model)) {
    (runs_once(source.filename().string()) ? once : often).add(source);
  }
  often.add(model.wrapper);
  const fs::path jobs = model.folder / "jobs";
  std::ofstream(jobs) << often.write() << once.write();
  run_build_step(
      fmt::format("cd {} && V=$(verilator --getenv VERILATOR_ROOT)/include && "
                  "xargs -P 2 -L 1 g++ {}{} -I. -iquote {} -I{} -I{} -isystem $V -isystem "
                  "$V/vltstd <jobs && "
                  "g++ -shared *.o {} -lpthread{} -o {}",
                  shell_quoted(model.folder.string()), kModelFlags, model.definitions,
                  shell_quoted(model.wrapper.parent_path().string()),
                  shell_quoted(data_dir().string()),
                  shell_quoted((data_dir() / "include").string()), shell_quoted(model.runtime),
                  model.libraries, shell_quoted(file.string())),
      model.folder / "build.log");
}

}  // namespace tessera::rtl
