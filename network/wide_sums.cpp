// Sums that no 32 bits hold once they are scaled.
#include "network/wide_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "tessera/error.hpp"
#include "tessera/quantise.hpp"

namespace tessera {
namespace {

constexpr std::int64_t kSumsEnd = std::int64_t{1} << 31;

/// The kernel's dimension that is the output channels, or -1: not an operator with weights.
int outputs_dimension(const Operator& op) {
  if (std::holds_alternative<DepthwiseConv2d>(op.attributes)) {
    return 3;
  }
  return std::holds_alternative<Conv2d>(op.attributes) ||
                 std::holds_alternative<TransposeConv2d>(op.attributes) ||
                 std::holds_alternative<FullyConnected>(op.attributes)
             ? 0
             : -1;
}

bool has_bias(const Operator& op) {
  return op.inputs.size() > 2 && op.inputs[2] >= 0;
}

template <class Value>
Value value_at(const std::vector<std::uint8_t>& bytes, std::size_t index) {
  Value value;
  std::memcpy(&value, bytes.data() + index * sizeof(Value), sizeof(Value));
  return value;
}

struct Range {
  std::int64_t least = 0;
  std::int64_t greatest = 0;

  [[nodiscard]] bool fits(int left) const {
    const std::int64_t end = kSumsEnd >> left;
    return least > -end && greatest < end;
  }
};

const Tensor& tensor_of(const Network& network, std::int32_t index) {
  return network.tensors[static_cast<std::size_t>(index)];
}

/// Which elements of a kernel belong to which output channel.
struct Channels {
  std::size_t count;
  std::size_t inner;  ///< elements in a row that belong to one

  Channels(const Tensor& kernel, int dimension)
      : count(static_cast<std::size_t>(kernel.shape[static_cast<std::size_t>(dimension)])),
        inner(dimension == 0 ? static_cast<std::size_t>(kernel.elements()) / count : 1) {}

  [[nodiscard]] std::size_t of(std::size_t element) const { return element / inner % count; }
};

/// The sums of each output channel, whatever int8 values arrive.
std::vector<Range> ranges_of(const Network& network, const Operator& op, Channels channels) {
  const Tensor& kernel = tensor_of(network, op.inputs[1]);
  std::vector<Range> ranges(channels.count);
  const std::int32_t zero = tensor_of(network, op.inputs[0]).quantisation.zero_point;
  const std::int64_t below = -128 - std::int64_t{zero};
  const std::int64_t above = 127 - std::int64_t{zero};
  const auto elements = static_cast<std::size_t>(kernel.elements());
  for (std::size_t i = 0; i < elements; ++i) {
    const std::int64_t stored = kernel.type == DataType::Int8
                                    ? value_at<std::int8_t>(kernel.constant, i)
                                    : value_at<std::int16_t>(kernel.constant, i);
    const std::int64_t weight = stored - kernel.quantisation.zero_point;
    Range& range = ranges[channels.of(i)];
    range.least += std::min(weight * below, weight * above);
    range.greatest += std::max(weight * below, weight * above);
  }
  if (has_bias(op)) {
    const Tensor& bias = tensor_of(network, op.inputs[2]);
    for (std::size_t k = 0; k < channels.count; ++k) {
      const auto value = value_at<std::int32_t>(bias.constant, k);
      ranges[k].least += value;
      ranges[k].greatest += value;
    }
  }
  return ranges;
}

/// What becomes of one operator.
class Bounded {
 public:
  Bounded(Network& network, Operator& op, int dimension)
      : network_(network),
        op_(op),
        channels_(tensor_of(network, op.inputs[1]), dimension),
        ranges_(ranges_of(network, op, channels_)) {}

  void run() {
    const Quantisation& weights = kernel().quantisation;
    const std::vector<FixedPoint> factors = weighted_factors(
        tensor_of(network_, op_.inputs[0]).quantisation, weights,
        tensor_of(network_, op_.output).quantisation, static_cast<std::int32_t>(channels_.count),
        scale_arithmetic(op_, weights));
    for (std::size_t k = 0; k < factors.size(); ++k) {
      const int left = std::max(without_excess(factors[k]).shift, 0);
      if (left > 0 && !ranges_[k].fits(left)) {
        // Beyond every output, with any zero point.
        constexpr std::int64_t kSteps = 256;
        const std::int64_t beyond = std::max<std::int64_t>(kSteps >> (left - 1), 1);
        require_sign(k, left, beyond);
        set_constant(k, ranges_[k].least > 0 ? 1 << (30 - left) : -(1 << (30 - left)));
      }
    }
  }

