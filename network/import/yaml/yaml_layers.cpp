#include "network/import/yaml/yaml_layers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>
#include <numeric>

#include "network/host_kinds.hpp"

namespace tessera {
namespace {

constexpr std::int64_t kMostOfAxis = 1 << 24;

using Shape = std::vector<std::int32_t>;

class PlainLayer {
 public:
  PlainLayer(const YamlLayer& layer, YamlFields& fields, NetworkBuilder& builder)
      : layer_(layer),
        fields_(fields),
        builder_(builder),
        in_(builder.tensor(layer.from[0]).shape) {}

  std::int32_t pad() {
    const Shape before = per_axis("before", 0, 0);
    const Shape after = per_axis("after", 0, 0);
    Shape shape = in_;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      shape[d] += before[d] + after[d];
    }
    return moved(shape, Pad{before, after});
  }

  std::int32_t concat() {
    const std::size_t axis = axis_field("axis");
    Shape shape = in_;
    for (std::size_t i = 1; i < layer_.from.size(); ++i) {
      const Shape& other = builder_.tensor(layer_.from[i]).shape;
      if (other.size() != shape.size()) {
        fields_.fail(layer_.place, "its inputs differ in rank");
      }
      shape[axis] += other[axis];
    }
    return moved(shape, Concatenation{static_cast<std::int32_t>(axis)});
  }

  std::int32_t slice() {
    const Shape begin = per_axis("begin", 0, 0);
    const Shape stride = per_axis("stride", 1, 1);
    const Shape size = per_axis("size", 1, 0);
    Shape shape;
    for (std::size_t d = 0; d < in_.size(); ++d) {
      // Without a size: up to the end.
      const std::int32_t room = (in_[d] - begin[d] + stride[d] - 1) / stride[d];
      shape.push_back(size[d] == 0 ? room : size[d]);
    }
    return moved(shape, StridedSlice{begin, stride});
  }

  std::int32_t transpose() {
    const Shape order = per_axis("order", 0, 0);
    Shape shape;
    for (const std::int32_t axis : order) {
      if (static_cast<std::size_t>(axis) >= in_.size()) {
        fields_.fail("order", fmt::format("names axis {} of {}", axis, in_.size()));
      }
      shape.push_back(in_[static_cast<std::size_t>(axis)]);
    }
    return moved(shape, Transpose{order});
  }

  std::int32_t resize() {
    need_nhwc();
    const auto size = fields_.integers("size", 2, 1, 65535, 1);
    const bool corners = flag("align_corners");
    const bool centers = flag("half_pixel_centers");
    return moved({in_[0], size[0], size[1], in_[3]}, ResizeNearest{corners, centers});
  }

  std::int32_t reshape() {
    const Shape shape = fields_.list("shape", 1, 8, 1, kMostOfAxis);
    return moved(shape, Reshape{});
  }

  std::int32_t flatten() {
    const std::int64_t elements = builder_.tensor(layer_.from[0]).elements();
    return moved({1, static_cast<std::int32_t>(elements)}, Reshape{});
  }

  std::int32_t mean() {
    const Shape axes = fields_.has("axes") ? fields_.list("axes", 1, 8, 0, 7) : Shape{1, 2};
    const bool keep = flag("keep_dims");
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (axes[i] != axes[0] + static_cast<std::int32_t>(i) ||
          static_cast<std::size_t>(axes[i]) >= in_.size()) {
        fields_.fail("axes", fmt::format("must be axes of the input's {} that follow each other",
                                         in_.size()));
      }
    }
    Shape shape = in_;
    const auto first = shape.begin() + axes[0];
    const auto last = first + static_cast<std::ptrdiff_t>(axes.size());
    if (keep) {
      std::fill(first, last, 1);
    } else {
      shape.erase(first, last);
    }
    return moved(shape, Mean{axes[0], static_cast<std::int32_t>(axes.size())});
  }

  std::int32_t softmax() {
    const auto beta = static_cast<float>(fields_.number("beta", 1e-6, 1e6, 1.0));
    const std::int32_t out = moved(in_, Softmax{beta});
    builder_.tensor(out).quantisation = {{1.0F / 256}, -128};
    return out;
  }

  std::int32_t binary(BinaryKind kind) {
    if (layer_.from.size() != 2) {
      fields_.fail(layer_.place, fmt::format("`{}` needs `from: [first, second]`", layer_.type));
    }
    return builder_.binary(layer_.name, layer_.from[0], layer_.from[1],
                           Binary{kind, read_activation(fields_)});
  }

  std::int32_t unary(UnaryKind kind) {
    Unary unary;
    unary.kind = kind;
    if (kind == UnaryKind::LeakyRelu) {
      unary.alpha = static_cast<float>(fields_.number("alpha", -1000, 1000, 0.01));
    } else if (kind == UnaryKind::Lookup) {
      for (const std::int32_t value : fields_.list("table", 256, 256, -128, 127)) {
        unary.table.push_back(static_cast<std::int8_t>(value));
      }
    }
    return builder_.unary(layer_.name, layer_.from[0], unary);
  }

