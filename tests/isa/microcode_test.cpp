// The translator of the microcode: what it makes, and what it says of a program that is wrong.
#include "microcode.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace tessera::isagen {
namespace {

constexpr const char* kDefinition = TESSERA_SOURCE_DIR "/isa/command_set.yaml";

// The names and labels that every program needs.
std::string program(const std::string& lines) {
  std::string text = "port Setp\nport Byte\nin Room\nwait Run\nreg first\nreg second\nbegin:\n" +
                     lines + "\nillegal:\n    halt\nnot_built:\n    halt\n";
  for (const CommandWord& command : read_definition(kDefinition).commands) {
    text += command.name + ":\n";
  }
  return text + "    halt\n";
}

Microcode assembled(const std::string& lines) {
  // Tests run at the same time.
  const std::string folder =
      testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/program.asm";
  std::ofstream(path) << program(lines);
  return assemble(path, read_definition(kDefinition));
}

std::string error_of(const std::string& lines) {
  try {
    assembled(lines);
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    return text.substr(text.find("program.asm"));
  }
  return "";
}

TEST(Microcode, InstructionsBecomeWords) {
  const std::vector<std::uint16_t> rom =
      assembled("    ldi -1\n    st second\n    add first\n    add [p]\n    jnz begin\n").rom;
  ASSERT_GT(rom.size(), 69U);
  EXPECT_EQ(rom[64], 0x07FF);
  EXPECT_EQ(rom[65] & 0x7FF, 0) << "the first word that is used";
  EXPECT_EQ(rom[66] & 0x7FF, 1);
  EXPECT_EQ(rom[67] & 0x7FF, 0x80);
  EXPECT_EQ(rom[68] & 0x7FF, 64) << "programs begin behind an entry for each opcode";
}

TEST(Microcode, FieldsComeFromTheTopWithTheirLimits) {
  // 26 bits of the command word's 58 are reserved, then pixel_bytes from 1 on and the address,
  // which nobody reads.
  const std::vector<std::uint16_t> rom =
      assembled("    fields LD_SOURCE\n    ld LD_SOURCE.pixel_bytes\n").rom;
  const std::uint16_t ext = rom[64] & 0xF800;
  EXPECT_EQ(rom[64] & 0x7FF, 10);
  EXPECT_EQ(rom[66], ext | 16);
  EXPECT_EQ(rom[69], ext | 32) << "its value stays where it is";
}

TEST(Microcode, MistakesAreNamedWithTheirLines) {
  EXPECT_EQ(error_of("    ldi 1024"),
            "program.asm:8: `ldi 1024`: a number from -1024 to 1023 is allowed");
  EXPECT_EQ(error_of("    ldi"), "program.asm:8: `ldi `: a number from -1024 to 1023 is allowed");
  EXPECT_EQ(error_of("    ext 33"), "program.asm:8: `ext 33`: a number from 1 to 32 is allowed");
  EXPECT_EQ(error_of("    load first"), "program.asm:8: no instruction `load`");
  EXPECT_EQ(error_of("    ld third"), "program.asm:8: `ld third`: no such word");
  EXPECT_EQ(error_of("    jmp nowhere"), "program.asm:8: `jmp nowhere`: no such label");
  EXPECT_EQ(error_of("    out Nothing"), "program.asm:8: `out Nothing`: no such name");
  EXPECT_EQ(error_of("    err NOTHING"), "program.asm:8: no error `NOTHING`");
  EXPECT_EQ(error_of("    fields NOTHING"), "program.asm:8: no command `NOTHING`");
  EXPECT_EQ(error_of("begin:"), "program.asm:8: `begin` is there already");
  EXPECT_EQ(error_of("    ld first second"), "program.asm:8: `second` is too much");
  EXPECT_EQ(error_of("    ret first"), "program.asm:8: `ret` takes no operand");
}

TEST(Microcode, WhatComesTooEarlyIsRefused) {
  EXPECT_EQ(error_of("    st first\n    ld first"),
            "program.asm:9: `ld first` comes too early behind `st first`");
  EXPECT_EQ(error_of("    st first\nagain:\n    add first"),
            "program.asm:10: `add first` comes too early behind `st first`");
  EXPECT_EQ(error_of("    out Setp\n    ld [p]"),
            "program.asm:9: `ld [p]` comes too early behind `out Setp`");
  EXPECT_EQ(error_of("    st first\n    st first\n    st second\n    ld first"), "");
}

}  // namespace
}  // namespace tessera::isagen
