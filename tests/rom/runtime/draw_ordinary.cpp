// Draws operators that the array has too.
#include <algorithm>
#include <variant>

#include "tests/rom/runtime/drawn_operator.hpp"

namespace tessera::test {
namespace {

struct Ordinary {
  OperatorDraft& draft;
  Dice& dice = draft.dice();

  Activation activation() const {
    return dice.one_of<Activation>(
        {Activation::None, Activation::Relu, Activation::Relu6, Activation::ReluN1To1});
  }
  void round() const {
    draft.op().rounding =
        dice.one_of<Rounding>({Rounding::Twice, Rounding::HalfUp, Rounding::HalfEven});
  }
  Quantisation kernel_scales(std::int32_t outputs) const {
    Quantisation q{{dice.real(0.01F, 0.02F)}, 0};
    while (dice.once_in(2) && static_cast<std::int32_t>(q.scales.size()) < outputs) {
      q.scales.assign(static_cast<std::size_t>(outputs), 0.0F);
      for (float& scale : q.scales) {
        scale = dice.real(0.001F, 0.02F);
      }
    }
    return q;
  }
  void kernel(const std::vector<std::int32_t>& shape, std::int32_t outputs) const {
    const bool wide = dice.once_in(4);
    draft.constant(shape, wide ? DataType::Int16 : DataType::Int8, kernel_scales(outputs));
    if (dice.once_in(3)) {
      draft.absent();
    } else {
      draft.constant({outputs}, DataType::Int32, {{1.0F}, 0}, 12);
    }
  }
  Quantisation fine() const {
    return {{dice.once_in(3) ? 0.0625F : dice.real(0.01F, 0.1F)}, dice.between(-128, 127)};
  }

