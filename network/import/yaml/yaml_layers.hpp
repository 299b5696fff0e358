// Layers of a layer list that have no weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "input/yaml_fields.hpp"
#include "network/builder.hpp"

namespace tessera {

/// A layer as read so far.
struct YamlLayer {
  std::string type;
  std::string name;
  YAML::Node place;                ///< for errors that concern no field
  std::vector<std::int32_t> from;  ///< tensors that it reads, at least one
};

/// Types that read_plain_layer knows.
const std::vector<std::string>& plain_layer_types();

/// Appends the layer and returns its output. Throws InputError naming the field.
std::int32_t read_plain_layer(const YamlLayer& layer, YamlFields& fields, NetworkBuilder& builder);

/// `type`: int8 unless it says otherwise.
DataType read_data_type(YamlFields& fields);

/// `activation`: none, relu or relu6.
Activation read_activation(YamlFields& fields);

}  // namespace tessera
