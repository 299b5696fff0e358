#include "network/import/tflite/tflite_graph.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "network/import/tflite/seeded.hpp"

namespace tessera {
namespace {

// Extents of 0 are told by the network's rules.
bool is_countable(const std::vector<std::int32_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int32_t extent : shape) {
    elements *= std::max(extent, 1);
    if (extent < 0 || elements > (std::int64_t{1} << 31)) {
      return false;
    }
  }
  return true;
}

// Weights in half precision.
void widen_halves(Tensor& tensor) {
  std::vector<std::uint8_t> wide(tensor.constant.size() / 2 * 4);
  for (std::size_t i = 0; i < tensor.constant.size() / 2; ++i) {
    const auto half =
        static_cast<std::uint32_t>(tensor.constant[2 * i] | (tensor.constant[2 * i + 1] << 8));
    const std::uint32_t exponent = (half >> 10) & 31;
    const std::uint32_t fraction = half & 1023;
    const float size = exponent == 31  ? (fraction != 0 ? std::numeric_limits<float>::quiet_NaN()
                                                        : std::numeric_limits<float>::infinity())
                       : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                       : std::ldexp(static_cast<float>(fraction + 1024),
                                                    static_cast<int>(exponent) - 25);
    const float value = (half & 0x8000) != 0 ? -size : size;
    std::memcpy(&wide[4 * i], &value, sizeof(value));
  }
  tensor.type = DataType::Float32;
  tensor.constant = std::move(wide);
}

// The same real values 128 lower.
void make_signed(Tensor& tensor) {
  tensor.quantisation.zero_point -= 128;
  for (std::uint8_t& value : tensor.constant) {
    value ^= 0x80;
  }
}

}  // namespace

TfliteGraph::TfliteGraph(const tflite::Model& model, const std::string& name,
                         const ImportOptions& options)
    : model_(model), options_(options) {
  network_.name = name;
  require(model.version() == 3, fmt::format("version {}; allowed is 3", model.version()));
  require(model.subgraphs() != nullptr && model.subgraphs()->size() > 0, "it has no subgraph");
  subgraph_ = model.subgraphs()->Get(static_cast<unsigned>(chosen_subgraph()));
  require(subgraph_->tensors() != nullptr && subgraph_->operators() != nullptr &&
              subgraph_->inputs() != nullptr && subgraph_->outputs() != nullptr,
          "the subgraph lacks tensors, operators, inputs or outputs");
  for (const tflite::Tensor* tensor : *subgraph_->tensors()) {
    read_tensor(*tensor);
  }
  network_.inputs = values_of(subgraph_->inputs());
  network_.outputs = values_of(subgraph_->outputs());
  where_.clear();
  check_tensors(network_.inputs, 0);
  check_tensors(network_.outputs, 0);
  for (const Tensor& tensor : network_.tensors) {
    given_.push_back(!tensor.constant.empty());
  }
  for (const std::int32_t input : network_.inputs) {
    const auto t = static_cast<std::size_t>(input);
    require(!given_[t],
            fmt::format("input `{}` (tensor {}) is {}", network_.tensors[t].name, t,
                        network_.tensors[t].constant.empty() ? "listed twice" : "a constant"));
    given_[t] = true;
  }
  if (is_float_model() && !options.in_float) {
    const bool is_hybrid = has_weights_of_bytes();
    const std::string what = is_hybrid
                                 ? "a hybrid model (weights of int8, everything else float) has"
                                 : "a float model has";
    require(options.seeded_weights,
            what +
                " shapes but no quantisation of what it computes; with `weights: seeded` it "
                "runs with weights from the seed, with `weights: float` in float on the host");
    seeded_ = true;
    network_.notes.push_back(what + " only its shapes here: all values are drawn from the seed");
    for (Tensor& tensor : network_.tensors) {
      seed_tensor(tensor, options.seed);
    }
  }
}

// The first one, or that of the signature that is asked for.
std::size_t TfliteGraph::chosen_subgraph() const {
  if (options_.signature.empty()) {
    return 0;
  }
  std::vector<std::string> names;
  const auto* signatures = model_.signature_defs();
  for (std::size_t i = 0; signatures != nullptr && i < signatures->size(); ++i) {
    const auto* signature = signatures->Get(static_cast<unsigned>(i));
    names.push_back(signature->signature_key() != nullptr ? signature->signature_key()->str() : "");
    if (names.back() == options_.signature) {
      require(signature->subgraph_index() < model_.subgraphs()->size(),
              fmt::format("signature `{}` is of subgraph {}, which does not exist",
                          options_.signature, signature->subgraph_index()));
      return signature->subgraph_index();
    }
  }
  fail(names.empty() ? fmt::format("it has no signatures, so none is `{}`", options_.signature)
                     : fmt::format("no signature is `{}`; it has {}", options_.signature,
                                   fmt::join(names, ", ")));
}

