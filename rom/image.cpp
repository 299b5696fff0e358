#include "rom/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "isa/checksum.hpp"
#include "rom/words.hpp"
#include "tessera/error.hpp"
#include "tessera/isa.hpp"

namespace tessera::rom {
namespace {

constexpr std::uint64_t kSectionAlignment = 64;
constexpr std::uint64_t kAddressSpace = std::uint64_t{1} << 32;
constexpr std::uint32_t kWatchdogCycles = 1000000;
constexpr std::uint32_t kStopFlag = 1;
constexpr std::uint32_t kResetFlag = 2;

std::uint64_t align(std::uint64_t bytes) {
  return (bytes + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

Slot region_of(const Program& program, MemoryKind kind) {
  for (const MemoryRegion& region : program.regions) {
    if (region.kind == kind) {
      return region.range;
    }
  }
  return {};
}

std::uint64_t moved(const std::vector<Moved>& ranges, std::uint64_t address) {
  const auto range = std::find_if(ranges.begin(), ranges.end(), [&](const Moved& r) {
    return address >= r.from && address - r.from < r.bytes;
  });
  if (range == ranges.end()) {
    throw std::logic_error(fmt::format("address {:#x} is of no part of the program", address));
  }
  return range->to + (address - range->from);
}

void move_stream(Program& program, const Slot& stream, const std::vector<Moved>& ranges) {
  auto words = isa::words_of(program.image.data() + stream.address, stream.bytes);
  for (std::size_t i = 0; i < words.size(); ++i) {
    isa::Command command = *isa::decode(words[i]).command;
    if (auto* source = std::get_if<isa::LdSource>(&command); source != nullptr) {
      source->address = static_cast<std::uint32_t>(moved(ranges, source->address));
    } else if (auto* target = std::get_if<isa::StAddress>(&command); target != nullptr) {
      target->address = static_cast<std::uint32_t>(moved(ranges, target->address));
    }
    const std::uint64_t word = isa::encode(command);
    for (unsigned b = 0; b < 8; ++b) {
      program.image[stream.address + 8 * i + b] = static_cast<std::uint8_t>(word >> (8 * b));
    }
  }
}

// Inputs are given and outputs taken while nothing runs.
bool is_exchange(const Program& program, std::size_t step) {
  const auto has = [&](const std::vector<std::size_t>& steps) {
    return std::find(steps.begin(), steps.end(), step) != steps.end();
  };
  return has(program.input_steps) || has(program.output_steps);
}

bool host_works_after(const Program& program, std::size_t step) {
  for (std::size_t s = step + 1; s < program.steps.size(); ++s) {
    if (is_exchange(program, s) || std::holds_alternative<HostCall>(program.steps[s])) {
      return true;
    }
    if (std::holds_alternative<CommandRun>(program.steps[s])) {
      return false;
    }
  }
  return true;
}

// Before the first run. Inputs may be there when states are reset.
bool host_works_first(const Program& program) {
  for (const Step& step : program.steps) {
    if (!std::holds_alternative<NoCopy>(step)) {
      return std::holds_alternative<HostCall>(step);
    }
  }
  return true;
}

void put(std::vector<std::uint8_t>& bytes, std::size_t word, std::uint64_t value) {
  for (unsigned b = 0; b < 4; ++b) {
    bytes[4 * word + b] = static_cast<std::uint8_t>(value >> (8 * b));
  }
}

std::uint64_t resets_of(const Image& image) {
  return !image.runs.empty() && image.runs.front().reset ? 1 : 0;
}

void write_header(Image& image) {
  const Hardware& hw = image.program.hardware;
  const std::size_t words = kFirstRunWord + kRunWords * image.runs.size();
  const auto header = [&](std::size_t word, std::uint64_t value) { put(image.bytes, word, value); };
  header(0, kMagic);
  header(1, kFormat | words << 16);
  header(2, image.bytes.size());
  header(4, hw.atomic_c | hw.atomic_k << 8 | hw.bus_bytes << 16);
  header(5, hw.cbuf_end());
  header(6, image.watchdog);
  header(7, image.runs.size() | (resets_of(image) << 16));
  header(8, image.constants.address);
  header(9, image.constants.bytes);
  header(10, image.arena.address);
  header(11, image.arena.bytes);
  header(12, image.commands.address);
  header(13, image.commands.bytes);
  for (std::size_t r = 0; r < image.runs.size(); ++r) {
    const std::size_t at = kFirstRunWord + kRunWords * r;
    const Run& run = image.runs[r];
    header(at, run.address);
    header(at + 1, run.bytes);
    header(at + 2, run.checksum);
    header(at + 3, run.reset ? kResetFlag | (run.stop ? kStopFlag : 0)
                             : (run.stop ? kStopFlag : 0) | run.step << 16);
  }
  header(3, isa::crc32(image.bytes.data() + 16, 4 * words - 16));
}

struct Regions {
  explicit Regions(const Program& program)
      : constants(region_of(program, MemoryKind::Constants)),
        commands(region_of(program, MemoryKind::Commands)),
        arena(region_of(program, MemoryKind::Arena)) {}
  Slot constants, commands, arena;
};

std::size_t runs_of(const Program& program) {
  return (program.reset ? 1 : 0) +
         static_cast<std::size_t>(std::count_if(
             program.steps.begin(), program.steps.end(),
             [](const Step& step) { return std::holds_alternative<CommandRun>(step); }));
}

std::uint64_t header_bytes_for(const Program& program) {
  return align(4 * (kFirstRunWord + kRunWords * runs_of(program)));
}

/// Where the sections lie in the ROM.
struct Offsets {
  std::uint64_t constants, commands;
};

// The first place from `at` on where bursts have the shapes that they have at `address`.
std::uint64_t as_aligned(std::uint64_t at, std::uint64_t address) {
  return at + (address + kBaseAlignment - at % kBaseAlignment) % kBaseAlignment;
}

void check_base(const char* what, std::uint64_t base, std::uint64_t bytes) {
  if (base % kBaseAlignment != 0) {
    throw InputError(
        fmt::format("{} {:#x}: allowed are multiples of {:#x}", what, base, kBaseAlignment));
  }
  if (base + bytes > kAddressSpace) {
    throw InputError(
        fmt::format("{} {:#x}: the program has {} bytes of addresses, they do not "
                    "fit below {:#x}",
                    what, base, bytes, kAddressSpace));
  }
}

Image make(Program program, const Offsets& offsets, std::vector<Moved> ranges) {
  constexpr std::size_t kMostRuns = 1000;
  const Regions regions(program);
  Image image;
  image.moved = std::move(ranges);
  image.watchdog = kWatchdogCycles;
  const auto add = [&](const Slot& stream, bool reset, std::size_t step, bool stop) {
    move_stream(program, stream, image.moved);
    image.runs.push_back({reset, step, image.on_bus(stream.address), stream.bytes,
                          isa::crc32(program.image.data() + stream.address, stream.bytes), stop});
  };
  if (program.reset) {
    add(program.reset->stream, true, 0, host_works_first(program));
  }
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    if (const auto* run = std::get_if<CommandRun>(&program.steps[s]); run != nullptr) {
      add(run->stream, false, s, host_works_after(program, s));
    }
  }
  if (image.runs.empty()) {
    throw InputError(program.network +
                     ": nothing of it runs on the accelerator; a ROM has at least "
                     "one command stream");
  }
  if (image.runs.size() > kMostRuns) {
    throw InputError(fmt::format("{}: has {} command streams; a ROM holds 1 to {}", program.network,
                                 image.runs.size(), kMostRuns));
  }
  const auto address_of = [&](const Slot& region) {
    return region.bytes == 0 ? image.moved[0].to : image.on_bus(region.address);
  };
  image.header_bytes = header_bytes_for(program);
  image.constants = {offsets.constants, address_of(regions.constants),
                     align(regions.constants.bytes)};
  image.commands = {offsets.commands, address_of(regions.commands), align(regions.commands.bytes)};
  image.arena = {address_of(regions.arena), align(std::max<std::uint64_t>(regions.arena.bytes, 1)),
                 0, 0};
  image.bytes.assign(image.commands.rom_offset + image.commands.bytes, 0);
  const auto copy = [&](const Slot& from, const Section& to) {
    std::copy_n(program.image.begin() + static_cast<std::ptrdiff_t>(from.address), from.bytes,
                image.bytes.begin() + static_cast<std::ptrdiff_t>(to.rom_offset));
  };
  copy(regions.constants, image.constants);
  copy(regions.commands, image.commands);
  image.program = std::move(program);
  write_header(image);
  return image;
}

}  // namespace

std::uint64_t Image::on_bus(std::uint64_t address) const {
  return rom::moved(moved, address);
}

Image make_image(Program program, std::uint64_t base) {
  const std::uint64_t bytes = program.image.size();
  check_base("--base", base, bytes);
  const std::uint64_t header = header_bytes_for(program);
  const Offsets offsets{header, header + align(Regions(program).constants.bytes)};
  Image image = make(std::move(program), offsets, {{0, bytes, base}});
  image.base = base;
  return image;
}

Image make_image_in_place(Program program, std::uint64_t rom, std::uint64_t arena) {
  const Regions regions(program);
  const auto behind = [](const Slot& slot) { return slot.address + slot.bytes; };
  Offsets offsets{};
  offsets.constants = as_aligned(header_bytes_for(program), regions.constants.address);
  offsets.commands =
      as_aligned(offsets.constants + align(regions.constants.bytes), regions.commands.address);
  const std::uint64_t rom_bytes = offsets.commands + align(regions.commands.bytes);
  check_base("the ROM's address", rom, rom_bytes);
  check_base("the arena's address", arena, behind(regions.arena));
  if (arena < rom + rom_bytes && rom < arena + regions.arena.bytes) {
    throw InputError(
        fmt::format("the ROM at {:#x} with {} bytes and the arena at {:#x} with {} overlap", rom,
                    rom_bytes, arena, regions.arena.bytes));
  }
  // The arena's own alignment stays.
  const std::uint64_t arena_to = as_aligned(arena, regions.arena.address);
  Image image = make(std::move(program), offsets,
                     {{regions.constants.address, regions.constants.bytes, rom + offsets.constants},
                      {regions.arena.address, regions.arena.bytes, arena_to},
                      {regions.commands.address, regions.commands.bytes, rom + offsets.commands}});
  image.base = arena;
  return image;
}

const CommandRun& stream_of(const Image& image, const Run& run) {
  return run.reset ? *image.program.reset : std::get<CommandRun>(image.program.steps[run.step]);
}

std::vector<std::size_t> host_layers_after(const Image& image, const Run& run) {
  std::vector<std::size_t> layers;
  for (std::size_t s = run.reset ? 0 : run.step + 1; s < image.program.steps.size(); ++s) {
    const Step& step = image.program.steps[s];
    if (std::holds_alternative<CommandRun>(step)) {
      break;
    }
    if (const auto* call = std::get_if<HostCall>(&step); call != nullptr) {
      layers.push_back(call->layer);
    }
  }
  return layers;
}

std::vector<LayerCommands> commands_by_layer(const Image& image) {
  std::vector<LayerCommands> layers(image.program.layers.size());
  for_words(image, [&](const Word& word) {
    if (image.runs[word.run].reset) {
      return;
    }
    layers[word.layer].bytes += 8;
    const bool is_store = word.command && std::holds_alternative<isa::Store>(*word.command);
    layers[word.layer].tiles += is_store ? 1 : 0;
  });
  return layers;
}

}  // namespace tessera::rom
