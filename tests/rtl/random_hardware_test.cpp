// Random networks on random hardware: SystemC model and cost model equal in every counter, and
// equal to the reference kernels.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/rtl/random_hardware.hpp"

namespace tessera {
namespace {

TEST(RandomHardware, EnginesEqualTheReferenceAndEachOther) {
  setenv("RC_PARAMS", "seed=20 max_success=400 max_discard_ratio=10 noshrink=0", 0);
  EXPECT_TRUE(rc::check([] {
    const auto hardware = test::draw_hardware(64 * 64);
    test::run_case(test::draw_case(hardware, false), test::Engines::WithoutRtl);
  }));
}

}  // namespace
}  // namespace tessera
