#include "board/standalone.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>
#include <variant>

#include "board/simulation.hpp"
#include "rom/formats.hpp"
#include "rom/verilog.hpp"
#include "sim/tools/build_cache.hpp"
#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera::board {
namespace {

namespace fs = std::filesystem;

// A softmax does where it is over all values.
bool keeps_the_order(const Network& network, const Operator& op) {
  const Tensor& in = network.tensors[static_cast<std::size_t>(op.inputs[0])];
  return std::holds_alternative<Reshape>(op.attributes) ||
         std::holds_alternative<Dequantize>(op.attributes) ||
         (std::holds_alternative<Softmax>(op.attributes) && in.shape.back() == in.elements());
}

std::uint32_t words_of(const Standalone& what, std::uint64_t bytes) {
  const std::uint32_t bus = what.image.program.hardware.bus_bytes;
  return static_cast<std::uint32_t>((bytes + bus - 1) / bus);
}

// Each at a word of its own.
std::vector<std::uint8_t> all_samples(const Standalone& what) {
  const std::uint32_t bus = what.image.program.hardware.bus_bytes;
  std::vector<std::uint8_t> all;
  for (const std::vector<std::uint8_t>& sample : what.samples) {
    all.insert(all.end(), sample.begin(), sample.end());
    all.resize((all.size() + bus - 1) / bus * bus);
  }
  return all;
}

using Parameters = std::vector<std::pair<const char*, std::uint64_t>>;

Parameters on_the_chip(const Standalone& what) {
  const Program& program = what.image.program;
  const auto in_arena = [&](const Slot& slot) {
    return what.image.on_bus(slot.address) - what.image.arena.address;
  };
  return {{"Samples", what.samples.size()},
          {"SampleWords", words_of(what, program.inputs[0].bytes)},
          {"InputWord", in_arena(program.inputs[0]) / program.hardware.bus_bytes},
          {"OutputByte", in_arena(program.outputs[0])},
          {"Classes", what.classes}};
}

// Where the samples begin, from the ROM's place on.
std::uint64_t samples_offset(const Standalone& what) {
  return (what.image.bytes.size() + rom::kBaseAlignment - 1) / rom::kBaseAlignment *
         rom::kBaseAlignment;
}

Parameters in_flash(const Flash& flash, const Standalone& what) {
  const Program& program = what.image.program;
  return {{"Samples", what.samples.size()},
          {"SampleBytes", program.inputs[0].bytes},
          {"InputByte", what.image.on_bus(program.inputs[0].address)},
          {"OutputByte", what.image.on_bus(program.outputs[0].address)},
          {"Classes", what.classes},
          {"RomAt", flash.program_at},
          {"SamplesAt", flash.program_at + samples_offset(what)}};
}

std::string package(const Board& board, const Standalone& what) {
  std::string text =
      fmt::format("/// Where `{}` has its input and its output{}.\npackage standalone_pkg;\n\n",
                  what.image.program.network,
                  board.flash ? " in the memory, and where its ROM and samples are in the flash"
                              : " in the arena");
  for (const auto& [name, value] : board.flash ? in_flash(*board.flash, what) : on_the_chip(what)) {
    text += fmt::format("  localparam logic [31:0] {} = 32'd{};\n", name, value);
  }
  return text + "\nendpackage\n";
}

/// In the cache, by their names.
fs::path written(const std::vector<std::pair<std::string, std::string>>& files) {
  CacheKey key;
  for (const auto& [name, text] : files) {
    key.add(text);
  }
  fs::path folder = cache_dir() / ("standalone-" + key.text());
  made_once(folder, [&](const fs::path& work) {
    for (const auto& [name, text] : files) {
      std::ofstream(work / name) << text;
    }
  });
  return folder;
}

// A class alone is shown: one stream, everything where the flash's system expects it.
void check_flash_room(const Board& board, const Standalone& what) {
  const rom::Image& image = what.image;
  const std::uint64_t memory = image.arena.address + image.arena.bytes;
  const std::uint64_t flash = board.flash->program_at + flash_contents(what).size();
  if (memory > board.memory_bytes() || flash > board.flash->size) {
    throw InputError(fmt::format(
        "{} needs {} bytes for activations, and its program and samples reach up to byte {} of the "
        "flash; {} has {} and {}",
        image.program.network, memory, flash, board.title, board.memory_bytes(),
        board.flash->size));
  }
  if (image.runs.size() != 1) {
    throw InputError(fmt::format("{} has {} command streams; {} without a host runs one",
                                 image.program.network, image.runs.size(), board.title));
  }
}

}  // namespace

Network up_to_scores(Network network) {
  while (network.outputs.size() == 1 && network.operators.size() > 1 &&
         network.operators.back().output == network.outputs[0] &&
         keeps_the_order(network, network.operators.back())) {
    network.outputs[0] = network.operators.back().inputs[0];
    network.operators.pop_back();
  }
  return network;
}

fs::path standalone_pins(const Board& board) {
  if (board.lights == 0) {
    throw InputError(
        fmt::format("--standalone: {} has no button and lights that are known here", board.title));
  }
  return board.folder /
         ("standalone" + fs::path(board.part.family->pins_file).extension().string());
}

