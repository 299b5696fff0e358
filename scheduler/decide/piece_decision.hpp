// How one pass of the array runs when it is looked at alone.
#pragma once

#include <cstdint>
#include <optional>

#include "scheduler/decide/planned_piece.hpp"
#include "scheduler/lower/lowering.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// By the published rules, folded where the piece can be, or as the variant asks, where it can be.
/// Throws InputError when nothing fits.
PlannedPiece decide_piece(const Piece& piece, const Hardware& hardware, const Policy& policy,
                          const Variant& variant);

/// The pass's decision with `atoms` of the cbuf for what it loads; none when it does not fit.
std::optional<LayerDecision> decide_within(const PlannedPiece& piece, const Hardware& hardware,
                                           const Policy& policy, std::uint32_t atoms,
                                           bool feature_kept);

}  // namespace tessera
