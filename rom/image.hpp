// A program as a ROM: header, constants, command streams.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/program.hpp"

namespace tessera::rom {

/// Part of the ROM that the bus sees.
struct Section {
  std::uint64_t rom_offset = 0;
  std::uint64_t address = 0;  ///< on the bus
  std::uint64_t bytes = 0;
};

/// A command stream.
struct Run {
  std::size_t step = 0;  ///< of the program
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;  ///< CRC-32
  bool stop = false;           ///< the host has work before the next run, or it is the last one
};

struct Image {
  Program program;  ///< moved to its base address
  std::uint64_t base = 0;
  std::uint32_t watchdog = 0;  ///< cycles
  std::uint64_t header_bytes = 0;
  Section constants;
  Section commands;
  Slot arena;
  std::vector<Run> runs;
  std::vector<std::uint8_t> bytes;  ///< of the whole ROM
};

/// Multiples of that many bytes are what a base may be: no burst changes its shape.
inline constexpr std::uint64_t kBaseAlignment = 4096;

/// Header words (32 bits) as rtl/boot/boot_pkg.sv has them.
inline constexpr std::uint32_t kMagic = 0x4D525354;
inline constexpr std::uint32_t kFormat = 1;
inline constexpr std::size_t kFirstRunWord = 16;
inline constexpr std::size_t kRunWords = 4;

/// All addresses of the program are moved up by `base` bytes. Throws InputError when it has no
/// command stream, does not fit the address space there, or `base` is not aligned.
Image make_image(Program program, std::uint64_t base);

/// Layers that the host computes between the run and the next one.
std::vector<std::size_t> host_layers_after(const Image& image, const Run& run);

/// What the streams cost, by layer.
struct LayerCommands {
  std::uint64_t bytes = 0;
  std::uint64_t tiles = 0;  ///< output tiles: STOREs
};
std::vector<LayerCommands> commands_by_layer(const Image& image);

}  // namespace tessera::rom
