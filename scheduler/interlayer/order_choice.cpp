#include "scheduler/interlayer/order_choice.hpp"

namespace tessera {

OrderChoice choose_orders(const OrderProblem& problem, const PlanOptions& options) {
  OrderChoice choice;
  const auto take = [&](const Order& order, const char* name) {
    choice.orders.push_back(order.nodes);
    choice.names.emplace_back(name);
  };
  const Order given = order_given(problem);
  choice.peaks.given = given.peak;
  if (options.order == OrderName::Given) {
    take(given, "given");
    return choice;
  }
  const Order greedy = order_greedy(problem);
  choice.peaks.greedy = greedy.peak;
  if (options.order == OrderName::Greedy) {
    take(greedy, "greedy");
    return choice;
  }
  const Order exact = order_exact(problem, options.budget);
  choice.peaks.exact = exact.peak;
  choice.peaks.bound = exact.lower_bound;
  if (options.order == OrderName::Exact) {
    take(exact, "exact");
    return choice;
  }
  take(given, "given");
  if (exact.peak < given.peak) {
    take(exact, "exact");
  }
  return choice;
}

}  // namespace tessera
