// Writes a network as a layer list that import_yaml reads back to the same network.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include "network/host_kinds.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// A double-quoted YAML scalar.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte >= 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string list(const std::vector<std::int32_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

const char* yes_no(bool value) {
  return value ? "yes" : "no";
}

const char* activation_name(Activation activation) {
  constexpr const char* names[] = {"none", "relu", "relu6", "relu_n1_to_1"};
  return names[static_cast<std::size_t>(activation)];
}

class Exporter {
 public:
  Exporter(const Network& network, const std::string& path)
      : network_(network),
        folder_(fs::path(path).parent_path()),
        side_(fs::path(path).stem().string() + ".weights"),
        names_(network.tensors.size()) {}

  std::string run() {
    std::string text =
        fmt::format("name: {}\ninputs:\n", quoted(fs::path(network_.name).stem().string()));
    std::vector<std::int32_t> given = network_.inputs;
    for (const State& state : network_.states) {
      given.push_back(state.input);
    }
    for (const std::int32_t input : given) {
      const Tensor& tensor = tensor_of(input);
      name(input, tensor.name.empty() ? "input" : tensor.name);
      text += fmt::format("  {}: {{shape: {}{}{}{}}}\n", quoted(name_of(input)), list(tensor.shape),
                          type(tensor), quantisation(tensor), form(tensor.form));
    }
    std::string layers;
    for (const Operator& op : network_.operators) {
      for (const std::int32_t input : op.inputs) {
        if (!is_weight(op, input)) {
          layers += constant(input);
        }
      }
      name(op.output, op.name);
      op_ = &op;
      layers += "  - " + std::visit(*this, op.attributes) + quantisation(tensor_of(op.output)) +
                rounding(op.rounding) + "}\n";
    }
    text += "layers:\n" + layers;
    for (std::size_t s = 0; s < network_.states.size(); ++s) {
      const State& state = network_.states[s];
      text += fmt::format("{}  - {{input: {}, output: {}, initial: {}}}\n",
                          s == 0 ? "state:\n" : "", quoted(name_of(state.input)),
                          quoted(name_of(state.output)), write(state.initial, "state"));
    }
    text += "outputs:\n";
    for (const std::int32_t output : network_.outputs) {
      const std::string as_file = form(tensor_of(output).form);
      text += as_file.empty()
                  ? fmt::format("  - {}\n", quoted(name_of(output)))
                  : fmt::format("  - {{name: {}{}}}\n", quoted(name_of(output)), as_file);
    }
    return text;
  }

