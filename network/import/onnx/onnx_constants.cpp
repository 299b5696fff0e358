// Values that are known without running the model: initialisers and what is computed from them,
// the arithmetic of shapes above all.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {
namespace {

using Dims = std::vector<std::int64_t>;
constexpr std::int64_t kMostFolded = std::int64_t{1} << 28;

std::int64_t elements_of(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

bool is_whole(const OnnxConstant& constant) {
  return constant.scales.empty() && constant.type != onnx::TensorProto::FLOAT &&
         constant.type != onnx::TensorProto::DOUBLE;
}

OnnxConstant whole(const Dims& dims, std::vector<double> values) {
  return {dims, onnx::TensorProto::INT64, std::move(values), {}, 0};
}

// Values of two constants whose shapes broadcast.
OnnxConstant paired(const OnnxConstant& a, const OnnxConstant& b,
                    const std::function<double(double, double)>& function) {
  const std::size_t rank = std::max(a.dims.size(), b.dims.size());
  OnnxConstant result;
  result.type = is_whole(a) && is_whole(b) ? onnx::TensorProto::INT64 : onnx::TensorProto::FLOAT;
  const auto extent = [rank](const OnnxConstant& c, std::size_t d) {
    const std::size_t more = rank - c.dims.size();
    return d < more ? std::int64_t{1} : c.dims[d - more];
  };
  for (std::size_t d = 0; d < rank; ++d) {
    result.dims.push_back(std::max(extent(a, d), extent(b, d)));
  }
  const std::int64_t count = elements_of(result.dims);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::size_t at_a = 0;
    std::size_t at_b = 0;
    std::size_t step_a = 1;
    std::size_t step_b = 1;
    for (std::size_t d = rank; d-- > 0;) {
      const auto at = static_cast<std::size_t>(rest % result.dims[d]);
      rest /= result.dims[d];
      at_a += extent(a, d) == 1 ? 0 : at * step_a;
      at_b += extent(b, d) == 1 ? 0 : at * step_b;
      step_a *= static_cast<std::size_t>(extent(a, d));
      step_b *= static_cast<std::size_t>(extent(b, d));
    }
    double value = function(a.real(at_a % a.values.size()), b.real(at_b % b.values.size()));
    value = result.type == onnx::TensorProto::INT64 ? std::trunc(value) : value;
    result.values.push_back(std::isfinite(value) ? value : 0.0);
  }
  return result;
}

// `along` of the source for each index of the result along one axis.
OnnxConstant taken(const OnnxConstant& from, std::size_t axis, const Dims& along) {
  OnnxConstant result = from;
  result.values.clear();
  result.dims[axis] = static_cast<std::int64_t>(along.size());
  const std::int64_t inner =
      elements_of({from.dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1, from.dims.end()});
  const std::int64_t outer =
      elements_of({from.dims.begin(), from.dims.begin() + static_cast<std::ptrdiff_t>(axis)});
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const std::int64_t at : along) {
      const auto first = from.values.begin() + (o * from.dims[axis] + at) * inner;
      result.values.insert(result.values.end(), first, first + inner);
    }
  }
  return result;
}

OnnxConstant transposed(const OnnxConstant& from, const std::vector<std::size_t>& perm) {
  OnnxConstant result = from;
  const std::size_t rank = from.dims.size();
  std::vector<std::int64_t> strides(rank, 1);
  for (std::size_t d = rank; d-- > 1;) {
    strides[d - 1] = strides[d] * from.dims[d];
  }
  for (std::size_t d = 0; d < rank; ++d) {
    result.dims[d] = from.dims[perm[d]];
    if (perm[d] == from.axis) {
      result.axis = d;
    }
  }
  std::vector<std::int64_t> at(rank, 0);
  for (double& value : result.values) {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      index += at[d] * strides[perm[d]];
    }
    value = from.values[static_cast<std::size_t>(index)];
    for (std::size_t d = rank; d-- > 0;) {
      if (++at[d] < result.dims[d]) {
        break;
      }
      at[d] = 0;
    }
  }
  return result;
}

