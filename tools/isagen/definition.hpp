// The parsed command set definition (isa/command_set.yaml).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::isagen {

struct Field {
  std::string name;
  std::string doc;
  std::vector<std::string>
      values;  // names of the values 0, 1, ..., when the field is an enumeration
  int lsb = 0;
  int bits = 0;
  bool is_signed = false;
  std::int64_t min = 0;
  std::int64_t max = 0;
};

struct CommandWord {
  std::string name;
  std::string unit;
  std::string doc;
  std::uint32_t opcode = 0;
  std::vector<Field> fields;
};

struct Register {
  std::string name;
  std::string access;
  std::string doc;
  std::uint32_t offset = 0;
};

struct Named {
  std::string name;
  std::string doc;
};

/// Words that need a feature: all of a command, or those with a field that is not zero or has one
/// of the values.
struct FeatureUse {
  std::string command;
  Field field;  ///< without a name: all
  std::vector<std::size_t> values;
};

struct Feature {
  std::string name;
  std::string doc;
  std::vector<FeatureUse> uses;
};

struct Definition {
  int version = 0;
  std::vector<Named> units;
  std::vector<CommandWord> commands;
  std::vector<Feature> features;
  std::vector<Register> registers;
  std::vector<Named> errors;
  std::vector<Named> counters;
};

/// Reads and checks the definition. Throws std::runtime_error naming the entry that is wrong
/// (fields that do not fit below the opcode, equal opcodes, an unknown unit, ...).
Definition read_definition(const std::string& path);

std::string emit_systemverilog(const Definition& definition);
std::string emit_cpp(const Definition& definition);
std::string emit_markdown(const Definition& definition);

/// "LD_SOURCE" -> "LdSource".
std::string camel_case(const std::string& name);

}  // namespace tessera::isagen
