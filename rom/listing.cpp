#include "rom/listing.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "console/text_table.hpp"
#include "rom/words.hpp"

namespace tessera::rom {
namespace {

using Json = nlohmann::ordered_json;

const char* work_of(const Word& word) {
  switch (isa::info_of(*word.command).unit) {
    case isa::Unit::Load:
      return "load";
    case isa::Unit::Compute:
      return "convolution";
    case isa::Unit::Store:
      return "tile";
    default:
      return "";
  }
}

std::string host_work_after(const Image& image, const Run& run) {
  std::string text;
  for (const std::size_t index : host_layers_after(image, run)) {
    const LayerRecord& layer = image.program.layers[index];
    text += fmt::format("; host: {} `{}`\n", layer.op, layer.name);
  }
  return text;
}

Json slot_json(const Image& image, const Slot& slot) {
  Json json = {{"address", image.on_bus(slot.address)}, {"bytes", slot.bytes}};
  if (slot.segment_bytes != 0) {
    json["segment_bytes"] = slot.segment_bytes;
    json["stride"] = slot.stride;
  }
  return json;
}

Json section_json(const char* kind, const Section& section) {
  return {{"kind", kind},
          {"rom_offset", section.rom_offset},
          {"address", section.address},
          {"bytes", section.bytes}};
}

}  // namespace

std::string layer_table(const Image& image) {
  const auto layers = commands_by_layer(image);
  std::vector<Row> rows = {{"layer", "operator", "command bytes", "tiles", "bytes per tile"}};
  std::uint64_t bytes = 0;
  std::uint64_t tiles = 0;
  const auto per_tile = [](std::uint64_t all, std::uint64_t count) {
    return count == 0
               ? std::string()
               : fmt::format("{:.1f}", static_cast<double>(all) / static_cast<double>(count));
  };
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].bytes == 0) {
      continue;
    }
    const LayerRecord& record = image.program.layers[i];
    rows.push_back({record.name, record.op, grouped(layers[i].bytes), grouped(layers[i].tiles),
                    per_tile(layers[i].bytes, layers[i].tiles)});
    bytes += layers[i].bytes;
    tiles += layers[i].tiles;
  }
  rows.push_back({"all", "", grouped(bytes), grouped(tiles), per_tile(bytes, tiles)});
  return aligned(rows, 2);
}

std::string listing(const Image& image) {
  std::string text = fmt::format("; {}: {} runs, {} bytes of ROM\n", image.program.network,
                                 image.runs.size(), image.bytes.size());
  std::size_t run = image.runs.size();
  for_words(image, [&](const Word& word) {
    if (word.run != run) {
      if (run < image.runs.size()) {
        text += host_work_after(image, image.runs[run]);
      }
      run = word.run;
      const Run& now = image.runs[run];
      text += fmt::format("; run {}{}: {} bytes at {:#010x}, CRC-32 {:#010x}\n", run,
                          now.reset ? " (states begin anew)" : "", now.bytes, now.address,
                          now.checksum);
    }
    std::string line = fmt::format("{:08x}: {:016x}  {}", word.address, word.value,
                                   word.command ? isa::disassemble(*word.command) : "illegal");
    if (word.command && *work_of(word) != 0) {
      const std::string number = word.number == 0 ? "end" : fmt::format("{}", word.number);
      line =
          fmt::format("{:<100}  ; {} {} {}", line,
                      image.runs[word.run].reset ? "reset" : image.program.layers[word.layer].name,
                      work_of(word), number);
    }
    text += line + "\n";
  });
  text += host_work_after(image, image.runs.back());
  return text + "\n" + layer_table(image);
}

std::string memory_map(const Image& image) {
  const Program& program = image.program;
  Json json;
  json["schema"] = "tessera.rom/1";
  json["network"] = program.network;
  json["base"] = image.base;
  json["rom_bytes"] = image.bytes.size();
  json["word_bytes"] = program.hardware.bus_bytes;
  json["cbuf_limit_atoms"] = program.hardware.cbuf_end();
  json["sections"] = Json::array({Json{{"kind", "header"},
                                       {"rom_offset", 0},
                                       {"address", nullptr},
                                       {"bytes", image.header_bytes}},
                                  section_json("constants", image.constants),
                                  section_json("commands", image.commands)});
  json["arena"] = {{"address", image.arena.address}, {"bytes", image.arena.bytes}};
  json["inputs"] = Json::array();
  for (const Slot& slot : program.inputs) {
    json["inputs"].push_back(slot_json(image, slot));
  }
  json["outputs"] = Json::array();
  for (const Slot& slot : program.outputs) {
    json["outputs"].push_back(slot_json(image, slot));
  }
  json["runs"] = Json::array();
  for (const Run& run : image.runs) {
    json["runs"].push_back({{"address", run.address},
                            {"bytes", run.bytes},
                            {"crc32", run.checksum},
                            {"host_works_after", run.stop}});
    if (run.reset) {
      json["runs"].back()["reset"] = true;
    }
  }
  if (!program.states.empty()) {
    json["states"] = Json::array();
    for (const StateRecord& state : program.states) {
      Json entry = slot_json(image, state.place);
      entry["name"] = state.name;
      entry["initial_address"] = image.on_bus(state.initial.address);
      json["states"].push_back(std::move(entry));
    }
  }
  const auto commands = commands_by_layer(image);
  json["layers"] = Json::array();
  for (std::size_t i = 0; i < program.layers.size(); ++i) {
    const LayerRecord& record = program.layers[i];
    Json layer = {{"name", record.name},
                  {"op", record.op},
                  {"on_host", !record.pass && !record.no_copy && !record.rides_on},
                  {"command_bytes", commands[i].bytes},
                  {"tiles", commands[i].tiles}};
    layer["output"] = record.output.bytes > 0 ? slot_json(image, record.output) : Json(nullptr);
    json["layers"].push_back(std::move(layer));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tessera::rom
