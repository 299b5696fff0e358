#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "input/read_file.hpp"
#include "input/yaml_fields.hpp"
#include "network/builder.hpp"
#include "network/import/yaml/yaml_layers.hpp"
#include "network/states.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"

namespace tessera {
namespace {

constexpr std::int64_t kMaxExtent = 65535;
constexpr std::int64_t kMaxTensorExtent = 1 << 24;

const std::vector<std::string> kWeightedTypes = {"conv2d",           "depthwise_conv2d",
                                                 "transpose_conv2d", "fully_connected",
                                                 "max_pool2d",       "avg_pool2d"};

std::vector<std::string> layer_types() {
  std::vector<std::string> types = kWeightedTypes;
  types.insert(types.end(), plain_layer_types().begin(), plain_layer_types().end());
  types.emplace_back("constant");
  return types;
}

class LayerListReader {
 public:
  LayerListReader(std::string path, std::uint64_t seed) : path_(std::move(path)), seed_(seed) {}

  Network run(const std::string& text) {
    const YAML::Node root = parse_yaml(text, path_);
    YamlFields fields(root, path_, "network");
    const std::string name = fields.text("name", std::filesystem::path(path_).stem().string());
    const auto seed = static_cast<std::uint64_t>(
        fields.integer("seed", 0, INT64_MAX, static_cast<std::int64_t>(seed_)));
    builder_.emplace(name, seed);
    const YAML::Node layers = fields.need("layers");
    if (!layers.IsSequence() || layers.size() == 0) {
      fields.fail("layers", "must be a list of at least one layer");
    }
    if (fields.has("input")) {
      last_ = new_input("input", fields.integers("input", 3, 1, kMaxExtent, 1));
      tensors_["input"] = last_;
    }
    if (const YAML::Node inputs = fields.get("inputs"); inputs.IsDefined()) {
      read_inputs(inputs);
    }
    const YAML::Node outputs = fields.get("outputs");
    const YAML::Node states = fields.get("state");
    fields.finish();
    for (const auto& layer : layers) {
      read_layer(layer);
    }
    if (!outputs.IsDefined()) {
      builder_->output(last_);
    } else {
      for (const auto& output : outputs) {
        builder_->output(read_output(output));
      }
    }
    try {
      Network network = builder_->finish();
      if (states.IsDefined()) {
        read_states(states, network);
        check_network(network);
      }
      return network;
    } catch (const InputError& error) {
      throw InputError(path_ + ": " + error.what());
    }
  }

 private:
  std::int32_t new_input(const std::string& name, const std::vector<std::int32_t>& hwc) {
    return builder_->input(name, {1, hwc[0], hwc[1], hwc[2]});
  }

  // Tensors by name, with their shapes, types and quantisation.
  void read_inputs(const YAML::Node& inputs) {
    if (!inputs.IsMap()) {
      throw InputError(place_of(inputs, path_) + "`inputs` must be a map of names");
    }
    for (const auto& entry : inputs) {
      const std::string name = entry.first.Scalar();
      YamlFields fields(entry.second, path_, "inputs." + name);
      last_ = builder_->input(name, fields.list("shape", 0, 8, 1, kMaxTensorExtent));
      if (const DataType type = read_data_type(fields); type != DataType::Int8) {
        builder_->tensor(last_).type = type;
        builder_->tensor(last_).quantisation = {};
      }
      read_quantisation(fields, last_);
      read_form(fields, last_);
      fields.finish();
      tensors_[name] = last_;
    }
  }

  // Inputs that hold, in each run, what a layer left in the run before.
  void read_states(const YAML::Node& states, Network& network) {
    if (!states.IsSequence()) {
      throw InputError(place_of(states, path_) +
                       "`state` must be a list of maps with an `input` and an `output`");
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
      YamlFields fields(states[i], path_, fmt::format("state[{}]", i));
      const std::string name = fields.text("input");
      const std::int32_t input = find(fields.need("input"));
      const std::int32_t output = find(fields.need("output"));
      if (std::find(network.inputs.begin(), network.inputs.end(), input) == network.inputs.end()) {
        fields.fail("input", fmt::format("`{}` is no input, or another state's", name));
      }
      const std::string values = fields.text("initial", "");
      fields.finish();
      std::vector<std::uint8_t> initial =
          values.empty()
              ? zeros(network.tensors[static_cast<std::size_t>(input)])
              : read_file((std::filesystem::path(path_).parent_path() / values).string());
      const Tensor& tensor = network.tensors[static_cast<std::size_t>(input)];
      if (!values.empty() && initial.size() != tensor.bytes()) {
        fields.fail("initial", fmt::format("`{}` has {} bytes; the state's raw values are {}",
                                           values, initial.size(), tensor.bytes()));
      }
      add_state(network, name, input, output, std::move(initial),
                network.tensors[static_cast<std::size_t>(output)].name);
    }
    settle_states(network);
  }

