// Files as bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// Whole file. Throws InputError.
std::vector<std::uint8_t> read_file(const std::string& path);

}  // namespace tessera
