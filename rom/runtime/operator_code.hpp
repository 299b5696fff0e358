// Operators as calls of C kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rom/runtime/call.hpp"

namespace tessera::runtime {

/// What computes one operator.
struct OperatorCode {
  std::string statements;  ///< of a function's body; `return 1;` where it can fail
  bool can_fail = false;   ///< data may name an element that is not there
  std::string missing;     ///< why there are none; otherwise empty
  /// Where in scratch memory it leaves what a detector found: Places::found of the next operator,
  /// if that asks for another part of it.
  std::optional<std::uint64_t> found;
};

/// Whether both ask for parts of what one detector finds; their inputs are the same.
bool find_the_same(const Operator& first, const Operator& second);

/// Adds the operator's constants and kernels to `text`.
OperatorCode code_of(const Network& network, const Operator& op, const Places& places, CText& text);

/// Whether the kernel may write where that input lies, begun at the same byte: it reads what an
/// element replaces before it writes it.
bool works_in_place(const Network& network, const Operator& op, std::size_t input);

}  // namespace tessera::runtime
