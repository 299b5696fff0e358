// Programs that may use less of the cbuf than is built.
#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "tests/setups.hpp"
#include "timing/machine/cost_model.hpp"

namespace tessera {
namespace {

// A keyword spotter: a wide first layer, then depthwise and pointwise ones.
Network keywords() {
  std::string text =
      "layers: [{conv2d: {in: [49, 10, 1], out_channels: 64, kernel: [10, 4], stride: 2, padding: "
      "same}}";
  for (int i = 0; i < 4; ++i) {
    text +=
        ", {depthwise_conv2d: {kernel: 3, padding: same}}, {conv2d: {out_channels: 64, kernel: 1}}";
  }
  return import_yaml(text + "]", "net.yaml", 1);
}

TEST(LimitedBuffer, LiesAcrossAsManyBanksAsItCan) {
  for (const char* preset : {"tiny", "small", "medium", "large"}) {
    Hardware hardware = hardware_preset(preset);
    hardware.cbuf_size = hardware.cbuf_capacity;
    EXPECT_EQ(hardware.cbuf_begin(), 0U);
    EXPECT_EQ(hardware.cbuf_end(), hardware.cbuf_atoms());
    const std::uint32_t built = hardware.cbuf_atoms();
    const std::uint32_t bank = hardware.bank_atoms();
    for (std::uint32_t atoms = 1; atoms < built; atoms += std::max(1U, atoms / 7)) {
      hardware.cbuf_size = std::uint64_t{atoms} * hardware.atomic_c;
      const std::uint32_t begin = hardware.cbuf_begin();
      ASSERT_EQ(hardware.cbuf_end() - begin, atoms);
      ASSERT_LE(hardware.cbuf_end(), built);
      const std::uint32_t banks = (hardware.cbuf_end() - 1) / bank - begin / bank + 1;
      EXPECT_EQ(banks, std::min((atoms + bank - 2) / bank + 1, hardware.cbuf_banks))
          << preset << ", " << atoms << " atoms";
    }
  }
}

// Of two banks, since 16 KiB reach into no third one of a buffer of 128.
TEST(LimitedBuffer, TakesHardlyLongerThanABuiltOneOfThatSize) {
  const auto cycles = [](const Hardware& hardware) {
    const Program program = compile(keywords(), hardware, test::best_for(Objective::Cycles));
    EXPECT_EQ(check_program(program), std::vector<std::string>{});
    return counter(timing::estimate(program, {}).totals, isa::Counter::Cycles);
  };
  Hardware built = hardware_preset("small");
  built.cbuf_size = built.cbuf_capacity = 16U << 10;
  const Hardware limited = test::hardware_with("small", 16U << 10);
  ASSERT_GT(limited.cbuf_capacity, limited.cbuf_size);
  EXPECT_LE(cycles(limited) * 100, cycles(built) * 102);
}

// Windows beside tensors that stay begin and end where the limited buffer does, not at banks.
TEST(LimitedBuffer, OfAnySizeGivesAProgramThatTheCheckerTakes) {
  const Network network = keywords();
  for (const char* preset : {"tiny", "small"}) {
    Hardware hardware = hardware_preset(preset);
    const std::uint64_t built = hardware.cbuf_capacity / hardware.atomic_c;
    for (std::uint64_t atoms = 160; atoms < built; atoms += atoms / 16) {
      hardware.cbuf_size = atoms * hardware.atomic_c;
      EXPECT_EQ(check_program(compile(network, hardware, {})), std::vector<std::string>{})
          << preset << ", " << atoms << " atoms";
    }
  }
}

TEST(LimitedBuffer, TheCheckerCountsWhatIsUsed) {
  Program program = compile(keywords(), test::hardware_with("small", 32U << 10), {});
  EXPECT_EQ(check_program(program), std::vector<std::string>{});
  program.hardware.cbuf_size = 4U << 10;
  const auto problems = check_program(program);
  ASSERT_FALSE(problems.empty());
  EXPECT_TRUE(problems[0].find("more than may be used") != std::string::npos ||
              problems[0].find("there are") != std::string::npos)
      << problems[0];
}

}  // namespace
}  // namespace tessera
