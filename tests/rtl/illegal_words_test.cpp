// The hardware refuses exactly the words that the decoder refuses.
#include <gtest/gtest.h>

#include "tests/isa/words.hpp"
#include "tests/rtl/test_bench.hpp"

namespace tessera {
namespace {

void compare(test::TestBench& bench, const std::vector<std::uint64_t>& words) {
  const std::uint64_t end = isa::encode(isa::End{});
  for (const std::uint64_t word : words) {
    std::uint32_t info = 99;
    const isa::Error cause = bench.failure({isa::encode(isa::LdStride{}), word, end, end}, &info);
    const bool legal = isa::decode(word).command.has_value();
    ASSERT_EQ(cause == isa::Error::IllegalCommand, !legal) << std::hex << word << " " << bench.text;
    if (!legal) {
      ASSERT_EQ(info, 8U);
    }
  }
}

TEST(IllegalWords, HardwareAgreesWithTheDecoderAtEveryBorder) {
  test::TestBench bench("tiny");
  compare(bench, isa::test::boundary_words());
}

TEST(IllegalWords, HardwareAgreesWithTheDecoderOnRandomWords) {
  test::TestBench bench("tiny");
  compare(bench, isa::test::random_words(3000, 5));
}

}  // namespace
}  // namespace tessera
