#include "network/import/product_orders.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "network/import/rewriting.hpp"
#include "tessera/reference.hpp"

namespace tessera {
namespace {

HostOperator* int8_product(Network& network, Operator& op) {
  auto* host = std::get_if<HostOperator>(&op.attributes);
  const bool is_product = host != nullptr && host->kind == HostKind::BatchMatMul;
  return is_product &&
                 network.tensors[static_cast<std::size_t>(op.inputs[0])].type == DataType::Int8
             ? host
             : nullptr;
}

class Orderer {
 public:
  explicit Orderer(Network& network) : network_(network), producers_(producers_of(network)) {}

  void run() {
    std::vector<Operator> all = std::move(network_.operators);
    network_.operators.clear();
    operators_ = all;
    for (Operator& op : all) {
      if (HostOperator* host = int8_product(network_, op); host != nullptr) {
        turn(op, 0, host->integers[0], 0);
        turn(op, 1, host->integers[1], 1);
      }
      ready_.push_back(std::move(op));
    }
    network_.operators = std::move(ready_);
    std::set<std::size_t> candidates;
    for (std::size_t i = 0; i < network_.operators.size(); ++i) {
      if (left_.count(network_.operators[i].output) != 0) {
        candidates.insert(i);
      }
    }
    take_out_unread(network_, candidates);
  }

 private:
  // The factor's matrices, rows for columns, if it is not in the wanted order.
  void turn(Operator& op, std::size_t factor, std::int32_t& order, std::int32_t wanted) {
    if (order == wanted) {
      return;
    }
    order = wanted;
    std::int32_t from = op.inputs[factor];
    const Tensor turned = of_other_order(from, op.name);
    std::vector<std::int32_t> axes(turned.shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    // Two transpositions are one, or none.
    const auto& producer = producers_[static_cast<std::size_t>(from)];
    const Operator* before = producer ? &operators_[*producer] : nullptr;
    if (const auto* first =
            before != nullptr ? std::get_if<Transpose>(&before->attributes) : nullptr;
        first != nullptr) {
      left_.insert(from);
      from = before->inputs[0];
      for (std::int32_t& axis : axes) {
        axis = first->order[static_cast<std::size_t>(axis)];
      }
    }
    op.inputs[factor] = std::is_sorted(axes.begin(), axes.end()) ? from
                        : turned.constant.empty() ? transposition(from, turned, Transpose{axes})
                                                  : constant(from, turned, Transpose{axes});
  }

  [[nodiscard]] Tensor of_other_order(std::int32_t tensor, const std::string& reader) const {
    Tensor turned = network_.tensors[static_cast<std::size_t>(tensor)];
    turned.name = reader + "/turned";
    turned.form = {};
    std::swap(turned.shape[turned.shape.size() - 1], turned.shape[turned.shape.size() - 2]);
    return turned;
  }

  std::int32_t add(Tensor tensor) {
    network_.tensors.push_back(std::move(tensor));
    return static_cast<std::int32_t>(network_.tensors.size()) - 1;
  }

  std::int32_t transposition(std::int32_t from, const Tensor& turned, Transpose transpose) {
    Operator op;
    op.name = turned.name;
    op.attributes = std::move(transpose);
    op.inputs = {from};
    op.output = add(turned);
    ready_.push_back(op);
    return op.output;
  }

  std::int32_t constant(std::int32_t from, Tensor turned, Transpose transpose) {
    Operator op;
    op.attributes = std::move(transpose);
    op.inputs = {from};
    op.output = add(turned);
    run_operator(network_, op, {network_.tensors[static_cast<std::size_t>(from)].constant.data()},
                 turned.constant.data());
    network_.tensors[static_cast<std::size_t>(op.output)].constant = std::move(turned.constant);
    return op.output;
  }

  Network& network_;
  std::vector<std::optional<std::size_t>> producers_;
  std::vector<Operator> operators_;  // as they were
  std::vector<Operator> ready_;
  std::set<std::int32_t> left_;  // transposed tensors that a product reads no more
};

}  // namespace

void order_products(Network& network) {
  Orderer(network).run();
}

}  // namespace tessera
