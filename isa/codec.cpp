#include <fmt/format.h>

#include <algorithm>

#include "tessera/isa.hpp"

namespace tessera::isa {
namespace {

constexpr unsigned kOpcodeLsb = 58;

const CommandInfo* find(std::uint64_t opcode) {
  const auto* found = std::find_if(
      kCommands.begin(), kCommands.end(),
      [&](const CommandInfo& info) { return static_cast<std::uint64_t>(info.opcode) == opcode; });
  return found == kCommands.end() ? nullptr : found;
}

std::uint64_t mask_of(const FieldInfo& field) {
  return (std::uint64_t{1} << field.bits) - 1;
}

std::int64_t extract(std::uint64_t word, const FieldInfo& field) {
  const std::uint64_t raw = (word >> field.lsb) & mask_of(field);
  const bool negative = field.is_signed && ((raw >> (field.bits - 1)) & 1) != 0;
  return static_cast<std::int64_t>(raw) -
         (negative ? static_cast<std::int64_t>(mask_of(field)) + 1 : 0);
}

template <std::size_t I = 0>
Command build(Opcode opcode, const FieldValues& values) {
  if constexpr (I < std::variant_size_v<Command>) {
    using T = std::variant_alternative_t<I, Command>;
    return T::kOpcode == opcode ? Command{T::from(values)} : build<I + 1>(opcode, values);
  } else {
    throw EncodeError("opcode without a command type");
  }
}

}  // namespace

const CommandInfo& info_of(const Command& command) {
  const Opcode opcode = std::visit([](const auto& c) { return c.kOpcode; }, command);
  return *find(static_cast<std::uint64_t>(opcode));
}

std::uint64_t encode(const Command& command) {
  const CommandInfo& info = info_of(command);
  const FieldValues values = std::visit([](const auto& c) { return c.values(); }, command);
  std::uint64_t word = static_cast<std::uint64_t>(info.opcode) << kOpcodeLsb;
  for (std::size_t i = 0; i < info.num_fields; ++i) {
    const FieldInfo& field = info.fields[i];
    if (values[i] < field.min || values[i] > field.max) {
      throw EncodeError(fmt::format("{}.{} is {}; allowed is {} to {}", info.name, field.name,
                                    values[i], field.min, field.max));
    }
    word |= (static_cast<std::uint64_t>(values[i]) & mask_of(field)) << field.lsb;
  }
  return word;
}

Decoded decode(std::uint64_t word) {
  const CommandInfo* info = find(word >> kOpcodeLsb);
  if (info == nullptr) {
    return {std::nullopt, fmt::format("unknown opcode 0x{:02x}", word >> kOpcodeLsb)};
  }
  FieldValues values{};
  std::uint64_t rest = word & ((std::uint64_t{1} << kOpcodeLsb) - 1);
  for (std::size_t i = 0; i < info->num_fields; ++i) {
    const FieldInfo& field = info->fields[i];
    values[i] = extract(word, field);
    rest &= ~(mask_of(field) << field.lsb);
    if (values[i] < field.min || values[i] > field.max) {
      return {std::nullopt, fmt::format("{}.{} is {}; allowed is {} to {}", info->name, field.name,
                                        values[i], field.min, field.max)};
    }
  }
  if (rest != 0) {
    return {std::nullopt, fmt::format("{} has reserved bits set (0x{:016x})", info->name, rest)};
  }
  return {build(info->opcode, values), ""};
}

std::uint32_t features_of(std::uint64_t word) {
  std::uint32_t features = 0;
  for (const FeatureUse& use : kFeatureUses) {
    const std::uint64_t value = (word >> use.lsb) & ((std::uint64_t{1} << use.bits) - 1);
    const bool has_value =
        use.bits == 0 || (use.values == 0 ? value != 0 : (use.values >> value & 1) != 0);
    if (word >> kOpcodeLsb == static_cast<std::uint64_t>(use.opcode) && has_value) {
      features |= 1U << static_cast<unsigned>(use.feature);
    }
  }
  return features;
}

std::string feature_names(std::uint32_t features) {
  std::string names;
  for (std::size_t i = 0; i < kFeatures.size(); ++i) {
    if ((features >> i & 1) != 0) {
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", kFeatures[i].name);
    }
  }
  return names;
}

std::string disassemble(const Command& command) {
  const CommandInfo& info = info_of(command);
  const FieldValues values = std::visit([](const auto& c) { return c.values(); }, command);
  std::string text(info.name);
  for (std::size_t i = 0; i < info.num_fields; ++i) {
    const FieldInfo& field = info.fields[i];
    if (values[i] == 0 && (field.bits == 1 || field.name == "checksum")) {
      continue;
    }
    text += fmt::format(" {}={}", field.name, values[i]);
  }
  return text;
}

std::vector<std::uint64_t> words_of(const std::uint8_t* bytes, std::size_t size) {
  std::vector<std::uint64_t> words(size / 8);
  for (std::size_t i = 0; i < words.size() * 8; ++i) {
    words[i / 8] |= std::uint64_t{bytes[i]} << (8 * (i % 8));
  }
  return words;
}

}  // namespace tessera::isa
