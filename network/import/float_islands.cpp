#include "network/import/float_islands.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "network/host_kinds.hpp"
#include "network/import/rewriting.hpp"
#include "tessera/reference.hpp"

namespace tessera {
namespace {

constexpr std::int32_t kValues = 256;

// Each element of the output comes of the elements at its place in the inputs.
bool is_element_wise(const HostOperator& host) {
  const bool along_an_axis =
      host.kind == HostKind::Reverse || host.kind == HostKind::MirrorPad ||
      host.kind == HostKind::L2Normalization || host.kind == HostKind::SoftmaxFloat ||
      host.kind == HostKind::LayerNormalization || host.kind == HostKind::LogSoftmax;
  const HostShape shape = rule_of(host.kind).shape;
  return !along_an_axis && host.kind != HostKind::BroadcastTo &&
         (shape == HostShape::Same || shape == HostShape::Broadcast);
}

class Island {
 public:
  Island(const Network& network, const std::vector<std::optional<std::size_t>>& producers,
         std::size_t quantize)
      : network_(network), producers_(producers) {
    is_one_ = take(quantize) && source_ >= 0 && operators_.size() > 1;
  }

  [[nodiscard]] bool is_one() const { return is_one_; }
  [[nodiscard]] std::int32_t source() const { return source_; }
  [[nodiscard]] const std::vector<std::size_t>& operators() const { return operators_; }

  /// The output of the last one for -128 to 127.
  [[nodiscard]] std::vector<std::int8_t> table() const {
    std::map<std::int32_t, Bytes> values;
    Network small;
    small.tensors.resize(network_.tensors.size());  // those that are needed, as in the network
    small.tensors[at(source_)] = network_.tensors[at(source_)];
    for (std::int32_t x = -128; x <= 127; ++x) {
      values[source_].push_back(static_cast<std::uint8_t>(x));
    }
    small.tensors[at(source_)].shape = {kValues};
    for (const std::size_t i : operators_) {
      const Operator& op = network_.operators[i];
      Tensor& out = small.tensors[at(op.output)];
      out = network_.tensors[at(op.output)];
      out.shape = {kValues};
      std::vector<const std::uint8_t*> data;
      for (const std::int32_t input : op.inputs) {
        const Bytes& constant = network_.tensors[at(input)].constant;
        data.push_back(constant.empty() ? values.at(input).data() : constant.data());
        if (!constant.empty()) {
          small.tensors[at(input)] = network_.tensors[at(input)];
          small.tensors[at(input)].shape = {1};
        }
      }
      Bytes& result = values[op.output];
      result.resize(out.bytes());
      run_operator(small, op, data, result.data());
    }
    const Bytes& last = values.at(network_.operators[operators_.back()].output);
    std::vector<std::int8_t> table;
    table.reserve(last.size());
    for (const std::uint8_t byte : last) {
      table.push_back(static_cast<std::int8_t>(byte));
    }
    return table;
  }

 private:
  static std::size_t at(std::int32_t tensor) { return static_cast<std::size_t>(tensor); }

  // The operator behind all that it needs; false when it needs something else.
  bool take(std::size_t i) {
    const Operator& op = network_.operators[i];
    if (std::find(operators_.begin(), operators_.end(), i) != operators_.end()) {
      return true;
    }
    const Tensor& out = network_.tensors[at(op.output)];
    const auto* unary = std::get_if<Unary>(&op.attributes);
    const auto* host = std::get_if<HostOperator>(&op.attributes);
    const bool is_dequantize = std::holds_alternative<Dequantize>(op.attributes);
    const bool is_quantize = unary != nullptr && unary->kind == UnaryKind::Quantize;
    if (!is_dequantize && !is_quantize && (host == nullptr || !is_element_wise(*host))) {
      return false;
    }
    for (const std::int32_t input : op.inputs) {
      if (input < 0 || !take_value(input, out, is_dequantize)) {
        return false;
      }
    }
    operators_.push_back(i);
    return true;
  }

  bool take_value(std::int32_t input, const Tensor& out, bool ends_here) {
    const Tensor& tensor = network_.tensors[at(input)];
    if (!tensor.constant.empty()) {
      return !ends_here && tensor.elements() == 1;
    }
    if (tensor.elements() != out.elements()) {
      return false;
    }
    if (ends_here) {
      const bool is_same = source_ < 0 || source_ == input;
      source_ = input;
      return is_same && tensor.type == DataType::Int8 && tensor.quantisation.scales.size() == 1;
    }
    return tensor.type != DataType::Int8 && producers_[at(input)].has_value() &&
           take(*producers_[at(input)]);
  }

  const Network& network_;
  const std::vector<std::optional<std::size_t>>& producers_;
  std::vector<std::size_t> operators_;  // in an order in which they can run
  std::int32_t source_ = -1;
  bool is_one_ = false;
};

}  // namespace

void fold_float_islands(Network& network) {
  const auto producers = producers_of(network);
  std::set<std::size_t> unread;
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    Operator& op = network.operators[i];
    const auto* unary = std::get_if<Unary>(&op.attributes);
    if (unary == nullptr || unary->kind != UnaryKind::Quantize ||
        network.tensors[static_cast<std::size_t>(op.output)].type != DataType::Int8) {
      continue;
    }
    const Island island(network, producers, i);
    if (!island.is_one()) {
      continue;
    }
    Unary table;
    table.kind = UnaryKind::Lookup;
    table.table = island.table();
    unread.insert(island.operators().begin(), island.operators().end() - 1);
    op.attributes = std::move(table);
    op.inputs = {island.source()};
  }
  take_out_unread(network, unread);
}

}  // namespace tessera
