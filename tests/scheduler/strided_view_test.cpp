// What can be said of a tensor that lies in another one.
#include "scheduler/lower/strided_view.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

// Blocks of 8 bytes, 20 apart.
constexpr StridedView kPlace{0, 100, 8, 20};

TEST(StridedView, HoldsStepsInsideABlockAndFromBlockToBlock) {
  EXPECT_TRUE(kPlace.holds({0, 16, 8, 1}, 4, 2, 8)) << "a pixel is a block";
  EXPECT_TRUE(kPlace.holds({0, 8, 4, 1}, 4, 2, 4)) << "a row is a block";
  EXPECT_FALSE(kPlace.holds({0, 12, 4, 1}, 4, 3, 4)) << "the third pixel is in the next block";
  EXPECT_FALSE(kPlace.holds({4, 8, 4, 1}, 4, 2, 4)) << "the second pixel is";
  EXPECT_FALSE(kPlace.holds({0, 16, 8, 1}, 4, 2, 9)) << "the last channel is";
}

TEST(StridedView, HoldsBlocksThatAreInsideItsOwn) {
  EXPECT_TRUE(kPlace.holds({1, 0, 8, 8}));
  EXPECT_TRUE(kPlace.holds({1, 4, 4, 16}));
  EXPECT_FALSE(kPlace.holds({1, 5, 4, 16}));
  EXPECT_FALSE(kPlace.holds({1, 0, 4, 12}));
}

TEST(StridedView, StepsFromBlockToBlockAreThePitch) {
  const View view = kPlace.within({9, 16, 8, 1});
  EXPECT_EQ(view.offset, 100U + 20 + 1);
  EXPECT_EQ(view.row_stride, 40U);
  EXPECT_EQ(view.pixel_stride, 20U);
  EXPECT_EQ(view.channel_stride, 1U);
}

}  // namespace
}  // namespace tessera
