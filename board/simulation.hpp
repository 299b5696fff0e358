// A board that is simulated: the very top level that is placed, Verilated, with its memory's model
// on its pins.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "board/link/transport.hpp"
#include "board/spec.hpp"
#include "sim/rtl/verilated_model.hpp"
#include "sim/verilated/board_ports.hpp"

namespace tessera::board {

/// All sources of a board's design, the package with its parameters (which is written into the
/// cache) among them. `simulated`: with models of the chip's cells and of the memory.
std::vector<std::filesystem::path> board_sources(const Board& board, const Hardware& hardware,
                                                 double mhz, bool simulated);

/// The package with the design's parameters, in the cache.
std::filesystem::path written_config(const Board& board, const Hardware& hardware, double mhz);

/// The package with what the models around it know, in the cache.
std::filesystem::path written_model(const Board& board, double mhz);

class SimulatedBoard : public Transport {
 public:
  /// Throws MissingTool, InputError.
  SimulatedBoard(const Board& board, const Hardware& hardware, double mhz,
                 const std::function<void(const std::string&)>& announce);
  /// A library that was made of a module `bench` with such a line and
  /// sim/verilated/board_model.cpp.
  SimulatedBoard(const std::string& library, std::uint32_t divider, double mhz);

  /// What its flash holds from that byte on; ones elsewhere.
  void write_flash(std::uint64_t at, std::vector<std::uint8_t> bytes);

  /// Simulated time goes by only in `receive` and `run`. Both throw std::runtime_error when the
  /// board breaks a rule of its memory or its flash.
  void send(const std::vector<std::uint8_t>& bytes) override;
  std::vector<std::uint8_t> receive(std::chrono::milliseconds wait) override;
  /// As many cycles; what the board has sent meanwhile.
  std::vector<std::uint8_t> run(std::uint64_t cycles);

  [[nodiscard]] std::uint64_t cycles() const { return ports_.cycles; }
  [[nodiscard]] std::uint8_t leds() const { return ports_.leds; }

 private:
  std::vector<std::uint8_t> step(std::uint64_t cycles, bool until_byte);

  double mhz_;
  rtl::VerilatedModel model_;
  rtl::RunBoard run_;
  rtl::BoardPorts ports_;
  std::vector<std::uint8_t> waiting_;
  std::vector<std::uint8_t> flash_;
};

/// Offers the board behind a pseudo-terminal until `stops` says so; `opened` is told its path.
void serve(SimulatedBoard& board, const std::function<void(const std::string&)>& opened,
           const std::function<bool()>& stops);

}  // namespace tessera::board
