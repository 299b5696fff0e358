// How one pass of the array runs when it is looked at alone.
#pragma once

#include <cstdint>
#include <optional>

#include "scheduler/pass/scheduled_pass.hpp"
#include "scheduler/tiling/modes.hpp"

namespace tessera {

/// By the published rules, folded where the pass can be, or as the variant asks, where it can be.
/// Throws InputError when nothing fits.
ScheduledPass decide_pass(const ArrayPass& piece, const Hardware& hardware, const Policy& policy,
                          const Variant& variant);

/// The pass's decision with that much of the cbuf for what it loads; none when it does not fit.
std::optional<LayerDecision> decide_within(const ScheduledPass& pass, const Hardware& hardware,
                                           const Policy& policy, CbufBudget budget,
                                           bool is_ifmap_kept);

}  // namespace tessera
