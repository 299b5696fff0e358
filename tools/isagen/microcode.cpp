#include "microcode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

namespace tessera::isagen {
namespace {

constexpr std::uint32_t kNamedWords = 128;
constexpr std::uint32_t kDispatch = 64;  // an entry for each opcode, then the program
constexpr std::uint32_t kPointer = 1U << 7;
constexpr std::uint32_t kMostWords = 2048;

enum class Kind : std::uint8_t { None, Immediate, Data, Label, Bits, Port, In, Wait, Cause };
struct Instruction {
  const char* name;
  Kind kind;
};
// In the order of their codes.
constexpr Instruction kInstructions[] = {
    {"ldi", Kind::Immediate}, {"addi", Kind::Immediate}, {"addci", Kind::Immediate},
    {"ld", Kind::Data},       {"add", Kind::Data},       {"rsb", Kind::Data},
    {"min", Kind::Data},      {"max", Kind::Data},       {"mul", Kind::Data},
    {"muli", Kind::Data},     {"st", Kind::Data},        {"shr", Kind::None},
    {"shl", Kind::None},      {"abs", Kind::None},       {"sgn", Kind::None},
    {"ext", Kind::Bits},      {"exts", Kind::Bits},      {"in", Kind::In},
    {"out", Kind::Port},      {"wait", Kind::Wait},      {"jmp", Kind::Label},
    {"call", Kind::Label},    {"ret", Kind::None},       {"dispatch", Kind::None},
    {"jz", Kind::Label},      {"jnz", Kind::Label},      {"jn", Kind::Label},
    {"jge", Kind::Label},     {"je", Kind::Label},       {"djm", Kind::Label},
    {"halt", Kind::None},     {"err", Kind::Cause},
};

std::optional<std::size_t> index_of(const std::vector<std::string>& names,
                                    const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional<std::size_t>(found - names.begin());
}

/// A line of the program, or what `fields` makes of one.
struct Line {
  int number = 0;
  std::string name;
  std::string operand;
};

class Assembler {
 public:
  Assembler(std::string path, const Definition& definition)
      : path_(std::move(path)), definition_(definition) {}

