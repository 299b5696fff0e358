#include "board/standalone.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>
#include <variant>

#include "board/simulated.hpp"
#include "rom/formats.hpp"
#include "rom/verilog.hpp"
#include "sim/tools/made_files.hpp"
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

std::string package(const Standalone& what) {
  const Program& program = what.image.program;
  const auto in_arena = [&](const Slot& slot) {
    return what.image.on_bus(slot.address) - what.image.arena.address;
  };
  const std::pair<const char*, std::uint64_t> parameters[] = {
      {"Samples", what.samples.size()},
      {"SampleWords", words_of(what, program.inputs[0].bytes)},
      {"InputWord", in_arena(program.inputs[0]) / program.hardware.bus_bytes},
      {"OutputByte", in_arena(program.outputs[0])},
      {"Classes", what.classes}};
  std::string text = fmt::format(
      "/// Where `{}` has its input and its output in the arena.\npackage standalone_pkg;\n\n",
      program.network);
  for (const auto& [name, value] : parameters) {
    text += fmt::format("  localparam logic [31:0] {} = 32'd{};\n", name, value);
  }
  return text + "\nendpackage\n";
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
  what.image = rom::make_image(std::move(program), 0);
  return what;
}

StandaloneFiles standalone_files(const Board& board, const Standalone& what, double mhz,
                                 bool simulated) {
  const Program& program = what.image.program;
  const std::uint32_t bus = program.hardware.bus_bytes;
  const std::vector<std::uint8_t> samples = all_samples(what);
  const std::vector<std::pair<std::string, std::string>> made = {
      {"standalone_pkg.sv", package(what)},
      {"tessera_rom.sv", rom::rom_module(what.image)},
      {"tessera_system.sv",
       rom::system_module(what.image, fpga::lut_multipliers(board.part, program.hardware))},
      {"standalone_samples.sv",
       rom::memory_module("standalone_samples",
                          fmt::format("Inputs of `{}`, one behind the other.", program.network),
                          samples.size(), bus)},
      {"tessera_rom.hex", rom::to_readmemh(what.image.bytes, bus)},
      {"standalone_samples.hex", rom::to_readmemh(samples, bus)}};
  CacheKey key;
  for (const auto& [name, text] : made) {
    key.add(text);
  }
  const fs::path folder = cache_dir() / ("standalone-" + key.text());
  made_once(folder, [&](const fs::path& work) {
    for (const auto& [name, text] : made) {
      std::ofstream(work / name) << text;
    }
  });
  const fs::path rtl = data_dir() / "rtl";
  StandaloneFiles files;
  files.sources = {written_config(board, program.hardware, mhz), folder / made[0].first};
  const auto append = [&](const std::vector<fs::path>& more) {
    files.sources.insert(files.sources.end(), more.begin(), more.end());
  };
  append(listed_sources(rtl / program.hardware.rtl_sources()));
  append(listed_sources(rtl / "boot" / "files.f"));
  append(listed_sources(rtl / "board" / board.part.family->name / "files.f"));
  append({rtl / "board" / "standalone_system.sv", board.folder / "standalone.sv"});
  for (const auto& [name, text] : made) {
    const fs::path file = folder / name;
    if (file.extension() == ".hex") {
      files.memories.push_back(file);
    } else if (file != files.sources[1]) {
      files.sources.push_back(file);
    }
  }
  if (simulated) {
    append({data_dir() / "sim" / "board" / (board.part.family->name + "_cells.sv"),
            board.folder / "standalone_bench.sv"});
  }
  return files;
}

}  // namespace tessera::board
