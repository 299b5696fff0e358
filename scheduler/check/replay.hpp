// Tokens: in which order operations can run, and what each knows to be finished.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scheduler/check/op.hpp"
#include "tessera/hardware.hpp"

namespace tessera::checker {

/// Decodes the stream and runs its tokens: with queues of the hardware's depth, or, with microcode,
/// one command after the other. Afterwards visits the operations in an order in which they can run;
/// they are not kept, since long networks have gigabytes of them. `report` is told before that of
/// illegal words, a missing END, deadlock.
void replay(const std::vector<std::uint64_t>& words, const Hardware& hardware,
            const std::function<void(std::string)>& report,
            const std::function<void(const Op&)>& visit);

}  // namespace tessera::checker
