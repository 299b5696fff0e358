// A simulated board's serial line and lights as plain data: what crosses the border to a Verilated
// model.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::rtl {

struct BoardPorts {
  // Inputs.
  std::uint32_t divider = 0;               ///< cycles per bit of the line
  std::uint64_t most_cycles = 0;           ///< to go on for
  const std::uint8_t* to_board = nullptr;  ///< bytes to send, one after the other
  std::size_t to_board_bytes = 0;
  std::uint8_t until_byte = 0;          ///< stop as soon as the board has sent one
  const std::uint8_t* flash = nullptr;  ///< what its flash holds, where it has one
  std::size_t flash_bytes = 0;
  std::uint32_t flash_at = 0;  ///< byte of the flash where that begins
  // Outputs.
  std::size_t sent = 0;  ///< of `to_board`; the rest waits for the next call
  std::uint8_t from_board[4096] = {};
  std::size_t from_board_bytes = 0;  ///< stops when full
  std::uint64_t cycles = 0;          ///< since the begin
  std::uint8_t leds = 0;
  std::uint8_t broken_rule = 0;  ///< of the memory's, 0: none; stops at once
};

/// Entry points of a built board.
extern "C" {
using CreateBoard = void* (*)();
using RunBoard = void (*)(void* model, BoardPorts* ports);
}

}  // namespace tessera::rtl