void TfliteGraph::add_state(State state) {
  network_.states.push_back(std::move(state));
}

bool TfliteGraph::has_weights_of_bytes() const {
  return std::any_of(network_.tensors.begin(), network_.tensors.end(), [](const Tensor& tensor) {
    return !tensor.constant.empty() && tensor.type == DataType::Int8;
  });
}

bool TfliteGraph::is_float_model() const {
  const auto computed = [](const Tensor& tensor, DataType type) {
    return tensor.constant.empty() && tensor.type == type;
  };
  bool any_float = false;
  for (const Tensor& tensor : network_.tensors) {
    if (computed(tensor, DataType::Int8)) {
      return false;
    }
    any_float = any_float || computed(tensor, DataType::Float32);
  }
  return any_float;
}

void TfliteGraph::fail(const std::string& text) const {
  throw InputError(fmt::format("{}: {}{}", network_.name, where_, text));
}

void TfliteGraph::require(bool condition, const std::string& text) const {
  if (!condition) {
    fail(text);
  }
}

DataType TfliteGraph::type_of(const tflite::Tensor& source, std::string& problem) {
  switch (source.type()) {
    case tflite::TensorType_INT8:
    case tflite::TensorType_UINT8:
      return DataType::Int8;
    case tflite::TensorType_FLOAT32:
      return DataType::Float32;
    case tflite::TensorType_INT32:
      return DataType::Int32;
    case tflite::TensorType_INT64:
      return DataType::Int64;
    case tflite::TensorType_BOOL:
      return DataType::Bool;
    default:
      problem = fmt::format("type {}; supported are int8, uint8, int32, int64, float32 and bool",
                            tflite::EnumNameTensorType(source.type()));
      return DataType::Int8;
  }
}

Quantisation TfliteGraph::quantisation_of(const tflite::Tensor& source, std::string& problem) {
  Quantisation result;
  const auto* quantisation = source.quantization();
  if (quantisation == nullptr) {
    return result;
  }
  if (quantisation->details_type() != tflite::QuantizationDetails_NONE) {
    problem = "custom quantisation is not supported";
  }
  result.scales = values_of(quantisation->scale());
  if (const auto zeros = values_of(quantisation->zero_point()); !zeros.empty()) {
    const bool one = std::all_of(zeros.begin(), zeros.end(), [&](std::int64_t zero) {
      return zero == zeros[0] && zero >= INT32_MIN && zero <= INT32_MAX;
    });
    if (!one) {
      problem = "zero points differ between channels";
      return result;
    }
    result.zero_point = static_cast<std::int32_t>(zeros[0]);
  }
  return result;
}

namespace {

// Weights of fewer bits are numbers like others. The first one lies in the lowest bits of its byte.
void unpack_bits(unsigned bits, Tensor& tensor) {
  const std::vector<std::uint8_t> packed = std::move(tensor.constant);
  tensor.constant.clear();
  const unsigned per_byte = 8 / bits;
  const auto count = static_cast<std::size_t>(tensor.elements());
  if (packed.size() != (count + per_byte - 1) / per_byte) {
    tensor.constant = packed;  // whose size is the error then
    return;
  }
  tensor.constant.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto shifted = static_cast<unsigned>(packed[i / per_byte])
                         << (8 - bits - bits * (i % per_byte));
    tensor.constant.push_back(static_cast<std::uint8_t>(
        static_cast<std::int8_t>(static_cast<std::uint8_t>(shifted)) >> (8 - bits)));
  }
}

}  // namespace

