// Bytes between processes, all of them.
#pragma once

#include <cstddef>

namespace tessera {

/// Goes on after interrupts. False when the other end is gone, or cannot be written or read.
bool write_all(int file, const void* data, std::size_t bytes);
bool read_all(int file, void* data, std::size_t bytes);

}  // namespace tessera
