// One host operator on its way to C.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "rom/runtime/c_text.hpp"
#include "tessera/network.hpp"
#include "tessera/quantise.hpp"

namespace tessera::runtime {

/// C expressions for where an operator's values are.
struct Places {
  std::vector<std::string> inputs;  ///< `const uint8_t *`, by input; empty: a constant, or absent
  std::string output;               ///< `uint8_t *`
  std::uint64_t scratch = 0;        ///< bytes of scratch memory that are taken
  /// Scratch memory where the operator before has left what its detector found, by the same inputs
  /// and options: only another part of that is asked for.
  std::optional<std::uint64_t> found;
};

/// Thrown where there is no C for an operator: why.
class NoKernel : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Name of the array that lends operators memory.
inline constexpr const char* kScratch = "tessera_scratch";

/// A loop over elements, and its steps in up to three tensors.
struct Loop {
  std::int64_t count = 1;
  std::array<std::int64_t, 3> step{};
};

/// An operator's tensors, and what is written of it.
class Call {
 public:
  Call(const Network& network, const Operator& op, Places places, CText& text);

  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] const Operator& op() const { return op_; }
  [[nodiscard]] std::size_t inputs() const { return op_.inputs.size(); }
  [[nodiscard]] bool has(std::size_t i) const { return i < inputs() && op_.inputs[i] >= 0; }
  [[nodiscard]] const Tensor& in(std::size_t i) const;
  [[nodiscard]] const Tensor& out() const;
  [[nodiscard]] CText& text() { return text_; }

  /// C expressions. An absent input is a null pointer.
  std::string data(std::size_t i);
  [[nodiscard]] std::string output() const { return places_.output; }
  /// Scratch memory, which ends with the operator.
  std::string scratch(std::uint64_t bytes);
  /// What a detector has found, in scratch memory: where it is, or is to be; and whether it is
  /// there.
  std::string found(std::uint64_t bytes);
  [[nodiscard]] bool has_found() const { return places_.found.has_value(); }
  [[nodiscard]] std::optional<std::uint64_t> leaves() const { return leaves_; }

  /// A statement that calls a kernel: of which file, with which arguments.
  void run(const std::string& file, const std::string& function,
           const std::vector<std::string>& arguments);
  /// The same where it may find an index outside.
  void run_checked(const std::string& file, const std::string& function,
                   const std::vector<std::string>& arguments);

  /// `struct tessera_loops`, of loops in the order of the output.
  std::string loops(const std::vector<Loop>& loops, std::array<std::int64_t, 3> start = {});

  [[nodiscard]] const std::string& statements() const { return statements_; }
  [[nodiscard]] bool can_fail() const { return can_fail_; }

 private:
  const Network& network_;
  const Operator& op_;
  Places places_;
  CText& text_;
  std::string statements_;
  bool can_fail_ = false;
  std::optional<std::uint64_t> leaves_;
};

/// Loops of one turn are left out, neighbours that walk on are one loop; at least one is left.
std::vector<Loop> merged(const std::vector<Loop>& loops);

/// Loops over a shape whose step in tensor k is strides[k][d].
std::vector<Loop> loops_over(const std::vector<std::int32_t>& shape,
                             const std::vector<std::vector<std::int64_t>>& strides);
/// Row-major.
std::vector<std::int64_t> strides_of(const std::vector<std::int32_t>& shape);

/// C of structures that many kernels have.
std::string c_factor(FixedPoint factor);
std::string c_rounding(Rounding rounding);
/// As the ends of kernels' names: i8, i32, i64, f32, b8.
std::string c_type(DataType type);

// Of each room of operators; they throw NoKernel.
void write_move(Call& call, const Attributes& attributes);
void write_host_move(Call& call, const HostOperator& host);
void write_binary(Call& call, const Binary& binary);
void write_host_pair(Call& call, const HostOperator& host);
void write_unary(Call& call, const Unary& unary);
void write_dequantise(Call& call);
void write_host_single(Call& call, const HostOperator& host);
void write_mean(Call& call, const Mean& mean);
void write_host_reduction(Call& call, const HostOperator& host);
void write_softmax(Call& call, const Softmax& softmax);
void write_host_rows(Call& call, const HostOperator& host);
void write_weighted(Call& call, const Attributes& attributes);
void write_host_weighted(Call& call, const HostOperator& host);
void write_pool(Call& call, const Pool2d& pool);
void write_host_picture(Call& call, const HostOperator& host);

}  // namespace tessera::runtime
