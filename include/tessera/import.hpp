// Readers of networks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/network.hpp"

namespace tessera {

/// Reads a network by its file's ending: .tflite (TensorFlow Lite int8 or uint8), .onnx, .yaml/.yml
/// (layer list), .csv (layer table of the SCALE-Sim kind). `seed` makes the weights that the file
/// does not give; with `seeded_weights` also those of float ONNX models, which are errors
/// otherwise. Throws InputError naming the file and the place in it.
Network load_network(const std::string& path, std::uint64_t seed, bool seeded_weights = false);

/// `data`: the file's bytes; `name`: what errors call it.
Network import_tflite(const std::vector<std::uint8_t>& data, const std::string& name);

/// Images become NHWC.
Network import_onnx(const std::vector<std::uint8_t>& data, const std::string& name,
                    std::uint64_t seed, bool seeded_weights);

/// Files that the text names are looked for next to `path`.
Network import_yaml(const std::string& text, const std::string& path, std::uint64_t seed);

/// Each row is a convolution with an input of its own. Outputs are
/// ceil((input - filter) / stride) + 1, the last window overhanging into zeros, as that tool
/// counts.
Network import_csv(const std::string& text, const std::string& name, std::uint64_t seed);

/// Writes the network as a layer list at `path`, its weights in a folder beside it. import_yaml
/// reads the same network back. Throws InputError when a file cannot be written.
void export_yaml(const Network& network, const std::string& path);

}  // namespace tessera
