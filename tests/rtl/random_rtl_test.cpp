// Random hardware, Verilated: all three engines equal in every counter, and equal to the reference
// kernels. One design that every run has, and one that the run's seed draws, are small; with
// TESSERA_RANDOM_HARDWARE=FIRST,COUNT[,MACS] there are COUNT of up to so many multipliers instead
// (4096: of any size), with more networks each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <vector>

#include "tests/draws.hpp"
#include "tests/numbered_case.hpp"
#include "tests/rtl/random_hardware.hpp"

namespace tessera {
namespace {

struct Designs {
  std::vector<std::uint64_t> numbers = {3};
  int most_macs = 64;  // larger simulators take longer to build than to run
  int networks = 30;
};

Designs designs() {
  Designs result;
  if (const char* asked = std::getenv("TESSERA_RANDOM_HARDWARE"); asked != nullptr) {
    char comma = 0;
    std::uint64_t first = 1;
    std::size_t count = 0;
    result.most_macs = 64 * 64;
    result.networks = 100;
    std::istringstream(asked) >> first >> comma >> count >> comma >> result.most_macs;
    result.most_macs = std::max(result.most_macs, 16);
    result.numbers.resize(count);
    std::iota(result.numbers.begin(), result.numbers.end(), first);
  } else if (const std::uint64_t seed = test::seed_of_run(); seed != 0) {
    result.numbers.push_back(seed);
  }
  return result;
}

void expect_equal(std::uint64_t number, int networks, test::DrawnHardware (*draw)(int)) {
  const std::string problem = test::run_numbered(number, [&] {
    const auto hardware = draw(designs().most_macs);
    for (int i = 0; i < networks; ++i) {
      test::run_case_if_it_fits(test::draw_case(hardware, i % 3 == 0));
    }
  });
  EXPECT_EQ(problem, "") << "with TESSERA_RANDOM_HARDWARE=" << number << ",1,"
                         << designs().most_macs;
}

class RandomRtl : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomRtl, EnginesEqualTheReferenceAndEachOther) {
  expect_equal(GetParam(), designs().networks, test::draw_hardware);
}

class RandomMicro : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomMicro, EnginesEqualTheReferenceAndEachOther) {
  expect_equal(GetParam(), designs().networks / 2, test::draw_micro_hardware);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMicro, testing::ValuesIn(designs().numbers));

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRtl, testing::ValuesIn(designs().numbers));

}  // namespace
}  // namespace tessera
