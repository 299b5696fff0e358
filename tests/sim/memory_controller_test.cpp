// The external memory's turns: between masters, between reads and writes, and beats moved at once.
#include "timing/memory/memory_controller.hpp"

#include <gtest/gtest.h>

#include "tessera/rng.hpp"

namespace tessera::timing {
namespace {

ExternalMemory memory_of(double bytes_per_cycle, std::uint32_t latency) {
  ExternalMemory memory;
  memory.bytes_per_cycle = bytes_per_cycle;
  memory.latency = latency;
  return memory;
}

Burst burst_of(std::uint32_t beats, std::uint64_t address = 0) {
  Burst burst;
  burst.address = address;
  burst.beats = beats;
  burst.bytes = beats * 8;
  burst.id = 1;
  return burst;
}

TEST(MemoryController, FirstDataComesAfterTheLatencyThenABeatPerCycle) {
  MemoryController memory(memory_of(8, 20), 8);
  memory.read(0, burst_of(4), 100);
  Moves moves;
  for (Cycle now = 101; now < 130; ++now) {
    memory.step(0, now, true, {}, moves);
    EXPECT_EQ(moves.read_valid, now >= 120 && now < 124) << now;
    EXPECT_EQ(moves.read_valid && moves.read_last, now == 123) << now;
  }
}

TEST(MemoryController, AReaderThatIsNotReadyKeepsItsBeat) {
  MemoryController memory(memory_of(8, 1), 8);
  memory.read(0, burst_of(2), 0);
  Moves moves;
  for (Cycle now = 1; now < 5; ++now) {
    memory.step(0, now, false, {}, moves);
    EXPECT_TRUE(moves.read_valid);
    EXPECT_EQ(moves.read_index, 0U);
  }
  memory.step(0, 5, true, {}, moves);
  memory.step(0, 6, true, {}, moves);
  EXPECT_EQ(moves.read_index, 1U);
}

TEST(MemoryController, ARomTakesOneBurstAtATimeAndActivationsAreElsewhere) {
  ExternalMemory timing = memory_of(8, 1);
  timing.rom = {41, 17};
  MemoryController memory(timing, 8);
  memory.set_activations(8000, 64);
  memory.read(0, burst_of(3, 0), 100);
  Burst second = burst_of(2, 8064);
  second.id = 0;
  memory.read(0, second, 100);
  memory.read(0, burst_of(1, 8056), 100);
  std::vector<Cycle> taken;
  Moves moves;
  for (Cycle now = 101; now < 400; now = std::max(now + 1, memory.next(0, now + 1, false))) {
    // A beat that waits for its reader holds up the next one.
    memory.step(0, now, now != 158, {}, moves);
    if (moves.read_valid && now != 158) {
      taken.push_back(now);
    }
    EXPECT_EQ(memory.run(0, now, 8), 0U);
    if (memory.next(0, now + 1, false) == kNever) {
      break;
    }
  }
  // The fronts of both IDs are in the ROM; the one that waits begins as the other one ends.
  EXPECT_EQ(taken, (std::vector<Cycle>{141, 159, 176, 177, 218, 235}));
}

TEST(MemoryController, TwoMastersShareTheBytesEvenly) {
  MemoryController memory(memory_of(8, 0), 8, 2);
  for (std::uint32_t i = 0; i < 16; ++i) {
    memory.read(0, burst_of(64), 0);
    memory.offer(1, false, burst_of(64), 0);
  }
  Moves moves;
  std::uint32_t beats = 0;
  for (Cycle now = 0; now < 400; ++now) {
    memory.step(0, now, true, {}, moves);
    beats += moves.read_valid ? 1 : 0;
  }
  EXPECT_NEAR(beats, 200, 8);
}

TEST(MemoryController, CyclesLeftOutBelongToTheOtherMasters) {
  const auto first_after = [](bool skip) {
    MemoryController memory(memory_of(8, 0), 8, 2);
    memory.offer(1, false, burst_of(100), 3);
    Moves moves;
    memory.step(0, 0, true, {}, moves);
    for (Cycle now = 1; !skip && now < 60; ++now) {
      memory.step(0, now, true, {}, moves);
    }
    memory.read(0, burst_of(30), 60);
    std::vector<Cycle> cycles;
    for (Cycle now = 61; now < 160; ++now) {
      memory.step(0, now, true, {}, moves);
      if (moves.read_valid) {
        cycles.push_back(now);
      }
    }
    return cycles;
  };
  EXPECT_EQ(first_after(true), first_after(false));
  EXPECT_EQ(first_after(true).size(), 30U);
}

// What leaves bytes as they are keeps the memory busy in both directions.
TEST(MemoryController, ABeatWrittenInPartIsReadFirst) {
  ExternalMemory timing = memory_of(8, 1);
  timing.partial_beat = 5;
  MemoryController memory(timing, 8);
  const auto cycles_of = [&](std::uint64_t strobe, Cycle from) {
    memory.write(0, burst_of(2), from);
    memory.read(0, burst_of(1), from);
    Moves moves;
    Cycle last = 0;
    for (Cycle now = from + 1; now < from + 40; ++now) {
      memory.step(0, now, true, {true, nullptr, strobe}, moves);
      last = moves.write_taken || moves.read_valid ? now : last;
    }
    return last - from;
  };
  const Cycle whole = cycles_of(0xff, 0);
  EXPECT_EQ(cycles_of(0x7f, 100), whole + 5);
  EXPECT_EQ(cycles_of(0xff, 200), whole);
}

// Beats as they come in single steps, against runs and leaps over as many cycles as they allow.
TEST(MemoryController, RunsMoveWhatStepsWouldHaveMoved) {
  for (const double rate : {8.0, 12.8, 38.4}) {
    ExternalMemory timing = memory_of(rate, 30);
    timing.turnaround = 4;
    timing.dram = {4, 4096, 9, 7, 500, 60};
    MemoryController steps(timing, 8);
    MemoryController runs(timing, 8);
    SplitMix64 rng(7);
    std::uint64_t moved[2] = {0, 0};
    Moves moves;
    Cycle ahead = 0;
    for (Cycle now = 0; now < 5000; ++now) {
      steps.step(0, now, true, {}, moves);
      moved[0] += moves.read_valid ? 1 : 0;
      if (now >= ahead) {
        const std::uint32_t run = runs.run(0, now, 1 + static_cast<std::uint32_t>(rng.below(40)));
        moved[1] += run;
        ahead = now + run;
        if (run == 0) {
          runs.step(0, now, true, {}, moves);
          moved[1] += moves.read_valid ? 1 : 0;
          ahead = now + 1;
        }
      }
      if (now + 1 == ahead) {
        ASSERT_EQ(moved[0], moved[1]) << rate << " at " << now;
      }
      if (now % 70 == 0 && ahead <= now + 1) {
        const Burst burst =
            burst_of(20 + static_cast<std::uint32_t>(rng.below(60)), rng.below(64) * 2048);
        steps.read(0, burst, now);
        runs.read(0, burst, now);
      }
    }
    EXPECT_GT(moved[0], 1000U);
  }
}

}  // namespace
}  // namespace tessera::timing
