// Host reference kernels: the independent implementation that every engine is compared with.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/network.hpp"

namespace tessera {

using Bytes = std::vector<std::uint8_t>;

/// Computes one operator. `data[i]` holds the bytes of the operator's i-th input, nullptr where it
/// is absent; the output has exactly its tensor's bytes.
void run_operator(const Network& network, const Operator& op,
                  const std::vector<const std::uint8_t*>& data, std::uint8_t* output);

/// Input row (or column) of an output one, with `in` and `out` of them. TensorFlow Lite computes it
/// in float.
std::int32_t nearest_source(const ResizeNearest& resize, std::int32_t at, std::int32_t in,
                            std::int32_t out);

/// Exponentials of a softmax in units of 2^-31, by the difference from the row's greatest value as
/// an unsigned byte (0, then 255 for -1). `in`: of the input; `beta`: the operator's.
std::vector<std::int32_t> softmax_exponentials(const Quantisation& in, float beta);

/// Runs the whole network. `inputs` in the order of network.inputs, each of exactly its tensor's
/// bytes (std::invalid_argument otherwise). `observe` sees every operator's output. `states`: as
/// Network::states, before the run and then after it; nullptr: they begin as they do.
/// Returns the network's outputs.
std::vector<Bytes> run_reference(
    const Network& network, const std::vector<Bytes>& inputs,
    const std::function<void(std::size_t op, const Bytes& output)>& observe = {},
    std::vector<Bytes>* states = nullptr);

/// What Network::states begin with.
std::vector<Bytes> initial_states(const Network& network);

}  // namespace tessera
