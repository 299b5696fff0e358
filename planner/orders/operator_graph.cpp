#include "tessera/operator_graph.hpp"

#include <algorithm>
#include <optional>

namespace tessera {
namespace {

// The input that an element-wise operator may write over.
std::optional<std::uint32_t> reused_input(const OperatorGraph& graph, const GraphNode& node) {
  if (node.sharing != Sharing::ElementWise || node.inputs.empty() ||
      graph.nodes[node.inputs[0]].bytes != node.bytes) {
    return std::nullopt;
  }
  return node.inputs[0];
}

}  // namespace

OrderProblem order_problem(const OperatorGraph& graph, bool in_place) {
  OrderProblem problem;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode& node = graph.nodes[n];
    const auto self = static_cast<std::uint32_t>(n);
    problem.before.push_back(node.inputs);
    problem.work.push_back(0);
    problem.items.push_back({node.bytes, {self}, false, n + 1 == graph.nodes.size()});
    for (const std::uint32_t input : node.inputs) {
      problem.items[input].touched_by.push_back(self);
    }
    if (const auto input = reused_input(graph, node); in_place && input) {
      problem.reuses.push_back({self, *input, self});
    }
  }
  return problem;
}

GraphAllocation allocation_problem(const OperatorGraph& graph,
                                   const std::vector<std::uint32_t>& order, bool in_place) {
  const std::size_t count = graph.nodes.size();
  std::vector<std::int64_t> when(count);
  for (std::size_t i = 0; i < count; ++i) {
    when[order[i]] = static_cast<std::int64_t>(i);
  }
  std::vector<std::int64_t> last = when;
  for (std::size_t n = 0; n < count; ++n) {
    for (const std::uint32_t input : graph.nodes[n].inputs) {
      last[input] = std::max(last[input], when[n]);
    }
  }
  last[count - 1] = static_cast<std::int64_t>(count) - 1;
  GraphAllocation result;
  result.buffer_of.resize(count);
  for (const std::uint32_t n : order) {
    const GraphNode& node = graph.nodes[n];
    const auto input = in_place ? reused_input(graph, node) : std::nullopt;
    if (input && last[*input] == when[n] && *input + 1 != count) {
      result.buffer_of[n] = result.buffer_of[*input];
      Buffer& buffer = result.problem.buffers[result.buffer_of[n]];
      buffer.id += "+" + node.id;
      buffer.upper = last[n] + 1;
      continue;
    }
    result.buffer_of[n] = result.problem.buffers.size();
    result.problem.buffers.push_back({node.id, when[n], last[n] + 1, node.bytes});
  }
  return result;
}

}  // namespace tessera