const std::map<std::string, std::function<double(double, double)>>& pair_functions() {
  static const std::map<std::string, std::function<double(double, double)>> table = {
      {"Add", [](double a, double b) { return a + b; }},
      {"Sub", [](double a, double b) { return a - b; }},
      {"Mul", [](double a, double b) { return a * b; }},
      {"Div", [](double a, double b) { return b == 0 ? 0 : a / b; }},
      {"Mod", [](double a, double b) { return b == 0 ? 0 : a - b * std::floor(a / b); }},
      {"Pow", [](double a, double b) { return std::pow(a, b); }},
      {"Min", [](double a, double b) { return std::min(a, b); }},
      {"Max", [](double a, double b) { return std::max(a, b); }},
      {"Equal", [](double a, double b) { return a == b ? 1.0 : 0.0; }}};
  return table;
}

const std::map<std::string, double (*)(double)>& single_functions() {
  static const std::map<std::string, double (*)(double)> table = {
      {"Neg", [](double x) { return -x; }},
      {"Abs", [](double x) { return std::fabs(x); }},
      {"Floor", [](double x) { return std::floor(x); }},
      {"Ceil", [](double x) { return std::ceil(x); }},
      {"Sqrt", [](double x) { return std::sqrt(std::max(x, 0.0)); }},
      {"Reciprocal", [](double x) { return x == 0 ? 0 : 1 / x; }}};
  return table;
}

bool is_foldable(const std::string& type) {
  static const std::set<std::string> types = {
      "Constant",       "Identity",        "Shape",
      "Size",           "Gather",          "Concat",
      "Cast",           "Slice",           "Squeeze",
      "Unsqueeze",      "Reshape",         "Transpose",
      "QuantizeLinear", "ConstantOfShape", "DequantizeLinear",
      "Range",          "ReduceProd"};
  return types.count(type) != 0 || pair_functions().count(type) != 0 ||
         single_functions().count(type) != 0;
}

}  // namespace

bool OnnxImporter::is_known(const std::string& name) const {
  if (onnx_.is_constant(name) || folded_.count(name) != 0) {
    return true;
  }
  const Node* producer = onnx_.producer_of(name);
  if (producer == nullptr || !is_foldable(producer->op_type()) || producer->output_size() != 1 ||
      values_.count(name) != 0) {
    return false;
  }
  if (producer->op_type() == "Shape" || producer->op_type() == "Size") {
    const std::string of = name_of(*producer, 0);
    return values_.count(of) != 0 || is_known(of);
  }
  return std::all_of(producer->input().begin(), producer->input().end(),
                     [&](const std::string& in) { return in.empty() || is_known(in); });
}

OnnxConstant OnnxImporter::constant(const std::string& name) const {
  if (const auto found = folded_.find(name); found != folded_.end()) {
    return found->second;
  }
  if (onnx_.is_constant(name)) {
    return onnx_.constant(name);
  }
  require(is_known(name), fmt::format("`{}` must be a constant", name));
  return computed(*onnx_.producer_of(name));
}

OnnxImporter::Dims OnnxImporter::known_dims(const std::string& name) const {
  if (onnx_.is_constant(name)) {
    return onnx_.dims_of(name);
  }
  const Node* producer = onnx_.producer_of(name);
  if (folded_.count(name) == 0 && producer != nullptr &&
      (producer->op_type() == "DequantizeLinear" || producer->op_type() == "QuantizeLinear" ||
       producer->op_type() == "Identity")) {
    return known_dims(name_of(*producer, 0));
  }
  return constant(name).dims;
}

OnnxImporter::Dims OnnxImporter::integers(const std::string& name) const {
  const OnnxConstant given = constant(name);
  require(is_whole(given), fmt::format("`{}` must be int64", name));
  Dims result;
  for (const double v : given.values) {
    // Ends are often the greatest int64.
    result.push_back(static_cast<std::int64_t>(std::clamp(v, -1e9, 1e9)));
  }
  return result;
}

double OnnxImporter::number(const std::string& name) const {
  const OnnxConstant given = constant(name);
  require(given.values.size() == 1, fmt::format("`{}` must be a single constant", name));
  return given.real(0);
}

