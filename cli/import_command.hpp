// `cosim import`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace tessera {

class ImportCommand {
 public:
  void add_to(CLI::App& app);

  /// Throws InputError.
  void run() const;

 private:
  std::string model_, out_, numerics_ = "auto";
  std::uint64_t seed_ = 1;
  bool seeded_ = false;
  bool cut_ = false;
  bool float_ = false;
};

}  // namespace tessera
