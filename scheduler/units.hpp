// Which operators are work of their own, which ride on another one, which are nothing at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/aliases.hpp"
#include "scheduler/lowering.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

enum class UnitKind : std::uint8_t { Accelerator, Host, NoCopy };

/// A tensor whose pixels lie inside those of another one: some of the channels of a concatenation.
struct ChannelPlace {
  std::int32_t tensor = -1;          ///< the other one
  std::uint64_t offset = 0;          ///< first channel
  std::uint64_t channels = 0;        ///< own
  std::uint64_t pixel_channels = 0;  ///< of the other one

  /// As `view` of the own tensor, in the other one.
  [[nodiscard]] View within(const View& view) const;
};

struct WorkUnit {
  UnitKind kind = UnitKind::Host;
  std::size_t op = 0;                 ///< the operator in whose place it stands
  std::vector<std::size_t> absorbed;  ///< operators that ride on it
  std::int32_t output = -1;           ///< tensor: of the last operator
  std::optional<ChannelPlace> place;  ///< of the output, when it is not on its own
  Lowering lowering;                  ///< with kind Accelerator
  std::string host_reason;            ///< with kind Host
};

struct UnitPlan {
  std::vector<WorkUnit> units;  ///< in execution order
  Aliases aliases;
};

UnitPlan plan_units(const Network& network, const Hardware& hardware, const Policy& policy);

}  // namespace tessera
