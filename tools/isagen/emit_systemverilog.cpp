#include <fmt/format.h>

#include "definition.hpp"

namespace tessera::isagen {
namespace {

// What a field of at most `limit` looks like. Powers of two, and one less, are said by bits:
// synthesis makes a chain of a comparison, bit by bit.
std::string at_most(const Field& field, std::int64_t limit) {
  const int msb = field.lsb + field.bits - 1;
  const std::string bits = fmt::format("word[{}:{}]", msb, field.lsb);
  for (int bit = 0; bit < field.bits; ++bit) {
    std::string above = fmt::format("word[{}:{}] == '0", msb, field.lsb + bit);
    if (limit == (std::int64_t{1} << bit) - 1) {
      return above;
    }
    if (limit == std::int64_t{1} << bit) {
      return fmt::format("({} || {} == {}'d{})", above, bits, field.bits, limit);
    }
  }
  return fmt::format("{} <= {}'d{}", bits, field.bits, limit);
}

// Conditions under which a word of this command is legal, as SystemVerilog expressions.
std::string legality(const CommandWord& command) {
  std::string terms;
  int used = 0;
  for (const Field& field : command.fields) {
    const int msb = field.lsb + field.bits - 1;
    const std::string bits = fmt::format("word[{}:{}]", msb, field.lsb);
    const std::int64_t lowest = field.is_signed ? -(std::int64_t{1} << (field.bits - 1)) : 0;
    const std::int64_t highest = (std::int64_t{1} << (field.bits - (field.is_signed ? 1 : 0))) - 1;
    if (field.min != lowest) {
      terms += field.is_signed  ? fmt::format(" && $signed({}) >= {}", bits, field.min)
               : field.min == 1 ? fmt::format(" && {} != '0", bits)
                                : fmt::format(" && {} >= {}'d{}", bits, field.bits, field.min);
    }
    if (field.max != highest) {
      terms += field.is_signed ? fmt::format(" && $signed({}) <= {}", bits, field.max)
                               : " && " + at_most(field, field.max);
    }
    used = msb + 1;
  }
  if (used < 58) {
    terms += fmt::format(" && word[57:{}] == '0", used);
  }
  return terms.empty() ? "1'b1" : terms.substr(4);
}

void emit_typedef(std::string& out, const CommandWord& command) {
  const auto type = [&] {
    std::string lower;
    for (const char c : command.name) {
      lower += static_cast<char>(c == '_' ? '_' : c | 0x20);
    }
    return lower;
  }();
  if (command.fields.empty()) {
    return;
  }
  int used = 0;
  for (const Field& field : command.fields) {
    used += field.bits;
  }
  out +=
      fmt::format("  /// {}\n  typedef struct packed {{\n    logic [5:0] opcode;\n", command.doc);
  if (used < 58) {
    out += fmt::format("    logic [{}:0] reserved;\n", 57 - used);
  }
  for (auto field = command.fields.rbegin(); field != command.fields.rend(); ++field) {
    const char* sign = field->is_signed ? "signed " : "";
    const std::string range = field->bits > 1 ? fmt::format("[{}:0] ", field->bits - 1) : "";
    out += fmt::format("    logic {}{}{};  // {}\n", sign, range, field->name, field->doc);
  }
  out += fmt::format("  }} {}_t;\n\n", type);
}

void emit_values(std::string& out, const CommandWord& command) {
  for (const Field& field : command.fields) {
    for (std::size_t i = 0; i < field.values.size(); ++i) {
      out += fmt::format("  localparam logic [{}:0] {}{}{} = {}'d{};\n", field.bits - 1,
                         camel_case(command.name), camel_case(field.name),
                         camel_case(field.values[i]), field.bits, i);
    }
  }
}

// A SystemVerilog expression that holds for the words which need the feature.
std::string need(const Feature& feature) {
  std::string terms;
  for (const FeatureUse& use : feature.uses) {
    const Field& field = use.field;
    const std::string bits = fmt::format("word[{}:{}]", field.lsb + field.bits - 1, field.lsb);
    std::string values;
    for (const std::size_t value : use.values) {
      values +=
          fmt::format("{}{} == {}'d{}", values.empty() ? "" : " || ", bits, field.bits, value);
    }
    std::string term = fmt::format("word[63:58] == Op{}", camel_case(use.command));
    if (!field.name.empty()) {
      term += values.empty() ? fmt::format(" && {} != '0", bits) : fmt::format(" && ({})", values);
    }
    terms += fmt::format("{}({})", terms.empty() ? "" : " || ", term);
  }
  return terms.empty() ? "1'b0" : terms;
}

void emit_features(std::string& out, const std::vector<Feature>& features) {
  for (std::size_t i = 0; i < features.size(); ++i) {
    out += fmt::format("  localparam int unsigned Feature{} = {};  // {}\n",
                       camel_case(features[i].name), i, features[i].doc);
  }
  out += fmt::format(
      "  localparam int unsigned NumFeatures = {0};\n\n"
      "  /// The features that a word needs.\n"
      "  function automatic logic [NumFeatures-1:0] features_of(input logic [63:0] word);\n",
      features.size());
  for (std::size_t i = 0; i < features.size(); ++i) {
    out += fmt::format("    features_of[{}] = {};\n", i, need(features[i]));
  }
  out += "  endfunction\n\n";
}

}  // namespace

std::string emit_systemverilog(const Definition& definition) {
  std::string out =
      "// Generated by tools/isagen from isa/command_set.yaml. Do not edit.\n\n"
      "/// Command words, registers, error causes and counters of the accelerator.\n"
      "package tessera_isa_pkg;\n\n";
  out +=
      fmt::format("  localparam logic [31:0] CommandSetVersion = 32'd{};\n\n", definition.version);
  for (const CommandWord& command : definition.commands) {
    out += fmt::format("  localparam logic [5:0] Op{} = 6'h{:02x};\n", camel_case(command.name),
                       command.opcode);
  }
  out += '\n';
  for (std::size_t i = 0; i < definition.units.size(); ++i) {
    out += fmt::format("  localparam logic [1:0] Unit{} = 2'd{};\n",
                       camel_case(definition.units[i].name), i);
  }
  out += '\n';
  for (const CommandWord& command : definition.commands) {
    emit_values(out, command);
  }
  out += '\n';
  for (const CommandWord& command : definition.commands) {
    emit_typedef(out, command);
  }
  out +=
      "  /// The unit that a word is for; the front end for words that are not legal.\n"
      "  function automatic logic [1:0] unit_of(input logic [5:0] opcode);\n"
      "    case (opcode)\n";
  for (const CommandWord& command : definition.commands) {
    out += fmt::format("      Op{0}: unit_of = Unit{1};\n", camel_case(command.name),
                       camel_case(command.unit));
  }
  out +=
      "      default: unit_of = UnitFront;\n    endcase\n  endfunction\n\n"
      "  /// Whether a word is a command with every field in range and all other bits zero.\n"
      "  function automatic logic is_legal(input logic [63:0] word);\n"
      "    case (word[63:58])\n";
  for (const CommandWord& command : definition.commands) {
    out += fmt::format("      Op{}: is_legal = {};\n", camel_case(command.name), legality(command));
  }
  out += "      default: is_legal = 1'b0;\n    endcase\n  endfunction\n\n";
  emit_features(out, definition.features);
  for (const Register& reg : definition.registers) {
    out += fmt::format("  localparam logic [11:0] Reg{} = 12'h{:03x};\n", camel_case(reg.name),
                       reg.offset);
  }
  out += '\n';
  for (std::size_t i = 0; i < definition.errors.size(); ++i) {
    out += fmt::format("  localparam logic [7:0] Error{} = 8'd{};\n",
                       camel_case(definition.errors[i].name), i);
  }
  out += '\n';
  for (std::size_t i = 0; i < definition.counters.size(); ++i) {
    out += fmt::format("  localparam int unsigned Counter{} = {};\n",
                       camel_case(definition.counters[i].name), i);
  }
  out += fmt::format("  localparam int unsigned NumCounters = {};\n\nendpackage\n",
                     definition.counters.size());
  return out;
}

}  // namespace tessera::isagen