  // The value zero, as it is stored.
  static std::vector<std::uint8_t> zeros(const Tensor& tensor) {
    const auto byte = tensor.type == DataType::Int8
                          ? static_cast<std::uint8_t>(tensor.quantisation.zero_point)
                          : std::uint8_t{0};
    return std::vector<std::uint8_t>(tensor.bytes(), byte);
  }

  // A name, or a map with how the model's own file has it.
  std::int32_t read_output(const YAML::Node& node) {
    if (!node.IsMap()) {
      return find(node);
    }
    YamlFields fields(node, path_, "outputs");
    const std::int32_t tensor = find(fields.need("name"));
    read_form(fields, tensor);
    fields.finish();
    return tensor;
  }

  void read_form(YamlFields& fields, std::int32_t tensor) {
    Form& form = builder_->tensor(tensor).form;
    form.is_unsigned = fields.choice("unsigned", {"no", "yes"}, 0) == 1;
    if (fields.has("file_shape")) {
      form.shape = fields.list("file_shape", 1, 8, 1, kMaxTensorExtent);
    }
    if (fields.has("file_order")) {
      form.order = fields.list("file_order", 1, 8, 0, 7);
    }
  }

  // `scale` and `zero_point` of a tensor, in place of what the builder gave it.
  void read_quantisation(YamlFields& fields, std::int32_t tensor) {
    Quantisation& quantisation = builder_->tensor(tensor).quantisation;
    if (fields.has("scale")) {
      quantisation.scales = {static_cast<float>(fields.number("scale", 1e-38, 1e38, 1.0))};
    }
    if (fields.has("zero_point")) {
      quantisation.zero_point =
          static_cast<std::int32_t>(fields.integer("zero_point", -128, 127, 0));
    }
  }

  std::int32_t read_constant(YamlFields& fields, const std::string& name) {
    const auto shape = fields.list("shape", 0, 8, 1, kMaxTensorExtent);
    const DataType type = read_data_type(fields);
    const std::int32_t constant =
        builder_->constant(name, shape, {{1.0F}, 0}, side_file(fields.text("values")));
    builder_->tensor(constant).type = type;
    return constant;
  }

  [[nodiscard]] std::vector<std::uint8_t> side_file(const std::string& file) const {
    return read_file((std::filesystem::path(path_).parent_path() / file).string());
  }

  std::int32_t find(const YAML::Node& node) const {
    const std::string name = node.IsScalar() ? node.Scalar() : "";
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      std::vector<std::string> names;
      names.reserve(tensors_.size());
      for (const auto& entry : tensors_) {
        names.push_back(entry.first);
      }
      throw InputError(fmt::format("{}no layer before this one is named `{}`{}",
                                   place_of(node, path_), name, suggestion(name, names)));
    }
    return found->second;
  }

  // The tensors a layer reads: `from` if given, a new input for a layer with `in` that follows
  // nothing, else the layer before.
  std::vector<std::int32_t> sources(YamlFields& fields, const YAML::Node& place,
                                    const std::string& name) {
    const YAML::Node from = fields.get("from");
    std::vector<std::int32_t> result;
    if (from.IsDefined()) {
      if (from.IsSequence()) {
        for (const auto& element : from) {
          result.push_back(find(element));
        }
      } else {
        result.push_back(find(from));
      }
    } else if (last_ >= 0) {
      result.push_back(last_);
    }
    if (fields.has("in")) {
      const auto in = fields.integers("in", 3, 1, kMaxExtent, 1);
      if (result.empty()) {
        result.push_back(new_input(name + "/input", in));
      }
      const std::vector<std::int32_t> wanted = {1, in[0], in[1], in[2]};
      const auto& actual = builder_->tensor(result[0]).shape;
      if (actual != wanted) {
        fields.fail("in",
                    fmt::format("the layer reads a tensor of shape [{}]", fmt::join(actual, ", ")));
      }
    }
    if (result.empty()) {
      fields.fail(place,
                  "the first layer needs `in: [height, width, channels]`, or the network "
                  "an `input`");
    }
    return result;
  }

