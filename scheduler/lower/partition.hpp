// Which operators are work of their own, which ride on another one, which are nothing at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/lower/aliases.hpp"
#include "scheduler/lower/lowering.hpp"
#include "scheduler/lower/strided_view.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

enum class OperatorPlace : std::uint8_t { Accelerator, Host, NoCopy };

struct FusedOperator {
  OperatorPlace kind = OperatorPlace::Host;
  std::size_t op = 0;                 ///< the operator in whose place it stands
  std::vector<std::size_t> absorbed;  ///< operators that ride on it
  std::int32_t output = -1;           ///< tensor: of the last operator
  std::optional<StridedView> place;   ///< of the output, when it is not on its own
  Lowering lowering;                  ///< with kind Accelerator
  std::string host_reason;            ///< with kind Host

  /// The tensor in whose memory the output lies.
  [[nodiscard]] std::int32_t written() const { return place ? place->tensor : output; }
};

struct Partition {
  std::vector<FusedOperator> units;  ///< in execution order
  Aliases aliases;
};

/// `slide`: states may lie in what joins them with new values.
Partition partition_network(const Network& network, const Hardware& hardware, const Policy& policy,
                            bool slide = true);

}  // namespace tessera
