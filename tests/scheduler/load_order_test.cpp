// Weights that go ahead of loads which have to wait.
#include "scheduler/stream/load_order.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

Action load(isa::LoadKind kind, Resource target, std::uint64_t begin, std::uint64_t bytes) {
  LoadAction body;
  body.kind = kind;
  body.source.segment_bytes = bytes;
  Action action;
  action.unit = isa::Unit::Load;
  action.accesses = {{Resource::External, false, 0, bytes}, {target, true, begin, begin + bytes}};
  action.body = body;
  return action;
}

Action weights(std::uint64_t begin, std::uint64_t bytes) {
  return load(isa::LoadKind::Weight, Resource::Cbuf, begin, bytes);
}
Action operand() {
  return load(isa::LoadKind::Operand, Resource::Operand, 0, 8);
}
Action conv(std::uint64_t begin, std::uint64_t end) {
  Action action;
  action.unit = isa::Unit::Compute;
  action.accesses = {{Resource::Cbuf, false, begin, end}};
  action.body = ConvAction{};
  return action;
}

// By what the loads move: their bytes; convolutions are 0.
std::vector<std::uint64_t> order_of(std::vector<Action> actions, std::uint64_t most_bytes) {
  load_ahead(actions, {most_bytes, 0});
  std::vector<std::uint64_t> order;
  for (const Action& action : actions) {
    const auto* body = std::get_if<LoadAction>(&action.body);
    order.push_back(body == nullptr ? 0 : body->source.bytes());
  }
  return order;
}

using Order = std::vector<std::uint64_t>;

TEST(LoadOrder, WeightsPassOperandsAndConvolutionsThatDoNotTouchTheirPlace) {
  EXPECT_EQ(order_of({weights(0, 10), operand(), conv(0, 10), weights(20, 11)}, 100),
            (Order{10, 11, 8, 0}));
}

TEST(LoadOrder, NotWhereAConvolutionStillReads) {
  EXPECT_EQ(order_of({weights(0, 10), operand(), conv(0, 10), weights(5, 11)}, 100),
            (Order{10, 8, 0, 11}));
}

TEST(LoadOrder, NotWithoutAWaitingLoadInFront) {
  EXPECT_EQ(order_of({weights(0, 10), conv(0, 10), weights(20, 11)}, 100), (Order{10, 0, 11}));
}

TEST(LoadOrder, AtMostSoManyBytesAndInTheirOrder) {
  EXPECT_EQ(
      order_of({operand(), conv(0, 10), weights(20, 11), weights(40, 12), weights(60, 13)}, 24),
      (Order{11, 12, 8, 0, 13}));
}

TEST(LoadOrder, WeightsGoAheadOfSomeWork) {
  std::vector<Action> actions = {conv(0, 4), conv(0, 4), conv(0, 4), weights(8, 100)};
  load_ahead(actions, {0, 2});
  EXPECT_NE(std::get_if<LoadAction>(&actions[1].body), nullptr);
  // Not ahead of what reads where they go.
  actions = {conv(0, 4), conv(8, 9), conv(0, 4), weights(8, 100)};
  load_ahead(actions, {0, 3});
  EXPECT_NE(std::get_if<LoadAction>(&actions[2].body), nullptr);
}

}  // namespace
}  // namespace tessera
