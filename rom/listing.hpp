// A ROM's contents for people.
#pragma once

#include <string>

#include "rom/image.hpp"

namespace tessera::rom {

/// Every command with its address, and the layer and tile it works for; bytes per layer at the end.
std::string listing(const Image& image);

/// Bytes of commands and tiles by layer, as a table.
std::string layer_table(const Image& image);

/// Sections, tensors and runs as JSON, schema "tessera.rom/1".
std::string memory_map(const Image& image);

}  // namespace tessera::rom
