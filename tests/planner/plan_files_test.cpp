// Tables in and out, and pictures.
#include <gtest/gtest.h>

#include "tessera/error.hpp"
#include "tessera/operator_graph.hpp"
#include "tessera/plan_picture.hpp"

namespace tessera {
namespace {

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string problem_error(const std::string& text) {
  return error_of([&] { read_problem_csv(text, "p.csv"); });
}

std::string graph_error(const std::string& text) {
  return error_of([&] { read_graph_csv(text, "g.csv", 1); });
}

TEST(PlanFiles, WhatIsWrittenIsReadBack) {
  AllocationProblem problem;
  problem.buffers = {{"a", 0, 2, 8}, {"b,1", 1, 3, 9}};
  const std::string text = write_plan_csv(problem, {0, 8});
  EXPECT_EQ(text, "id,lower,upper,size,offset\na,0,2,8,0\n\"b,1\",1,3,9,8\n");
  std::vector<std::uint64_t> offsets;
  const AllocationProblem back = read_problem_csv(text, "p.csv", &offsets);
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 8}));
  EXPECT_EQ(back.buffers[1].id, "b,1");
  EXPECT_EQ(back.buffers[1].upper, 3);
  EXPECT_EQ(back.buffers[1].size, 9U);
}

TEST(PlanFiles, ErrorsSayWhere) {
  EXPECT_EQ(problem_error(""), "p.csv: empty; a header line is expected");
  EXPECT_EQ(problem_error("id,lower,uper,size\n"),
            "p.csv:1: no column `upper` (did you mean `uper`?)");
  EXPECT_EQ(problem_error("id,lower,upper,size\n0,1,2\n"), "p.csv:2: 3 columns, the header has 4");
  EXPECT_EQ(problem_error("id,lower,upper,size\n0,1,2,x\n"),
            "p.csv:2: size is `x`; allowed is a whole number from 0 to 1099511627776");
  EXPECT_EQ(problem_error("id,lower,upper,size\n0,2,2,8\n"),
            "p.csv:2: buffer 0 ends at 2, not after its begin at 2");
  EXPECT_EQ(problem_error("id,lower,upper,size\n0,1,2,8\n\n0,1,2,8\n"),
            "p.csv:4: buffer 0 was there before, at p.csv:2");
  EXPECT_EQ(graph_error("id,op,output_elements,inputs\n0,Input,4,\n1,Conv,4,2\n"),
            "g.csv:3: operator 1 reads `2`, which is in no line before it");
  EXPECT_EQ(graph_error("id,op,output_elements,inputs\n0,Input,4,\n0,Conv,4,0\n"),
            "g.csv:3: operator 0 appears twice");
  EXPECT_EQ(graph_error("id,op,output_elements,inputs\n"), "g.csv: no operators");
}

TEST(PlanFiles, ColumnsAreHonouredOrRefused) {
  const AllocationProblem problem = read_problem_csv(
      "\xEF\xBB\xBFsize,alignment,id,gaps,upper,lower\n8,4,a,,2,0\n9,4,b,,3,1\n", "p.csv");
  EXPECT_EQ(problem.alignment, 4U);
  EXPECT_EQ(problem.buffers[1].size, 9U);
  EXPECT_EQ(problem_error("id,lower,upper,size,alignment\n0,0,2,8,4\n1,0,2,8,8\n"),
            "p.csv:3: alignment is 8, above it is 4; allowed is one for all buffers");
  EXPECT_EQ(
      problem_error("id,lower,upper,size,gaps\n0,0,9,8,3-4\n"),
      "p.csv:2: gaps is `3-4`; allowed is an empty cell: a buffer is alive from lower to upper");
  EXPECT_EQ(problem_error("id,lower,upper,size,ofset\n0,0,9,8,3\n"),
            "p.csv:1: column 5 is `ofset` (did you mean `offset`?); allowed are id, lower, upper, "
            "size, alignment, gaps, offset");
  EXPECT_EQ(problem_error("id,lower,upper,size,offset\n0,0,9,8,0\n"),
            "p.csv:1: column `offset` holds a plan; allowed are problems");
  EXPECT_EQ(problem_error("id,lower,upper,size,size\n0,0,9,8,0\n"),
            "p.csv:1: column `size` is there twice");
}

TEST(PlanFiles, PicturesShowEveryBufferAndWhatIsShared) {
  AllocationProblem problem;
  problem.buffers = {{"a<b", 0, 2, 8}, {"c", 1, 3, 8}};
  problem.overlaps = {{1, 0, 4}};
  Allocation allocation;
  allocation.offsets = {4, 0};
  allocation.height = 12;
  const std::string svg = plan_svg(problem, allocation, {"one", "two", "three"}, "net & co");
  EXPECT_NE(svg.find("a&lt;b: 8 bytes at 4"), std::string::npos);
  EXPECT_NE(svg.find("c and a&lt;b share 4 bytes"), std::string::npos);
  EXPECT_NE(svg.find("net &amp; co"), std::string::npos);
}

}  // namespace
}  // namespace tessera
