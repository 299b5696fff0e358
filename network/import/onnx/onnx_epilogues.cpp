// Where results go: what stands behind a node and becomes part of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {

const OnnxImporter::Node* OnnxImporter::only_reader(const std::string& name) const {
  const auto readers = onnx_.readers_of(name);
  return readers.size() == 1 ? readers[0] : nullptr;
}

std::optional<OnnxImporter::Result> OnnxImporter::quantised_result(const Node& node,
                                                                   bool activations,
                                                                   std::size_t bias_channels,
                                                                   std::size_t space) {
  Result result;
  result.name = node.output(0);
  std::vector<const Node*> taken;
  const Node* next = only_reader(result.name);
  const auto take = [&] {
    taken.push_back(next);
    result.name = next->output(0);
    next = only_reader(result.name);
  };
  if (bias_channels > 0 && quantised_ && next != nullptr && next->op_type() == "Add" &&
      next->input_size() == 2) {
    const std::string other = next->input(next->input(0) == result.name ? 1 : 0);
    if (other != result.name && is_known(other)) {
      const OnnxConstant bias = constant(other);
      // Along the channels: as many dimensions of 1 behind them as there are of space.
      const bool trails =
          bias.dims.size() > space &&
          std::all_of(bias.dims.end() - static_cast<std::ptrdiff_t>(space), bias.dims.end(),
                      [](std::int64_t extent) { return extent == 1; });
      if (bias.values.size() == bias_channels && trails) {
        result.bias = bias;
        take();
      }
    }
  }
  if (activations && next != nullptr && (next->op_type() == "Relu" || next->op_type() == "Clip")) {
    result.activation = activation_of(*next);
    if (result.activation == Activation::None && quantised_) {
      result.limits = clip_limits(*next);
    }
    if (result.activation != Activation::None || result.limits) {
      take();
    }
  }
  if (quantised_) {
    if (next == nullptr || next->op_type() != "QuantizeLinear" || !is_known(name_of(*next, 1))) {
      return std::nullopt;
    }
    result.quantisation =
        read_quantisation(name_of(*next, 1), name_of(*next, 2), kind_of(next->output(0)));
    take();
  }
  done_.insert(taken.begin(), taken.end());
  return result;
}

OnnxImporter::Result OnnxImporter::result_of(const Node& node, bool activations,
                                             std::size_t bias_channels, std::size_t space) {
  auto result = quantised_result(node, activations, bias_channels, space);
  require(result.has_value(),
          "its float result has no QuantizeLinear behind it, so that its scale is not known");
  return *result;
}

Activation OnnxImporter::activation_of(const Node& node) const {
  if (node.op_type() == "Relu") {
    return Activation::Relu;
  }
  if (node.op_type() != "Clip") {
    return Activation::None;
  }
  const auto [low, high] = clip_limits(node);
  return low == 0.0 && high == 6.0 ? Activation::Relu6 : Activation::None;
}

std::pair<double, double> OnnxImporter::clip_limits(const Node& node) const {
  const OnnxAttributes attributes(node);
  const auto limit = [&](int i, const char* name, float fallback) {
    const std::string given = name_of(node, i);
    return given.empty() ? static_cast<double>(attributes.number(name, fallback)) : number(given);
  };
  const std::pair<double, double> limits = {limit(1, "min", std::numeric_limits<float>::lowest()),
                                            limit(2, "max", std::numeric_limits<float>::max())};
  require(limits.first <= limits.second, "min is greater than max");
  return limits;
}

void OnnxImporter::finish(const Result& result, const OnnxValue& v) {
  if (result.quantisation) {
    builder_.tensor(v.tensor).quantisation = *result.quantisation;
  }
  if (!result.limits || !result.quantisation) {
    define(result.name, v);
    return;
  }
  // Rounding keeps order: what is cut off before it can be cut off behind it.
  const auto [low, high] = *result.limits;
  define(result.name,
         map(
             v, *result.quantisation,
             [low = low, high = high](double x) { return std::clamp(x, low, high); }, "/clip"));
}

OnnxValue OnnxImporter::map(const OnnxValue& in, Quantisation out, const Function& function,
                            const char* suffix) {
  const Quantisation own = builder_.tensor(in.tensor).quantisation;
  require(is_quantised(in) && own.scales.size() == 1 && out.scales.size() == 1,
          "needs a value whose scale is known");
  Unary unary;
  unary.kind = UnaryKind::Lookup;
  for (std::int32_t x = -128; x <= 127; ++x) {
    const float real = own.scales[0] * static_cast<float>(x - own.zero_point);
    const auto result = static_cast<float>(function(static_cast<double>(real)));
    const float steps = std::nearbyint(result / out.scales[0]) + static_cast<float>(out.zero_point);
    // What is not a number becomes the least, as runtimes' conversion has it.
    const float limited = std::isnan(steps) ? -128.0F : std::clamp(steps, -128.0F, 127.0F);
    unary.table.push_back(static_cast<std::int8_t>(limited));
  }
  const std::int32_t tensor = builder_.unary(name_ + suffix, in.tensor, unary);
  builder_.tensor(tensor).quantisation = std::move(out);
  return {tensor, in.dims, in.order};
}

void OnnxImporter::requantise(const std::string& name, const OnnxValue& in,
                              const Quantisation& wanted) {
  const Tensor& tensor = builder_.tensor(in.tensor);
  if (tensor.type == DataType::Float32) {
    const std::int32_t out =
        builder_.unary(name_, in.tensor, Unary{UnaryKind::Quantize, 0, {}, true});
    builder_.tensor(out).quantisation = wanted;
    define(name, out, in.dims, in.order);
    return;
  }
  const Quantisation own = tensor.quantisation;
  if (own.scales == wanted.scales && own.zero_point == wanted.zero_point) {
    define(name, in);
    return;
  }
  define(name, map(in, wanted, [](double x) { return x; }));
}

}  // namespace tessera