void TfliteGraph::read_tensor(const tflite::Tensor& source) {
  Tensor tensor;
  std::string problem;
  tensor.name = source.name() != nullptr ? source.name()->str() : "";
  where_ = fmt::format("tensor {} (`{}`): ", network_.tensors.size(), tensor.name);
  tensor.shape = values_of(source.shape());
  require(tensor.shape.size() <= 8, "more than 8 dimensions");
  if (!is_countable(tensor.shape)) {
    problem = fmt::format("shape [{}]; extents must be positive, 2^31 elements at most",
                          fmt::join(tensor.shape, ", "));
    tensor.shape = {1};
  }
  tensor.type = type_of(source, problem);
  tensor.quantisation = quantisation_of(source, problem);
  if (const std::size_t scales = tensor.quantisation.scales.size(); scales > 1) {
    // Some converters give biases their kernel's dimension.
    const std::int32_t axis =
        tensor.shape.size() == 1 ? 0 : source.quantization()->quantized_dimension();
    const bool exists = axis >= 0 && static_cast<std::size_t>(axis) < tensor.shape.size();
    const std::int32_t extent = exists ? tensor.shape[static_cast<std::size_t>(axis)] : 0;
    if (extent < 0 || static_cast<std::size_t>(extent) != scales) {
      problem = fmt::format("{} scales along dimension {} of shape [{}]", scales, axis,
                            fmt::join(tensor.shape, ", "));
    }
  }
  require(model_.buffers() != nullptr && source.buffer() < model_.buffers()->size(),
          fmt::format("buffer {} does not exist", source.buffer()));
  const auto* data = model_.buffers()->Get(source.buffer())->data();
  if (source.buffer() != 0 && data != nullptr && data->size() > 0) {
    tensor.constant.assign(data->begin(), data->end());
  }
  if (source.type() == tflite::TensorType_FLOAT16 && !tensor.constant.empty()) {
    widen_halves(tensor);
    problem.clear();
  }
  const unsigned bits = source.type() == tflite::TensorType_INT4   ? 4
                        : source.type() == tflite::TensorType_INT2 ? 2
                                                                   : 8;
  if (bits < 8 && !tensor.constant.empty() && is_countable(tensor.shape)) {
    unpack_bits(bits, tensor);
    tensor.form.bits = bits;
    problem.clear();
  }
  is_unsigned_.push_back(source.type() == tflite::TensorType_UINT8);
  if (is_unsigned_.back()) {
    make_signed(tensor);
    tensor.form.is_unsigned = true;
  }
  problems_.push_back(problem.empty() ? "" : where_ + problem);
  network_.tensors.push_back(std::move(tensor));
}

void TfliteGraph::centre_kernel(std::int32_t index, bool of_signed) {
  if (index < 0) {
    return;
  }
  Tensor& kernel = network_.tensors[static_cast<std::size_t>(index)];
  const std::int32_t zero_point = kernel.quantisation.zero_point;
  if (kernel.type != DataType::Int8 ||
      (!is_unsigned_[static_cast<std::size_t>(index)] && !of_signed) || zero_point == 0 ||
      kernel.constant.empty()) {
    return;
  }
  std::vector<std::int32_t> weights;
  weights.reserve(kernel.constant.size());
  for (const std::uint8_t value : kernel.constant) {
    weights.push_back(static_cast<std::int8_t>(value) - zero_point);
  }
  const auto [least, greatest] = std::minmax_element(weights.begin(), weights.end());
  const bool narrow = *least >= -128 && *greatest <= 127;
  kernel.type = narrow ? DataType::Int8 : DataType::Int16;
  kernel.quantisation.zero_point = 0;
  kernel.constant.clear();
  for (const std::int32_t weight : weights) {
    kernel.constant.push_back(static_cast<std::uint8_t>(weight));
    if (!narrow) {
      kernel.constant.push_back(static_cast<std::uint8_t>(weight >> 8));
    }
  }
}

std::vector<std::int32_t> TfliteGraph::integers(const Operator& op, std::size_t i,
                                                const char* what) const {
  constexpr std::size_t kMost = 64;
  const Tensor& tensor = input(op, i);
  const bool is_wide = tensor.type == DataType::Int64;
  require((is_wide || tensor.type == DataType::Int32) && !tensor.constant.empty() &&
              tensor.constant.size() == tensor.bytes() &&
              tensor.constant.size() <= kMost * size_of(tensor.type),
          fmt::format("{} must be constant int32 or int64", what));
  std::vector<std::int32_t> values(tensor.constant.size() / size_of(tensor.type));
  for (std::size_t v = 0; v < values.size(); ++v) {
    std::int64_t wide = 0;
    std::int32_t narrow = 0;
    std::memcpy(&wide, tensor.constant.data() + v * size_of(tensor.type), is_wide ? 8 : 0);
    std::memcpy(&narrow, tensor.constant.data() + v * size_of(tensor.type), is_wide ? 0 : 4);
    values[v] =
        is_wide ? static_cast<std::int32_t>(std::clamp<std::int64_t>(wide, INT32_MIN, INT32_MAX))
                : narrow;
  }
  return values;
}

