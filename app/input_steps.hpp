// Inputs, outputs and states of runs that follow each other, in files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/config.hpp"
#include "tessera/network.hpp"

namespace tessera {

/// Tensors of a network, as its inputs, outputs or states.
using Values = std::vector<std::vector<std::uint8_t>>;

/// The inputs of a run: from files, or from the seed. Throws InputError.
Values read_inputs(const Config& config, const Network& network, const std::string& path);

/// Inputs by step. A file may have a dimension more in front, of the steps; a folder has a file or
/// folder for each: step0.npy or step0/. As many steps as `steps` of the configuration says, or,
/// where it says nothing, as there are; from the seed one. Throws InputError where there are fewer.
std::vector<Values> read_steps(const Config& config, const Network& network,
                               const std::string& path);

/// Into a file, or into a folder where there are several. With several steps a dimension more is in
/// front. Throws InputError.
void write_outputs(const Config& config, const Network& network, const std::vector<Values>& steps,
                   const std::string& path);

/// Throws InputError for what cannot be written.
void check_outputs(const Network& network, const std::string& path);

/// States as they were saved: state0.npy, ... in a folder. Throws InputError.
Values read_states(const Config& config, const Network& network, const std::string& folder);
void write_states(const Config& config, const Network& network, const Values& states,
                  const std::string& folder);

}  // namespace tessera
