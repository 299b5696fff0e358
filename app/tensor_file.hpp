// Tensors in files: .npy (int8) and .bin (raw bytes).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// Reads exactly the int8 tensor of `shape`. Throws InputError naming what the file holds instead.
std::vector<std::uint8_t> read_tensor_file(const std::string& path,
                                           const std::vector<std::int32_t>& shape);

/// Throws InputError when the file cannot be written.
void write_tensor_file(const std::string& path, const std::vector<std::int32_t>& shape,
                       const std::vector<std::uint8_t>& bytes);

}  // namespace tessera
