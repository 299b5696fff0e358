// The run configuration (npu.yaml).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/engine.hpp"
#include "tessera/hardware.hpp"
#include "tessera/host_cost.hpp"
#include "tessera/import.hpp"
#include "tessera/network.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// An input and an output of a network that are a state: names in the model's file.
struct StateTie {
  std::string input;
  std::string output;
  double initial = 0;  ///< real value
  bool keep = false;   ///< the output stays one
};

/// One of several models that share the accelerator.
struct ModelEntry {
  std::string name;
  std::string path;
  std::uint32_t group = 0;  ///< groups run one after the other, models of one group at once
  bool keep_outputs = true;
  std::string signature;  ///< as ImportOptions has it
  std::vector<StateTie> states;
};

/// How files of tensors have their values: in the model's own type and layout, or as they are
/// stored here: int8 for uint8, NHWC.
enum class TensorForm : std::uint8_t { Own, Stored };

/// What becomes of a picture's pixels before they are an input.
struct Preprocess {
  bool resize = true;        ///< bilinear, to the input's height and width; else they must be equal
  std::vector<float> mean;   ///< subtracted; one, or one per channel; empty: 0
  std::vector<float> scale;  ///< then multiplied; empty: 1 for uint8 and int8 as they are stored,
                             ///< 1/255 for float32
};

struct Config {
  Hardware hardware;
  ExternalMemory memory;
  MemoryDisturbance jitter;  ///< none unless the config asks for it
  std::vector<TrafficPattern> traffic;
  std::string network;  ///< path of the network's file; empty with several models
  std::vector<ModelEntry> models;
  Policy policy;
  HostProcessor host;  ///< none unless the config names one
  Engine engine = Engine::Rtl;
  std::uint64_t seed = 1;
  bool seeded_weights = false;  ///< float models run with weights from the seed
  bool in_float = false;        ///< float models run in float on the host
  bool cut = false;             ///< operators that are not supported are left out
  Numerics numerics = Numerics::Auto;
  std::string signature;         ///< as ImportOptions has it
  std::vector<StateTie> states;  ///< of `network`
  std::size_t steps = 0;         ///< runs that follow each other; 0: as many as there are inputs
  TensorForm tensors = TensorForm::Own;
  Preprocess preprocess;
  std::vector<std::string> labels;  ///< names of a classifier's outputs, in order
  bool has_energy = false;          ///< the configuration names a table of energy
  std::vector<std::string> notes;   ///< what was derived, for the user
};

/// Reads `path` and applies `overrides` ("path.to.key=value", in order) to it. Throws InputError
/// with file, line and column, what is allowed, and the nearest key for a misspelt one.
Config load_config(const std::string& path, const std::vector<std::string>& overrides);

/// What runs when no configuration is given: configs/npu.yaml of the data folder.
std::string default_config();

/// Whether the file itself chooses a policy.
bool names_policy(const std::string& path);

/// As load_config, from text; `path` is what errors call it and where relative names start.
Config parse_config(const std::string& text, const std::string& path,
                    const std::vector<std::string>& overrides);

/// The network, or all models as one. `file_tensors`: as ImportOptions has it, of one model. Throws
/// InputError.
Network load_configured(const Config& config, std::vector<FileTensor>* file_tensors = nullptr);

/// Whose results those of a .tflite or .onnx file are on this hardware; never Auto.
Numerics numerics_of(const Config& config);

/// Whether the configuration names one.
bool has_network(const Config& config);

/// The preset of that name from configs/hardware. Throws InputError.
Hardware hardware_preset(const std::string& name);

/// The same from configs/memory.
ExternalMemory memory_preset(const std::string& name);

/// All preset files, of all kinds, in order.
std::vector<std::string> preset_files();

/// Of those in configs/networks, in order.
std::vector<std::string> network_names();

/// A network given as a file (relative to the working folder, then to `base`) or by the name of one
/// in configs/networks.
std::string find_network(const std::string& name, const std::string& base);

}  // namespace tessera
