// What a board's RTL is built with, as a SystemVerilog package.
#pragma once

#include <string>

#include "board/spec.hpp"

namespace tessera::board {

/// Throws InputError that names the field: the clock cannot be made, is too fast for the memory, or
/// makes no bits of the link's rate within 2 %; the bus is wider than eight of the memory's words,
/// or than what memory on the chip reads in a cycle.
std::string config_package(const Board& board, const Hardware& hardware, double mhz);

/// What the memory's data sheet asks for, as its model checks it.
std::string model_package(const Board& board, double mhz);

/// Clock cycles per bit of the link. Throws InputError.
std::uint32_t link_divider(const Board& board, double mhz);

}  // namespace tessera::board