  void operator()(Conv2d conv) const {
    const std::int32_t groups = dice.once_in(3) ? 2 : 1;
    const std::int32_t channels = dice.between(1, 5);
    const std::int32_t outputs = groups * dice.between(1, 4);
    window(conv);
    const std::int32_t kh = dice.between(1, 3);
    const std::int32_t kw = dice.between(1, 3);
    const std::int32_t h = dice.between(1, 7);
    const std::int32_t w = dice.between(1, 7);
    draft.input({1, h, w, groups * channels}, DataType::Int8, fine());
    kernel({outputs, kh, kw, channels}, outputs);
    draft.output(
        {1, extent(h, kh, conv.stride_h, conv.dilation_h, conv.padding.top + conv.padding.bottom),
         extent(w, kw, conv.stride_w, conv.dilation_w, conv.padding.left + conv.padding.right),
         outputs},
        DataType::Int8, fine());
    draft.attributes() = conv;
    round();
  }
  void operator()(DepthwiseConv2d depthwise) const {
    const std::int32_t channels = dice.between(1, 5);
    depthwise.multiplier = dice.between(1, 3);
    const std::int32_t outputs = channels * depthwise.multiplier;
    Conv2d& conv = depthwise.conv;
    window(conv);
    const std::int32_t kh = dice.between(1, 3);
    const std::int32_t kw = dice.between(1, 3);
    const std::int32_t h = dice.between(1, 7);
    const std::int32_t w = dice.between(1, 7);
    draft.input({1, h, w, channels}, DataType::Int8, fine());
    kernel({1, kh, kw, outputs}, outputs);
    draft.output(
        {1, extent(h, kh, conv.stride_h, conv.dilation_h, conv.padding.top + conv.padding.bottom),
         extent(w, kw, conv.stride_w, conv.dilation_w, conv.padding.left + conv.padding.right),
         outputs},
        DataType::Int8, fine());
    draft.attributes() = depthwise;
    round();
  }
  void window(Conv2d& conv) const {
    conv = {dice.between(1, 2),
            dice.between(1, 2),
            dice.between(1, 2),
            dice.between(1, 2),
            {dice.between(0, 1), dice.between(0, 1), dice.between(0, 1), dice.between(0, 1)},
            activation(),
            dice.once_in(2)};
  }
  static std::int32_t extent(std::int32_t in, std::int32_t kernel, std::int32_t stride,
                             std::int32_t dilation, std::int32_t pads) {
    return std::max((in + pads - dilation * (kernel - 1) - 1) / stride + 1, 1);
  }
  void operator()(TransposeConv2d conv) const {
    conv = {dice.between(1, 3),
            dice.between(1, 3),
            {dice.between(0, 1), dice.between(0, 1), 0, 0},
            activation(),
            dice.once_in(2)};
    const std::int32_t kh = dice.between(1, 3);
    const std::int32_t kw = dice.between(1, 3);
    const std::int32_t h = dice.between(1, 5);
    const std::int32_t w = dice.between(1, 5);
    const std::int32_t channels = dice.between(1, 4);
    const std::int32_t outputs = dice.between(1, 4);
    draft.input({1, h, w, channels}, DataType::Int8, fine());
    kernel({outputs, kh, kw, channels}, outputs);
    draft.output({1, (h - 1) * conv.stride_h + kh - conv.padding.top,
                  (w - 1) * conv.stride_w + kw - conv.padding.left, outputs},
                 DataType::Int8, fine());
    draft.attributes() = conv;
    round();
  }
  void operator()(FullyConnected fc) const {
    const std::int32_t channels = dice.between(1, 40);
    const std::int32_t outputs = dice.between(1, 9);
    const std::int32_t rows = dice.between(1, 3);
    fc.activation = activation();
    draft.input({rows, channels}, DataType::Int8, fine());
    kernel({outputs, channels}, outputs);
    draft.output({rows, outputs}, DataType::Int8, fine());
    draft.attributes() = fc;
    round();
  }
  void operator()(Binary binary) const {
    binary.activation = activation();
    const auto shape = dice.shape(1, 4);
    const bool first = dice.once_in(2);
    draft.input(first ? shape : dice.narrowed(shape), DataType::Int8, fine());
    draft.input(first ? dice.narrowed(shape) : shape, DataType::Int8, fine());
    draft.output(shape, DataType::Int8, fine());
    draft.attributes() = binary;
    round();
  }
  void operator()(Unary unary) const {
    const auto shape = dice.shape(1, 4);
    unary.alpha = dice.real(-1, 2);
    unary.ties_even = dice.once_in(2);
    for (std::int32_t x = 0; unary.kind == UnaryKind::Lookup && x < 256; ++x) {
      unary.table.push_back(static_cast<std::int8_t>(dice.between(-128, 127)));
    }
    const bool floats = unary.kind == UnaryKind::Quantize && dice.once_in(2);
    draft.input(shape, floats ? DataType::Float32 : DataType::Int8);
    if (floats && dice.once_in(2)) {
      draft.give_no_number(0);
    }
    Quantisation out = dice.quantisation();
    if (unary.kind == UnaryKind::Logistic) {
      out = {{1.0F / 256}, -128};
    } else if (unary.kind == UnaryKind::Tanh) {
      out = {{1.0F / 128}, 0};
    }
    draft.output(shape, DataType::Int8, out);
    draft.attributes() = unary;
  }
  void operator()(Pool2d pool) const {
    const Quantisation q = fine();
    pool.filter_h = dice.between(1, 3);
    pool.filter_w = dice.between(1, 3);
    pool.stride_h = dice.between(1, 2);
    pool.stride_w = dice.between(1, 2);
    pool.padding = {dice.between(0, 1), dice.between(0, 1), dice.between(0, 1), dice.between(0, 1)};
    pool.activation = activation();
    const bool average = pool.kind == PoolKind::Average;
    const bool rescales = average && dice.once_in(2);
    pool.ties_up = average && !rescales && dice.once_in(2);
    const std::int32_t h = dice.between(2, 7);
    const std::int32_t w = dice.between(2, 7);
    const std::int32_t c = dice.between(1, 5);
    draft.input({1, h, w, c}, DataType::Int8, q);
    draft.output(
        {1, extent(h, pool.filter_h, pool.stride_h, 1, pool.padding.top + pool.padding.bottom),
         extent(w, pool.filter_w, pool.stride_w, 1, pool.padding.left + pool.padding.right), c},
        DataType::Int8, rescales ? fine() : q);
    draft.attributes() = pool;
    round();
  }
  void operator()(Mean mean) const {
    const auto shape = dice.shape(2, 4, 7);
    const auto rank = static_cast<std::int32_t>(shape.size());
    mean.first_axis = dice.between(0, rank - 1);
    mean.axes = dice.between(1, rank - mean.first_axis);
    std::vector<std::int32_t> out = shape;
    std::fill_n(out.begin() + mean.first_axis, mean.axes, 1);
    draft.input(shape, DataType::Int8, fine());
    draft.output(out, DataType::Int8, fine());
    draft.attributes() = mean;
    round();
  }
  DataType any_type() const {
    return dice.one_of<DataType>(
        {DataType::Int8, DataType::Int32, DataType::Int64, DataType::Float32, DataType::Bool});
  }
  void operator()(Reshape reshape) const {
    const auto shape = dice.shape(1, 4);
    const DataType type = any_type();
    const Quantisation q = dice.quantisation();
    draft.input(shape, type, q);
    std::int32_t all = 1;
    for (const std::int32_t extent : shape) {
      all *= extent;
    }
    draft.output({all}, type, q);
    draft.attributes() = reshape;
  }
  void operator()(Transpose transpose) const {
    const auto shape = dice.shape(1, 5);
    const DataType type = any_type();
    const Quantisation q = dice.quantisation();
    std::vector<std::int32_t> out;
    out.reserve(shape.size());
    transpose.order.reserve(shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) {
      transpose.order.push_back(static_cast<std::int32_t>(d));
    }
    for (std::size_t d = shape.size(); d-- > 1;) {
      std::swap(transpose.order[d],
                transpose.order[static_cast<std::size_t>(dice.between(0, static_cast<int>(d)))]);
    }
    for (const std::int32_t axis : transpose.order) {
      out.push_back(shape[static_cast<std::size_t>(axis)]);
    }
    draft.input(shape, type, q);
    draft.output(out, type, q);
    draft.attributes() = transpose;
  }
  void operator()(StridedSlice slice) const {
    const auto shape = dice.shape(1, 5, 7);
    const DataType type = any_type();
    const Quantisation q = dice.quantisation();
    std::vector<std::int32_t> out;
    for (const std::int32_t extent : shape) {
      slice.begin.push_back(dice.between(0, extent - 1));
      slice.stride.push_back(dice.between(1, 3));
      out.push_back(dice.between(1, (extent - 1 - slice.begin.back()) / slice.stride.back() + 1));
    }
    draft.input(shape, type, q);
    draft.output(out, type, q);
    draft.attributes() = slice;
  }
  void operator()(ResizeNearest resize) const {
    const Quantisation q = dice.quantisation();
    resize.align_corners = dice.once_in(3);
    resize.half_pixel_centers = !resize.align_corners && dice.once_in(2);
    const std::int32_t c = dice.between(1, 4);
    draft.input({1, dice.between(1, 6), dice.between(1, 6), c}, DataType::Int8, q);
    draft.output({1, dice.between(1, 9), dice.between(1, 9), c}, DataType::Int8, q);
    draft.attributes() = resize;
  }
  void operator()(Softmax softmax) const {
    const auto shape = dice.shape(1, 3, 40);
    softmax.beta = dice.once_in(2) ? 1.0F : dice.real(0.1F, 3);
    draft.input(shape, DataType::Int8);
    draft.output(shape, DataType::Int8, {{1.0F / 256}, -128});
    draft.attributes() = softmax;
  }
  void operator()(Pad pad) const {
    const auto shape = dice.shape(1, 5);
    const Quantisation q = dice.quantisation();
    std::vector<std::int32_t> out;
    for (const std::int32_t extent : shape) {
      pad.before.push_back(dice.between(0, 2));
      pad.after.push_back(dice.between(0, 2));
      out.push_back(pad.before.back() + extent + pad.after.back());
    }
    draft.input(shape, DataType::Int8, q);
    draft.output(out, DataType::Int8, q);
    draft.attributes() = pad;
  }
  void operator()(Concatenation concat) const {
    auto shape = dice.shape(1, 4);
    concat.axis = dice.between(0, static_cast<std::int32_t>(shape.size()) - 1);
    const DataType type = dice.once_in(3) ? any_type() : DataType::Int8;
    const Quantisation q = fine();
    std::int32_t& extent = shape[static_cast<std::size_t>(concat.axis)];
    std::int32_t all = 0;
    for (std::int32_t part = dice.between(1, 4); part > 0; --part) {
      extent = dice.between(1, 4);
      all += extent;
      draft.input(shape, type, dice.once_in(2) ? q : fine());
    }
    extent = all;
    draft.output(shape, type, q);
    draft.attributes() = concat;
    round();
  }
  void operator()(Dequantize dequantize) const {
    const auto shape = dice.shape(1, 4);
    draft.input(shape, DataType::Int8);
    draft.output(shape, DataType::Float32, {});
    draft.attributes() = dequantize;
  }
  void operator()(const HostOperator&) const {}
};

}  // namespace

void draw_ordinary(OperatorDraft& draft) {
  const Attributes which = draft.attributes();
  std::visit(Ordinary{draft}, which);
}

}  // namespace tessera::test
