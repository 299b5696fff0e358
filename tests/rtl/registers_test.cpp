#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/rtl/test_bench.hpp"

namespace tessera {
namespace {

TEST(Registers, TellWhatTheHardwareIs) {
  test::TestBench bench("small");
  EXPECT_EQ(bench.device.read_register(isa::reg::kId).data, 0x54535241U);
  EXPECT_EQ(bench.device.read_register(isa::reg::kAtomicC).data, 8U);
  EXPECT_EQ(bench.device.read_register(isa::reg::kCbufBytes).data, 131072U);
  EXPECT_EQ(bench.device.read_register(isa::reg::kStatus).data, 0U);
}

// Nobody is told which hardware it is but by these.
TEST(Registers, TellEachParameterOfEachPreset) {
  for (const char* preset : {"micro", "nano", "tiny", "small", "medium"}) {
    test::TestBench bench(preset);
    const Hardware& hw = bench.hardware;
    const auto tells = [&](std::uint32_t offset, std::uint32_t value) {
      const auto read = bench.device.read_register(offset);
      EXPECT_EQ(read.response, 0U) << preset << " " << offset;
      EXPECT_EQ(read.data, value) << preset << " " << offset;
    };
    tells(isa::reg::kVersion, isa::kCommandSetVersion);
    tells(isa::reg::kAtomicC, hw.atomic_c);
    tells(isa::reg::kAtomicK, hw.atomic_k);
    tells(isa::reg::kCbufBytes, static_cast<std::uint32_t>(hw.cbuf_capacity));
    tells(isa::reg::kAccWords, hw.acc_words);
    tells(isa::reg::kParamGroups, hw.param_groups);
    tells(isa::reg::kBusBytes, hw.bus_bytes);
    tells(isa::reg::kFeatures, hw.features);
    const Hardware::Window window = hw.depthwise_window();
    tells(isa::reg::kWindow, hw.has(isa::Feature::Depthwise)
                                 ? hw.line_atoms << 16 | window.cols << 8 | window.rows
                                 : 0);
    tells(isa::reg::kFold, hw.fold_bytes());
    tells(isa::reg::kErrorCause, 0);
    tells(isa::reg::kErrorInfo, 0);
  }
}

TEST(Registers, KeepEachBitThatIsWritten) {
  for (const char* preset : {"tiny", "small"}) {
    test::TestBench bench(preset);
    for (const std::uint32_t offset : {isa::reg::kCommandAddress, isa::reg::kCommandBytes,
                                       isa::reg::kWatchdog, isa::reg::kCommandChecksum}) {
      for (const std::uint32_t value : {0xFFFFFFFFU, 0x12345678U, 0U, 0xEDCBA987U, 0U}) {
        EXPECT_EQ(bench.device.write_register(offset, value).response, 0U);
        EXPECT_EQ(bench.device.read_register(offset).data, value) << offset;
      }
    }
    for (const std::uint32_t value : {1U, 0U, 0xFFFFFFFEU}) {
      EXPECT_EQ(bench.device.write_register(isa::reg::kIrqEnable, value).response, 0U);
      EXPECT_EQ(bench.device.read_register(isa::reg::kIrqEnable).data, value & 1U);
    }
    for (std::uint32_t atoms = bench.hardware.cbuf_atoms(); atoms != 0; atoms /= 2) {
      EXPECT_EQ(bench.device.write_register(isa::reg::kCbufLimit, atoms).response, 0U);
      EXPECT_EQ(bench.device.read_register(isa::reg::kCbufLimit).data, atoms);
    }
  }
}

// A bus may offer the next address, or the next data, before a write is answered.
TEST(Registers, KeepAddressesAndDataThatFollowEachOtherInOrder) {
  const std::vector<std::uint32_t> offsets = {isa::reg::kCommandAddress, isa::reg::kCommandBytes,
                                              isa::reg::kWatchdog};
  for (const char* preset : {"micro", "tiny", "small"}) {
    test::TestBench bench(preset);
    std::uint32_t value = 0x01010101;
    for (const auto& [addresses_after, data_after] :
         {std::pair{0, 0}, std::pair{0, 1}, std::pair{1, 0}, std::pair{0, 7}, std::pair{7, 0}}) {
      std::vector<rtl::Core::Write> writes;
      writes.reserve(offsets.size());
      for (const std::uint32_t offset : offsets) {
        writes.push_back({offset, value += 0x01234567});
      }
      const std::vector<std::uint32_t> all_well(writes.size(), 0);
      EXPECT_EQ(bench.device.write_registers(writes, addresses_after, data_after), all_well);
      const auto read = bench.device.read_registers(offsets, data_after);
      for (std::size_t i = 0; i < writes.size(); ++i) {
        EXPECT_EQ(read[i].data, writes[i].value)
            << preset << ": register " << offsets[i] << ", addresses from cycle " << addresses_after
            << ", data from cycle " << data_after;
      }
    }
  }
}

TEST(Registers, PartsOfARegisterAreNotWritten) {
  test::TestBench bench("small");
  bench.device.write_register(isa::reg::kWatchdog, 77);
  for (std::uint8_t strobe = 0; strobe < 0xF; ++strobe) {
    EXPECT_EQ(bench.device.write_register(isa::reg::kWatchdog, 5, strobe).response, 2U) << strobe;
    EXPECT_EQ(bench.device.read_register(isa::reg::kWatchdog).data, 77U) << strobe;
  }
}

// An answer lies there until it is taken, and no other one comes before.
TEST(Registers, WaitForASlowHost) {
  test::TestBench bench("small");
  for (int patience = 0; patience < 6; ++patience) {
    const auto value = static_cast<std::uint32_t>(0x1000 + patience);
    EXPECT_EQ(bench.device.write_register(isa::reg::kWatchdog, value, 0xF, patience).response, 0U);
    EXPECT_EQ(bench.device.read_register(isa::reg::kWatchdog, patience).data, value);
    EXPECT_EQ(bench.device.write_register(isa::reg::kStatus, 1, 0xF, patience).response, 2U);
    EXPECT_EQ(bench.device.read_register(0xFFC, patience).response, 2U);
    EXPECT_EQ(bench.device.read_register(isa::reg::kWatchdog, patience).data, value);
  }
}

TEST(Registers, UnknownOffsetsAndWritesToReadOnlyAnswerSlvErr) {
  test::TestBench bench("small");
  EXPECT_EQ(bench.device.read_register(0x0F0).response, 2U);
  EXPECT_EQ(bench.device.read_register(isa::reg::kCounters + 8 * isa::kNumCounters).response, 2U);
  EXPECT_EQ(bench.device.write_register(isa::reg::kStatus, 1).response, 2U);
  EXPECT_EQ(bench.device.write_register(0xFFC, 1).response, 2U);
  EXPECT_EQ(bench.device.read_register(isa::reg::kId).response, 0U);
}

TEST(Registers, CbufLimitAboveTheBufferIsRefused) {
  test::TestBench bench("small");
  EXPECT_EQ(bench.device.write_register(isa::reg::kCbufLimit, 16385).response, 2U);
  EXPECT_EQ(bench.device.write_register(isa::reg::kCbufLimit, 100).response, 0U);
  EXPECT_EQ(bench.device.read_register(isa::reg::kCbufLimit).data, 100U);
}

TEST(Registers, InterruptFollowsItsEnableAndCountersTheirClear) {
  test::TestBench bench("small");
  bench.run({isa::encode(isa::End{})});
  EXPECT_TRUE(bench.device.interrupt());
  EXPECT_EQ(bench.device.read_register(isa::reg::kStatus).data, 2U);
  bench.device.write_register(isa::reg::kIrqEnable, 0);
  EXPECT_FALSE(bench.device.interrupt());
  EXPECT_GT(counter(bench.device.read_counters(), isa::Counter::Cycles), 0U);
  EXPECT_EQ(counter(bench.device.read_counters(), isa::Counter::ReadCommandBytes), 8U);
  EXPECT_TRUE(bench.device.clear());
  EXPECT_EQ(bench.device.read_register(isa::reg::kStatus).data, 0U) << "nothing is done any more";
  EXPECT_EQ(counter(bench.device.read_counters(), isa::Counter::Cycles), 0U);
}

}  // namespace
}  // namespace tessera
