// The simple orders.
#include <algorithm>
#include <numeric>

#include "tessera/error.hpp"
#include "tessera/order.hpp"

namespace tessera {
namespace {

Order finished(const OrderProblem& problem, std::vector<std::uint32_t> nodes) {
  Order order;
  const std::vector<std::uint64_t> memory = memory_along(problem, nodes);
  order.peak = memory.empty() ? 0 : *std::max_element(memory.begin(), memory.end());
  order.nodes = std::move(nodes);
  return order;
}

}  // namespace

bool has_circle(const OrderProblem& problem) {
  OrderWalk walk(problem);
  for (std::size_t left = problem.before.size(); left > 0; --left) {
    const std::uint32_t first = walk.next_ready(0);
    if (first >= problem.before.size()) {
      return true;
    }
    walk.run(first);
  }
  return false;
}

Order order_given(const OrderProblem& problem) {
  OrderWalk walk(problem);
  std::vector<std::uint32_t> nodes;
  while (nodes.size() < problem.before.size()) {
    const std::uint32_t first = walk.next_ready(0);
    if (first >= problem.before.size()) {
      throw InputError("operators wait for each other in a circle");
    }
    nodes.push_back(first);
    walk.run(first);
  }
  return finished(problem, std::move(nodes));
}

Order order_greedy(const OrderProblem& problem) {
  OrderWalk walk(problem);
  std::vector<std::uint32_t> nodes;
  const auto count = static_cast<std::uint32_t>(problem.before.size());
  while (nodes.size() < count) {
    std::uint32_t best = count;
    for (std::uint32_t n = 0; n < count; ++n) {
      if (walk.is_ready(n) && (best == count || walk.change(n) < walk.change(best))) {
        best = n;
      }
    }
    if (best == count) {
      throw InputError("operators wait for each other in a circle");
    }
    walk.run(best);
    nodes.push_back(best);
  }
  return finished(problem, std::move(nodes));
}

}  // namespace tessera
