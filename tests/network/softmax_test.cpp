#include <gtest/gtest.h>

#include "network/builder.hpp"
#include "tessera/reference.hpp"

namespace tessera {
namespace {

// A sum of exponentials beyond 512 shifts its quotient by more than 31; beyond 4095 it leaves
// Q12.19.
class EqualValues : public testing::TestWithParam<std::int32_t> {};

TEST_P(EqualValues, HaveNoProbabilityWorthAStep) {
  NetworkBuilder builder("softmax", 1);
  const std::int32_t in = builder.input("in", {1, GetParam()});
  builder.output(builder.softmax("softmax", in));
  const Network network = builder.finish();
  Bytes result;
  run_reference(network, {Bytes(static_cast<std::size_t>(GetParam()), 7)},
                [&](std::size_t, const Bytes& out) { result = out; });
  EXPECT_EQ(result, Bytes(static_cast<std::size_t>(GetParam()), 0x80));
}

INSTANTIATE_TEST_SUITE_P(Softmax, EqualValues, testing::Values(1024, 2047, 4096, 20000));

}  // namespace
}  // namespace tessera