  // One per kind of operator: the layer up to its quantisation.
  std::string operator()(const Conv2d& conv) {
    const Tensor& kernel = weights();
    const std::int32_t groups = tensor_of(op_->inputs[0]).shape[3] / kernel.shape[3];
    return begin("conv2d") +
           fmt::format(", out_channels: {}, groups: {}", kernel.shape[0], groups) +
           window(kernel.shape[1], kernel.shape[2], conv) + weight_files();
  }
  std::string operator()(const DepthwiseConv2d& depthwise) {
    const Tensor& kernel = weights();
    return begin("depthwise_conv2d") + fmt::format(", multiplier: {}", depthwise.multiplier) +
           window(kernel.shape[1], kernel.shape[2], depthwise.conv) + weight_files();
  }
  std::string operator()(const TransposeConv2d& conv) {
    const Tensor& kernel = weights();
    const Tensor& out = tensor_of(op_->output);
    const Conv2d alike{conv.stride_h,   conv.stride_w,      1, 1, conv.padding,
                       conv.activation, conv.single_product};
    return begin("transpose_conv2d") +
           fmt::format(", out_channels: {}, size: [{}, {}]", kernel.shape[0], out.shape[1],
                       out.shape[2]) +
           window(kernel.shape[1], kernel.shape[2], alike, false) + weight_files();
  }
  std::string operator()(const FullyConnected& fc) {
    const Tensor& kernel = weights();
    return begin("fully_connected") +
           fmt::format(", in_features: {}, out_features: {}, activation: {}, shape: {}",
                       kernel.shape[1], kernel.shape[0], activation_name(fc.activation),
                       list(tensor_of(op_->output).shape)) +
           weight_files();
  }
  std::string operator()(const Binary& binary) {
    constexpr const char* types[] = {"add", "sub", "mul"};
    return begin(types[static_cast<std::size_t>(binary.kind)]) +
           fmt::format(", activation: {}", activation_name(binary.activation));
  }
  std::string operator()(const Unary& unary) {
    constexpr const char* types[] = {"relu", "relu6",      "leaky_relu", "logistic",
                                     "tanh", "hard_swish", "quantize",   "lookup"};
    std::string text = begin(types[static_cast<std::size_t>(unary.kind)]);
    if (unary.kind == UnaryKind::LeakyRelu) {
      text += fmt::format(", alpha: {}", number(unary.alpha));
    } else if (unary.ties_even) {
      text += ", ties_even: yes";
    } else if (unary.kind == UnaryKind::Lookup) {
      text += fmt::format(", table: {}", list({unary.table.begin(), unary.table.end()}));
    }
    return text;
  }
  std::string operator()(const Pool2d& pool) {
    const Conv2d alike{pool.stride_h, pool.stride_w, 1, 1, pool.padding, pool.activation, false};
    return begin(pool.kind == PoolKind::Max ? "max_pool2d" : "avg_pool2d") +
           window(pool.filter_h, pool.filter_w, alike, false) +
           (pool.ties_up ? ", ties_up: yes" : "");
  }
  std::string operator()(const Mean& mean) {
    std::vector<std::int32_t> axes(static_cast<std::size_t>(mean.axes));
    std::iota(axes.begin(), axes.end(), mean.first_axis);
    const bool keep = tensor_of(op_->output).shape.size() == tensor_of(op_->inputs[0]).shape.size();
    return begin("mean") + fmt::format(", axes: {}, keep_dims: {}", list(axes), yes_no(keep));
  }
  std::string operator()(const Reshape&) {
    return begin("reshape") + fmt::format(", shape: {}", list(tensor_of(op_->output).shape));
  }
  std::string operator()(const Transpose& transpose) {
    return begin("transpose") + fmt::format(", order: {}", list(transpose.order));
  }
  std::string operator()(const StridedSlice& slice) {
    return begin("slice") + fmt::format(", begin: {}, stride: {}, size: {}", list(slice.begin),
                                        list(slice.stride), list(tensor_of(op_->output).shape));
  }
  std::string operator()(const ResizeNearest& resize) {
    const Tensor& out = tensor_of(op_->output);
    return begin("resize_nearest") +
           fmt::format(", size: [{}, {}], align_corners: {}, half_pixel_centers: {}", out.shape[1],
                       out.shape[2], yes_no(resize.align_corners),
                       yes_no(resize.half_pixel_centers));
  }
  std::string operator()(const Softmax& softmax) {
    return begin("softmax") + fmt::format(", beta: {}", number(softmax.beta));
  }
  std::string operator()(const Pad& pad) {
    return begin("pad") + fmt::format(", before: {}, after: {}", list(pad.before), list(pad.after));
  }
  std::string operator()(const Concatenation& concat) {
    return begin("concat") + fmt::format(", axis: {}", concat.axis);
  }
  std::string operator()(const Dequantize&) { return begin("dequantize"); }
  std::string operator()(const HostOperator& host) {
    std::vector<std::string> numbers;
    numbers.reserve(host.numbers.size());
    for (const float value : host.numbers) {
      numbers.push_back(number(value));
    }
    const Tensor& out = tensor_of(op_->output);
    return begin("host") +
           fmt::format(", kind: {}, shape: {}, type: {}, integers: {}, numbers: [{}]",
                       rule_of(host.kind).name, list(out.shape), tessera::name_of(out.type),
                       list(host.integers), fmt::join(numbers, ", "));
  }

