// Dependency tokens: which operation must wait for which.
#pragma once

#include <vector>

#include "scheduler/operations/operations.hpp"

namespace tessera {

/// Sets the wait and post flags of `operations`, whose order is a valid sequential execution, so
/// that units running at the same time keep every read-after-write, write-after-read and
/// write-after-write order between them. Actions of one unit stay in order by themselves.
/// Throws std::logic_error for a dependency that no token direction can carry.
void assign_tokens(std::vector<Operation>& operations);

}  // namespace tessera
