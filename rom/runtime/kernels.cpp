#include "rom/runtime/kernels.hpp"

#include <fstream>
#include <set>
#include <sstream>

#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera::runtime {
namespace {

// The name between the quotes of an `#include "..."`, or nothing.
std::string included(const std::string& line) {
  const std::string start = "#include \"";
  return line.rfind(start, 0) == 0 ? line.substr(start.size(), line.size() - start.size() - 1) : "";
}

class Joiner {
 public:
  void add(const std::string& file) {
    if (!added_.insert(file).second) {
      return;
    }
    const auto path = data_dir() / "rom" / "kernels" / file;
    std::ifstream source(path);
    if (!source) {
      throw MissingTool("kernel of the C runtime: " + path.string() + " is not there");
    }
    std::string own;
    for (std::string line; std::getline(source, line);) {
      if (const std::string other = included(line); !other.empty()) {
        add(other);
      } else if (line.rfind("#include <", 0) == 0) {
        systems_.insert(line);
      } else {
        own += line + "\n";
      }
    }
    text_ += "\n" + own;
  }

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& line : systems_) {
      all += line + "\n";
    }
    return all + text_;
  }
  [[nodiscard]] bool includes(const std::string& header) const {
    return systems_.count("#include <" + header + ">") != 0;
  }

 private:
  std::set<std::string> added_, systems_;
  std::string text_;
};

Joiner joined(const std::vector<std::string>& files) {
  Joiner joiner;
  for (const std::string& file : files) {
    joiner.add(file);
  }
  return joiner;
}

}  // namespace

std::string kernel_sources(const std::vector<std::string>& files) {
  return joined(files).text();
}

bool need_library(const std::vector<std::string>& files) {
  return joined(files).includes("math.h");
}

}  // namespace tessera::runtime
