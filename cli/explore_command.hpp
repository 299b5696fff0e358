// `cosim explore`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tessera {

class ExploreCommand {
 public:
  void add_to(CLI::App& app);

  /// Until it is interrupted. Throws InputError, MissingTool.
  void run() const;

 private:
  std::vector<std::string> files_;
  int port_ = 0;
};

}  // namespace tessera
