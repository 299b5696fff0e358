// Random networks on random hardware: SystemC model and cost model equal in every counter, and
// equal to the reference kernels.
#include <gtest/gtest.h>

#include "tests/draws.hpp"
#include "tests/rtl/random_hardware.hpp"

namespace tessera {
namespace {

TEST(RandomHardware, EnginesEqualTheReferenceAndEachOther) {
  test::expect_always(200, [] {
    const auto hardware = test::draw_hardware(64 * 64);
    test::run_case(test::draw_case(hardware, false), test::Engines::WithoutRtl);
  });
}

}  // namespace
}  // namespace tessera