  const Tensor& spatial(YamlFields& fields, const YAML::Node& place, std::int32_t tensor) const {
    const Tensor& in = builder_->tensor(tensor);
    if (in.shape.size() != 4) {
      fields.fail(place, fmt::format("reads a tensor of shape [{}]; it needs height, width and "
                                     "channels",
                                     fmt::join(in.shape, ", ")));
    }
    return in;
  }

  static std::int32_t same_padding(std::int32_t in, std::int32_t kernel, std::int32_t stride,
                                   std::int32_t dilation) {
    const std::int32_t out = (in + stride - 1) / stride;
    return std::max((out - 1) * stride + (kernel - 1) * dilation + 1 - in, 0);
  }

  // `padding`: same, valid, one number, or [top, left, bottom, right].
  static Padding padding(YamlFields& fields, const Tensor& in,
                         const std::vector<std::int32_t>& kernel,
                         const std::vector<std::int32_t>& stride,
                         const std::vector<std::int32_t>& dilation) {
    const YAML::Node value = fields.get("padding");
    const std::string word = value.IsDefined() && value.IsScalar() ? value.Scalar() : "";
    if (!value.IsDefined() || word == "valid") {
      return {};
    }
    if (word == "same") {
      const std::int32_t h = same_padding(in.shape[1], kernel[0], stride[0], dilation[0]);
      const std::int32_t w = same_padding(in.shape[2], kernel[1], stride[1], dilation[1]);
      return {h / 2, w / 2, h - h / 2, w - w / 2};
    }
    if (word.find_first_not_of("0123456789") != std::string::npos) {
      fields.fail("padding", fmt::format("`{}` is not allowed; write same, valid, a number or "
                                         "[top, left, bottom, right]{}",
                                         word, suggestion(word, {"same", "valid"})));
    }
    const auto sides = fields.integers("padding", 4, 0, 1024, 0);
    return {sides[0], sides[1], sides[2], sides[3]};
  }

  // The padding, when at least one window fits.
  static Padding fitting(YamlFields& fields, const Tensor& in,
                         const std::vector<std::int32_t>& kernel,
                         const std::vector<std::int32_t>& stride,
                         const std::vector<std::int32_t>& dilation) {
    const Padding pad = padding(fields, in, kernel, stride, dilation);
    const auto fit = [&](const char* side, std::int32_t size, std::int32_t taps,
                         std::int32_t step) {
      const std::int64_t span = std::int64_t{taps - 1} * step + 1;
      if (span > size) {
        fields.fail("kernel", fmt::format("spans {} {}, the input with its padding has {}", span,
                                          side, size));
      }
    };
    fit("rows", in.shape[1] + pad.top + pad.bottom, kernel[0], dilation[0]);
    fit("columns", in.shape[2] + pad.left + pad.right, kernel[1], dilation[1]);
    return pad;
  }

  GivenWeights weights(YamlFields& fields) const {
    GivenWeights given;
    const auto load = [&](const std::string& key, std::optional<std::vector<std::uint8_t>>& to) {
      const std::string file = fields.text(key, "seeded");
      if (file != "seeded") {
        to = side_file(file);
      }
    };
    load("weights", given.kernel);
    if (fields.get("bias").IsDefined() && fields.text("bias") == "none") {
      given.no_bias = true;
    } else {
      load("bias", given.bias);
    }
    // Weights beyond int8 come from unsigned ones around their zero point.
    given.kernel_type =
        fields.choice("weight_type", {"int8", "int16"}, 0) == 0 ? DataType::Int8 : DataType::Int16;
    if (given.kernel &&
        (fields.get("weight_bits").IsDefined() || fields.get("zeros").IsDefined())) {
      fields.fail("weights", "come from a file; `weight_bits` and `zeros` are of seeded ones");
    }
    given.bits = static_cast<std::uint32_t>(fields.integer("weight_bits", 1, 8, 8));
    given.zeros_percent = static_cast<std::uint32_t>(fields.integer("zeros", 0, 100, 0));
    given.kernel_scales = fields.numbers("weight_scales", 1e-38, 1e38);
    return given;
  }

