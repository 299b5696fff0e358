// A board that runs a network without a host: what is on the chip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "board/spec.hpp"
#include "rom/image.hpp"
#include "tessera/network.hpp"

namespace tessera::board {

/// The upper ones: the run failed; it runs.
inline constexpr std::uint32_t kStateLights = 2;

/// The network up to what a classifier's class is seen at: a softmax at its end, and what only
/// gives its output another shape, are left out. They change no order.
Network up_to_scores(Network network);

/// The pins of that top level, in the family's own language. Throws InputError when the board has
/// none.
std::filesystem::path standalone_pins(const Board& board);

/// What stands on the chip, or in the board's flash.
struct Standalone {
  rom::Image image;                                ///< used in place where there is a flash
  std::vector<std::vector<std::uint8_t>> samples;  ///< inputs; a press takes the next one
  std::uint32_t classes = 0;                       ///< bytes of the output
};

/// What the flash holds from the program's place on: the ROM and the samples behind it.
std::vector<std::uint8_t> flash_contents(const Standalone& what);

/// Throws InputError: the network has several inputs or outputs,
/// an output of another type than int8, more classes than the lights can show, or an operator for a
/// host. `program` is of the network as `up_to_scores` has it, and has been checked.
Standalone make_standalone(const Board& board, const Network& network, Program program,
                           std::vector<std::vector<std::uint8_t>> samples);

/// Sources and what their memories hold, all written into the cache; no memories where all is in
/// the flash.
struct StandaloneFiles {
  std::vector<std::filesystem::path> sources;
  std::vector<std::filesystem::path> memories;
};
StandaloneFiles standalone_files(const Board& board, const Standalone& what, double mhz,
                                 bool simulated);

}  // namespace tessera::board
