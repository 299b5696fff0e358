// The C kernels of the host's operators give the reference kernels' bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <variant>

#include "network/host_kinds.hpp"
#include "tests/app/cli.hpp"
#include "tests/draws.hpp"
#include "tests/rom/runtime/compiled.hpp"
#include "tests/rom/runtime/operator_file.hpp"

namespace tessera {
namespace {

using test::DrawnOperator;
using test::expected_of;
using test::OperatorKind;

using Function = int (*)(const std::uint8_t* const*, std::uint8_t*);

struct Case {
  std::string name;
  DrawnOperator drawn;
};

// At odd addresses, between bytes that must stay.
Bytes computed_by(Function function, const DrawnOperator& drawn, std::size_t size) {
  constexpr std::uint8_t kGuard = 0xa5;
  std::vector<Bytes> inputs;
  inputs.reserve(drawn.inputs.size());
  std::vector<const std::uint8_t*> data;
  data.reserve(drawn.inputs.size());
  for (const Bytes& input : drawn.inputs) {
    inputs.emplace_back(1, kGuard);
    inputs.back().insert(inputs.back().end(), input.begin(), input.end());
  }
  for (const Bytes& input : inputs) {
    data.push_back(input.data() + 1);
  }
  Bytes output(size + 2, kGuard);
  EXPECT_EQ(function(data.data(), output.data() + 1), 0);
  EXPECT_EQ(output.front(), kGuard);
  EXPECT_EQ(output.back(), kGuard);
  return {output.begin() + 1, output.end() - 1};
}

// Where an input may be overwritten: the output is written there.
Bytes computed_in_place(Function function, const DrawnOperator& drawn, std::size_t input,
                        std::size_t size) {
  std::vector<const std::uint8_t*> data;
  data.reserve(drawn.inputs.size());
  Bytes both = drawn.inputs[input];
  both.resize(std::max(both.size(), size));
  for (std::size_t i = 0; i < drawn.inputs.size(); ++i) {
    data.push_back(i == input ? both.data() : drawn.inputs[i].data());
  }
  EXPECT_EQ(function(data.data(), both.data()), 0);
  both.resize(size);
  return both;
}

class HostRuntimeOperators : public test::Cli {
 protected:
  void expect_reference_bytes(const std::vector<Case>& cases) {
    test::OperatorFile file;
    for (const Case& one : cases) {
      ASSERT_EQ(file.add(one.drawn), "") << one.name;
    }
    test::write_text(path("cases.c"), file.text());
    const test::Compiled compiled(path("cases"));
    ASSERT_TRUE(compiled.loaded());
    std::size_t in_place = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Bytes expected = expected_of(cases[i].drawn);
      const auto function = compiled.at<Function>(fmt::format("case{}", i));
      ASSERT_NE(function, nullptr);
      const DrawnOperator& one = cases[i].drawn;
      EXPECT_EQ(computed_by(function, one, expected.size()), expected) << cases[i].name;
      for (std::size_t input = 0; input < one.inputs.size(); ++input) {
        if (!one.inputs[input].empty() &&
            runtime::works_in_place(one.network, one.network.operators[0], input)) {
          EXPECT_EQ(computed_in_place(function, one, input, expected.size()), expected)
              << cases[i].name << " in input " << input;
          ++in_place;
        }
      }
    }
    EXPECT_GT(in_place, cases.size() / 5);
  }

  static std::vector<Case> drawn(std::uint64_t seed, int count) {
    std::vector<Case> cases;
    for (const OperatorKind& kind : test::operator_kinds()) {
      for (int i = 0; i < count; ++i) {
        const std::uint64_t number = seed + static_cast<std::uint64_t>(i);
        cases.push_back(
            {fmt::format("{}, case {}", kind.name, number), test::draw_operator(kind, number)});
      }
    }
    return cases;
  }
};

TEST_F(HostRuntimeOperators, GiveTheReferenceKernelsBytes) {
  std::vector<Case> cases = drawn(1, test::cases(24));
  if (const std::uint64_t seed = test::seed_of_run(); seed != 0) {
    const std::vector<Case> others = drawn(1000 * seed, test::cases(12));
    cases.insert(cases.end(), others.begin(), others.end());
  }
  expect_reference_bytes(cases);
}

// The draws above are of every alternative and every kind: none is left out here.
TEST_F(HostRuntimeOperators, ArePresentForEveryKind) {
  std::set<std::size_t> alternatives;
  std::set<HostKind> hosts;
  for (const OperatorKind& kind : test::operator_kinds()) {
    alternatives.insert(kind.attributes.index());
    if (const auto* host = std::get_if<HostOperator>(&kind.attributes)) {
      hosts.insert(host->kind);
    }
    test::OperatorFile file;
    EXPECT_EQ(file.add(test::draw_operator(kind, 1)), "") << kind.name;
  }
  EXPECT_EQ(alternatives.size(), std::variant_size_v<Attributes>);
  EXPECT_EQ(hosts.size(), host_rules().size());
}

// What data names and is not there is told, and a tensor beyond 2^31 bytes has no C.
TEST_F(HostRuntimeOperators, SayWhatTheyCannotDo) {
  test::Dice dice(3);
  test::OperatorDraft draft(dice, HostOperator{HostKind::Gather, {0, 0}, {}});
  draft.input({4, 2}, DataType::Int8);
  draft.input({2}, DataType::Int32);
  draft.output({2, 2}, DataType::Int8, {});
  draft.give(1, {3, 0, 0, 0, 4, 0, 0, 0});
  const DrawnOperator gather = draft.finish();
  test::OperatorFile file;
  EXPECT_EQ(file.add(gather), "");
  test::write_text(path("gather.c"), file.text());
  const test::Compiled compiled(path("gather"));
  ASSERT_TRUE(compiled.loaded());
  const std::uint8_t* const data[] = {gather.inputs[0].data(), gather.inputs[1].data()};
  std::uint8_t output[4];
  EXPECT_EQ(compiled.at<Function>("case0")(data, output), 1);

  DrawnOperator large = gather;
  large.network.tensors[0].shape = {1 << 20, 1 << 12};
  EXPECT_EQ(file.add(large), "tensor `in1` has more than 2^31 bytes");
}

}  // namespace
}  // namespace tessera
