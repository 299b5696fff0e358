// The twelve convolutions of the MEC benchmark in their inputs' memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tessera/import.hpp"
#include "tessera/in_place.hpp"
#include "tessera/reference.hpp"
#include "tessera/rng.hpp"

namespace tessera {
namespace {

struct Benchmark {
  const char* name;
  int in, channels, kernel, outputs, stride;
};

constexpr Benchmark kConvolutions[] = {
    {"cv1", 227, 3, 11, 96, 4},   {"cv2", 231, 3, 11, 96, 4},   {"cv3", 227, 3, 7, 64, 2},
    {"cv4", 224, 64, 7, 64, 2},   {"cv5", 24, 96, 5, 256, 1},   {"cv6", 12, 256, 3, 512, 1},
    {"cv7", 224, 3, 3, 64, 1},    {"cv8", 112, 64, 3, 128, 1},  {"cv9", 56, 64, 3, 64, 1},
    {"cv10", 28, 128, 3, 128, 1}, {"cv11", 14, 256, 3, 256, 1}, {"cv12", 7, 512, 3, 512, 1}};

// Average of how much lower one is than the other.
struct Average {
  double sum = 0;
  int count = 0;
  void add(std::uint64_t less, std::uint64_t more) {
    sum += 1.0 - static_cast<double>(less) / static_cast<double>(more);
    ++count;
  }
  [[nodiscard]] double percent() const { return 100.0 * sum / count; }
};

TEST(MecBenchmark, InPlaceNeedsNoMoreThanTheFormulasAndIsBitExact) {
  Average im2col, mec, direct;
  fmt::print("{:<5} {:>9} {:>10} {:>9} {:>9} {:>9} {:>7}\n", "", "direct", "im2col", "MEC",
             "formula", "safe", "order");
  for (const Benchmark& b : kConvolutions) {
    SCOPED_TRACE(b.name);
    const Network network = import_yaml(
        fmt::format("layers:\n  - conv2d: {{in: [{0}, {0}, {1}], kernel: {2}, out_channels: {3}, "
                    "stride: {4}}}\n",
                    b.in, b.channels, b.kernel, b.outputs, b.stride),
        "mec.yaml", 1);
    const Operator& op = network.operators[0];
    const WindowShape shape = window_shape(network, op);
    const PublishedWords published = published_words(shape);
    const InPlaceWords safe = least_in_place_words(shape);
    EXPECT_LE(safe.extra, published.in_place);
    constexpr const char* kOrders[] = {"rows", "pixels", "words"};
    fmt::print("{:<5} {:>9} {:>10} {:>9} {:>9} {:>9} {:>7}\n", b.name, published.direct,
               published.im2col, published.mec, published.in_place, safe.extra,
               kOrders[static_cast<int>(safe.order)]);
    im2col.add(published.in_place, published.im2col);
    mec.add(published.in_place, published.mec);
    direct.add(published.in_place, published.direct);

    SplitMix64 rng(1);
    std::vector<std::uint8_t> input(shape.input_words());
    for (std::uint8_t& byte : input) {
      byte = static_cast<std::uint8_t>(rng.int8());
    }
    std::vector<const std::uint8_t*> inputs = {input.data()};
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      inputs.push_back(network.tensors[static_cast<std::size_t>(op.inputs[i])].constant.data());
    }
    std::vector<std::uint8_t> expected(shape.output_words());
    run_operator(network, op, inputs, expected.data());
    EXPECT_TRUE(run_in_place(network, op, inputs, safe) == expected);
  }
  fmt::print("formula below im2col {:.2f} %, MEC {:.2f} %, direct {:.2f} % on average\n",
             im2col.percent(), mec.percent(), direct.percent());
}

}  // namespace
}  // namespace tessera
