#include "network/import/rewriting.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

std::vector<std::optional<std::size_t>> producers_of(const Network& network) {
  std::vector<std::optional<std::size_t>> producers(network.tensors.size());
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    producers[static_cast<std::size_t>(network.operators[i].output)] = i;
  }
  return producers;
}

void take_out_unread(Network& network, const std::set<std::size_t>& candidates) {
  std::vector<std::size_t> readers(network.tensors.size(), 0);
  const auto count = [&](const std::vector<std::int32_t>& tensors) {
    for (const std::int32_t tensor : tensors) {
      readers[static_cast<std::size_t>(std::max(tensor, 0))] += tensor >= 0 ? 1 : 0;
    }
  };
  count(network.outputs);
  for (const State& state : network.states) {
    count({state.output});
  }
  for (const Operator& op : network.operators) {
    count(op.inputs);
  }
  std::vector<Operator> left;
  for (std::size_t i = network.operators.size(); i-- > 0;) {
    Operator& op = network.operators[i];
    if (candidates.count(i) != 0 && readers[static_cast<std::size_t>(op.output)] == 0) {
      for (const std::int32_t input : op.inputs) {
        readers[static_cast<std::size_t>(std::max(input, 0))] -= input >= 0 ? 1 : 0;
      }
      continue;
    }
    left.push_back(std::move(op));
  }
  std::reverse(left.begin(), left.end());
  network.operators = std::move(left);
}

}  // namespace tessera
