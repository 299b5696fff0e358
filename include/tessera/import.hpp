// Readers of networks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/network.hpp"

namespace tessera {

/// Whose results a network's are: runtimes round differently. Auto: by the file, .onnx as ONNX
/// Runtime, all others as TensorFlow Lite Micro, or as the file itself says. OnnxRuntime: every
/// node by itself, without graph optimisations; OnnxRuntimeFused: as it is by default.
enum class Numerics : std::uint8_t { Auto, Tflm, Litert, Xnnpack, OnnxRuntime, OnnxRuntimeFused };

/// A tensor that its model's file has, too, with the same values.
struct FileTensor {
  std::int32_t tensor = -1;  ///< of Network::tensors
  std::string name;          ///< there; several may share it in a .tflite file
  std::int32_t index = -1;   ///< there; -1 in .onnx files, which have names only
  Form form;                 ///< there
};

struct ImportOptions {
  std::uint64_t seed = 1;       ///< makes the weights that the file does not give
  bool seeded_weights = false;  ///< also those of float models, which are errors otherwise
  /// Operators that are not supported are left out, and what needs them; the tensors there become
  /// outputs. Otherwise they are errors, which name all of them.
  bool cut = false;
  Numerics numerics = Numerics::Auto;
  /// Gets, of .tflite and .onnx files, what can be compared with a run of the file itself: inputs
  /// and computed tensors, in a fixed order. Not owned.
  std::vector<FileTensor>* file_tensors = nullptr;
  /// Float models run in float on the host, and hybrid ones of TensorFlow Lite (weights of bytes).
  bool in_float = false;
  /// Of a .tflite file: the one whose subgraph is read; empty: the first subgraph.
  std::string signature = {};
};

/// Reads a network by its file's ending: .tflite (TensorFlow Lite), .onnx, .yaml/.yml (layer list),
/// .csv (layer table of the SCALE-Sim kind). Throws InputError naming the file and the place in it.
Network load_network(const std::string& path, const ImportOptions& options);
inline Network load_network(const std::string& path, std::uint64_t seed,
                            bool seeded_weights = false) {
  return load_network(path, {seed, seeded_weights, false});
}

/// `data`: the file's bytes; `name`: what errors call it. What is uint8 there is int8 here, each
/// value 128 lower (Form::is_unsigned).
Network import_tflite(const std::vector<std::uint8_t>& data, const std::string& name,
                      const ImportOptions& options = {});

/// Images become NHWC (Form::order).
Network import_onnx(const std::vector<std::uint8_t>& data, const std::string& name,
                    const ImportOptions& options);

/// Files that the text names are looked for next to `path`.
Network import_yaml(const std::string& text, const std::string& path, std::uint64_t seed);

/// A table of layers as SCALE-Sim has them, columns by their names, in any order: each row is a
/// convolution with an input of its own, or a product [M, K] x [K, N] when the columns are M, N and
/// K. Outputs are ceil((input - filter) / stride) + 1, the last window overhanging into zeros, as
/// that tool counts. Refused: columns that are not known, sparsity, batches.
Network import_csv(const std::string& text, const std::string& name, std::uint64_t seed);

/// Writes the network as a layer list at `path`, its weights in a folder beside it. import_yaml
/// reads the same network back. Throws InputError when a file cannot be written.
void export_yaml(const Network& network, const std::string& path);

}  // namespace tessera
