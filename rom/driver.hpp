// The ROM's program for a processor beside the accelerator.
#pragma once

#include <string>

#include "rom/image.hpp"

namespace tessera::rom {

/// A C99 header: registers, regions, tensors, runs, and functions that start them and wait.
std::string driver_header(const Image& image);

}  // namespace tessera::rom
