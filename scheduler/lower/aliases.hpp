// Tensors that lie inside others, so that nothing needs to be copied.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/network.hpp"

namespace tessera {

bool same_quantisation(const Tensor& a, const Tensor& b);

class Aliases {
 public:
  /// `slide`: states may lie in what joins them with new values.
  explicit Aliases(const Network& network, bool slide = true);

  /// Where a tensor lies: in `tensor`, which lies in no other, from byte `offset` on.
  struct Place {
    std::int32_t tensor;
    std::uint64_t offset;
  };
  [[nodiscard]] Place of(std::int32_t tensor) const;

  /// Lets the operator's output and inputs share memory, when that is all it has to do.
  bool try_no_copy(const Operator& op);
  /// States are written where they are read. When all operators have their places.
  void place_states();
  /// Whether a tensor lies in another one, directly or by way of others.
  [[nodiscard]] bool lies_in(std::int32_t tensor, std::int32_t other) const;

 private:
  [[nodiscard]] bool shows_state(const Operator& op) const;
  [[nodiscard]] bool changes_nothing(const Operator& op) const;
  bool reshape(const Operator& op);
  bool slice(const Operator& op, const StridedSlice& slice);
  bool concatenation(const Operator& op, const Concatenation& concat);
  [[nodiscard]] bool holds_state(const Operator& concat) const;
  [[nodiscard]] bool is_free(std::int32_t tensor) const;
  [[nodiscard]] bool is_input(std::int32_t tensor) const;
  void put(std::int32_t tensor, std::int32_t inside, std::uint64_t offset);

  const Network& network_;
  bool slide_;
  std::vector<Place> places_;
  std::vector<bool> fixed_;  // inputs, constants, states: not to be moved into another tensor
};

}  // namespace tessera
