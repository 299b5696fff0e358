#include "app/classes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "tessera/error.hpp"

namespace tessera {
namespace {

std::optional<std::size_t> labelled_output(const Config& config, const Network& network) {
  for (std::size_t i = 0; i < network.outputs.size(); ++i) {
    const Tensor& tensor = network.tensors[static_cast<std::size_t>(network.outputs[i])];
    if (static_cast<std::size_t>(tensor.elements()) == config.labels.size()) {
      return i;
    }
  }
  return std::nullopt;
}

double value_of(const Tensor& tensor, const std::vector<std::uint8_t>& bytes, std::size_t i) {
  if (tensor.type == DataType::Float32) {
    float value = 0;
    std::memcpy(&value, &bytes[i * sizeof(float)], sizeof(float));
    return static_cast<double>(value);
  }
  const auto stored = static_cast<std::int8_t>(bytes[i]);
  return static_cast<double>(tensor.quantisation.scales.at(0)) *
         (stored - tensor.quantisation.zero_point);
}

}  // namespace

void check_labels(const Config& config, const Network& network) {
  if (config.labels.empty() || labelled_output(config, network)) {
    return;
  }
  std::vector<std::int64_t> sizes;
  sizes.reserve(network.outputs.size());
  for (const std::int32_t output : network.outputs) {
    sizes.push_back(network.tensors[static_cast<std::size_t>(output)].elements());
  }
  throw InputError(fmt::format("{} labels, but the network's outputs have {} values",
                               config.labels.size(), fmt::join(sizes, ", ")));
}

std::vector<ScoredClass> scored_classes(const Config& config, const Network& network,
                                        const std::vector<std::vector<std::uint8_t>>& outputs) {
  std::vector<ScoredClass> classes;
  const auto output =
      config.labels.empty() || outputs.empty() ? std::nullopt : labelled_output(config, network);
  if (!output) {
    return classes;
  }
  const Tensor& tensor = network.tensors[static_cast<std::size_t>(network.outputs[*output])];
  for (std::size_t i = 0; i < config.labels.size(); ++i) {
    classes.push_back({config.labels[i], value_of(tensor, outputs[*output], i)});
  }
  std::stable_sort(classes.begin(), classes.end(),
                   [](const ScoredClass& a, const ScoredClass& b) { return a.score > b.score; });
  return classes;
}

}  // namespace tessera
