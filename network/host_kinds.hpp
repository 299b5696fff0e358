// The operators that only the host has: their names, how many inputs they read, of which types.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tessera/network.hpp"

namespace tessera {

/// What the shapes of inputs and output have to do with each other.
enum class HostShape : std::uint8_t {
  Broadcast,  ///< the output's is what the inputs' give together
  Same,       ///< one input, the same shape
  Reduced,    ///< the axes in `integers` are 1 in the output, or missing
  Own         ///< by kind
};

/// What the output's type has to do with the inputs'.
enum class HostType : std::uint8_t {
  Same,  ///< all are of one type; int8 tensors have a scale each
  Bool,  ///< the inputs are of one type, the output is bool
  Own    ///< by kind
};

/// Sets of types, as bits.
namespace types {
constexpr std::uint8_t kInt8 = 1, kInt32 = 2, kInt64 = 4, kFloat = 8, kBool = 16;
constexpr std::uint8_t kWhole = kInt32 | kInt64, kNumbers = kWhole | kFloat,
                       kAll = kNumbers | kInt8 | kBool;
}  // namespace types

struct HostRule {
  HostKind kind;
  std::string_view name;  ///< TensorFlow Lite's, or ONNX's where that has none
  std::uint8_t least_inputs, most_inputs;
  HostShape shape;
  HostType type;
  std::uint8_t allowed;  ///< types of the first input
  /// Operations per element of the output, for the host's time: those of a plain C++ kernel.
  /// Reductions count per element of the input.
  std::uint8_t operations;
};

/// In the order of HostKind.
const std::vector<HostRule>& host_rules();
const HostRule& rule_of(HostKind kind);

}  // namespace tessera
