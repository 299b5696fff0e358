// Worker processes: failures and deaths are results.
#include "sweep/pool.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <stdexcept>

namespace tessera::sweep {
namespace {

struct Outcome {
  std::map<std::size_t, std::string> done;
  std::map<std::size_t, std::string> failed;
  bool complete = false;
};

Outcome run(std::size_t items, std::size_t jobs,
            const std::function<std::string(std::size_t)>& body, std::size_t stop_after = 1000000) {
  Outcome outcome;
  std::vector<std::size_t> numbers(items);
  for (std::size_t i = 0; i < items; ++i) {
    numbers[i] = i;
  }
  Work work;
  work.run = body;
  work.done = [&](std::size_t item, const std::string& text) { outcome.done[item] = text; };
  work.failed = [&](std::size_t item, const std::string& why) { outcome.failed[item] = why; };
  work.goes_on = [&] { return outcome.done.size() < stop_after; };
  outcome.complete = run_all(numbers, jobs, work);
  return outcome;
}

TEST(Pool, EveryItemIsDoneOnceWhateverTheJobs) {
  for (const std::size_t jobs : {1U, 2U, 5U, 100U}) {
    const Outcome outcome =
        run(37, jobs, [](std::size_t item) { return std::string(item * 1000, 'x'); });
    EXPECT_TRUE(outcome.complete);
    ASSERT_EQ(outcome.done.size(), 37U);
    EXPECT_EQ(outcome.done.at(36).size(), 36000U);
    EXPECT_TRUE(outcome.failed.empty());
  }
  EXPECT_TRUE(run(0, 2, [](std::size_t) { return std::string(); }).complete);
}

TEST(Pool, WhatIsThrownIsAFailure) {
  const Outcome outcome = run(6, 2, [](std::size_t item) -> std::string {
    if (item % 3 == 1) {
      throw std::runtime_error("item " + std::to_string(item));
    }
    return "good";
  });
  EXPECT_EQ(outcome.done.size(), 4U);
  ASSERT_EQ(outcome.failed.size(), 2U);
  EXPECT_EQ(outcome.failed.at(4), "item 4");
}

TEST(Pool, ADeathTakesOnlyItsItemAlong) {
  const Outcome outcome = run(20, 3, [](std::size_t item) {
    if (item == 3 || item == 11) {
      ::raise(SIGKILL);
    }
    if (item == 7) {
      ::_exit(9);
    }
    return std::to_string(item);
  });
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(outcome.done.size(), 17U);
  EXPECT_EQ(outcome.failed.at(3), "the process that ran it was ended by signal 9 (Killed)");
  EXPECT_EQ(outcome.failed.at(7), "the process that ran it ended with code 9");
}

TEST(Pool, StopsWhenTold) {
  const Outcome outcome = run(
      1000, 2, [](std::size_t) { return std::string(); }, 5);
  EXPECT_FALSE(outcome.complete);
  EXPECT_GE(outcome.done.size(), 5U);
  EXPECT_LT(outcome.done.size(), 1000U);
}

}  // namespace
}  // namespace tessera::sweep