Standalone make_standalone(const Board& board, const Network& network, Program program,
                           std::vector<std::vector<std::uint8_t>> samples) {
  if (program.inputs.size() != 1 || program.outputs.size() != 1) {
    throw InputError(
        fmt::format("{} has {} inputs and {} outputs; without a host it must have one of each",
                    network.name, program.inputs.size(), program.outputs.size()));
  }
  for (const LayerRecord& layer : program.layers) {
    if (!layer.host_reason.empty()) {
      throw InputError(fmt::format("`{}` of {} runs on the host, and there is none: {}", layer.name,
                                   network.name, layer.host_reason));
    }
  }
  const Tensor& output = network.tensors[static_cast<std::size_t>(network.outputs[0])];
  if (output.type != DataType::Int8) {
    throw InputError(fmt::format("the output of {} is {}; without a host it must be int8",
                                 network.name, name_of(output.type)));
  }
  const std::uint32_t most = (1U << (board.lights - kStateLights)) - 1;
  if (output.bytes() > most) {
    throw InputError(fmt::format("{} has {} classes; the lights of {} show at most {}",
                                 network.name, output.bytes(), board.title, most));
  }
  if (program.outputs[0].segment_bytes != 0) {
    throw std::logic_error("the output of a whole network lies in pieces");
  }
  Standalone what;
  what.classes = static_cast<std::uint32_t>(output.bytes());
  what.samples = std::move(samples);
  if (board.flash) {
    what.image = rom::make_image_in_place(std::move(program),
                                          Flash::kBusAddress + board.flash->program_at, 0);
    check_flash_room(board, what);
  } else {
    what.image = rom::make_image(std::move(program), 0);
  }
  return what;
}

std::vector<std::uint8_t> flash_contents(const Standalone& what) {
  std::vector<std::uint8_t> bytes = what.image.bytes;
  bytes.resize(samples_offset(what), 0xFF);
  for (const std::vector<std::uint8_t>& sample : what.samples) {
    bytes.insert(bytes.end(), sample.begin(), sample.end());
  }
  return bytes;
}

namespace {

StandaloneFiles files_in_flash(const Board& board, const Standalone& what, double mhz) {
  const Hardware& hardware = what.image.program.hardware;
  const fs::path rtl = data_dir() / "rtl";
  const std::string package_file = "standalone_pkg.sv";
  StandaloneFiles files;
  files.sources = {written_config(board, hardware, mhz),
                   written({{package_file, package(board, what)}}) / package_file};
  add_listed(files.sources, rtl / hardware.rtl_sources());
  add_listed(files.sources, rtl / "board" / "flash_alone.f");
  add_listed(files.sources, rtl / "board" / board.part.family->name / "files.f");
  files.sources.push_back(board.folder / "standalone.sv");
  return files;
}

StandaloneFiles files_on_the_chip(const Board& board, const Standalone& what, double mhz) {
  const Program& program = what.image.program;
  const std::uint32_t bus = program.hardware.bus_bytes;
  const std::vector<std::uint8_t> samples = all_samples(what);
  const std::vector<std::pair<std::string, std::string>> made = {
      {"standalone_pkg.sv", package(board, what)},
      {"tessera_rom.sv", rom::rom_module(what.image)},
      {"tessera_system.sv",
       rom::system_module(what.image, fpga::logic_multipliers(board.part, program.hardware).all())},
      {"standalone_samples.sv",
       rom::memory_module("standalone_samples",
                          fmt::format("Inputs of `{}`, one behind the other.", program.network),
                          samples.size(), bus)},
      {"tessera_rom.hex", rom::to_readmemh(what.image.bytes, bus)},
      {"standalone_samples.hex", rom::to_readmemh(samples, bus)}};
  const fs::path folder = written(made);
  const fs::path rtl = data_dir() / "rtl";
  StandaloneFiles files;
  files.sources = {written_config(board, program.hardware, mhz), folder / made[0].first};
  add_listed(files.sources, rtl / program.hardware.rtl_sources());
  add_listed(files.sources, rtl / "boot" / "files.f");
  add_listed(files.sources, rtl / "board" / board.part.family->name / "files.f");
  add_listed(files.sources, rtl / "board" / "alone.f");
  files.sources.push_back(board.folder / "standalone.sv");
  for (const auto& [name, text] : made) {
    const fs::path file = folder / name;
    if (file.extension() == ".hex") {
      files.memories.push_back(file);
    } else if (file != files.sources[1]) {
      files.sources.push_back(file);
    }
  }
  return files;
}

}  // namespace

StandaloneFiles standalone_files(const Board& board, const Standalone& what, double mhz,
                                 bool simulated) {
  StandaloneFiles files =
      board.flash ? files_in_flash(board, what, mhz) : files_on_the_chip(board, what, mhz);
  if (simulated) {
    const fs::path models = data_dir() / "sim" / "board";
    if (board.flash) {
      files.sources.push_back(written_model(board, mhz));
      files.sources.push_back(models / "flash_model.sv");
    }
    files.sources.push_back(models / (board.part.family->name + "_cells.sv"));
    files.sources.push_back(board.folder / "standalone_bench.sv");
  }
  return files;
}

}  // namespace tessera::board
