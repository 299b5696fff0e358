// What changes of a whole graph have in common.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "tessera/network.hpp"

namespace tessera {

/// The operator that computes each tensor.
std::vector<std::optional<std::size_t>> producers_of(const Network& network);

/// Takes out those of the candidates whose outputs nothing reads, and then those that only they
/// read. Their tensors stay, without a producer.
void take_out_unread(Network& network, const std::set<std::size_t>& candidates);

}  // namespace tessera
