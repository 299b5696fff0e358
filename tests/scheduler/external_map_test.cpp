// The checker's map of external memory, in pages, against one with a record for every byte.
#include "scheduler/check/external_map.hpp"

#include <gtest/gtest.h>

#include "tests/draws.hpp"
#include "tests/rtl/random_case.hpp"

namespace tessera::checker {
namespace {

using Problem = ExternalMap::Problem;
using test::pick;

constexpr std::uint32_t kNothing = 0xFFFFFFFF;
constexpr std::uint64_t kBegin = 96, kBytes = 3 * 4096 + 777;  // pages, and a part of one

struct Byte {
  std::uint32_t store = kNothing, load = 0;
};

TEST(ExternalMap, SaysWhoMayStillBeAtIt) {
  ExternalMap map(kBegin + kBytes, kBegin, kBegin + kBytes);
  map.set_valid(kBegin, kBegin + 100);
  map.begin_run();
  EXPECT_EQ(map.load(kBegin, kBegin + 100, 1, 0), Problem::None);
  EXPECT_EQ(map.load(kBegin, kBegin + 101, 2, 0), Problem::HoldsNothing);
  EXPECT_EQ(map.store(kBegin + 50, kBegin + 60, 1, 1), Problem::Reading) << "load 2 may still read";
  EXPECT_EQ(map.load(kBegin + 59, kBegin + 61, 3, 0), Problem::Writing);
  EXPECT_EQ(map.load(kBegin + 59, kBegin + 61, 3, 1), Problem::None);
  map.end_run();
  map.begin_run();
  EXPECT_EQ(map.load(kBegin, kBegin + 100, 1, 0), Problem::None) << "what was there stays";
}

TEST(ExternalMap, PagesAreAsGoodAsBytes) {
  test::expect_always(100, [] {
    ExternalMap map(kBegin + kBytes, kBegin, kBegin + kBytes);
    std::vector<Byte> bytes(kBytes);
    map.begin_run();
    for (std::uint32_t number = 1; number < 60; ++number) {
      const int grain = 1 << pick(0, 12);
      const auto size = static_cast<std::uint64_t>(grain);
      const auto first =
          static_cast<std::uint64_t>(pick(0, static_cast<int>(kBytes) / grain)) * size;
      const std::uint64_t end =
          std::min<std::uint64_t>(kBytes, first + static_cast<std::uint64_t>(pick(1, 3)) * size);
      if (first >= end) {
        continue;
      }
      const auto known = static_cast<std::uint32_t>(pick(0, static_cast<int>(number)));
      const bool loads = pick(0, 1) == 0;
      Problem expected = Problem::None;
      for (std::uint64_t b = first; b < end; ++b) {
        if (loads) {
          if (bytes[b].store > known) {
            expected = bytes[b].store == kNothing ? Problem::HoldsNothing : Problem::Writing;
          }
          bytes[b].load = number;
        } else {
          expected = bytes[b].load > known ? Problem::Reading : expected;
          bytes[b] = {number, 0};
        }
      }
      const Problem found = loads ? map.load(kBegin + first, kBegin + end, number, known)
                                  : map.store(kBegin + first, kBegin + end, number, known);
      RC_ASSERT(found == expected);
    }
  });
}

}  // namespace
}  // namespace tessera::checker
