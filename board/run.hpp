// A program on a board, through the host link.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "board/link/link.hpp"
#include "board/spec.hpp"
#include "rom/host_driver.hpp"
#include "rom/image.hpp"
#include "tessera/program.hpp"

namespace tessera::board {

struct BoardRun {
  std::string problem;               ///< empty: it ran to the end
  std::vector<rom::Values> outputs;  ///< by step
  std::uint64_t cycles = 0;  ///< that the hardware counted in the last step, of all its streams,
                             ///< without checking them
  std::uint32_t clock_hz = 0;
  std::uint64_t bytes_moved = 0;  ///< over the link
  std::uint64_t resent = 0;       ///< requests that had to be sent again
};

/// Whether it is used where it is in the board's flash: it is larger than the memory.
bool stays_in_flash(const Board& board, const Program& program);

/// The program as this board has it: in its memory, or, where that is too small, with constants and
/// commands in its flash. Throws InputError when it fits neither.
rom::Image image_for(const Board& board, Program program);

/// Loads the image, or makes sure that the flash holds it; gives the inputs, runs, takes the
/// outputs; then once more without the streams' checksums, which is what counts. Throws InputError
/// when the board has other hardware, too little memory or another ROM in its flash; LinkError,
/// LinkLost.
BoardRun run_on_board(Link& link, const Board& board, const rom::Image& image,
                      const std::vector<rom::Values>& steps,
                      const std::function<void(const std::string&)>& announce);

}  // namespace tessera::board
