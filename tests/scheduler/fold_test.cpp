// Which convolutions the load unit folds taps of.
#include "scheduler/lower/fold.hpp"

#include <gtest/gtest.h>

#include "tessera/config.hpp"

namespace tessera {
namespace {

// One channel, so that three taps of a row fit into an atom.
ConvShape padded(std::int32_t left, std::int32_t right) {
  ConvShape shape;
  shape.in_h = shape.in_w = 40;
  shape.in_c = 1;
  shape.out_c = 9;
  shape.kernel_h = shape.kernel_w = 3;
  shape.pad_left = left;
  shape.out_h = 38;
  shape.out_w = left + 40 + right - 2;
  return shape;
}

TEST(Fold, NeedsWindowsThatTouchThePicture) {
  const Hardware hw = hardware_preset("small");
  EXPECT_TRUE(fold_taps(padded(0, 0), hw));
  EXPECT_TRUE(fold_taps(padded(2, 2), hw));
  EXPECT_FALSE(fold_taps(padded(3, 0), hw)) << "the first window is left of it";
  EXPECT_FALSE(fold_taps(padded(0, 3), hw)) << "the last window is right of it";
}

}  // namespace
}  // namespace tessera
