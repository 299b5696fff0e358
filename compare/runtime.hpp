// Runtimes that run the same model: Python packages of the user's own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/network.hpp"
#include "tessera/reference.hpp"

namespace tessera {

/// LiteRT's reference kernels, LiteRT as it is by default (XNNPACK), TensorFlow Lite Micro, ONNX
/// Runtime without graph optimisations and as it is by default.
enum class Runtime : std::uint8_t { Litert, Xnnpack, Tflm, OnnxRuntime, OnnxRuntimeFused };

/// As --runtime and `numerics` call them: litert, xnnpack, tflm, onnxruntime, onnxruntime_fused.
std::string_view name_of(Runtime runtime);

/// The runtime of that name; "": the one that has these numerics. Throws InputError when there is
/// none, or when it runs other files.
Runtime runtime_for(const std::string& name, const std::string& model, Numerics numerics);

/// The numerics that a runtime can have.
std::vector<Numerics> numerics_for(const std::string& model);
std::string_view name_of(Numerics numerics);

/// A tensor in the model's own file: index (-1: none) and name.
using FileKey = std::pair<std::int32_t, std::string>;
FileKey key_of(const FileTensor& tensor);

/// A tensor as the file has it: its shape, order and type.
Tensor in_file(const Network& network, const FileTensor& tensor);

struct RuntimeValues {
  std::string version;              ///< package and version
  std::map<FileKey, Bytes> values;  ///< in the file's own type and layout
  /// Outputs of the model that are others as long as nothing inside is shown.
  std::map<FileKey, Bytes> undisturbed;
  std::vector<std::string> missing;  ///< tensors that it did not show, and why
  std::uint64_t disturbed = 0;       ///< outputs' values that changed because others were shown
};

/// Runs the model's file on the inputs of each step (as Network::inputs has them), the values being
/// the last one's, with `python`, an interpreter that has the runtime. `ties`: inputs and outputs
/// of the file that are states of the network. Throws MissingTool when it has not; InputError when
/// the runtime refuses the model.
RuntimeValues run_in(Runtime runtime, const std::string& model, const std::string& python,
                     const Network& network, const std::vector<FileTensor>& tensors,
                     const std::vector<std::vector<Bytes>>& steps,
                     const std::vector<StateTie>& ties);

}  // namespace tessera
