// Weighted linear regression.
#pragma once

#include <vector>

namespace tessera::fpga {

/// A row of terms and what they should add up to.
struct Observation {
  std::vector<double> terms;
  double value = 0;
};

/// The coefficients with the least sum of squared errors, with a little weight on large ones, so
/// that terms which the observations cannot tell apart share. All observations have as many terms;
/// none: no coefficients.
std::vector<double> least_squares(const std::vector<Observation>& observations);

/// The sum of terms by coefficients.
double weighted_sum(const std::vector<double>& terms, const std::vector<double>& coefficients);

}  // namespace tessera::fpga