OnnxImporter::Dims OnnxImporter::integers_of(const Node& node, int i, const char* attribute) const {
  Dims values = name_of(node, i).empty() ? OnnxAttributes(node).integers(attribute, {})
                                         : integers(name_of(node, i));
  for (std::int64_t& v : values) {
    v = std::clamp<std::int64_t>(v, -1000000000, 1000000000);
  }
  return values;
}

OnnxConstant OnnxImporter::quantised_constant(const std::string& values, const std::string& scale,
                                              const std::string& zero_point,
                                              std::int64_t axis) const {
  OnnxConstant result = constant(values);
  require(result.scales.empty() &&
              (result.type == onnx::TensorProto::INT8 || result.type == onnx::TensorProto::UINT8 ||
               result.type == onnx::TensorProto::INT32),
          fmt::format("quantised constant `{}` is neither int8, uint8 nor int32", values));
  const OnnxConstant scales = constant(scale);
  std::vector<double> zeros(scales.values.size(), 0.0);
  if (!zero_point.empty()) {
    zeros = constant(zero_point).values;
  }
  const auto rank = static_cast<std::int64_t>(result.dims.size());
  const std::int64_t positive = axis < 0 ? axis + rank : axis;
  const bool per_channel = scales.values.size() > 1;
  require(!scales.values.empty() && zeros.size() == scales.values.size() &&
              (!per_channel || (positive >= 0 && positive < rank &&
                                result.dims[static_cast<std::size_t>(positive)] ==
                                    static_cast<std::int64_t>(scales.values.size()))),
          fmt::format("`{}` has {} scales and {} zero points, which do not fit its shape", values,
                      scales.values.size(), zeros.size()));
  result.axis = per_channel ? static_cast<std::size_t>(positive) : 0;
  std::size_t inner = 1;
  for (std::size_t d = result.axis + 1; d < result.dims.size(); ++d) {
    inner *= static_cast<std::size_t>(result.dims[d]);
  }
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    result.values[i] -= zeros[per_channel ? i / inner % zeros.size() : 0];
  }
  for (const double s : scales.values) {
    result.scales.push_back(static_cast<float>(s));
  }
  return result;
}

