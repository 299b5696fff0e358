// Tables on narrow terminals.
#include "console/text_table.hpp"

#include <gtest/gtest.h>

#include "report/layer_figures.hpp"

namespace tessera {
namespace {

const std::vector<Row> kRows = {{"layer", "mode", "cycles", "bytes"},
                                {"a_long_layer_name", "direct", "1 000", "20"},
                                {"b", "wait", "7", ""}};

TableStyle style_of(std::size_t width) {
  TableStyle style;
  style.names = 2;
  style.width = width;
  style.least_first = {3, 1};
  return style;
}

TEST(TextTable, WideEnoughIsAsAligned) {
  EXPECT_EQ(styled(kRows, style_of(0)), aligned(kRows, 2));
  EXPECT_EQ(styled(kRows, style_of(100)), aligned(kRows, 2));
  EXPECT_EQ(aligned(kRows, 2),
            "layer              mode    cycles  bytes\n"
            "a_long_layer_name  direct   1 000     20\n"
            "b                  wait         7\n");
}

TEST(TextTable, ColumnsGoByTheirWeightThenTheNameIsCut) {
  EXPECT_EQ(styled(kRows, style_of(33)),
            "layer              mode    cycles\n"
            "a_long_layer_name  direct   1 000\n"
            "b                  wait         7\n");
  EXPECT_EQ(styled(kRows, style_of(25)),
            "layer              cycles\n"
            "a_long_layer_name   1 000\n"
            "b                       7\n");
  EXPECT_EQ(styled(kRows, style_of(20)),
            "layer         cycles\n"
            "a_long_laye\u2026   1 000\n"
            "b                  7\n");
}

TEST(TextTable, ColourTakesNoRoom) {
  TableStyle style = style_of(0);
  style.paint = [](std::size_t column, const std::string& cell, const std::string& padded) {
    return column == 2 && cell == "7" ? "<" + padded + ">" : padded;
  };
  EXPECT_NE(styled(kRows, style).find("wait    <     7>"), std::string::npos)
      << styled(kRows, style);
}

TEST(Bottleneck, IsWhereMostCyclesWent) {
  Counters counters{};
  EXPECT_EQ(bottleneck_of(counters), "");
  counter(counters, isa::Counter::ComputeOther) = 5;
  EXPECT_EQ(bottleneck_of(counters), "start-up");
  counter(counters, isa::Counter::WaitStore) = 6;
  EXPECT_EQ(bottleneck_of(counters), "write");
  counter(counters, isa::Counter::WaitLoad) = 7;
  EXPECT_EQ(bottleneck_of(counters), "read");
  counter(counters, isa::Counter::StallWeights) = 4;
  counter(counters, isa::Counter::StallBank) = 4;
  EXPECT_EQ(bottleneck_of(counters), "weights");
  counter(counters, isa::Counter::ArrayBusy) = 9;
  EXPECT_EQ(bottleneck_of(counters), "array");
}

}  // namespace
}  // namespace tessera
