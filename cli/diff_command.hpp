// `cosim diff`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tessera {

class DiffCommand {
 public:
  void add_to(CLI::App& app);

  /// Throws InputError.
  void run() const;

 private:
  std::string before_, after_;
  bool all_ = false;
};

}  // namespace tessera
