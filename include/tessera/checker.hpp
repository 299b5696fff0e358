// Independent check of a program before it runs. Works from the encoded words alone.
#pragma once

#include <string>
#include <vector>

#include "tessera/program.hpp"

namespace tessera {

/// What is wrong with the program, at most a few findings; empty when it is safe:
/// every word legal; every buffer, accumulator and parameter read of something that was loaded and
/// whose load is known to have finished; no write on what is still to be read; every external
/// address inside the map, reads only of bytes that hold something; transfers as long as their
/// tiles; and the tokens cannot deadlock with queues of the hardware's depth.
std::vector<std::string> check_program(const Program& program);

}  // namespace tessera
