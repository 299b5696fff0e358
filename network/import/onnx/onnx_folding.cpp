// Values that nodes compute from known ones: the arithmetic of shapes above all.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "network/import/onnx/graph/constant_values.hpp"
#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {
namespace {

constexpr std::int64_t kMostFolded = std::int64_t{1} << 28;

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

}  // namespace

/// One node.
class OnnxImporter::Folding {
 public:
  Folding(const OnnxImporter& importer, const Node& node)
      : importer_(importer), node_(node), attributes_(node), type_(node.op_type()) {}

  static bool knows(const std::string& type) {
    return functions().count(type) != 0 || pair_functions().count(type) != 0 ||
           single_functions().count(type) != 0;
  }

  [[nodiscard]] OnnxConstant run() const {
    const auto function = functions().find(type_);
    return function != functions().end() ? (this->*function->second)() : calculated();
  }

 private:
  using Function = OnnxConstant (Folding::*)() const;
  static const std::map<std::string, Function>& functions();

  [[nodiscard]] OnnxConstant in(int i) const { return importer_.constant(name_of(node_, i)); }
  [[nodiscard]] OnnxConstant first() const;
  [[nodiscard]] Dims dims_of_first() const;
  void check_one_scale(const OnnxConstant& from) const;
  /// The same values with other dimensions.
  [[nodiscard]] OnnxConstant with(OnnxConstant from, const Dims& dims) const;
  /// Number by number.
  [[nodiscard]] OnnxConstant calculated() const;
  [[nodiscard]] OnnxConstant given() const;
  [[nodiscard]] OnnxConstant shape() const;
  [[nodiscard]] OnnxConstant size() const;
  [[nodiscard]] OnnxConstant same() const;
  [[nodiscard]] OnnxConstant dequantised() const;
  [[nodiscard]] OnnxConstant quantised() const;
  [[nodiscard]] OnnxConstant clipped() const;
  [[nodiscard]] OnnxConstant cast() const;
  [[nodiscard]] OnnxConstant filled() const;
  [[nodiscard]] OnnxConstant range() const;
  [[nodiscard]] OnnxConstant product() const;
  [[nodiscard]] OnnxConstant gathered() const;
  [[nodiscard]] OnnxConstant concatenated() const;
  [[nodiscard]] OnnxConstant sliced() const;
  [[nodiscard]] OnnxConstant turned() const;
  [[nodiscard]] OnnxConstant reshaped() const;
  [[nodiscard]] OnnxConstant squeezed() const;

  const OnnxImporter& importer_;
  const Node& node_;
  OnnxAttributes attributes_;
  const std::string& type_;
};

bool OnnxImporter::is_foldable(const std::string& type) {
  return Folding::knows(type);
}

OnnxConstant OnnxImporter::computed(const Node& node) const {
  return Folding(*this, node).run();
}

const std::map<std::string, OnnxImporter::Folding::Function>& OnnxImporter::Folding::functions() {
  static const std::map<std::string, Function> table = {{"Constant", &Folding::given},
                                                        {"Shape", &Folding::shape},
                                                        {"Size", &Folding::size},
                                                        {"Identity", &Folding::same},
                                                        {"DequantizeLinear", &Folding::dequantised},
                                                        {"QuantizeLinear", &Folding::quantised},
                                                        {"Clip", &Folding::clipped},
                                                        {"Cast", &Folding::cast},
                                                        {"ConstantOfShape", &Folding::filled},
                                                        {"Range", &Folding::range},
                                                        {"ReduceProd", &Folding::product},
                                                        {"Gather", &Folding::gathered},
                                                        {"Concat", &Folding::concatenated},
                                                        {"Slice", &Folding::sliced},
                                                        {"Transpose", &Folding::turned},
                                                        {"Reshape", &Folding::reshaped},
                                                        {"Squeeze", &Folding::squeezed},
                                                        {"Unsqueeze", &Folding::squeezed}};
  return table;
}

