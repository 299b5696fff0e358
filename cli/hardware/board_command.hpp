// cosim board
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "board/run.hpp"
#include "board/spec.hpp"
#include "cli/options/common_options.hpp"
#include "console/progress.hpp"
#include "rom/image.hpp"

namespace tessera {

class BoardCommand {
 public:
  void add_to(CLI::App& app);
  /// False when the outputs differ from the reference kernels, or the run stopped.
  bool run() const;

 private:
  [[nodiscard]] double clock_of(const board::Board& board) const;
  void serve(const board::Board& board, const Config& config, Progress& progress) const;
  [[nodiscard]] bool infer(const board::Board& board, const Config& config,
                           Progress& progress) const;
  [[nodiscard]] board::BoardRun talk(const board::Board& board, const Config& config,
                                     const rom::Image& image,
                                     const std::vector<rom::Values>& inputs,
                                     Progress& progress) const;

  CommonOptions common_;
  std::string board_, port_, input_, output_;
  std::uint32_t baud_ = 0;
  double mhz_ = 0;
  bool simulate_ = false;
  bool serve_ = false;
};

}  // namespace tessera