  std::int32_t read_conv(YamlFields& fields, const YAML::Node& place, const std::string& name,
                         bool is_depthwise) {
    const std::int32_t source = sources(fields, place, name).at(0);
    const Tensor in = spatial(fields, place, source);
    const auto kernel = fields.integers("kernel", 2, 1, 1024, 1);
    const auto stride = fields.integers("stride", 2, 1, 1024, 1);
    const auto dilation = fields.integers("dilation", 2, 1, 1024, 1);
    Conv2d conv{stride[0],
                stride[1],
                dilation[0],
                dilation[1],
                fitting(fields, in, kernel, stride, dilation),
                read_activation(fields),
                fields.choice("single_product", {"no", "yes"}, 0) == 1};
    const std::int32_t channels = in.shape[3];
    std::int64_t outputs = 0;
    std::int64_t groups = 1;
    if (is_depthwise) {
      outputs = channels * fields.integer("multiplier", 1, 4096, 1);
    } else {
      outputs = fields.integer("out_channels", 1, kMaxExtent);
      groups = fields.integer("groups", 1, kMaxExtent, 1);
      if (channels % groups != 0 || outputs % groups != 0) {
        fields.fail("groups", fmt::format("is {}; it must divide {} input and {} output channels",
                                          groups, channels, outputs));
      }
    }
    const GivenWeights given = weights(fields);
    if (is_depthwise) {
      const DepthwiseConv2d depthwise{conv, static_cast<std::int32_t>(outputs / channels)};
      return builder_->depthwise(name, source, kernel[0], kernel[1], depthwise, given);
    }
    return builder_->conv2d(name, source, static_cast<std::int32_t>(outputs), kernel[0], kernel[1],
                            conv, given, static_cast<std::int32_t>(groups));
  }

  // `padding` is what is cut off from the full result; same: as many outputs as inputs times
  // stride.
  std::int32_t read_transpose_conv(YamlFields& fields, const YAML::Node& place,
                                   const std::string& name) {
    const std::int32_t source = sources(fields, place, name).at(0);
    const Tensor in = spatial(fields, place, source);
    const auto kernel = fields.integers("kernel", 2, 1, 1024, 1);
    const auto stride = fields.integers("stride", 2, 1, 1024, 1);
    TransposeConv2d conv;
    conv.stride_h = stride[0];
    conv.stride_w = stride[1];
    const YAML::Node value = fields.get("padding");
    if (value.IsDefined() && value.IsScalar() && value.Scalar() == "same") {
      const std::int32_t h = std::max(kernel[0] - stride[0], 0);
      const std::int32_t w = std::max(kernel[1] - stride[1], 0);
      conv.padding = {h / 2, w / 2, h - h / 2, w - w / 2};
    } else {
      conv.padding = padding(fields, in, kernel, stride, {1, 1});
    }
    conv.activation = read_activation(fields);
    conv.single_product = fields.choice("single_product", {"no", "yes"}, 0) == 1;
    const auto outputs = static_cast<std::int32_t>(fields.integer("out_channels", 1, kMaxExtent));
    const auto extent = [&](std::size_t axis, std::int32_t cut) {
      return (in.shape[axis + 1] - 1) * stride[axis] + kernel[axis] - cut;
    };
    const std::vector<std::int32_t> natural = {extent(0, conv.padding.top + conv.padding.bottom),
                                               extent(1, conv.padding.left + conv.padding.right)};
    // Outputs that no tap reaches are allowed.
    const auto size = fields.has("size") ? fields.integers("size", 2, 1, kMaxExtent, 1) : natural;
    return builder_->transpose_conv2d(name, source, {1, size[0], size[1], outputs}, kernel[0],
                                      kernel[1], conv, weights(fields));
  }

