// Draws operators that only the host has: those of elements, reductions and moves.
#pragma once

#include <algorithm>
#include <cmath>

#include "network/host_kinds.hpp"
#include "network/reference/elements.hpp"
#include "tests/rom/runtime/drawn_operator.hpp"

namespace tessera::test {

using Shape = std::vector<std::int32_t>;

class HostDraw {
 public:
  HostDraw(OperatorDraft& draft, HostOperator host)
      : draft_(draft), dice_(draft.dice()), host_(std::move(host)), rule_(rule_of(host_.kind)) {}

  void draw() {
    switch (host_.kind) {
      case HostKind::Cast:
        return cast();
      case HostKind::Select:
        return select();
      case HostKind::ArgMax:
      case HostKind::ArgMin:
        return arg();
      case HostKind::Gather:
        return gather();
      case HostKind::GatherNd:
        return gather_nd();
      case HostKind::Tile:
        return tile();
      case HostKind::BroadcastTo:
        return broadcast();
      case HostKind::PadValue:
      case HostKind::MirrorPad:
        return pad();
      case HostKind::BatchMatMul:
        return matmul();
      case HostKind::ResizeBilinear:
        return resize();
      case HostKind::AveragePool:
      case HostKind::MaxPool:
        return pool();
      case HostKind::LayerNormalization:
        return layer_norm();
      case HostKind::Conv2d:
      case HostKind::DepthwiseConv2d:
        return convolution();
      case HostKind::FullyConnected:
        return fully_connected();
      case HostKind::DetectionPostProcess:
        return detections();
      default:
        return rule_.shape == HostShape::Broadcast ? pair()
               : rule_.shape == HostShape::Reduced ? reduction()
                                                   : same();
    }
  }

 private:
  DataType type() {
    std::vector<DataType> all;
    const auto add = [&](std::uint8_t bit, DataType of) {
      if ((rule_.allowed & bit) != 0) {
        all.push_back(of);
      }
    };
    add(types::kInt8, DataType::Int8);
    add(types::kInt32, DataType::Int32);
    add(types::kInt64, DataType::Int64);
    add(types::kFloat, DataType::Float32);
    add(types::kBool, DataType::Bool);
    return dice_.one_of(all);
  }
  Quantisation fine() {
    return {{dice_.once_in(3) ? 0.0625F : dice_.real(0.01F, 0.1F)}, dice_.between(-128, 127)};
  }
  void round() {
    draft_.op().rounding =
        dice_.one_of<Rounding>({Rounding::Twice, Rounding::HalfUp, Rounding::HalfEven});
  }
  void end() { draft_.attributes() = host_; }

  // Few different values: many of them are equal.
  void few_values(std::size_t input) {
    const Tensor& tensor = draft_.in(input);
    Bytes bytes(tensor.bytes());
    reference::for_type(tensor.type, [&](auto zero) {
      for (std::int64_t i = 0; i < tensor.elements(); ++i) {
        const std::int32_t least = tensor.type == DataType::Bool ? 0 : -1;
        reference::put(bytes.data(), i, static_cast<decltype(zero)>(dice_.between(least, 1)));
      }
    });
    draft_.give(input, bytes);
  }

  void pair() {
    const DataType of = type();
    const Shape shape = dice_.shape(0, 4);
    const bool first = dice_.once_in(2);
    const Quantisation q = fine();
    const bool alike = host_.kind == HostKind::Minimum || host_.kind == HostKind::Maximum ||
                       (rule_.type == HostType::Bool && dice_.once_in(2));
    draft_.input(first ? shape : dice_.narrowed(shape), of, alike ? q : fine());
    draft_.input(first ? dice_.narrowed(shape) : shape, of, alike ? q : fine());
    draft_.output(shape, rule_.type == HostType::Bool ? DataType::Bool : of, alike ? q : fine());
    if (rule_.type == HostType::Bool && dice_.once_in(2)) {
      few_values(0);
      few_values(1);
    }
    const bool arithmetic = host_.kind <= HostKind::Div;
    if (arithmetic && dice_.once_in(3)) {
      host_.numbers = {0.0F, 6.0F};
    }
    if (host_.kind == HostKind::Prelu && dice_.once_in(2)) {
      host_.integers = {1};
    }
    end();
  }

  void same() {
    const DataType of = type();
    const Shape shape = dice_.shape(1, 4, 6);
    Quantisation in = dice_.quantisation();
    Quantisation out = in;
    draft_.input(shape, of, in);
    switch (host_.kind) {
      case HostKind::Elu:
      case HostKind::LeakyRelu:
        host_.numbers = {dice_.real(-1, 2)};
        break;
      case HostKind::Clip:
        host_.numbers = {dice_.once_in(4) ? -INFINITY : dice_.real(-3, 0),
                         dice_.once_in(4) ? INFINITY : dice_.real(0, 3)};
        break;
      case HostKind::Gelu:
        host_.numbers.assign(dice_.once_in(2) ? 1 : 0, 1.0F);
        break;
      case HostKind::SoftmaxFloat:
        host_.integers = {dice_.between(0, static_cast<std::int32_t>(shape.size()) - 1)};
        host_.numbers = {dice_.once_in(2) ? 1.0F : dice_.real(0.1F, 2)};
        out = {{1.0F / 256}, dice_.once_in(2) ? -128 : 0};
        break;
      case HostKind::LogSoftmax:
        if (of == DataType::Int8 && dice_.once_in(2)) {
          host_.integers = {dice_.between(0, 2)};
        }
        out = {{1.0F / 16}, 127};
        break;
      case HostKind::L2Normalization:
        if (dice_.once_in(2)) {
          host_.integers = {dice_.between(0, 1)};
        }
        out = {{1.0F / 128}, 0};
        break;
      case HostKind::Reverse:
        for (std::size_t d = 0; d < shape.size(); ++d) {
          if (dice_.once_in(2)) {
            host_.integers.push_back(static_cast<std::int32_t>(d));
          }
        }
        break;
      default:
        break;
    }
    draft_.output(shape, of, out);
    end();
  }

  void reduction() {
    const DataType of = type();
    const Shape shape = dice_.shape(1, 5);
    Shape out = shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (dice_.once_in(2)) {
        host_.integers.push_back(static_cast<std::int32_t>(d));
        out[d] = 1;
      }
    }
    const Quantisation q = fine();
    const bool rescales = host_.kind == HostKind::Sum || host_.kind == HostKind::ReduceMean;
    if (of == DataType::Int8 && rescales && dice_.once_in(2)) {
      host_.numbers = {static_cast<float>(dice_.between(1, 3))};
    }
    draft_.input(shape, of, q);
    draft_.output(out, of, rescales ? fine() : q);
    end();
    round();
  }
  void cast();

  DataType any() {
    return dice_.one_of<DataType>(
        {DataType::Int8, DataType::Int32, DataType::Int64, DataType::Float32, DataType::Bool});
  }
  void select();
  void arg();

  // Indices below each of `extents`, some from the end.
  void indices(const Shape& shape, const std::vector<std::int32_t>& extents);
  void gather();
  void gather_nd();
  void tile();
  void broadcast();
  void moved(const Shape& from, const Shape& to);
  void pad();

  void matmul();
  void resize();
  void pool();
  void layer_norm();
  void weights(const Shape& shape, std::int32_t outputs, DataType of);
  void convolution();
  void fully_connected();
  void detections();

  OperatorDraft& draft_;
  Dice& dice_;
  HostOperator host_;
  const HostRule& rule_;
};

}  // namespace tessera::test