std::size_t TfliteGraph::axis_of(std::int32_t axis, std::size_t rank) const {
  const std::int64_t positive = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
  require(positive >= 0 && positive < static_cast<std::int64_t>(rank),
          fmt::format("axis {} of {} dimensions", axis, rank));
  return static_cast<std::size_t>(positive);
}

Activation TfliteGraph::activation(tflite::Activation code) const {
  switch (code) {
    case tflite::Activation_NONE:
      return Activation::None;
    case tflite::Activation_RELU:
      return Activation::Relu;
    case tflite::Activation_RELU6:
      return Activation::Relu6;
    case tflite::Activation_RELU_N1_TO_1:
      return Activation::ReluN1To1;
    default:
      fail(fmt::format("activation {}; supported are NONE, RELU, RELU_N1_TO_1 and RELU6",
                       tflite::EnumNameActivation(code)));
  }
}

std::vector<float> TfliteGraph::limits(tflite::Activation code) const {
  switch (activation(code)) {
    case Activation::None:
      return {};
    case Activation::Relu:
      return {0, std::numeric_limits<float>::max()};
    case Activation::Relu6:
      return {0, 6};
    case Activation::ReluN1To1:
      return {-1, 1};
  }
  return {};
}

const Tensor& TfliteGraph::input(const Operator& op, std::size_t i) const {
  require(i < op.inputs.size() && op.inputs[i] >= 0, fmt::format("input {} is missing", i));
  return network_.tensors[static_cast<std::size_t>(op.inputs[i])];
}
const Tensor& TfliteGraph::tensor(std::int32_t index) const {
  return network_.tensors[static_cast<std::size_t>(index)];
}
const Tensor& TfliteGraph::output(const Operator& op) const {
  return network_.tensors[static_cast<std::size_t>(op.output)];
}

void TfliteGraph::require_rank4(const Tensor& tensor, const char* what) const {
  require(tensor.shape.size() == 4, fmt::format("{} must have four dimensions", what));
}

void TfliteGraph::check_tensors(const std::vector<std::int32_t>& tensors,
                                std::int32_t least) const {
  const auto count = static_cast<std::int32_t>(network_.tensors.size());
  for (const std::int32_t tensor : tensors) {
    require(tensor >= least && tensor < count, fmt::format("tensor {} does not exist", tensor));
  }
}

void TfliteGraph::check_usable(const std::vector<std::int32_t>& tensors) const {
  for (const std::int32_t tensor : tensors) {
    require(tensor < 0 || problems_[static_cast<std::size_t>(tensor)].empty(),
            tensor < 0 ? "" : problems_[static_cast<std::size_t>(tensor)]);
  }
}

void TfliteGraph::claim(const std::vector<std::int32_t>& outputs) {
  for (const std::int32_t output : outputs) {
    const auto t = static_cast<std::size_t>(output);
    require(!given_[t], fmt::format("writes `{}` (tensor {}), which is an input, a constant or "
                                    "another operator's output",
                                    network_.tensors[t].name, t));
    given_[t] = true;
  }
}

void TfliteGraph::set_shape(std::int32_t tensor, std::vector<std::int32_t> shape) {
  network_.tensors[static_cast<std::size_t>(tensor)].shape = std::move(shape);
}

std::int32_t TfliteGraph::new_tensor(const std::string& name, std::vector<std::int32_t> shape,
                                     std::int32_t like) {
  Tensor tensor;
  tensor.name = name;
  tensor.shape = std::move(shape);
  tensor.type = this->tensor(like).type;
  tensor.quantisation = this->tensor(like).quantisation;
  tensor.form.is_unsigned = is_unsigned(like);
  is_unsigned_.push_back(is_unsigned(like));
  problems_.emplace_back();
  if (unscaled_.count(like) != 0) {
    unscaled_.insert(static_cast<std::int32_t>(network_.tensors.size()));
  }
  network_.tensors.push_back(std::move(tensor));
  return static_cast<std::int32_t>(network_.tensors.size()) - 1;
}

void TfliteGraph::set_constant(std::int32_t tensor, std::vector<std::uint8_t> bytes) {
  network_.tensors[static_cast<std::size_t>(tensor)].constant = std::move(bytes);
}

}  // namespace tessera
