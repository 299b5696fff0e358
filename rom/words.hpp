// The words of all command streams, with the layers they work for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "rom/image.hpp"
#include "tessera/isa.hpp"

namespace tessera::rom {

struct Word {
  std::size_t run = 0;
  std::uint64_t address = 0;  ///< on the bus
  std::uint64_t value = 0;
  std::optional<isa::Command> command;
  std::size_t layer = 0;  ///< of the program; END counts to the last one; 0 in the reset's stream
  std::size_t number =
      0;  ///< of its unit's work on the layer, from 1: loads, convolutions, tiles; 0: a mark
};

/// In the order of the streams.
void for_words(const Image& image, const std::function<void(const Word&)>& visit);

}  // namespace tessera::rom
