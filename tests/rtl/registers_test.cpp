#include <gtest/gtest.h>

#include "tests/rtl/rig.hpp"

namespace tessera {
namespace {

TEST(Registers, TellWhatTheHardwareIs) {
  test::Rig rig("small");
  EXPECT_EQ(rig.device.read_register(isa::reg::kId).data, 0x54535241U);
  EXPECT_EQ(rig.device.read_register(isa::reg::kAtomicC).data, 8U);
  EXPECT_EQ(rig.device.read_register(isa::reg::kCbufBytes).data, 131072U);
  EXPECT_EQ(rig.device.read_register(isa::reg::kStatus).data, 0U);
}

TEST(Registers, UnknownOffsetsAndWritesToReadOnlyAnswerSlvErr) {
  test::Rig rig("small");
  EXPECT_EQ(rig.device.read_register(0x0F0).response, 2U);
  EXPECT_EQ(rig.device.read_register(isa::reg::kCounters + 8 * isa::kNumCounters).response, 2U);
  EXPECT_EQ(rig.device.write_register(isa::reg::kStatus, 1).response, 2U);
  EXPECT_EQ(rig.device.write_register(0xFFC, 1).response, 2U);
  EXPECT_EQ(rig.device.read_register(isa::reg::kId).response, 0U);
}

TEST(Registers, CbufLimitAboveTheBufferIsRefused) {
  test::Rig rig("small");
  EXPECT_EQ(rig.device.write_register(isa::reg::kCbufLimit, 16385).response, 2U);
  EXPECT_EQ(rig.device.write_register(isa::reg::kCbufLimit, 100).response, 0U);
  EXPECT_EQ(rig.device.read_register(isa::reg::kCbufLimit).data, 100U);
}

TEST(Registers, InterruptFollowsItsEnableAndCountersTheirClear) {
  test::Rig rig("small");
  rig.run({isa::encode(isa::End{})});
  EXPECT_TRUE(rig.device.interrupt());
  EXPECT_EQ(rig.device.read_register(isa::reg::kStatus).data, 2U);
  rig.device.write_register(isa::reg::kIrqEnable, 0);
  EXPECT_FALSE(rig.device.interrupt());
  EXPECT_GT(counter(rig.device.read_counters(), isa::Counter::Cycles), 0U);
  EXPECT_EQ(counter(rig.device.read_counters(), isa::Counter::ReadCommandBytes), 8U);
  EXPECT_TRUE(rig.device.clear());
  EXPECT_EQ(counter(rig.device.read_counters(), isa::Counter::Cycles), 0U);
}

}  // namespace
}  // namespace tessera
