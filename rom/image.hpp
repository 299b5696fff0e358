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
  bool reset = false;    ///< gives states their first values: once, before the first of the steps
  std::size_t step = 0;  ///< of the program
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;  ///< CRC-32
  bool stop = false;           ///< the host has work before the next run, or it is the last one
};

/// A range of the program's addresses that begins elsewhere on the bus.
struct Moved {
  std::uint64_t from = 0;
  std::uint64_t bytes = 0;
  std::uint64_t to = 0;
};

struct Image {
  Program program;  ///< its streams have the bus' addresses, its slots those that it was made with
  std::uint64_t base = 0;  ///< of all of it, or of the arena when the ROM is used in place
  std::vector<Moved> moved;
  std::uint32_t watchdog = 0;  ///< cycles
  std::uint64_t header_bytes = 0;
  Section constants;
  Section commands;
  Slot arena;
  std::vector<Run> runs;            ///< the reset, where there are states, then the steps'
  std::vector<std::uint8_t> bytes;  ///< of the whole ROM

  /// Constants and commands are used where they are in the ROM.
  [[nodiscard]] bool in_place() const { return moved.size() > 1; }
  /// Where an address of the program is on the bus.
  [[nodiscard]] std::uint64_t on_bus(std::uint64_t address) const;
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

/// Constants and commands are used where they are in the ROM, which the bus sees from `rom` on; the
/// arena begins at `arena`. As above; the two may not overlap.
Image make_image_in_place(Program program, std::uint64_t rom, std::uint64_t arena);

/// The stream of a run, in the program.
const CommandRun& stream_of(const Image& image, const Run& run);

/// Layers that the host computes between the run and the next one.
std::vector<std::size_t> host_layers_after(const Image& image, const Run& run);

/// What the streams cost, by layer.
struct LayerCommands {
  std::uint64_t bytes = 0;
  std::uint64_t tiles = 0;  ///< output tiles: STOREs
};
std::vector<LayerCommands> commands_by_layer(const Image& image);

}  // namespace tessera::rom
