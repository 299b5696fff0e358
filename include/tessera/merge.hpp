// Several networks as one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/network.hpp"

namespace tessera {

struct ModelSource {
  std::string name;
  Network network;
  std::uint32_t group = 0;
  bool keep_outputs = true;
};

/// Tensors and operators one after the other, named "MODEL/NAME", with Network::models saying what
/// belongs to whom. Throws InputError when two models have one name.
Network merge_networks(const std::vector<ModelSource>& sources);

}  // namespace tessera
