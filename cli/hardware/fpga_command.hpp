// `cosim fpga`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "board/spec.hpp"
#include "board/standalone_simulation.hpp"
#include "cli/options/common_options.hpp"
#include "console/progress.hpp"
#include "fpga/flow.hpp"

namespace tessera {

class FpgaCommand {
 public:
  void add_to(CLI::App& app);

  /// Throws InputError, MissingTool.
  void run() const;

 private:
  /// The network on the board without a host: simulated, and right for every sample.
  struct Alone {
    board::Standalone what;
    std::string network;
    std::vector<board::SimulatedStandalone::Shown> shown;
  };
  [[nodiscard]] Alone simulate_alone(const Config& config, const board::Board& board,
                                     Progress& progress) const;
  void write_alone_folder(const board::Board& board, const Alone& alone,
                          const fpga::Design& design) const;

  [[nodiscard]] fpga::FlowRequest request_for(const Config& config,
                                              const std::optional<board::Board>& board,
                                              const std::optional<Alone>& alone) const;
  /// What a board's folder has beside the bitstream: the ROM image, the configuration, how to load
  /// it.
  void write_board_folder(const Config& config, const board::Board& board,
                          const fpga::Design& design) const;

  CommonOptions common_;
  bool standalone_ = false;
  std::vector<std::string> inputs_;
  std::string part_, board_, out_, report_;
  std::uint32_t seeds_ = 1, seed_ = 1;
  bool no_place_ = false, no_route_ = false;
  double mhz_ = 0;
};

}  // namespace tessera
