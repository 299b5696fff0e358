#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "network/network_checker.hpp"
#include "network/states.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

constexpr std::int64_t kMaxTensorBytes = std::int64_t{1} << 30;

}  // namespace

void NetworkChecker::run() {
  for (std::size_t t = 0; t < network_.tensors.size(); ++t) {
    check_tensor(t);
    ready_[t] = !network_.tensors[t].constant.empty();
  }
  for (const std::int32_t input : network_.inputs) {
    const std::size_t t = index(input, "network input");
    require(!ready_[t],
            fmt::format("input `{}` (tensor {}) is {}", network_.tensors[t].name, t,
                        network_.tensors[t].constant.empty() ? "listed twice" : "a constant"));
    ready_[t] = true;
  }
  for (const State& state : network_.states) {
    where_ = fmt::format("state `{}`", state.name);
    const std::size_t t = index(state.input, "its input");
    require(!ready_[t], fmt::format("`{}` (tensor {}) is an input, a constant or another state",
                                    network_.tensors[t].name, t));
    ready_[t] = true;
  }
  for (std::size_t i = 0; i < network_.operators.size(); ++i) {
    where_ = fmt::format("operator {} ({}, `{}`)", i, network_.operators[i].type_name(),
                         network_.operators[i].name);
    check_operator(network_.operators[i]);
    const auto output = static_cast<std::size_t>(network_.operators[i].output);
    require(!ready_[output], fmt::format("writes `{}` (tensor {}), which is an input or another "
                                         "operator's output",
                                         network_.tensors[output].name, output));
    ready_[output] = true;
  }
  check_states();
  where_ = "network";
  for (const std::int32_t output : network_.outputs) {
    const std::size_t t = index(output, "output");
    require(ready_[t] && network_.tensors[t].constant.empty(),
            fmt::format("output `{}` (tensor {}) is computed by no operator",
                        network_.tensors[t].name, t));
  }
  require(!network_.inputs.empty() && !network_.outputs.empty(), "no inputs or no outputs");
}

void NetworkChecker::check_states() {
  std::vector<bool> written(network_.tensors.size());
  std::vector<bool> computed(network_.tensors.size());
  for (const Operator& op : network_.operators) {
    computed[static_cast<std::size_t>(op.output)] = true;
  }
  for (const State& state : network_.states) {
    where_ = fmt::format("state `{}`", state.name);
    const std::size_t t = index(state.output, "its output");
    const Tensor& from = network_.tensors[static_cast<std::size_t>(state.input)];
    const Tensor& to = network_.tensors[t];
    require(computed[t] || state.output == state.input,
            fmt::format("`{}` (tensor {}) is computed by no operator", to.name, t));
    require(!written[t],
            fmt::format("`{}` (tensor {}) is written into another state as well", to.name, t));
    written[t] = true;
    require(from.shape == to.shape && from.type == to.type,
            fmt::format("reads {} of shape [{}] and writes {} of shape [{}]", name_of(from.type),
                        fmt::join(from.shape, ", "), name_of(to.type), fmt::join(to.shape, ", ")));
    require(
        from.type != DataType::Int8 || (from.quantisation.scales == to.quantisation.scales &&
                                        from.quantisation.zero_point == to.quantisation.zero_point),
        "is read with another scale or zero point than it is written with");
    require(state.initial.size() == from.bytes(),
            fmt::format("begins with {} bytes; it has {}", state.initial.size(), from.bytes()));
    require(is_settled(network_, state),
            fmt::format("`{}` is read after it is written anew", from.name));
  }
}

void NetworkChecker::run_alone(const Operator& op) {
  ready_.assign(network_.tensors.size(), true);
  where_ = fmt::format("operator ({}, `{}`)", op.type_name(), op.name);
  for (const std::int32_t input : op.inputs) {
    if (input >= 0) {
      check_tensor(index(input, "input"));
    }
  }
  check_tensor(index(op.output, "output"));
  where_ = fmt::format("{} `{}`", op.type_name(), op.name);
  check_operator(op);
}

void NetworkChecker::fail(const std::string& text) const {
  throw InputError(fmt::format("{}: {}: {}", network_.name, where_, text));
}

void NetworkChecker::require(bool condition, const std::string& text) const {
  if (!condition) {
    fail(text);
  }
}

std::size_t NetworkChecker::index(std::int32_t tensor, const std::string& what) const {
  require(tensor >= 0 && static_cast<std::size_t>(tensor) < network_.tensors.size(),
          fmt::format("{} is tensor {}, but there are {} tensors", what, tensor,
                      network_.tensors.size()));
  return static_cast<std::size_t>(tensor);
}

