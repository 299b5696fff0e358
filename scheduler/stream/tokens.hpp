// Dependency tokens: which action must wait for which.
#pragma once

#include <vector>

#include "scheduler/actions/actions.hpp"

namespace tessera {

/// Sets the wait and post flags of `actions`, whose order is a valid sequential execution, so that
/// units running at the same time keep every read-after-write, write-after-read and
/// write-after-write order between them. Actions of one unit stay in order by themselves.
/// Throws std::logic_error for a dependency that no token direction can carry.
void assign_tokens(std::vector<Action>& actions);

}  // namespace tessera