OnnxConstant OnnxImporter::Folding::first() const {
  OnnxConstant from = in(0);
  importer_.require(elements_of(from.dims) <= kMostFolded, "a constant of more than 2^28 elements");
  return from;
}

OnnxImporter::Dims OnnxImporter::Folding::dims_of_first() const {
  const std::string of = name_of(node_, 0);
  const auto found = importer_.values_.find(of);
  return found == importer_.values_.end() ? importer_.known_dims(of) : found->second.dims;
}

void OnnxImporter::Folding::check_one_scale(const OnnxConstant& from) const {
  importer_.require(from.scales.size() <= 1, "of a constant with several scales is not supported");
}

OnnxConstant OnnxImporter::Folding::with(OnnxConstant from, const Dims& dims) const {
  from.dims = dims;
  importer_.require(std::all_of(dims.begin(), dims.end(), [](std::int64_t e) { return e >= 0; }) &&
                        elements_of(dims) == static_cast<std::int64_t>(from.values.size()),
                    "another number of elements");
  return from;
}

OnnxConstant OnnxImporter::Folding::given() const {
  if (const auto* tensor = attributes_.tensor("value"); tensor != nullptr) {
    return importer_.onnx_.values_of(*tensor, node_.output(0));
  }
  if (attributes_.has("value_int")) {
    return whole({}, {static_cast<double>(attributes_.integer("value_int", 0))});
  }
  if (attributes_.has("value_ints")) {
    const Dims ints = attributes_.integers("value_ints", {});
    return whole({static_cast<std::int64_t>(ints.size())}, {ints.begin(), ints.end()});
  }
  if (attributes_.has("value_float")) {
    return {{},
            onnx::TensorProto::FLOAT,
            {static_cast<double>(attributes_.number("value_float", 0))},
            {},
            0};
  }
  importer_.require(attributes_.has("value_floats"), "a Constant without value");
  const auto floats = attributes_.numbers("value_floats");
  return {{static_cast<std::int64_t>(floats.size())}, onnx::TensorProto::FLOAT, floats, {}, 0};
}

