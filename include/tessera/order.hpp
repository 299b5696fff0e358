// Execution orders of a network and the memory each needs.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/allocation.hpp"

namespace tessera {

/// Memory that operators share: alive from the first operator that touches it to the last one.
struct OrderItem {
  std::uint64_t size = 0;
  std::vector<std::uint32_t> touched_by;  ///< operators that write or read it, each once
  bool from_start = false;                ///< alive before the first operator: an input
  bool to_end = false;                    ///< alive after the last one: an output
};

/// An operator that may write `output` over `input` when nothing touches the input after it.
struct OrderReuse {
  std::uint32_t node = 0;
  std::uint32_t input = 0;   ///< item
  std::uint32_t output = 0;  ///< item
};

struct OrderProblem {
  std::vector<std::vector<std::uint32_t>> before;  ///< by operator: what must have run
  std::vector<std::uint64_t> work;                 ///< by operator: bytes only while it runs
  std::vector<OrderItem> items;
  std::vector<OrderReuse> reuses;
};

struct Order {
  std::vector<std::uint32_t> nodes;
  std::uint64_t peak = 0;         ///< most bytes alive at once
  std::uint64_t lower_bound = 0;  ///< proved: no order needs less
  std::uint64_t states = 0;       ///< that the search saw

  [[nodiscard]] bool is_optimal() const { return peak == lower_bound; }
};

/// Whether operators wait for each other, so that there is no order.
bool has_circle(const OrderProblem& problem);

/// Bytes alive while each operator of an order runs, its inputs and outputs included.
std::vector<std::uint64_t> memory_along(const OrderProblem& problem,
                                        const std::vector<std::uint32_t>& order);

/// Always the ready operator that was given first: 0, 1, 2, ... where none waits for a later one.
/// Throws InputError as order_exact does.
Order order_given(const OrderProblem& problem);

/// Always the ready operator that changes the memory alive least.
Order order_greedy(const OrderProblem& problem);

/// The order with the least peak, or after `states` the best one found and the bound proved by
/// then. Throws InputError when the operators wait for each other in a circle.
Order order_exact(const OrderProblem& problem, std::uint64_t states);

/// What may follow what, the state of an order that is not finished.
class OrderWalk {
 public:
  explicit OrderWalk(const OrderProblem& problem);

  /// Bytes alive while the operator would run next.
  [[nodiscard]] std::uint64_t during(std::uint32_t node) const;
  /// Change of the bytes alive after it.
  [[nodiscard]] std::int64_t change(std::uint32_t node) const;
  [[nodiscard]] bool is_ready(std::uint32_t node) const {
    return done_[node] == 0 && waiting_[node] == 0;
  }
  /// The first operator from `node` on that is ready; as many as there are operators: none.
  [[nodiscard]] std::uint32_t next_ready(std::uint32_t node) const;
  [[nodiscard]] bool is_done(std::uint32_t node) const { return done_[node] != 0; }
  [[nodiscard]] std::uint64_t alive() const { return alive_; }

  void run(std::uint32_t node);
  void take_back(std::uint32_t node);  ///< the last one that ran

 private:
  void flip_ready(std::uint32_t node) { ready_[node / 64] ^= std::uint64_t{1} << (node % 64); }

  const OrderProblem& problem_;
  std::vector<std::vector<std::uint32_t>> after_;    // by operator
  std::vector<std::vector<std::uint32_t>> touches_;  // items by operator
  std::vector<std::vector<std::uint32_t>> reuses_;   // by operator
  std::vector<std::uint32_t> waiting_;               // operators that must still run before
  std::vector<std::uint32_t> left_;                  // touches to come, by item
  std::vector<std::uint8_t> done_;
  std::vector<std::uint64_t> ready_;  // a bit for each operator
  std::uint64_t alive_ = 0;
};

}  // namespace tessera
