// `cosim rom`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tessera {

class RomCommand {
 public:
  void add_to(CLI::App& app);

  /// False when the verification fails. Throws InputError, MissingTool.
  [[nodiscard]] bool run() const;

 private:
  std::string config_, network_, seed_, out_, base_ = "0", input_, json_;
  std::vector<std::string> sets_;
  bool verify_ = false;
  bool quiet_ = false;
};

}  // namespace tessera