 private:
  [[nodiscard]] Tensor& kernel() {
    return network_.tensors[static_cast<std::size_t>(op_.inputs[1])];
  }

  void require_sign(std::size_t k, int left, std::int64_t beyond) const {
    const Range& range = ranges_[k];
    if (range.least < beyond && range.greatest > -beyond) {
      throw InputError(fmt::format(
          "{}: {} `{}`: the sums of output channel {} are from {} to {}, each 2^{} steps of its "
          "output "
          "or more; supported are scaled sums of 32 bits",
          network_.name, op_.type_name(), op_.name, k, range.least, range.greatest, left - 1));
    }
  }

  // Tensors of its own: others may share what the file has.
  void own_tensors() {
    if (is_owned_) {
      return;
    }
    is_owned_ = true;
    const Tensor copy = kernel();
    network_.tensors.push_back(copy);
    op_.inputs[1] = static_cast<std::int32_t>(network_.tensors.size()) - 1;
    Tensor bias;
    if (has_bias(op_)) {
      bias = tensor_of(network_, op_.inputs[2]);
    } else {
      bias.name = op_.name + "/bias";
      bias.shape = {static_cast<std::int32_t>(channels_.count)};
      bias.type = DataType::Int32;
      bias.constant.resize(4 * channels_.count);
    }
    network_.tensors.push_back(bias);
    op_.inputs.resize(3);
    op_.inputs[2] = static_cast<std::int32_t>(network_.tensors.size()) - 1;
  }

  void set_constant(std::size_t k, std::int32_t sum) {
    own_tensors();
    Tensor& weights = kernel();
    const std::size_t width = weights.type == DataType::Int8 ? 1 : 2;
    const auto zero = static_cast<std::uint16_t>(weights.quantisation.zero_point);
    for (std::size_t i = 0; i < weights.constant.size() / width; ++i) {
      for (std::size_t b = 0; b < width && channels_.of(i) == k; ++b) {
        weights.constant[i * width + b] = static_cast<std::uint8_t>(zero >> (8 * b));
      }
    }
    Tensor& bias = network_.tensors[static_cast<std::size_t>(op_.inputs[2])];
    std::memcpy(bias.constant.data() + 4 * k, &sum, sizeof sum);
  }

  Network& network_;
  Operator& op_;
  Channels channels_;
  std::vector<Range> ranges_;
  bool is_owned_ = false;
};

// Sums of two values, each of them 20 bits finer: below 2^29.
void check_addition(const Network& network, const Operator& op) {
  const auto* binary = std::get_if<Binary>(&op.attributes);
  if (binary == nullptr || binary->kind == BinaryKind::Mul || op.rounding == Rounding::Twice) {
    return;
  }
  constexpr std::int32_t kMostLeft = 2;
  const Quantisation& out = tensor_of(network, op.output).quantisation;
  const FixedPoint factor =
      add_factors(tensor_of(network, op.inputs[0]).quantisation,
                  tensor_of(network, op.inputs[1]).quantisation, out, op.rounding)
          .output;
  if (factor.shift > kMostLeft) {
    throw InputError(fmt::format(
        "{}: {} `{}`: its output's scale {} is more than 2^22 times finer than its inputs'",
        network.name, op.type_name(), op.name, out.scales[0]));
  }
}

}  // namespace

void bound_scaled_sums(Network& network) {
  for (Operator& op : network.operators) {
    check_addition(network, op);
    const int dimension = outputs_dimension(op);
    if (dimension < 0 || op.rounding == Rounding::Twice) {
      continue;
    }
    const bool is_known = !tensor_of(network, op.inputs[1]).constant.empty() &&
                          !(has_bias(op) && tensor_of(network, op.inputs[2]).constant.empty());
    if (is_known) {
      Bounded(network, op, dimension).run();
    }
  }
}

}  // namespace tessera
