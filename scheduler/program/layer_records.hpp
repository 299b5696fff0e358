// What a program says of each operator, for reports.
#pragma once

#include <vector>

#include "scheduler/program/decided_network.hpp"

namespace tessera {

/// By operator: what is known before a command is written.
std::vector<LayerRecord> describe_layers(const Prepared& prepared, const DecidedNetwork& decided);

}  // namespace tessera
