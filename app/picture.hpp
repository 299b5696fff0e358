// Pictures as inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/config.hpp"
#include "tessera/network.hpp"

namespace tessera {

/// By the file's ending: .png, .jpg, .jpeg.
bool is_picture(const std::string& path);

/// The picture as the tensor's values: resized, (pixel - mean) * scale, quantised as the tensor is.
/// Channels are red, green, blue, or grey for tensors of one channel. Without mean and scale uint8
/// inputs take pixels as they are, int8 ones 128 lower. Throws InputError for files that are no
/// pictures and tensors that are no images of 1 or 3 channels.
std::vector<std::uint8_t> read_picture(const std::string& path, const Tensor& tensor,
                                       const Preprocess& preprocess);

}  // namespace tessera
