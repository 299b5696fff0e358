#include "fpga/parts/least_squares.hpp"

#include <cmath>
#include <cstddef>

namespace tessera::fpga {
namespace {

constexpr double kRidge = 1e-4;

using Matrix = std::vector<std::vector<double>>;

// Solves a x = b for a symmetric positive definite matrix, by Cholesky's method.
std::vector<double> solved(Matrix a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) {
        sum -= a[i][k] * a[j][k];
      }
      a[i][j] = i == j ? std::sqrt(sum) : sum / a[j][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      b[i] -= a[i][k] * b[k];
    }
    b[i] /= a[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) {
      b[i] -= a[k][i] * b[k];
    }
    b[i] /= a[i][i];
  }
  return b;
}

}  // namespace

std::vector<double> least_squares(const std::vector<Observation>& observations) {
  if (observations.empty()) {
    return {};
  }
  const std::size_t n = observations[0].terms.size();
  // Terms in their own sizes, so that the weight on small coefficients is the same for all.
  std::vector<double> scales(n, 0);
  for (const Observation& o : observations) {
    for (std::size_t i = 0; i < n; ++i) {
      scales[i] += std::abs(o.terms[i]) / static_cast<double>(observations.size());
    }
  }
  Matrix a(n, std::vector<double>(n, 0));
  std::vector<double> b(n, 0);
  for (const Observation& o : observations) {
    std::vector<double> row(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      row[i] = scales[i] == 0 ? 0 : o.terms[i] / scales[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        a[i][j] += row[i] * row[j];
      }
      b[i] += row[i] * o.value;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    a[i][i] += kRidge * static_cast<double>(observations.size());
  }
  std::vector<double> coefficients = solved(std::move(a), std::move(b));
  for (std::size_t i = 0; i < n; ++i) {
    coefficients[i] = scales[i] == 0 ? 0 : coefficients[i] / scales[i];
  }
  return coefficients;
}

double weighted_sum(const std::vector<double>& terms, const std::vector<double>& coefficients) {
  double sum = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    sum += terms[i] * coefficients[i];
  }
  return sum;
}

}  // namespace tessera::fpga
