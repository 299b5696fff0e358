// Random operators, alone in a network, with values for their inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/network.hpp"
#include "tessera/reference.hpp"
#include "tessera/rng.hpp"

namespace tessera::test {

/// Draws numbers, shapes and tensors.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : rng_(seed) {}

  /// low to high, both included.
  std::int32_t between(std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(
                     rng_.below(static_cast<std::uint64_t>(std::int64_t{high} - low + 1)));
  }
  /// Once in `of`.
  bool once_in(std::int32_t of) { return between(1, of) == 1; }
  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(
        between(0, static_cast<std::int32_t>(values.size()) - 1))];
  }
  float real(float low, float high);
  Quantisation quantisation();
  std::vector<std::int32_t> shape(std::size_t least_rank, std::size_t most_rank,
                                  std::int32_t most = 5);
  /// One that broadcasts to `shape`.
  std::vector<std::int32_t> narrowed(std::vector<std::int32_t> shape);
  /// Random elements, often of those where functions turn.
  Bytes values(const Tensor& tensor);

 private:
  SplitMix64 rng_;
};

/// A network of one operator that is as check_operator wants it.
struct DrawnOperator {
  Network network;
  std::vector<Bytes> inputs;  ///< by operator input; constants and absent ones have none
};

/// What there is to draw: "CONV_2D", ...; every alternative of Attributes and every HostKind.
struct OperatorKind {
  std::string name;
  Attributes attributes;  ///< which one
};
std::vector<OperatorKind> operator_kinds();

/// The case `number` of a kind.
DrawnOperator draw_operator(const OperatorKind& kind, std::uint64_t number);

/// What the reference kernel makes of it.
Bytes expected_of(const DrawnOperator& drawn);

/// Of one operator: adds tensors while they are drawn.
class OperatorDraft {
 public:
  OperatorDraft(Dice& dice, Attributes attributes);
  Tensor& input(const std::vector<std::int32_t>& shape, DataType type);
  Tensor& input(const std::vector<std::int32_t>& shape, DataType type,
                const Quantisation& quantisation);
  /// Random values, which the operator knows; `bits`: magnitudes below 2^bits.
  Tensor& constant(const std::vector<std::int32_t>& shape, DataType type,
                   const Quantisation& quantisation, int bits = 8);
  void absent();
  Tensor& output(const std::vector<std::int32_t>& shape, DataType type,
                 const Quantisation& quantisation);
  Attributes& attributes() { return network_.operators[0].attributes; }
  Operator& op() { return network_.operators[0]; }
  [[nodiscard]] const Tensor& in(std::size_t i) const;
  Dice& dice() { return dice_; }
  DrawnOperator finish();
  /// Bytes for an input instead of random ones.
  void give(std::size_t input, Bytes bytes);
  /// Random floats, some of which are no numbers or without end.
  void give_no_number(std::size_t input);

 private:
  Dice& dice_;
  Network network_;
  std::vector<Bytes> given_;
};

void draw_ordinary(OperatorDraft& draft);
void draw_host(OperatorDraft& draft, HostOperator host);

}  // namespace tessera::test
