// What `cosim validate` finds when the engines do not agree.
#include "app/validate.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

using isa::Counter;

// Two layers of 10 000 and 1 000 cycles, all three engines alike.
Validation agreeing() {
  Validation v;
  v.program.layers.resize(2);
  v.program.layers[0].name = "large";
  v.program.layers[1].name = "small";
  RunResult result;
  result.layers.resize(2);
  counter(result.layers[0].counters, Counter::Cycles) = 10000;
  counter(result.layers[1].counters, Counter::Cycles) = 1000;
  counter(result.layers[0].counters, Counter::ReadWeightBytes) = 500;
  result.layers[0].output = {1, 2, 3};
  counter(result.totals, Counter::Cycles) = 11000;
  counter(result.totals, Counter::ReadWeightBytes) = 500;
  v.rtl = v.tlm = v.model = result;
  return v;
}

TEST(Validation, EnginesThatAgreeAreNotMentioned) {
  EXPECT_TRUE(findings_of(agreeing(), {}).empty());
}

TEST(Validation, CyclesUpToTheToleranceAndNotBeyond) {
  Validation v = agreeing();
  counter(v.tlm.layers[0].counters, Counter::Cycles) = 10200;
  counter(v.model.layers[0].counters, Counter::Cycles) = 9500;
  EXPECT_TRUE(findings_of(v, {}).empty());
  counter(v.tlm.layers[0].counters, Counter::Cycles) = 10201;
  counter(v.model.layers[0].counters, Counter::Cycles) = 9499;
  const auto findings = findings_of(v, {});
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0], "layer `large`: tlm takes 10201 cycles, rtl 10000: +2.01 %, allowed 2 %");
  EXPECT_EQ(findings[1], "layer `large`: model takes 9499 cycles, rtl 10000: -5.01 %, allowed 5 %");
}

TEST(Validation, ShortLayersAreNotJudgedTotalsAre) {
  Validation v = agreeing();
  counter(v.tlm.layers[1].counters, Counter::Cycles) = 1500;
  EXPECT_TRUE(findings_of(v, {}).empty());
  counter(v.tlm.totals, Counter::Cycles) = 11111;
  counter(v.model.totals, Counter::Cycles) = 11221;
  EXPECT_EQ(findings_of(v, {}).size(), 2U);
}

TEST(Validation, EveryByteCountsByKindAndLayer) {
  Validation v = agreeing();
  counter(v.model.layers[0].counters, Counter::ReadWeightBytes) = 499;
  counter(v.model.layers[0].counters, Counter::ReadFeatureBytes) = 1;
  const auto findings = findings_of(v, {});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0], "layer `large`: model moves 500 bytes, rtl 500, by kind not the same");
  v = agreeing();
  v.tlm.layers[0].output[2] = 4;
  EXPECT_EQ(findings_of(v, {}).size(), 1U);
}

}  // namespace
}  // namespace tessera
