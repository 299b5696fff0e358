// How much is tried, by the work that a network is (work_of).
#pragma once

#include <cstdint>

namespace tessera {

/// Networks with less than that are tried with more that is less than there is.
constexpr std::uint64_t kLittleWork = 200'000;
/// Of networks with more than that, only so many of each are tried, with the memory that there is.
constexpr std::uint64_t kMuchWork = 1'000'000;
/// And of networks with more than that, fewer still, with all of the hardware.
constexpr std::uint64_t kVeryMuchWork = 8'000'000;
/// And of networks with more than that, none of the sizes of tiles.
constexpr std::uint64_t kTooMuchWork = 50'000'000;
/// Of networks with more than that, where one trial takes ten seconds, only what stays is tried.
constexpr std::uint64_t kFarTooMuchWork = 2'000'000'000;

}  // namespace tessera
