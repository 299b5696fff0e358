// Text files as they arrive after an accident, or from somebody who means harm.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tessera/error.hpp"
#include "tessera/rng.hpp"

namespace tessera::test {

/// Reads `rounds` damaged copies of `whole`: cut short, or with strange bytes in places. Each must
/// be read or be refused with an InputError.
template <class Read>
void damage(const std::string& whole, int rounds, const Read& read) {
  const std::string strange = std::string("{}[]:,-&*!|>'\"%@`# \t\n") + '\0' + "\xff" + "09e.";
  SplitMix64 rng(7);
  int refused = 0;
  for (int i = 0; i < rounds; ++i) {
    std::string damaged = whole;
    if (rng.below(4) == 0) {
      damaged.resize(rng.below(damaged.size()));
    }
    for (std::uint64_t n = rng.below(4); n > 0 && !damaged.empty(); --n) {
      damaged[rng.below(damaged.size())] = strange[rng.below(strange.size())];
    }
    try {
      read(damaged);
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, rounds / 4);
}

}  // namespace tessera::test
