// Weights that go ahead of loads which have to wait.
#include "scheduler/stream/prefetch.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

Operation load(isa::LoadKind kind, Resource target, std::uint64_t begin, std::uint64_t bytes) {
  LoadOperation body;
  body.kind = kind;
  body.source.segment_bytes = bytes;
  Operation operation;
  operation.unit = isa::Unit::Load;
  operation.accesses = {{Resource::External, false, 0, bytes},
                        {target, true, begin, begin + bytes}};
  operation.body = body;
  return operation;
}

Operation weights(std::uint64_t begin, std::uint64_t bytes) {
  return load(isa::LoadKind::Weight, Resource::Cbuf, begin, bytes);
}
Operation operand() {
  return load(isa::LoadKind::Operand, Resource::Operand, 0, 8);
}
Operation conv(std::uint64_t begin, std::uint64_t end) {
  Operation operation;
  operation.unit = isa::Unit::Compute;
  operation.accesses = {{Resource::Cbuf, false, begin, end}};
  operation.body = ConvOperation{};
  return operation;
}

// By what the loads move: their bytes; convolutions are 0.
std::vector<std::uint64_t> order_of(std::vector<Operation> operations, std::uint64_t most_bytes) {
  prefetch(operations, {most_bytes, 0});
  std::vector<std::uint64_t> order;
  for (const Operation& operation : operations) {
    const auto* body = std::get_if<LoadOperation>(&operation.body);
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
  std::vector<Operation> operations = {conv(0, 4), conv(0, 4), conv(0, 4), weights(8, 100)};
  prefetch(operations, {0, 2});
  EXPECT_NE(std::get_if<LoadOperation>(&operations[1].body), nullptr);
  // Not ahead of what reads where they go.
  operations = {conv(0, 4), conv(8, 9), conv(0, 4), weights(8, 100)};
  prefetch(operations, {0, 3});
  EXPECT_NE(std::get_if<LoadOperation>(&operations[2].body), nullptr);
}

}  // namespace
}  // namespace tessera
