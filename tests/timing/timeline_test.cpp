// The timeline against the counters: nothing is lost, nothing overlaps.
#include "timing/machine/timeline.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include "tessera/config.hpp"
#include "tessera/isa.hpp"
#include "timing/machine/cost_model.hpp"

namespace tessera::timing {
namespace {

struct Case {
  const char* name;
  const char* network;
  const char* hardware;
  const char* policy;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

// Found and recorded once for all tests of a case: with policy `best` that takes most of the time.
struct Recorded {
  explicit Recorded(const Case& c)
      : config(parse_config(
            fmt::format("{{hardware: {}, network: {}, policy: {}, memory: {{latency: 64}}}}",
                        c.hardware, c.network, c.policy),
            TESSERA_SOURCE_DIR "/configs/test.yaml", {})),
        program(
            compile(load_configured(config), config.hardware, config.policy, Contents::Commands)),
        timeline(record(program, config.memory)) {}
  Config config;
  Program program;
  Timeline timeline;
};

const Recorded& recorded(const Case& c) {
  static std::map<std::string, Recorded> all;
  return all.try_emplace(c.name, c).first->second;
}

class Timelines : public testing::TestWithParam<Case> {
 protected:
  const Config& config_ = recorded(GetParam()).config;
  const Program& program_ = recorded(GetParam()).program;
  const Timeline& timeline_ = recorded(GetParam()).timeline;
};

TEST_P(Timelines, CountersAreThoseOfTheEstimate) {
  const RunResult estimated = estimate(program_, config_.memory);
  EXPECT_EQ(timeline_.result.totals, estimated.totals);
  for (std::size_t i = 0; i < estimated.layers.size(); ++i) {
    EXPECT_EQ(timeline_.result.layers[i].counters, estimated.layers[i].counters)
        << program_.layers[i].name;
  }
}

TEST_P(Timelines, EveryCommandIsASliceOfItsLane) {
  std::array<std::size_t, 3> commands{};
  for (const Step& step : program_.steps) {
    if (const auto* run = std::get_if<CommandRun>(&step); run != nullptr) {
      for (const std::uint64_t word :
           isa::words_of(program_.commands_of(*run), run->stream.bytes)) {
        const isa::Command command = *isa::decode(word).command;
        commands[0] += std::holds_alternative<isa::Load>(command) ? 1 : 0;
        commands[1] += std::holds_alternative<isa::Conv>(command) ||
                               std::holds_alternative<isa::Depthwise>(command)
                           ? 1
                           : 0;
        commands[2] += std::holds_alternative<isa::Store>(command) ? 1 : 0;
      }
    }
  }
  std::array<std::size_t, 3> slices{};
  std::array<Cycle, 3> free{};
  std::map<std::pair<unsigned, std::size_t>, std::size_t> numbers;
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  for (const Slice& slice : timeline_.slices) {
    ++slices[slice.unit];
    EXPECT_GE(slice.begin, free[slice.unit]) << "two commands of a unit at once";
    EXPECT_GE(slice.end, slice.begin);
    EXPECT_LE(slice.end, timeline_.end);
    free[slice.unit] = slice.end;
    EXPECT_LE(slice.writes.first + slice.writes.count, config_.hardware.cbuf_banks);
    EXPECT_EQ(slice.number, ++(numbers[{slice.unit, slice.layer}]));
    read += slice.unit == 0 ? slice.bytes : 0;
    written += slice.unit == 2 ? slice.bytes : 0;
  }
  EXPECT_EQ(slices, commands);
  const Counters& totals = timeline_.result.totals;
  EXPECT_EQ(read + counter(totals, isa::Counter::ReadCommandBytes), read_bytes(totals));
  EXPECT_EQ(written, counter(totals, isa::Counter::WriteBytes));
}

TEST_P(Timelines, TheBusHasEveryBeat) {
  std::array<std::uint64_t, 2> beats{};
  std::array<Cycle, 2> free{};
  for (const BusSlice& slice : timeline_.bus) {
    EXPECT_GE(slice.begin, free[slice.write ? 1 : 0]);
    EXPECT_GE(slice.end - slice.begin, slice.beats);
    free[slice.write ? 1 : 0] = slice.end;
    beats[slice.write ? 1 : 0] += slice.beats;
  }
  EXPECT_EQ(beats[0], counter(timeline_.result.totals, isa::Counter::ReadBeats));
  EXPECT_EQ(beats[1], counter(timeline_.result.totals, isa::Counter::WriteBeats));
}

// A layer's commands lie in the time that its marks give it, but for what is loaded ahead.
TEST_P(Timelines, LayersComputeInOrder) {
  Cycle last = 0;
  std::map<std::size_t, Cycle> begins;
  for (const Slice& slice : timeline_.slices) {
    if (slice.unit == 1) {
      begins.emplace(slice.layer, slice.begin);
    }
  }
  if (std::string(GetParam().policy) == "first-fit") {
    for (const auto& [layer, begin] : begins) {
      EXPECT_GE(begin, last) << program_.layers[layer].name;
      last = begin;
    }
  }
  EXPECT_GE(begins.size(), 3U);
}

INSTANTIATE_TEST_SUITE_P(All, Timelines,
                         testing::Values(Case{"lenet", "lenet5", "small", "first-fit"},
                                         Case{"lenet_best", "lenet5", "small", "best"},
                                         Case{"tiny", "lenet5", "tiny", "first-fit"},
                                         Case{"mobilenet", "mobilenet_v2", "medium", "best"}),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace tessera::timing
