#include "rom/words.hpp"

#include <array>

namespace tessera::rom {
namespace {

constexpr std::size_t kUnits = 4;  // front, load, compute, store

// A mark ends what its unit does for a layer.
std::optional<std::uint32_t> mark_of(const isa::Command& command) {
  if (const auto* load = std::get_if<isa::LdMark>(&command); load != nullptr) {
    return load->id;
  }
  if (const auto* compute = std::get_if<isa::CvMark>(&command); compute != nullptr) {
    return compute->id;
  }
  if (const auto* store = std::get_if<isa::StMark>(&command); store != nullptr) {
    return store->id;
  }
  return std::nullopt;
}

bool is_work(const isa::Command& command) {
  return std::holds_alternative<isa::Load>(command) || std::holds_alternative<isa::Conv>(command) ||
         std::holds_alternative<isa::Depthwise>(command) ||
         std::holds_alternative<isa::Store>(command);
}

}  // namespace

void for_words(const Image& image, const std::function<void(const Word&)>& visit) {
  for (std::size_t r = 0; r < image.runs.size(); ++r) {
    const CommandRun& run = stream_of(image, image.runs[r]);
    const auto values =
        isa::words_of(image.program.image.data() + run.stream.address, run.stream.bytes);
    std::vector<Word> words(values.size());
    std::array<std::size_t, kUnits> layer{};
    layer.fill(run.layers.back());
    for (std::size_t i = values.size(); i-- > 0;) {
      Word& word = words[i];
      word.run = r;
      word.address = image.runs[r].address + 8 * i;
      word.value = values[i];
      word.command = isa::decode(values[i]).command;
      if (word.command) {
        std::size_t& unit = layer[static_cast<std::size_t>(isa::info_of(*word.command).unit)];
        if (const auto mark = mark_of(*word.command); mark) {
          unit = run.layers.at(*mark);
        }
        word.layer = unit;
      }
    }
    std::array<std::pair<std::size_t, std::size_t>, kUnits> counts{};  // layer, number
    for (Word& word : words) {
      if (word.command) {
        auto& [of, number] = counts[static_cast<std::size_t>(isa::info_of(*word.command).unit)];
        if (of != word.layer) {
          of = word.layer;
          number = 0;
        }
        word.number = mark_of(*word.command) ? 0 : number + 1;
        number += is_work(*word.command) ? 1 : 0;
      }
      visit(word);
    }
  }
}

}  // namespace tessera::rom
