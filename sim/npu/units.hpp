// What loads, convolutions and stores do to the accelerator's memories. Throw EngineError as the
// hardware's units report it.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/npu/npu_state.hpp"
#include "tessera/engine.hpp"
#include "timing/data_path/operations.hpp"

namespace tessera::npu {

[[noreturn]] inline void fail(isa::Error cause, std::uint64_t info) {
  throw EngineError(cause, static_cast<std::uint32_t>(info),
                    describe(cause, static_cast<std::uint32_t>(info)));
}

/// Places the bytes that a load has read, in the order of its segments.
void place_load(const timing::LoadOperation& op, const std::vector<std::uint8_t>& bytes,
                Memories& memories);

/// The atoms that a load of compressed weights brings.
std::vector<std::uint8_t> decode_weights(const timing::LoadOperation& op,
                                         const std::vector<std::uint8_t>& bytes,
                                         std::uint32_t atomic_c);

/// Whether the convolution stays inside its memories.
void check_convolution(const timing::ConvOperation& op, const Memories& memories);
void convolve(const timing::ConvOperation& op, Memories& memories);

/// The bytes of a store, in the order of its segments.
std::vector<std::uint8_t> drain_tile(const timing::StoreOperation& op, const Memories& memories);
/// Puts them into the cbuf.
void keep_tile(const timing::StoreOperation& op, const std::vector<std::uint8_t>& bytes,
               Memories& memories);

}  // namespace tessera::npu
