#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>

#include "network/builder.hpp"
#include "network/yaml_fields.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"

namespace tessera {
namespace {

constexpr std::int64_t kMaxExtent = 65535;

const std::vector<std::string> kLayerTypes = {"conv2d",     "depthwise_conv2d", "fully_connected",
                                              "max_pool2d", "avg_pool2d",       "add",
                                              "softmax",    "flatten"};

class LayerListReader {
 public:
  LayerListReader(std::string path, std::uint64_t seed) : path_(std::move(path)), seed_(seed) {}

  Network run(const std::string& text) {
    const YAML::Node root = parse_yaml(text, path_);
    YamlFields fields(root, path_, "network");
    const std::string name = fields.text("name", std::filesystem::path(path_).stem().string());
    const auto seed = static_cast<std::uint64_t>(
        fields.integer("seed", 0, INT64_MAX, static_cast<std::int64_t>(seed_)));
    NetworkBuilder builder(name, seed);
    builder_ = &builder;
    const YAML::Node layers = fields.need("layers");
    if (!layers.IsSequence() || layers.size() == 0) {
      fields.fail("layers", "must be a list of at least one layer");
    }
    if (fields.has("input")) {
      last_ = new_input("input", fields.integers("input", 3, 1, kMaxExtent, 1));
      tensors_["input"] = last_;
    }
    const YAML::Node outputs = fields.get("outputs");
    fields.finish();
    for (const auto& layer : layers) {
      read_layer(layer);
    }
    if (!outputs.IsDefined()) {
      builder.output(last_);
    } else {
      for (const auto& output : outputs) {
        builder.output(find(output));
      }
    }
    try {
      return builder.finish();
    } catch (const InputError& error) {
      throw InputError(path_ + ": " + error.what());
    }
  }

 private:
  std::int32_t new_input(const std::string& name, const std::vector<std::int32_t>& hwc) {
    return builder_->input(name, {1, hwc[0], hwc[1], hwc[2]});
  }

  std::int32_t find(const YAML::Node& node) const {
    const std::string name = node.IsScalar() ? node.Scalar() : "";
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      std::vector<std::string> names;
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

  static Activation activation(YamlFields& fields) {
    static const std::vector<std::string> names = {"none", "relu", "relu6"};
    return static_cast<Activation>(fields.choice("activation", names, 0));
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

  GivenWeights weights(YamlFields& fields) const {
    GivenWeights given;
    const auto load = [&](const std::string& key, std::optional<std::vector<std::uint8_t>>& to) {
      const std::string file = fields.text(key, "seeded");
      if (file != "seeded") {
        to = read_file((std::filesystem::path(path_).parent_path() / file).string());
      }
    };
    load("weights", given.kernel);
    load("bias", given.bias);
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
                padding(fields, in, kernel, stride, dilation),
                activation(fields)};
    const std::int32_t channels = in.shape[3];
    std::int64_t outputs = 0;
    if (is_depthwise) {
      outputs = channels * fields.integer("multiplier", 1, 4096, 1);
    } else {
      outputs = fields.integer("out_channels", 1, kMaxExtent);
      const std::int64_t groups = fields.integer("groups", 1, kMaxExtent, 1);
      if (groups != 1 && (groups != channels || outputs % channels != 0)) {
        fields.fail("groups", fmt::format("is {}; supported are 1 and the input's channels ({}), "
                                          "with outputs a multiple of them",
                                          groups, channels));
      }
      is_depthwise = groups != 1;
    }
    const GivenWeights given = weights(fields);
    if (is_depthwise) {
      const DepthwiseConv2d depthwise{conv, static_cast<std::int32_t>(outputs / channels)};
      return builder_->depthwise(name, source, kernel[0], kernel[1], depthwise, given);
    }
    return builder_->conv2d(name, source, static_cast<std::int32_t>(outputs), kernel[0], kernel[1],
                            conv, given);
  }

  std::int32_t read_pool(YamlFields& fields, const YAML::Node& place, const std::string& name,
                         PoolKind kind) {
    const std::int32_t source = sources(fields, place, name).at(0);
    const Tensor in = spatial(fields, place, source);
    const auto kernel = fields.integers("kernel", 2, 1, kMaxExtent, 1);
    const auto stride = fields.integers("stride", 2, 1, 1024, 1);
    Pool2d pool;
    pool.kind = kind;
    pool.filter_h = kernel[0];
    pool.filter_w = kernel[1];
    pool.stride_h = stride[0];
    pool.stride_w = stride[1];
    pool.padding = padding(fields, in, kernel, stride, {1, 1});
    pool.activation = activation(fields);
    return builder_->pool(name, source, pool);
  }

  std::int32_t read_typed(const std::string& type, YamlFields& fields, const YAML::Node& place,
                          const std::string& name) {
    if (type == "conv2d" || type == "depthwise_conv2d") {
      return read_conv(fields, place, name, type != "conv2d");
    }
    if (type == "max_pool2d" || type == "avg_pool2d") {
      return read_pool(fields, place, name,
                       type == "max_pool2d" ? PoolKind::Max : PoolKind::Average);
    }
    const auto from = sources(fields, place, name);
    if (type == "fully_connected") {
      const auto outputs = fields.integer("out_features", 1, kMaxExtent);
      const Activation act = activation(fields);
      return builder_->fully_connected(name, from[0], static_cast<std::int32_t>(outputs), act,
                                       weights(fields));
    }
    if (type == "add") {
      if (from.size() != 2) {
        fields.fail(place, "`add` needs `from: [first, second]`");
      }
      return builder_->add(name, from[0], from[1], activation(fields));
    }
    return type == "softmax" ? builder_->softmax(name, from[0]) : builder_->flatten(name, from[0]);
  }

  void read_layer(const YAML::Node& layer) {
    if (!layer.IsMap() || layer.size() != 1) {
      throw InputError(place_of(layer, path_) +
                       "a layer is one key, its type, with a map of its parameters");
    }
    const YAML::Node key = layer.begin()->first;
    const YAML::Node body = layer.begin()->second;
    const std::string type = key.IsScalar() ? key.Scalar() : "";
    if (std::find(kLayerTypes.begin(), kLayerTypes.end(), type) == kLayerTypes.end()) {
      throw InputError(fmt::format("{}unknown layer type `{}`{}; allowed are {}",
                                   place_of(key, path_), type, suggestion(type, kLayerTypes),
                                   fmt::join(kLayerTypes, ", ")));
    }
    YamlFields fields(body.IsNull() ? YAML::Node(YAML::NodeType::Map) : body, path_, type);
    const std::string name = fields.text("name", fmt::format("{}_{}", type, count_++));
    if (tensors_.count(name) != 0) {
      fields.fail("name", fmt::format("`{}` is taken by an earlier layer", name));
    }
    last_ = read_typed(type, fields, key, name);
    tensors_[name] = last_;
    fields.finish();
  }

  std::string path_;
  std::uint64_t seed_;
  NetworkBuilder* builder_ = nullptr;
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