OnnxConstant OnnxImporter::computed(const Node& node) const {
  const std::string& type = node.op_type();
  const OnnxAttributes attributes(node);
  const auto in = [&](int i) { return constant(name_of(node, i)); };
  if (type == "Constant") {
    if (const auto* tensor = attributes.tensor("value"); tensor != nullptr) {
      return onnx_.values_of(*tensor, node.output(0));
    }
    if (attributes.has("value_int")) {
      return whole({}, {static_cast<double>(attributes.integer("value_int", 0))});
    }
    if (attributes.has("value_ints")) {
      const Dims ints = attributes.integers("value_ints", {});
      return whole({static_cast<std::int64_t>(ints.size())}, {ints.begin(), ints.end()});
    }
    if (attributes.has("value_float")) {
      return {{},
              onnx::TensorProto::FLOAT,
              {static_cast<double>(attributes.number("value_float", 0))},
              {},
              0};
    }
    require(attributes.has("value_floats"), "a Constant without value");
    const auto floats = attributes.numbers("value_floats");
    return {{static_cast<std::int64_t>(floats.size())}, onnx::TensorProto::FLOAT, floats, {}, 0};
  }
  if (type == "Shape" || type == "Size") {
    const std::string of = name_of(node, 0);
    const auto found = values_.find(of);
    Dims dims = found == values_.end() ? known_dims(of) : found->second.dims;
    if (type == "Size") {
      return whole({}, {static_cast<double>(elements_of(dims))});
    }
    const auto rank = static_cast<std::int64_t>(dims.size());
    const auto place = [rank](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t start = place(attributes.integer("start", 0));
    const std::int64_t end = std::max(start, place(attributes.integer("end", rank)));
    dims = {dims.begin() + start, dims.begin() + end};
    return whole({static_cast<std::int64_t>(dims.size())}, {dims.begin(), dims.end()});
  }
  if (type == "Identity") {
    return in(0);
  }
  if (type == "DequantizeLinear") {
    require(attributes.integer("block_size", 0) == 0, "blocked quantisation is not supported");
    return quantised_constant(name_of(node, 0), name_of(node, 1), name_of(node, 2),
                              attributes.integer("axis", 1));
  }
  if (type == "QuantizeLinear") {
    const OnnxConstant from = in(0);
    const OnnxConstant scales = in(1);
    OnnxConstant zeros;
    zeros.type = onnx::TensorProto::UINT8;
    zeros.values.assign(scales.values.size(), 0.0);
    zeros = name_of(node, 2).empty() ? zeros : in(2);
    OnnxConstant result = from;
    result.scales.assign(scales.values.begin(), scales.values.end());
    result.axis =
        result.scales.size() > 1 ? axis_of(attributes.integer("axis", 1), result.dims.size()) : 0;
    result.type = zeros.type;
    const double low = zeros.type == onnx::TensorProto::INT8 ? -128 : 0;
    std::size_t inner = 1;
    for (std::size_t d = result.axis + 1; d < result.dims.size(); ++d) {
      inner *= static_cast<std::size_t>(result.dims[d]);
    }
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      const std::size_t channel = i / inner % scales.values.size();
      result.values[i] = std::clamp(std::nearbyint(from.real(i) / scales.values[channel]) +
                                        zeros.values[channel % zeros.values.size()],
                                    low, low + 255);
    }
    result.scales.clear();
    return result;
  }
  if (type == "Cast") {
    OnnxConstant result = in(0);
    const auto to = static_cast<onnx::TensorProto::DataType>(attributes.integer("to", 1));
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      const double real = result.real(i);
      result.values[i] = to == onnx::TensorProto::FLOAT || to == onnx::TensorProto::DOUBLE ? real
                         : to == onnx::TensorProto::BOOL ? double(real != 0)
                                                         : std::trunc(real);
    }
    result.scales.clear();
    result.type = to;
    return result;
  }
  if (type == "ConstantOfShape") {
    const Dims dims = integers(name_of(node, 0));
    for (const std::int64_t extent : dims) {
      require(extent >= 0 && extent <= (1 << 24), fmt::format("extent {}", extent));
    }
    require(elements_of(dims) <= (1 << 24), "a constant of more than 2^24 elements");
    OnnxConstant result{dims, onnx::TensorProto::FLOAT, {}, {}, 0};
    double value = 0;
    if (const auto* tensor = attributes.tensor("value"); tensor != nullptr) {
      const OnnxConstant one = onnx_.values_of(*tensor, node.output(0));
      require(one.values.size() == 1, "its value must be one number");
      value = one.values[0];
      result.type = one.type;
    }
    result.values.assign(static_cast<std::size_t>(elements_of(dims)), value);
    return result;
  }
  if (type == "Range") {
    const double start = number(name_of(node, 0));
    const double limit = number(name_of(node, 1));
    const double step = number(name_of(node, 2));
    OnnxConstant result = in(0);
    result.values.clear();
    for (std::int64_t i = 0; i < (1 << 20) && step != 0; ++i) {
      const double value = start + static_cast<double>(i) * step;
      if (step > 0 ? value >= limit : value <= limit) {
        break;
      }
      result.values.push_back(value);
    }
    result.dims = {static_cast<std::int64_t>(result.values.size())};
    return result;
  }
  OnnxConstant from = in(0);
  require(elements_of(from.dims) <= kMostFolded, "a constant of more than 2^28 elements");
  if (type == "ReduceProd") {
    double product = 1;
    for (std::size_t i = 0; i < from.values.size(); ++i) {
      product *= from.real(i);
    }
    require(from.dims.size() <= 1, "supported is the product of a list");
    return {attributes.flag("keepdims", true) ? Dims{1} : Dims{}, from.type, {product}, {}, 0};
  }
  if (type == "Gather") {
    const std::size_t axis = axis_of(attributes.integer("axis", 0), from.dims.size());
    const OnnxConstant indices = in(1);
    Dims along;
    for (const double index : indices.values) {
      const auto whole_index = static_cast<std::int64_t>(std::clamp(index, -1e9, 1e9));
      along.push_back(whole_index < 0 ? whole_index + from.dims[axis] : whole_index);
      require(along.back() >= 0 && along.back() < from.dims[axis],
              fmt::format("index {} of {}", whole_index, from.dims[axis]));
    }
    OnnxConstant result = taken(from, axis, along);
    result.dims.erase(result.dims.begin() + static_cast<std::ptrdiff_t>(axis));
    result.dims.insert(result.dims.begin() + static_cast<std::ptrdiff_t>(axis),
                       indices.dims.begin(), indices.dims.end());
    require(result.scales.size() <= 1, "of values with several scales is not supported");
    return result;
  }
  if (type == "Concat") {
    const std::size_t axis = axis_of(attributes.integer("axis", 0), from.dims.size());
    require(from.scales.empty(), "of quantised constants is not supported");
    OnnxConstant result = from;
    result.dims[axis] = 0;
    std::vector<OnnxConstant> parts;
    for (int i = 0; i < node.input_size(); ++i) {
      parts.push_back(in(i));
      require(parts.back().dims.size() == from.dims.size() && parts.back().scales.empty(),
              "inputs differ in rank");
      result.dims[axis] += parts.back().dims[axis];
    }
    result.values.clear();
    const std::int64_t outer =
        elements_of({from.dims.begin(), from.dims.begin() + static_cast<std::ptrdiff_t>(axis)});
    for (std::int64_t o = 0; o < outer; ++o) {
      for (const OnnxConstant& part : parts) {
        const auto chunk = static_cast<std::int64_t>(part.values.size()) / outer;
        result.values.insert(result.values.end(), part.values.begin() + o * chunk,
                             part.values.begin() + (o + 1) * chunk);
      }
    }
    require(static_cast<std::int64_t>(result.values.size()) == elements_of(result.dims),
            "inputs differ in shape");
    return result;
  }
  if (type == "Slice") {
    const Dims starts = integers_of(node, 1, "starts");
    const Dims ends = integers_of(node, 2, "ends");
    Dims axes = integers_of(node, 3, "axes");
    const Dims steps =
        name_of(node, 4).empty() ? Dims(starts.size(), 1) : integers(name_of(node, 4));
    if (axes.empty()) {
      axes.resize(starts.size());
      std::iota(axes.begin(), axes.end(), 0);
    }
    require(ends.size() == starts.size() && axes.size() == starts.size() &&
                steps.size() == starts.size() && from.scales.size() <= 1,
            "starts, ends, axes and steps differ in length");
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::size_t axis = axis_of(axes[i], from.dims.size());
      const std::int64_t extent = from.dims[axis];
      require(steps[i] != 0, "step 0");
      const std::int64_t low = steps[i] > 0 ? 0 : -1;
      const auto place = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + extent : at, low,
                                        steps[i] > 0 ? extent : extent - 1);
      };
      Dims along;
      for (std::int64_t at = place(starts[i]);
           steps[i] > 0 ? at < place(ends[i]) : at > place(ends[i]); at += steps[i]) {
        along.push_back(at);
      }
      from = taken(from, axis, along);
    }
    return from;
  }
  if (type == "Transpose") {
    Dims perm(from.dims.size());
    std::iota(perm.rbegin(), perm.rend(), 0);
    perm = attributes.integers("perm", perm);
    std::vector<std::size_t> order;
    std::set<std::size_t> once;
    for (const std::int64_t axis : perm) {
      order.push_back(axis_of(axis, from.dims.size()));
      once.insert(order.back());
    }
    require(once.size() == from.dims.size() && order.size() == from.dims.size(),
            "perm is no permutation of its input's axes");
    return transposed(from, order);
  }
  if (type == "Reshape" || type == "Squeeze" || type == "Unsqueeze") {
    require(from.scales.size() <= 1 || type != "Reshape",
            "of a constant with several scales is not supported");
    Dims dims;
    if (type == "Reshape") {
      dims = integers(name_of(node, 1));
      std::int64_t known = 1;
      for (std::size_t d = 0; d < dims.size(); ++d) {
        dims[d] = dims[d] == 0 && d < from.dims.size() ? from.dims[d] : dims[d];
        known *= dims[d] > 0 ? std::min<std::int64_t>(dims[d], 1 << 24) : 1;
        require(known <= kMostFolded, "too many elements");
      }
      for (std::int64_t& extent : dims) {
        extent = extent == -1 ? elements_of(from.dims) / known : extent;
      }
    } else {
      const Dims axes = integers_of(node, 1, "axes");
      const std::size_t rank = from.dims.size() + (type == "Unsqueeze" ? axes.size() : 0);
      std::set<std::size_t> named;
      for (const std::int64_t axis : axes) {
        named.insert(axis_of(axis, rank));
      }
      std::size_t next = 0;
      for (std::size_t d = 0; d < rank; ++d) {
        if (type == "Unsqueeze") {
          dims.push_back(named.count(d) != 0 || next >= from.dims.size() ? 1 : from.dims[next++]);
        } else if (axes.empty() ? from.dims[d] != 1 : named.count(d) == 0) {
          dims.push_back(from.dims[d]);
        }
      }
      require(from.scales.size() <= 1, "of a constant with several scales is not supported");
    }
    from.dims = dims;
    require(std::all_of(dims.begin(), dims.end(), [](std::int64_t e) { return e >= 0; }) &&
                elements_of(dims) == static_cast<std::int64_t>(from.values.size()),
            "another number of elements");
    return from;
  }
  if (const auto single = single_functions().find(type); single != single_functions().end()) {
    for (std::size_t i = 0; i < from.values.size(); ++i) {
      from.values[i] = single->second(from.real(i));
    }
    from.scales.clear();
    return from;
  }
  const auto pair = pair_functions().find(type);
  require(pair != pair_functions().end() && node.input_size() == 2 && !from.values.empty(),
          "of constants is not supported");
  const OnnxConstant second = in(1);
  require(!second.values.empty() && second.values.size() <= (1U << 24) &&
              from.values.size() <= (1U << 24),
          "of so many constants is not supported");
  return paired(from, second, pair->second);
}