OnnxConstant OnnxImporter::Folding::shape() const {
  const Dims dims = dims_of_first();
  const auto rank = static_cast<std::int64_t>(dims.size());
  const auto place = [rank](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = place(attributes_.integer("start", 0));
  const std::int64_t end = std::max(start, place(attributes_.integer("end", rank)));
  const Dims part(dims.begin() + start, dims.begin() + end);
  return whole({static_cast<std::int64_t>(part.size())}, {part.begin(), part.end()});
}

OnnxConstant OnnxImporter::Folding::size() const {
  return whole({}, {static_cast<double>(elements_of(dims_of_first()))});
}

OnnxConstant OnnxImporter::Folding::same() const {
  return in(0);
}

OnnxConstant OnnxImporter::Folding::dequantised() const {
  importer_.require(attributes_.integer("block_size", 0) == 0,
                    "blocked quantisation is not supported");
  return importer_.quantised_constant(name_of(node_, 0), name_of(node_, 1), name_of(node_, 2),
                                      attributes_.integer("axis", 1));
}

OnnxConstant OnnxImporter::Folding::clipped() const {
  OnnxConstant from = first();
  check_one_scale(from);
  const auto [low, high] = importer_.clip_limits(node_);
  const double scale = from.scales.empty() ? 1.0 : static_cast<double>(from.scales[0]);
  for (double& value : from.values) {
    value = std::clamp(value, low / scale, high / scale);
  }
  return from;
}

OnnxConstant OnnxImporter::Folding::quantised() const {
  const OnnxConstant from = in(0);
  const OnnxConstant scales = in(1);
  OnnxConstant zeros;
  zeros.type = onnx::TensorProto::UINT8;
  zeros.values.assign(scales.values.size(), 0.0);
  zeros = name_of(node_, 2).empty() ? zeros : in(2);
  OnnxConstant result = from;
  result.scales.assign(scales.values.begin(), scales.values.end());
  result.axis = result.scales.size() > 1
                    ? importer_.axis_of(attributes_.integer("axis", 1), result.dims.size())
                    : 0;
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

OnnxConstant OnnxImporter::Folding::cast() const {
  OnnxConstant result = in(0);
  const auto to = static_cast<onnx::TensorProto::DataType>(attributes_.integer("to", 1));
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    const double real = result.real(i);
    result.values[i] = to == onnx::TensorProto::FLOAT || to == onnx::TensorProto::DOUBLE ? real
                       : to == onnx::TensorProto::BOOL ? (real != 0 ? 1.0 : 0.0)
                                                       : std::trunc(real);
  }
  result.scales.clear();
  result.type = to;
  return result;
}

OnnxConstant OnnxImporter::Folding::filled() const {
  const Dims dims = importer_.integers(name_of(node_, 0));
  for (const std::int64_t extent : dims) {
    importer_.require(extent >= 0 && extent <= (1 << 24), fmt::format("extent {}", extent));
  }
  importer_.require(elements_of(dims) <= (1 << 24), "a constant of more than 2^24 elements");
  OnnxConstant result{dims, onnx::TensorProto::FLOAT, {}, {}, 0};
  double value = 0;
  if (const auto* tensor = attributes_.tensor("value"); tensor != nullptr) {
    const OnnxConstant one = importer_.onnx_.values_of(*tensor, node_.output(0));
    importer_.require(one.values.size() == 1, "its value must be one number");
    value = one.values[0];
    result.type = one.type;
  }
  result.values.assign(static_cast<std::size_t>(elements_of(dims)), value);
  return result;
}

OnnxConstant OnnxImporter::Folding::range() const {
  const double start = importer_.number(name_of(node_, 0));
  const double limit = importer_.number(name_of(node_, 1));
  const double step = importer_.number(name_of(node_, 2));
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

OnnxConstant OnnxImporter::Folding::product() const {
  const OnnxConstant from = first();
  double product = 1;
  for (std::size_t i = 0; i < from.values.size(); ++i) {
    product *= from.real(i);
  }
  importer_.require(from.dims.size() <= 1, "supported is the product of a list");
  return {attributes_.flag("keepdims", true) ? Dims{1} : Dims{}, from.type, {product}, {}, 0};
}

OnnxConstant OnnxImporter::Folding::gathered() const {
  const OnnxConstant from = first();
  const std::size_t axis = importer_.axis_of(attributes_.integer("axis", 0), from.dims.size());
  const OnnxConstant indices = in(1);
  Dims along;
  for (const double index : indices.values) {
    const auto whole_index = static_cast<std::int64_t>(std::clamp(index, -1e9, 1e9));
    along.push_back(whole_index < 0 ? whole_index + from.dims[axis] : whole_index);
    importer_.require(along.back() >= 0 && along.back() < from.dims[axis],
                      fmt::format("index {} of {}", whole_index, from.dims[axis]));
  }
  OnnxConstant result = taken(from, axis, along);
  result.dims.erase(result.dims.begin() + static_cast<std::ptrdiff_t>(axis));
  result.dims.insert(result.dims.begin() + static_cast<std::ptrdiff_t>(axis), indices.dims.begin(),
                     indices.dims.end());
  importer_.require(result.scales.size() <= 1, "of values with several scales is not supported");
  return result;
}

OnnxConstant OnnxImporter::Folding::concatenated() const {
  const OnnxConstant from = first();
  const std::size_t axis = importer_.axis_of(attributes_.integer("axis", 0), from.dims.size());
  importer_.require(from.scales.empty(), "of quantised constants is not supported");
  OnnxConstant result = from;
  result.dims[axis] = 0;
  std::vector<OnnxConstant> parts;
  for (int i = 0; i < node_.input_size(); ++i) {
    parts.push_back(in(i));
    importer_.require(parts.back().dims.size() == from.dims.size() && parts.back().scales.empty(),
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
  importer_.require(static_cast<std::int64_t>(result.values.size()) == elements_of(result.dims),
                    "inputs differ in shape");
  return result;
}

OnnxConstant OnnxImporter::Folding::sliced() const {
  OnnxConstant from = first();
  const Dims starts = importer_.integers_of(node_, 1, "starts");
  const Dims ends = importer_.integers_of(node_, 2, "ends");
  Dims axes = importer_.integers_of(node_, 3, "axes");
  const Dims steps =
      name_of(node_, 4).empty() ? Dims(starts.size(), 1) : importer_.integers(name_of(node_, 4));
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  importer_.require(ends.size() == starts.size() && axes.size() == starts.size() &&
                        steps.size() == starts.size() && from.scales.size() <= 1,
                    "starts, ends, axes and steps differ in length");
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = importer_.axis_of(axes[i], from.dims.size());
    const std::int64_t extent = from.dims[axis];
    importer_.require(steps[i] != 0, "step 0");
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

OnnxConstant OnnxImporter::Folding::turned() const {
  const OnnxConstant from = first();
  Dims perm(from.dims.size());
  std::iota(perm.rbegin(), perm.rend(), 0);
  perm = attributes_.integers("perm", perm);
  std::vector<std::size_t> order;
  std::set<std::size_t> once;
  for (const std::int64_t axis : perm) {
    order.push_back(importer_.axis_of(axis, from.dims.size()));
    once.insert(order.back());
  }
  importer_.require(once.size() == from.dims.size() && order.size() == from.dims.size(),
                    "perm is no permutation of its input's axes");
  return transposed(from, order);
}

OnnxConstant OnnxImporter::Folding::reshaped() const {
  const OnnxConstant from = first();
  check_one_scale(from);
  Dims dims = importer_.integers(name_of(node_, 1));
  std::int64_t known = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    dims[d] = dims[d] == 0 && d < from.dims.size() ? from.dims[d] : dims[d];
    known *= dims[d] > 0 ? std::min<std::int64_t>(dims[d], 1 << 24) : 1;
    importer_.require(known <= kMostFolded, "too many elements");
  }
  for (std::int64_t& extent : dims) {
    extent = extent == -1 ? elements_of(from.dims) / known : extent;
  }
  return with(from, dims);
}

OnnxConstant OnnxImporter::Folding::squeezed() const {
  const OnnxConstant from = first();
  check_one_scale(from);
  Dims dims;
  const Dims axes = importer_.integers_of(node_, 1, "axes");
  const std::size_t rank = from.dims.size() + (type_ == "Unsqueeze" ? axes.size() : 0);
  std::set<std::size_t> named;
  for (const std::int64_t axis : axes) {
    named.insert(importer_.axis_of(axis, rank));
  }
  std::size_t next = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    if (type_ == "Unsqueeze") {
      dims.push_back(named.count(d) != 0 || next >= from.dims.size() ? 1 : from.dims[next++]);
    } else if (axes.empty() ? from.dims[d] != 1 : named.count(d) == 0) {
      dims.push_back(from.dims[d]);
    }
  }
  return with(from, dims);
}

OnnxConstant OnnxImporter::Folding::calculated() const {
  OnnxConstant from = first();
  if (const auto single = single_functions().find(type_); single != single_functions().end()) {
    for (std::size_t i = 0; i < from.values.size(); ++i) {
      from.values[i] = single->second(from.real(i));
    }
    from.scales.clear();
    return from;
  }
  const auto pair = pair_functions().find(type_);
  importer_.require(
      pair != pair_functions().end() && node_.input_size() == 2 && !from.values.empty(),
      "of constants is not supported");
  const OnnxConstant second = in(1);
  importer_.require(!second.values.empty() && second.values.size() <= (1U << 24) &&
                        from.values.size() <= (1U << 24),
                    "of so many constants is not supported");
  return paired(from, second, pair->second);
}

}  // namespace tessera
