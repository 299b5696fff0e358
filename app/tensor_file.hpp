// Tensors in files: .npy (which says type and shape) and .bin (raw bytes).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/config.hpp"
#include "tessera/network.hpp"

namespace tessera {

/// Reads a tensor from a file that holds it in the model's own type and layout, or as it is stored
/// here. Throws InputError naming what the file holds and what it should.
std::vector<std::uint8_t> read_tensor_file(const std::string& path, const Tensor& tensor,
                                           TensorForm form);

/// The same for a sequence: a .npy file has a dimension more in front, or none and holds one. A
/// .bin file, which does not say what it holds, has one, or where `several` are wanted any number.
std::vector<std::vector<std::uint8_t>> read_tensor_steps(const std::string& path,
                                                         const Tensor& tensor, TensorForm form,
                                                         bool several);

/// The same with a dimension more in front. Throws as write_tensor_file().
void write_tensor_steps(const std::string& path, const Tensor& tensor,
                        const std::vector<std::vector<std::uint8_t>>& steps, TensorForm form);

/// Throws InputError when the file cannot be written.
void write_tensor_file(const std::string& path, const Tensor& tensor,
                       const std::vector<std::uint8_t>& bytes, TensorForm form);

/// Shape and numpy's name of the type in the model's own file, or as stored here.
std::vector<std::int32_t> file_shape(const Tensor& tensor, TensorForm form);
std::string file_type(const Tensor& tensor, TensorForm form);

/// The same values in the model's own type and layout, and back.
std::vector<std::uint8_t> to_own(const Tensor& tensor, const std::vector<std::uint8_t>& bytes);
std::vector<std::uint8_t> from_own(const Tensor& tensor, const std::vector<std::uint8_t>& bytes);

}  // namespace tessera