OnnxValue OnnxImporter::stored_constant(const std::string& name, const OnnxConstant& given,
                                        const Dims& dims, const Order& order) {
  require(!given.values.empty() && given.scales.size() <= 1, "an operand needs one scale");
  const auto [least, greatest] = std::minmax_element(given.values.begin(), given.values.end());
  require(*greatest - *least <= 255, "an operand beyond 8 bits");
  const auto zero_point = static_cast<std::int32_t>(std::clamp(-128 - *least, -128.0, 127.0));
  require(*least + zero_point >= -128 && *greatest + zero_point <= 127, "an operand beyond 8 bits");
  OnnxConstant wide = given;
  wide.dims = dims;
  const OnnxConstant stored = transposed(wide, order);
  std::vector<std::uint8_t> bytes;
  for (const double value : stored.values) {
    bytes.push_back(static_cast<std::uint8_t>(static_cast<std::int32_t>(value) + zero_point));
  }
  const float scale = given.scales.empty() ? 1.0F : given.scales[0];
  const std::int32_t tensor =
      builder_.constant(name, stored_shape(dims, order), {{scale}, zero_point}, std::move(bytes));
  return {tensor, dims, order};
}

OnnxValue OnnxImporter::float_operand(const std::string& name) {
  if (!is_known(name)) {
    return as_float(value(name));
  }
  const OnnxConstant given = constant(name);
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < given.values.size(); ++i) {
    const auto value = static_cast<float>(given.real(i));
    std::uint8_t raw[sizeof(value)];
    std::memcpy(raw, &value, sizeof(value));
    bytes.insert(bytes.end(), raw, raw + sizeof(value));
  }
  const Order order = plain_order(given.dims.size());
  const std::int32_t tensor =
      builder_.constant(name, stored_shape(given.dims, order), {}, std::move(bytes));
  builder_.tensor(tensor).type = DataType::Float32;
  return {tensor, given.dims, order};
}

}  // namespace tessera