void NetworkChecker::check_tensor(std::size_t t) {
  const Tensor& tensor = network_.tensors[t];
  where_ = fmt::format("tensor {} (`{}`)", t, tensor.name);
  auto bytes = static_cast<std::int64_t>(size_of(tensor.type));
  for (const std::int32_t extent : tensor.shape) {
    require(extent > 0,
            fmt::format("shape [{}] has an extent below 1", fmt::join(tensor.shape, ", ")));
    bytes *= extent;
    require(bytes <= kMaxTensorBytes,
            fmt::format("shape [{}] is larger than 1 GiB", fmt::join(tensor.shape, ", ")));
  }
  require(tensor.constant.empty() || tensor.constant.size() == tensor.bytes(),
          fmt::format("{} bytes of data, but its shape needs {}", tensor.constant.size(),
                      tensor.bytes()));
  for (const float scale : tensor.quantisation.scales) {
    // Runtimes flush what is smaller to zero.
    require(scale >= std::numeric_limits<float>::min() &&
                scale < std::numeric_limits<float>::infinity(),
            fmt::format("scale {} is not a positive number from {} on", scale,
                        std::numeric_limits<float>::min()));
  }
  require(tensor.type != DataType::Int8 ||
              (tensor.quantisation.zero_point >= -128 && tensor.quantisation.zero_point <= 127),
          fmt::format("zero point {} is not an int8", tensor.quantisation.zero_point));
  check_form(tensor);
}

void NetworkChecker::check_form(const Tensor& tensor) const {
  const Form& form = tensor.form;
  if (form.order.empty() && form.shape.empty()) {
    return;
  }
  const std::size_t rank = tensor.shape.size();
  std::vector<bool> seen(rank, false);
  bool fits = form.shape.size() == rank && (form.order.empty() || form.order.size() == rank);
  for (std::size_t d = 0; fits && d < rank; ++d) {
    const std::int32_t there = form.order.empty() ? static_cast<std::int32_t>(d) : form.order[d];
    fits = there >= 0 && static_cast<std::size_t>(there) < rank &&
           !seen[static_cast<std::size_t>(there)] &&
           form.shape[static_cast<std::size_t>(there)] == tensor.shape[d];
    if (fits) {
      seen[static_cast<std::size_t>(there)] = true;
    }
  }
  require(fits, fmt::format("in its file it has shape [{}] in order [{}], which do not give [{}]",
                            fmt::join(form.shape, ", "), fmt::join(form.order, ", "),
                            fmt::join(tensor.shape, ", ")));
}

const Tensor& NetworkChecker::input(const Operator& op, std::size_t i, const char* what) const {
  require(i < op.inputs.size() && op.inputs[i] >= 0, fmt::format("{} is missing", what));
  const std::size_t t = index(op.inputs[i], what);
  require(ready_[t], fmt::format("{} (tensor {}) is not computed before", what, t));
  return network_.tensors[t];
}

const Tensor& NetworkChecker::output(const Operator& op) const {
  const Tensor& tensor = network_.tensors[index(op.output, "output")];
  require(tensor.constant.empty(), "output is a constant");
  return tensor;
}

void NetworkChecker::check_activation(const Tensor& tensor, const char* what) const {
  require(tensor.type == DataType::Int8, fmt::format("{} is not int8", what));
  require(tensor.quantisation.scales.size() == 1,
          fmt::format("{} needs one scale, it has {}", what, tensor.quantisation.scales.size()));
}

void NetworkChecker::check_nhwc(const Tensor& tensor, const char* what) const {
  check_activation(tensor, what);
  require(tensor.shape.size() == 4 && tensor.shape[0] == 1,
          fmt::format("{} has shape [{}]; allowed is [1, height, width, channels]", what,
                      fmt::join(tensor.shape, ", ")));
}

void NetworkChecker::check_operator(const Operator& op) const {
  // Only a bias may be missing.
  const bool has_bias = std::holds_alternative<Conv2d>(op.attributes) ||
                        std::holds_alternative<DepthwiseConv2d>(op.attributes) ||
                        std::holds_alternative<TransposeConv2d>(op.attributes) ||
                        std::holds_alternative<FullyConnected>(op.attributes);
  for (std::size_t i = 0; !has_bias && i < op.inputs.size(); ++i) {
    require(op.inputs[i] >= 0, fmt::format("input {} is missing", i));
  }
  std::visit([&](const auto& attributes) { check(op, attributes); }, op.attributes);
}

void check_network(const Network& network) {
  NetworkChecker(network).run();
}

void check_operator(const Network& network, const Operator& op) {
  NetworkChecker(network).run_alone(op);
}

}  // namespace tessera
