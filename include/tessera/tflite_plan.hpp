// Memory plans inside TensorFlow Lite models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/allocation.hpp"

namespace tessera {

/// The activations of a model as an interpreter keeps them: every tensor that an operator writes
/// or the user provides, in the file's order of operators, nothing shared, sizes in whole multiples
/// of the alignment.
struct TfliteActivations {
  AllocationProblem problem;
  std::vector<std::int32_t> tensor_of;  ///< tensor by buffer
  std::size_t tensors = 0;              ///< in the model
};

/// Throws InputError when the model is damaged or has several subgraphs.
TfliteActivations tflite_activations(const std::vector<std::uint8_t>& model,
                                     const std::string& name, std::uint64_t alignment);

/// The model with `offsets` (by tensor, -1: left to the interpreter) as the metadata
/// `OfflineMemoryAllocation` that TensorFlow Lite Micro reads: int32 version 1, subgraph 0, number
/// of offsets, offsets. All else stays byte for byte; metadata of that name is replaced.
std::vector<std::uint8_t> with_offline_plan(const std::vector<std::uint8_t>& model,
                                            const std::string& name,
                                            const std::vector<std::int32_t>& offsets);

/// The offsets in such a model; empty when it has none.
std::vector<std::int32_t> offline_plan_of(const std::vector<std::uint8_t>& model,
                                          const std::string& name);

}  // namespace tessera
