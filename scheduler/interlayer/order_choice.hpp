// Which orders of a network are worth a memory plan.
#pragma once

#include <string>
#include <vector>

#include "tessera/memory_plan.hpp"
#include "tessera/order.hpp"

namespace tessera {

struct OrderChoice {
  std::vector<std::vector<std::uint32_t>> orders;
  std::vector<std::string> names;  ///< by order
  OrderPeaks peaks;
  std::string taken;
};

/// One order, or with `best` all that may need the least memory: the given one when no other has a
/// lower peak.
OrderChoice choose_orders(const OrderProblem& problem, const PlanOptions& options);

}  // namespace tessera
