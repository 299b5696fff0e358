// Random cases: some that are the same in every run, and some of a seed that each landing has anew.
//
//   TESSERA_SEED   seed of the latter; scripts/test.sh takes it from the commit and prints it.
//   Without it there are none. TESSERA_CASES  how many times as many cases of both kinds (default
//   1); the parts of scripts/verify.sh ask for more.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/numbered_case.hpp"

namespace tessera::test {

/// A number from the environment, `otherwise` without it.
inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

/// The run's own seed; 0 when it has none.
inline std::uint64_t seed_of_run() {
  return number_from("TESSERA_SEED", 0);
}

/// `usual` cases, as many times as were asked for.
inline int cases(int usual) {
  return usual * static_cast<int>(number_from("TESSERA_CASES", 1));
}

/// "" or what is wrong: RapidCheck's message of the first case of `seed` that fails, made smaller.
template <class Body>
std::string problem_of(std::uint64_t seed, int count, const Body& body) {
  rc::detail::TestParams params;
  params.seed = seed;
  params.maxSuccess = count;
  params.maxDiscardRatio = 40;
  return problem_in(params, body);
}

/// Expects of `body`, which draws with RapidCheck, that it holds: in `same` cases that every run
/// has, and in half as many, at least one, of the run's own seed.
template <class Body>
void expect_always(int same, const Body& body) {
  constexpr std::uint64_t kSeed = 20;
  EXPECT_EQ(problem_of(kSeed, cases(same), body), "");
  if (const std::uint64_t seed = seed_of_run(); seed != 0) {
    EXPECT_EQ(problem_of(seed, cases((same + 1) / 2), body), "") << "with TESSERA_SEED=" << seed;
  }
}

}  // namespace tessera::test
