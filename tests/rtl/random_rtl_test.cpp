// Random hardware, Verilated: all three engines equal in every counter, and equal to the reference
// kernels. TESSERA_RANDOM_HARDWARE=FIRST,COUNT[,MACS] asks for other designs or more, of up to so
// many multipliers (4096: of any size).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "tests/numbered_case.hpp"
#include "tests/rtl/random_hardware.hpp"

namespace tessera {
namespace {

struct Designs {
  int first = 1;
  int count = 10;
  int most_macs = 320;  // larger simulators take longer to build than to run
};

Designs designs() {
  Designs result;
  if (const char* asked = std::getenv("TESSERA_RANDOM_HARDWARE"); asked != nullptr) {
    char comma = 0;
    result.most_macs = 64 * 64;
    std::istringstream(asked) >> result.first >> comma >> result.count >> comma >> result.most_macs;
    result.most_macs = std::max(result.most_macs, 16);
  }
  return result;
}

void expect_equal(int number, int networks, test::DrawnHardware (*draw)(int)) {
  const std::string problem = test::run_numbered(static_cast<std::uint64_t>(number), [&] {
    const auto hardware = draw(designs().most_macs);
    for (int i = 0; i < networks; ++i) {
      test::run_case_if_it_fits(test::draw_case(hardware, i % 3 == 0));
    }
  });
  EXPECT_EQ(problem, "");
}

class RandomRtl : public testing::TestWithParam<int> {};

TEST_P(RandomRtl, EnginesEqualTheReferenceAndEachOther) {
  expect_equal(GetParam(), 100, test::draw_hardware);
}

class RandomMicro : public testing::TestWithParam<int> {};

TEST_P(RandomMicro, EnginesEqualTheReferenceAndEachOther) {
  expect_equal(GetParam(), 60, test::draw_micro_hardware);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMicro, testing::Range(1, 5));

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRtl,
                         testing::Range(designs().first, designs().first + designs().count));

}  // namespace
}  // namespace tessera
