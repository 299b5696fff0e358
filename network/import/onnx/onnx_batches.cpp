// Pictures of several batches: one after the other.
#include <fmt/format.h>

#include "network/builder.hpp"
#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {

bool OnnxImporter::has_batches(const Node& node) const {
  static const std::set<std::string> windows = {
      "Conv",          "ConvTranspose",      "QLinearConv",
      "MaxPool",       "AveragePool",        "GlobalAveragePool",
      "GlobalMaxPool", "QLinearAveragePool", "QLinearGlobalAveragePool",
      "Resize",        "Upsample",           "DepthToSpace",
      "SpaceToDepth",  "ConvInteger"};
  if (windows.count(node.op_type()) == 0 || is_known(name_of(node, 0))) {
    return false;
  }
  const auto found = values_.find(name_of(node, 0));
  return found != values_.end() && found->second.dims.size() >= 3 && found->second.dims[0] > 1;
}

// Whatever the node defines is defined for each batch, and put together.
void OnnxImporter::read_by_batches(const Node& node, Handler handler) {
  constexpr std::int64_t kMost = 256;
  const std::string& of = node.input(0);
  if (node.op_type().rfind("QLinear", 0) == 0) {
    // Slices have the quantisation that the node gives.
    set_quantisation(value(of), read_quantisation(name_of(node, 1), name_of(node, 2)));
  }
  const OnnxValue whole = stored_as(value(of), channels_last(value(of).dims.size()));
  const std::int64_t count = whole.dims[0];
  require(count <= kMost, fmt::format("{} batches; at most {} are supported", count, kMost));
  const std::string name = name_;
  const std::set<const Node*> done = done_;
  const std::map<std::string, OnnxValue> before = values_;
  const auto apart = batches_.find(value(of).tensor);
  std::map<std::string, std::vector<OnnxValue>> results;
  for (std::int64_t b = 0; b < count; ++b) {
    name_ = fmt::format("{}/batch{}", name, b);
    OnnxValue one = whole;
    one.dims[0] = 1;
    if (apart != batches_.end()) {
      one = apart->second[static_cast<std::size_t>(b)];
    } else {
      StridedSlice slice;
      slice.begin.assign(whole.dims.size(), 0);
      slice.begin[0] = static_cast<std::int32_t>(b);
      slice.stride.assign(whole.dims.size(), 1);
      one.tensor = moved(whole, stored_shape(one.dims, one.order), slice, "/slice");
    }
    values_[of] = one;
    done_ = done;
    (this->*handler)(node);
    for (const auto& [value_name, v] : values_) {
      const auto known = before.find(value_name);
      if (value_name != of && (known == before.end() || known->second.tensor != v.tensor)) {
        results[value_name].push_back(v);
      }
    }
    values_ = before;
  }
  name_ = name;
  for (auto& [value_name, parts] : results) {
    OnnxValue all = parts[0];
    all.dims[0] = count;
    require(all.order[0] == 0, "its batches are not outermost");
    std::vector<std::int32_t> tensors;
    for (const OnnxValue& part : parts) {
      tensors.push_back(stored_as(part, all.order).tensor);
    }
    all.tensor = builder_.moved(name_ + kBatches, stored_shape(all.dims, all.order),
                                Concatenation{0}, tensors);
    define(value_name, all);
    batches_[all.tensor] = parts;
  }
}

}  // namespace tessera