  Microcode run() {
    read();
    for (const Line& line : lines_) {
      if (line.name == "fields") {
        fields(line);
      } else {
        keep(line);
      }
    }
    place();
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(int number, const std::string& text) const {
    throw std::runtime_error(fmt::format("{}:{}: {}", path_, number, text));
  }

  void read() {
    std::ifstream in(path_);
    if (!in) {
      fail(0, "cannot be read");
    }
    int number = 0;
    for (std::string text; std::getline(in, text);) {
      ++number;
      std::istringstream words(text.substr(0, text.find(';')));
      Line line{number, "", ""};
      std::string more;
      words >> line.name >> line.operand;
      if (line.name.empty()) {
        continue;
      }
      if (words >> more) {
        fail(number, fmt::format("`{}` is too much", more));
      }
      if (line.name == "port") {
        result_.ports.push_back(line.operand);
      } else if (line.name == "in" && !line.operand.empty() && !in_program_) {
        result_.ins.push_back(line.operand);
      } else if (line.name == "wait" && !in_program_) {
        result_.waits.push_back(line.operand);
      } else if (line.name == "reg") {
        named_.push_back(line.operand);
      } else {
        in_program_ = in_program_ || line.name.back() == ':';
        lines_.push_back(line);
        if (line.operand.find('.') != std::string::npos) {
          used_fields_.insert(line.operand);
        }
      }
    }
  }

  void keep(const Line& line) {
    if (line.name.back() == ':') {
      const std::string label = line.name.substr(0, line.name.size() - 1);
      if (!labels_.emplace(label, kDispatch + code_.size()).second) {
        fail(line.number, fmt::format("`{}` is there already", label));
      }
      return;
    }
    code_.push_back(line);
  }
  void emit(int number, const std::string& name, const std::string& operand = "") {
    code_.push_back({number, name, operand});
  }

  // The command word's fields come from the highest bit on: reserved bits, then the last field
  // first.
  void fields(const Line& line) {
    const auto command =
        std::find_if(definition_.commands.begin(), definition_.commands.end(),
                     [&](const CommandWord& word) { return word.name == line.operand; });
    if (command == definition_.commands.end()) {
      fail(line.number, fmt::format("no command `{}`", line.operand));
    }
    int reserved = 58;
    for (const Field& field : command->fields) {
      reserved -= field.bits;
    }
    for (; reserved > 0; reserved -= 32) {
      emit(line.number, "ext", std::to_string(std::min(reserved, 32)));
      emit(line.number, "jnz", "illegal");
    }
    std::set<std::string> needed;
    for (const Feature& feature : definition_.features) {
      for (const FeatureUse& use : feature.uses) {
        if (use.command == command->name && !use.field.name.empty()) {
          needed.insert(use.field.name);
        }
      }
    }
    for (auto field = command->fields.rbegin(); field != command->fields.rend(); ++field) {
      take(line.number, *field);
      const std::string name = command->name + "." + field->name;
      if (used_fields_.count(name) != 0 || needed.count(field->name) != 0) {
        register_of(name);
        emit(line.number, "st", name);
      }
    }
    for (const Feature& feature : definition_.features) {
      for (const FeatureUse& use : feature.uses) {
        if (use.command == command->name) {
          refuse(line.number, command->name, use);
        }
      }
    }
  }

  // A field into the accumulator, and to `illegal` when it is out of its range.
  void take(int number, const Field& field) {
    const std::int64_t lowest = field.is_signed ? -(std::int64_t{1} << (field.bits - 1)) : 0;
    const std::int64_t highest = (std::int64_t{1} << (field.bits - (field.is_signed ? 1 : 0))) - 1;
    int bits = field.bits;
    // Powers of two are bits above that are zero.
    if (!field.is_signed && field.max < highest && (field.max & (field.max + 1)) == 0) {
      while (field.max < (std::int64_t{1} << (bits - 1))) {
        --bits;
      }
      emit(number, "ext", std::to_string(field.bits - bits));
      emit(number, "jnz", "illegal");
    }
    emit(number, field.is_signed ? "exts" : "ext", std::to_string(bits));
    if (field.min == 1 && !field.is_signed) {
      emit(number, "jz", "illegal");
    } else if (field.min != lowest) {
      emit(number, "addi", std::to_string(-field.min));
      emit(number, "jn", "illegal");
      emit(number, "addi", std::to_string(field.min));
    }
    if (field.max < (std::int64_t{1} << (bits - (field.is_signed ? 1 : 0))) - 1) {
      emit(number, "addi", std::to_string(-(field.max + 1)));
      emit(number, "jge", "illegal");
      emit(number, "addi", std::to_string(field.max + 1));
    }
  }

  void refuse(int number, const std::string& command, const FeatureUse& use) {
    if (use.field.name.empty()) {
      emit(number, "jmp", "not_built");
      return;
    }
    const std::string name = command + "." + use.field.name;
    // Behind its `st` it still is in the accumulator.
    if (code_.back().name != "st" || code_.back().operand != name) {
      emit(number, "ld", name);
    }
    if (use.values.empty()) {
      emit(number, "jnz", "not_built");
      return;
    }
    std::size_t before = 0;
    for (const std::size_t value : use.values) {
      emit(number, "addi", std::to_string(-static_cast<std::int64_t>(value - before)));
      emit(number, "jz", "not_built");
      before = value;
    }
  }

  std::uint32_t register_of(const std::string& name) {
    const auto [place, is_new] =
        result_.registers.emplace(name, static_cast<std::uint32_t>(result_.registers.size()));
    return place->second;
  }

  std::int64_t number_of(const Line& line, std::int64_t low, std::int64_t high) const {
    std::size_t used = 0;
    std::int64_t value = 0;
    if (line.operand == "parameters") {
      return kNamedWords;
    }
    try {
      value = std::stoll(line.operand, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != line.operand.size() || value < low || value > high) {
      fail(line.number, fmt::format("`{} {}`: a number from {} to {} is allowed", line.name,
                                    line.operand, low, high));
    }
    return value;
  }

  std::uint32_t name_in(const Line& line, const std::vector<std::string>& names) const {
    const auto found = index_of(names, line.operand);
    if (!found) {
      fail(line.number, fmt::format("`{} {}`: no such name", line.name, line.operand));
    }
    return static_cast<std::uint32_t>(*found);
  }

  std::uint32_t operand_of(const Line& line, Kind kind) {
    switch (kind) {
      case Kind::Immediate:
        return static_cast<std::uint32_t>(number_of(line, -1024, 1023)) & 0x7FFU;
      case Kind::Data:
        if (line.operand == "[p]") {
          return kPointer;
        }
        if (std::find(named_.begin(), named_.end(), line.operand) == named_.end() &&
            result_.registers.count(line.operand) == 0) {
          fail(line.number, fmt::format("`{} {}`: no such word", line.name, line.operand));
        }
        return register_of(line.operand);
      case Kind::Label: {
        const auto label = labels_.find(line.operand);
        if (label == labels_.end()) {
          fail(line.number, fmt::format("`{} {}`: no such label", line.name, line.operand));
        }
        return static_cast<std::uint32_t>(label->second);
      }
      case Kind::Bits:
        return static_cast<std::uint32_t>(number_of(line, 1, 32));
      case Kind::Port:
        return name_in(line, result_.ports);
      case Kind::In:
        return name_in(line, result_.ins);
      case Kind::Wait:
        return name_in(line, result_.waits);
      case Kind::Cause: {
        for (std::size_t i = 0; i < definition_.errors.size(); ++i) {
          if (definition_.errors[i].name == line.operand) {
            return static_cast<std::uint32_t>(i);
          }
        }
        fail(line.number, fmt::format("no error `{}`", line.operand));
      }
      default:
        if (!line.operand.empty()) {
          fail(line.number, fmt::format("`{}` takes no operand", line.name));
        }
        return 0;
    }
  }

  // The next instruction reads its word while this one executes.
  void check_order(const Line& line, const Line* next) const {
    if (next == nullptr) {
      return;
    }
    const bool pointer_moves = line.name == "out" && line.operand == "Setp";
    if ((line.name == "st" && line.operand == next->operand && next->name != "st" &&
         line.operand != "[p]") ||
        (pointer_moves && next->operand == "[p]")) {
      fail(next->number, fmt::format("`{} {}` comes too early behind `{} {}`", next->name,
                                     next->operand, line.name, line.operand));
    }
  }

  void place() {
    const auto entry = [&](const std::string& label) {
      return encode("jmp", static_cast<std::uint32_t>(labels_.at(label)));
    };
    result_.rom.assign(kDispatch, entry("illegal"));
    for (const CommandWord& command : definition_.commands) {
      if (labels_.count(command.name) == 0) {
        fail(0, fmt::format("no label `{}`", command.name));
      }
      result_.rom[command.opcode] = entry(command.name);
    }
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const Line& line = code_[i];
      check_order(line, i + 1 < code_.size() ? &code_[i + 1] : nullptr);
      const auto* found =
          std::find_if(std::begin(kInstructions), std::end(kInstructions),
                       [&](const Instruction& known) { return known.name == line.name; });
      if (found == std::end(kInstructions)) {
        fail(line.number, fmt::format("no instruction `{}`", line.name));
      }
      result_.rom.push_back(encode(line.name, operand_of(line, found->kind)));
    }
    if (result_.rom.size() > kMostWords || result_.registers.size() > kNamedWords) {
      fail(0, fmt::format("{} instructions of {}, {} words of {}", result_.rom.size(), kMostWords,
                          result_.registers.size(), kNamedWords));
    }
  }

  static std::uint16_t encode(const std::string& name, std::uint32_t operand) {
    const auto* found = std::find_if(std::begin(kInstructions), std::end(kInstructions),
                                     [&](const Instruction& known) { return known.name == name; });
    return static_cast<std::uint16_t>((found - std::begin(kInstructions)) << 11 | operand);
  }

  std::string path_;
  const Definition& definition_;
  bool in_program_ = false;
  std::vector<Line> lines_, code_;
  std::vector<std::string> named_;
  std::set<std::string> used_fields_;
  std::map<std::string, std::size_t> labels_;
  Microcode result_;
};

std::string capitalised(std::string name) {
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

}  // namespace

Microcode assemble(const std::string& path, const Definition& definition) {
  return Assembler(path, definition).run();
}

std::string emit_microcode_systemverilog(const Microcode& microcode) {
  std::string out =
      "// Generated by tools/isagen from isa/microcode.asm. Do not edit.\n\n"
      "/// The microcode, its instructions, and the ports that it writes, reads and waits for.\n"
      "package microcode_pkg;\n\n";
  for (std::size_t i = 0; i < std::size(kInstructions); ++i) {
    out += fmt::format("  localparam logic [4:0] Op{} = 5'd{};\n",
                       capitalised(kInstructions[i].name), i);
  }
  out += '\n';
  const auto names = [&](const char* prefix, const std::vector<std::string>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      out += fmt::format("  localparam logic [5:0] {}{} = 6'd{};\n", prefix, list[i], i);
    }
    out += '\n';
  };
  names("Port", microcode.ports);
  names("In", microcode.ins);
  for (std::size_t i = 0; i < microcode.waits.size(); ++i) {
    out += fmt::format("  localparam int unsigned Wait{} = {};\n", microcode.waits[i], i);
  }
  out += fmt::format(
      "  localparam int unsigned NumWaits = {};\n\n"
      "  /// Words of the data memory that have names; those of parameters follow.\n"
      "  localparam int unsigned NamedWords = {};\n"
      "  /// The operand is the word that the pointer is at.\n"
      "  localparam int unsigned PointerBit = 7;\n"
      "  /// The first instruction of a run; before it one for each opcode.\n"
      "  localparam int unsigned Start = {};\n\n"
      "  /// Whether an instruction's operand is a word of the data memory.\n"
      "  function automatic logic uses_data(input logic [4:0] op);\n"
      "    uses_data = op >= OpLd && op <= OpSt;\n"
      "  endfunction\n\n",
      microcode.waits.size(), kNamedWords, kDispatch);
  out += fmt::format("  localparam int unsigned RomWords = {};\n", microcode.rom.size());
  out += "  localparam logic [16*RomWords-1:0] Rom = {\n";
  for (std::size_t i = microcode.rom.size(); i-- > 0;) {
    const bool row_ends = i % 12 == 0;
    out += fmt::format("{}16'h{:04x}{}",
                       (i + 1) % 12 == 0 || i + 1 == microcode.rom.size() ? "    " : " ",
                       microcode.rom[i],
                       i == 0     ? "\n"
                       : row_ends ? ",\n"
                                  : ",");
  }
  return out + "  };\n\nendpackage\n";
}

std::string emit_microcode_cpp(const Microcode& microcode) {
  std::string out =
      "// Generated by tools/isagen from isa/microcode.asm. Do not edit.\n"
      "// The microcode, its instructions, and the ports that it writes, reads and waits for.\n"
      "#pragma once\n\n#include <array>\n#include <cstdint>\n\n"
      "namespace tessera::microcode {\n\n";
  const auto enumeration = [&](const char* name, const std::vector<std::string>& list) {
    out += fmt::format("enum class {} : std::uint8_t {{\n", name);
    for (const std::string& entry : list) {
      out += fmt::format("  {},\n", capitalised(entry));
    }
    out += "};\n\n";
  };
  std::vector<std::string> instructions;
  for (const Instruction& instruction : kInstructions) {
    instructions.emplace_back(instruction.name);
  }
  enumeration("Op", instructions);
  enumeration("Port", microcode.ports);
  enumeration("In", microcode.ins);
  enumeration("Wait", microcode.waits);
  out += fmt::format(
      "inline constexpr std::uint32_t kNamedWords = {};\n"
      "inline constexpr std::uint32_t kStart = {};\n\n"
      "inline constexpr std::array<std::uint16_t, {}> kRom{{\n",
      kNamedWords, kDispatch, microcode.rom.size());
  for (std::size_t i = 0; i < microcode.rom.size(); ++i) {
    out += fmt::format("{}0x{:04x},{}", i % 12 == 0 ? "    " : " ", microcode.rom[i],
                       i % 12 == 11 || i + 1 == microcode.rom.size() ? "\n" : "");
  }
  return out + "};\n\n}  // namespace tessera::microcode\n";
}

}  // namespace tessera::isagen
