// Tensors in files: .npy (int8) and .bin (raw bytes).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/network.hpp"

namespace tessera {

/// Reads exactly the int8 tensor of `shape`. Throws InputError naming what the file holds instead.
std::vector<std::uint8_t> read_tensor_file(const std::string& path, const Tensor& tensor);

/// Throws InputError when the file cannot be written.
void write_tensor_file(const std::string& path, const Tensor& tensor,
                       const std::vector<std::uint8_t>& bytes);

}  // namespace tessera
