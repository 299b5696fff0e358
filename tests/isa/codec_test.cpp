#include "tessera/isa.hpp"

#include <gtest/gtest.h>

#include "tests/isa/words.hpp"

namespace tessera::isa {
namespace {

TEST(Codec, EveryLegalFieldValueSurvivesTheRoundTrip) {
  for (const std::uint64_t word : test::boundary_words()) {
    const Decoded decoded = decode(word);
    if (decoded.command) {
      EXPECT_EQ(encode(*decoded.command), word) << disassemble(*decoded.command);
    } else {
      EXPECT_FALSE(decoded.problem.empty());
    }
  }
}

TEST(Codec, RandomWordsThatDecodeReencodeToThemselves) {
  int legal = 0;
  for (const std::uint64_t word : test::random_words(200000, 11)) {
    const Decoded decoded = decode(word);
    if (decoded.command) {
      ++legal;
      EXPECT_EQ(encode(*decoded.command), word);
    }
  }
  EXPECT_GT(legal, 10000);
}

TEST(Codec, EncoderRefusesValuesOutOfRange) {
  CvKernel kernel{1, 1, 1, 1, 1, 1, 1};
  kernel.kernel_h = 17;
  EXPECT_THROW(encode(kernel), EncodeError);
  kernel.kernel_h = 0;
  EXPECT_THROW(encode(kernel), EncodeError);
  EXPECT_THROW(encode(StQuant{-129, 0, 0}), EncodeError);
  EXPECT_THROW(encode(StQuant{0, 128, 0}), EncodeError);
}

TEST(Codec, ZeroAndAllOnesAreIllegal) {
  EXPECT_FALSE(decode(0).command.has_value());
  EXPECT_FALSE(decode(~std::uint64_t{0}).command.has_value());
}

TEST(Codec, DisassemblyNamesFieldsAndLeavesOutClearFlags) {
  Load load;
  load.kind = 1;
  load.dest = 64;
  load.post_compute = 1;
  EXPECT_EQ(disassemble(load), "LOAD kind=1 dest=64 post_compute=1");
}

TEST(Codec, OpcodesAndNamesAreUnique) {
  for (std::size_t i = 0; i < kCommands.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(kCommands[i].opcode, kCommands[j].opcode);
      EXPECT_NE(kCommands[i].name, kCommands[j].name);
    }
  }
}

}  // namespace
}  // namespace tessera::isa