  std::int32_t read_pool(YamlFields& fields, const YAML::Node& place, const std::string& name,
                         PoolKind kind) {
    const std::int32_t source = sources(fields, place, name).at(0);
    const Tensor in = spatial(fields, place, source);
    const auto kernel = fields.integers("kernel", 2, 1, kMaxExtent, 1);
    const auto stride = fields.integers("stride", 2, 1, 1024, 1);
    Pool2d pool;
    pool.kind = kind;
    pool.ties_up = kind == PoolKind::Average && fields.choice("ties_up", {"no", "yes"}, 0) == 1;
    pool.filter_h = kernel[0];
    pool.filter_w = kernel[1];
    pool.stride_h = stride[0];
    pool.stride_w = stride[1];
    pool.padding = fitting(fields, in, kernel, stride, {1, 1});
    pool.activation = read_activation(fields);
    return builder_->pool(name, source, pool);
  }

  std::int32_t read_typed(const std::string& type, YamlFields& fields, const YAML::Node& place,
                          const std::string& name) {
    if (type == "conv2d" || type == "depthwise_conv2d") {
      return read_conv(fields, place, name, type != "conv2d");
    }
    if (type == "transpose_conv2d") {
      return read_transpose_conv(fields, place, name);
    }
    if (type == "max_pool2d" || type == "avg_pool2d") {
      return read_pool(fields, place, name,
                       type == "max_pool2d" ? PoolKind::Max : PoolKind::Average);
    }
    if (type == "constant") {
      return read_constant(fields, name);
    }
    const auto from = sources(fields, place, name);
    if (type == "fully_connected") {
      const auto outputs = fields.integer("out_features", 1, kMaxExtent);
      const std::int64_t elements = builder_->tensor(from[0]).elements();
      const std::int64_t features = fields.integer("in_features", 1, elements, elements);
      const Activation act = read_activation(fields);
      const std::int32_t result =
          builder_->fully_connected(name, from[0], static_cast<std::int32_t>(outputs), act,
                                    weights(fields), static_cast<std::int32_t>(features));
      if (fields.has("shape")) {
        builder_->tensor(result).shape = fields.list("shape", 1, 8, 1, kMaxExtent);
      }
      return result;
    }
    return read_plain_layer({type, name, place, from}, fields, *builder_);
  }

  void read_layer(const YAML::Node& layer) {
    if (!layer.IsMap() || layer.size() != 1) {
      throw InputError(place_of(layer, path_) +
                       "a layer is one key, its type, with a map of its parameters");
    }
    const YAML::Node key = layer.begin()->first;
    const YAML::Node body = layer.begin()->second;
    const std::string type = key.IsScalar() ? key.Scalar() : "";
    const std::vector<std::string> types = layer_types();
    if (std::find(types.begin(), types.end(), type) == types.end()) {
      throw InputError(fmt::format("{}unknown layer type `{}`{}; allowed are {}",
                                   place_of(key, path_), type, suggestion(type, types),
                                   fmt::join(types, ", ")));
    }
    YamlFields fields(body.IsNull() ? YAML::Node(YAML::NodeType::Map) : body, path_, type);
    const std::string name = fields.text("name", fmt::format("{}_{}", type, count_++));
    if (tensors_.count(name) != 0) {
      fields.fail("name", fmt::format("`{}` is taken by an earlier layer", name));
    }
    const std::int32_t result = read_typed(type, fields, key, name);
    read_quantisation(fields, result);
    if (fields.has("rounding")) {
      const auto rounding =
          static_cast<Rounding>(fields.choice("rounding", {"twice", "half_up", "half_even"}, 0));
      if (!builder_->round(result, rounding)) {
        fields.fail("rounding", "stands at what computes nothing");
      }
    }
    tensors_[name] = result;
    fields.finish();
    // Constants stand beside the chain of layers.
    if (type != "constant") {
      last_ = result;
    }
  }

  std::string path_;
  std::uint64_t seed_;
  std::optional<NetworkBuilder> builder_;
  std::map<std::string, std::int32_t> tensors_;
  std::int32_t last_ = -1;
  std::size_t count_ = 0;
};

}  // namespace

Network import_yaml(const std::string& text, const std::string& path, std::uint64_t seed) {
  try {
    return LayerListReader(path, seed).run(text);
  } catch (const YAML::Exception& error) {
    throw InputError(
        fmt::format("{}:{}:{}: {}", path, error.mark.line + 1, error.mark.column + 1, error.msg));
  }
}

}  // namespace tessera
