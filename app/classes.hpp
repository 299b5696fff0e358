// What a classifier's output says, by name.
#pragma once

#include <string>
#include <vector>

#include "app/simulate.hpp"
#include "tessera/config.hpp"

namespace tessera {

struct ScoredClass {
  std::string label;
  double score = 0.0;  ///< real value of the output
};

/// The classes of the output that has one value per label, the likeliest first (a tie: the earlier
/// label). Empty without labels.
std::vector<ScoredClass> scored_classes(const Config& config, const Network& network,
                                        const std::vector<std::vector<std::uint8_t>>& outputs);

/// Throws InputError when labels are given and no output has as many values.
void check_labels(const Config& config, const Network& network);

}  // namespace tessera
