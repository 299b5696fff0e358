// What an access of a dynamic memory waits for.
#include "timing/memory/dram_rows.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

DramTiming timing() {
  DramTiming t;
  t.banks = 4;
  t.row_bytes = 4096;
  t.activate = 10;
  t.precharge = 7;
  return t;
}

TEST(DramRows, OpenRowsCostNothingOthersAnActivationOrBoth) {
  DramRows rows(timing());
  EXPECT_EQ(rows.open(0, 100), 10U) << "closed";
  EXPECT_EQ(rows.open(2048, 200), 0U) << "the same row";
  EXPECT_EQ(rows.open(4096, 300), 10U) << "another bank";
  EXPECT_EQ(rows.open(100, 400), 0U) << "still open";
  EXPECT_EQ(rows.open(std::uint64_t{4} * 4096, 500), 17U) << "another row of the first bank";
  EXPECT_EQ(rows.open(0, 600), 17U) << "and back";
}

TEST(DramRows, ABankOpensOneRowAtATimeOthersMeanwhile) {
  DramRows rows(timing());
  EXPECT_EQ(rows.open(0, 100), 10U);
  EXPECT_EQ(rows.open(std::uint64_t{4} * 4096, 101), 26U) << "after the first activation";
  EXPECT_EQ(rows.open(4096, 102), 10U) << "at the same time";
}

TEST(DramRows, RefreshesCloseRowsAndStopEverything) {
  DramTiming t = timing();
  t.refresh_interval = 1000;
  t.refresh_cycles = 50;
  DramRows rows(t);
  EXPECT_FALSE(rows.is_refreshing(10)) << "the first comes after an interval";
  EXPECT_EQ(rows.open(0, 900), 10U);
  EXPECT_EQ(rows.open(0, 950), 0U);
  EXPECT_TRUE(rows.is_refreshing(1000));
  EXPECT_TRUE(rows.is_refreshing(1049));
  EXPECT_FALSE(rows.is_refreshing(1050));
  EXPECT_EQ(rows.open(0, 1020), 30U + 10U) << "the refresh's rest, then an activation";
  EXPECT_EQ(rows.open(0, 1100), 0U);
  EXPECT_EQ(rows.open(0, 2060), 10U) << "closed by the second";
}

TEST(DramRows, WithoutBanksNothingIsAdded) {
  DramRows rows(DramTiming{});
  EXPECT_EQ(rows.open(12345, 6), 0U);
  EXPECT_FALSE(rows.is_refreshing(1U << 20));
}

}  // namespace
}  // namespace tessera