  std::int32_t quantize() {
    Unary unary;
    unary.kind = UnaryKind::Quantize;
    unary.ties_even = flag("ties_even");
    return builder_.unary(layer_.name, layer_.from[0], unary);
  }

  std::int32_t dequantize() {
    const std::int32_t out = moved(in_, Dequantize{});
    builder_.tensor(out).type = DataType::Float32;
    return out;
  }

  std::int32_t host() {
    std::vector<std::string> names;
    for (const HostRule& rule : host_rules()) {
      names.emplace_back(rule.name);
    }
    HostOperator host;
    host.kind = host_rules()[fields_.choice("kind", names, 0)].kind;
    const Shape shape = fields_.list("shape", 0, 8, 1, kMostOfAxis);
    const DataType type = read_data_type(fields_);
    host.integers = fields_.list("integers", 0, 64, INT32_MIN, INT32_MAX);
    for (const float value : fields_.numbers("numbers", -3.5e38, 3.5e38)) {
      host.numbers.push_back(value);
    }
    const std::int32_t out = moved(shape, host);
    builder_.tensor(out).type = type;
    return out;
  }

 private:
  std::int32_t moved(Shape shape, Attributes attributes) {
    return builder_.moved(layer_.name, std::move(shape), std::move(attributes), layer_.from);
  }

  // One value for each of the input's dimensions, all `fallback` when the field is missing.
  Shape per_axis(const std::string& key, std::int64_t low, std::int32_t fallback) {
    if (!fields_.has(key)) {
      return Shape(in_.size(), fallback);
    }
    return fields_.list(key, in_.size(), in_.size(), low, kMostOfAxis);
  }

  std::size_t axis_field(const std::string& key) {
    const auto last = static_cast<std::int64_t>(in_.size()) - 1;
    return static_cast<std::size_t>(fields_.integer(key, 0, last, last));
  }

  bool flag(const std::string& key) { return fields_.choice(key, {"no", "yes"}, 0) == 1; }

  void need_nhwc() {
    if (in_.size() != 4) {
      fields_.fail(layer_.place,
                   fmt::format("reads a tensor of shape [{}]; it needs height, width and channels",
                               fmt::join(in_, ", ")));
    }
  }

  const YamlLayer& layer_;
  YamlFields& fields_;
  NetworkBuilder& builder_;
  Shape in_;
};

using Reader = std::function<std::int32_t(PlainLayer&)>;

Reader unary(UnaryKind kind) {
  return [kind](PlainLayer& layer) { return layer.unary(kind); };
}
Reader binary(BinaryKind kind) {
  return [kind](PlainLayer& layer) { return layer.binary(kind); };
}

const std::map<std::string, Reader>& readers() {
  static const std::map<std::string, Reader> table = {
      {"pad", &PlainLayer::pad},
      {"concat", &PlainLayer::concat},
      {"slice", &PlainLayer::slice},
      {"transpose", &PlainLayer::transpose},
      {"resize_nearest", &PlainLayer::resize},
      {"reshape", &PlainLayer::reshape},
      {"flatten", &PlainLayer::flatten},
      {"mean", &PlainLayer::mean},
      {"softmax", &PlainLayer::softmax},
      {"dequantize", &PlainLayer::dequantize},
      {"host", &PlainLayer::host},
      {"add", binary(BinaryKind::Add)},
      {"sub", binary(BinaryKind::Sub)},
      {"mul", binary(BinaryKind::Mul)},
      {"relu", unary(UnaryKind::Relu)},
      {"relu6", unary(UnaryKind::Relu6)},
      {"leaky_relu", unary(UnaryKind::LeakyRelu)},
      {"logistic", unary(UnaryKind::Logistic)},
      {"tanh", unary(UnaryKind::Tanh)},
      {"hard_swish", unary(UnaryKind::HardSwish)},
      {"quantize", &PlainLayer::quantize},
      {"lookup", unary(UnaryKind::Lookup)},
  };
  return table;
}

}  // namespace

const std::vector<std::string>& plain_layer_types() {
  static const std::vector<std::string> types = [] {
    std::vector<std::string> names;
    for (const auto& entry : readers()) {
      names.push_back(entry.first);
    }
    return names;
  }();
  return types;
}

std::int32_t read_plain_layer(const YamlLayer& layer, YamlFields& fields, NetworkBuilder& builder) {
  PlainLayer plain(layer, fields, builder);
  return readers().at(layer.type)(plain);
}

DataType read_data_type(YamlFields& fields) {
  static const std::vector<std::string> names = {"int8",    "int16", "int32",
                                                 "float32", "int64", "bool"};
  return static_cast<DataType>(fields.choice("type", names, 0));
}

Activation read_activation(YamlFields& fields) {
  static const std::vector<std::string> names = {"none", "relu", "relu6", "relu_n1_to_1"};
  return static_cast<Activation>(fields.choice("activation", names, 0));
}

}  // namespace tessera