 private:
  [[nodiscard]] const Tensor& tensor_of(std::int32_t index) const {
    return network_.tensors[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const std::string& name_of(std::int32_t tensor) const {
    return names_[static_cast<std::size_t>(tensor)];
  }
  [[nodiscard]] const Tensor& weights() const { return tensor_of(op_->inputs[1]); }

  // Names are unique whatever the model says.
  void name(std::int32_t tensor, const std::string& wanted) {
    std::string free = wanted;
    for (int i = 2; !taken_.insert(free).second; ++i) {
      free = fmt::format("{}_{}", wanted, i);
    }
    names_[static_cast<std::size_t>(tensor)] = free;
  }

  // Enough digits to come back as the same float.
  static std::string number(float value) { return fmt::format("{:.9g}", value); }

  static std::string quantisation(const Tensor& tensor) {
    if (tensor.quantisation.scales.size() != 1) {
      return "";
    }
    return fmt::format(", scale: {}, zero_point: {}", number(tensor.quantisation.scales[0]),
                       tensor.quantisation.zero_point);
  }

  static std::string rounding(Rounding rounding) {
    constexpr const char* names[] = {"", ", rounding: half_up", ", rounding: half_even"};
    return names[static_cast<std::size_t>(rounding)];
  }

  static std::string type(const Tensor& tensor) {
    return tensor.type == DataType::Int8 ? ""
                                         : fmt::format(", type: {}", tessera::name_of(tensor.type));
  }

  static std::string form(const Form& form) {
    return std::string(form.is_unsigned ? ", unsigned: yes" : "") +
           (form.shape.empty() ? "" : ", file_shape: " + list(form.shape)) +
           (form.order.empty() ? "" : ", file_order: " + list(form.order));
  }

  static bool is_weight(const Operator& op, std::int32_t input) {
    const bool has_weights = std::holds_alternative<Conv2d>(op.attributes) ||
                             std::holds_alternative<DepthwiseConv2d>(op.attributes) ||
                             std::holds_alternative<TransposeConv2d>(op.attributes) ||
                             std::holds_alternative<FullyConnected>(op.attributes);
    return input < 0 || (has_weights && input != op.inputs[0]);
  }

  [[nodiscard]] std::string begin(const std::string& type) const {
    std::vector<std::string> from;
    for (const std::int32_t input : op_->inputs) {
      if (!is_weight(*op_, input)) {
        from.push_back(quoted(name_of(input)));
      }
    }
    return fmt::format("{}: {{name: {}, from: [{}]", type, quoted(name_of(op_->output)),
                       fmt::join(from, ", "));
  }

  static std::string window(std::int32_t kernel_h, std::int32_t kernel_w, const Conv2d& conv,
                            bool dilated = true) {
    const Padding& p = conv.padding;
    return fmt::format(
        ", kernel: [{}, {}], stride: [{}, {}]{}, padding: [{}, {}, {}, {}], activation: {}{}",
        kernel_h, kernel_w, conv.stride_h, conv.stride_w,
        dilated ? fmt::format(", dilation: [{}, {}]", conv.dilation_h, conv.dilation_w) : "", p.top,
        p.left, p.bottom, p.right, activation_name(conv.activation),
        conv.single_product ? ", single_product: yes" : "");
  }

  // A file beside the layer list; its name relative to it.
  std::string write(const std::vector<std::uint8_t>& bytes, const char* ending) {
    std::error_code error;  // what is in the way is said below
    fs::create_directories(folder_ / side_, error);
    const std::string name = fmt::format("{}.{}", count_++, ending);
    const fs::path path = folder_ / side_ / name;
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) {
      throw InputError(path.string() + ": cannot be written");
    }
    return quoted(side_ + "/" + name);
  }

  std::string weight_files() {
    const Tensor& kernel = weights();
    std::vector<std::string> scales;
    scales.reserve(kernel.quantisation.scales.size());
    for (const float scale : kernel.quantisation.scales) {
      scales.push_back(number(scale));
    }
    const bool has_bias = op_->inputs.size() > 2 && op_->inputs[2] >= 0;
    return fmt::format(", weights: {}{}, bias: {}, weight_scales: [{}]",
                       write(kernel.constant, "kernel"),
                       kernel.type == DataType::Int16 ? ", weight_type: int16" : "",
                       has_bias ? write(tensor_of(op_->inputs[2]).constant, "bias") : "none",
                       fmt::join(scales, ", "));
  }

  // A layer of its own for values that an operator reads beside features.
  std::string constant(std::int32_t index) {
    const Tensor& tensor = tensor_of(index);
    if (tensor.constant.empty() || !name_of(index).empty()) {
      return "";
    }
    name(index, tensor.name.empty() ? "constant" : tensor.name);
    return fmt::format("  - constant: {{name: {}, shape: {}, values: {}{}{}}}\n",
                       quoted(name_of(index)), list(tensor.shape), write(tensor.constant, "values"),
                       type(tensor), quantisation(tensor));
  }

  const Network& network_;
  fs::path folder_;
  std::string side_;
  std::vector<std::string> names_;  // by tensor
  std::set<std::string> taken_;
  const Operator* op_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace

void export_yaml(const Network& network, const std::string& path) {
  const std::string text = Exporter(network, path).run();
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) {
    throw InputError(path + ": cannot be written");
  }
}

}  // namespace tessera
