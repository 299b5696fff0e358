// Draws operators that only the host has: those of rows and pictures.
#include <algorithm>
#include <utility>

#include "tests/rom/runtime/host_draw.hpp"

namespace tessera::test {

void HostDraw::matmul() {
  const DataType of = type();
  const Shape batches = dice_.shape(0, 2, 3);
  const std::int32_t rows = dice_.between(1, 4);
  const std::int32_t cols = dice_.between(1, 4);
  const std::int32_t depth = dice_.between(1, 6);
  const bool turn_a = dice_.once_in(2);
  const bool turn_b = dice_.once_in(2);
  const bool first = dice_.once_in(2);
  const auto matrices = [](Shape of_batches, std::int32_t r, std::int32_t c) {
    of_batches.insert(of_batches.end(), {r, c});
    return of_batches;
  };
  host_.integers = {turn_a ? 1 : 0, turn_b ? 1 : 0};
  if (dice_.once_in(2)) {
    host_.integers.push_back(1);
  }
  draft_.input(matrices(first ? batches : dice_.narrowed(batches), turn_a ? depth : rows,
                        turn_a ? rows : depth),
               of, fine());
  draft_.input(matrices(first ? dice_.narrowed(batches) : batches, turn_b ? cols : depth,
                        turn_b ? depth : cols),
               of, fine());
  draft_.output(matrices(batches, rows, cols), of, fine());
  end();
  round();
}

void HostDraw::resize() {
  const DataType of = type();
  const Quantisation q = dice_.quantisation();
  const std::int32_t n = dice_.between(1, 2);
  const std::int32_t c = dice_.between(1, 3);
  const std::int32_t rows = dice_.between(1, 9);
  const std::int32_t cols = dice_.between(1, 9);
  const std::int32_t h = dice_.between(1, 6);
  const std::int32_t w = dice_.between(1, 6);
  host_.integers = {dice_.between(0, 1), dice_.between(0, 1), dice_.between(0, 2)};
  if (dice_.once_in(3)) {
    for (std::int32_t i = 0; i < rows + cols; ++i) {
      host_.numbers.push_back(dice_.real(-1, static_cast<float>(i < rows ? h : w)));
    }
    host_.integers[2] = dice_.between(0, 1);
  } else if (of == DataType::Float32) {
    host_.integers[2] = 0;
  }
  draft_.input({n, h, w, c}, of, q);
  draft_.output({n, rows, cols, c}, of, q);
  end();
}

void HostDraw::pool() {
  const DataType of = type();
  const std::int32_t n = dice_.between(1, 2);
  const std::int32_t h = dice_.between(2, 7);
  const std::int32_t w = dice_.between(2, 7);
  const std::int32_t c = dice_.between(1, 3);
  std::vector<std::int32_t>& i = host_.integers;
  i = {dice_.between(1, 3), dice_.between(1, 3), dice_.between(1, 3), dice_.between(1, 3),
       dice_.between(1, 2), dice_.between(1, 2), dice_.between(0, 1), dice_.between(0, 1),
       dice_.between(0, 1), dice_.between(0, 1), dice_.between(0, 7)};
  const auto extent = [&](std::size_t a, std::int32_t in) {
    return std::max((in + i[6 + a] + i[8 + a] - i[4 + a] * (i[a] - 1) - 1) / i[2 + a] + 1, 1);
  };
  const Quantisation q = fine();
  draft_.input({n, h, w, c}, of, q);
  draft_.output({n, extent(0, h), extent(1, w), c}, of,
                host_.kind == HostKind::MaxPool ? q : fine());
  end();
}

void HostDraw::layer_norm() {
  const Shape shape = dice_.shape(1, 3, 9);
  host_.integers = {dice_.between(0, 1)};
  host_.numbers = {1e-5F};
  draft_.input(shape, DataType::Float32);
  draft_.input({shape.back()}, DataType::Float32);
  if (dice_.once_in(2)) {
    draft_.input({shape.back()}, DataType::Float32);
  }
  draft_.output(shape, DataType::Float32, {});
  end();
}

// Kernel and bias of the types that go with the input's.
void HostDraw::weights(const Shape& shape, std::int32_t outputs, DataType of) {
  if (of == DataType::Int32) {
    draft_.constant(shape, of, {});
    return;
  }
  const bool bytes = dice_.once_in(2);
  Quantisation q{{dice_.real(0.01F, 0.1F)}, 0};
  if (bytes && dice_.once_in(2)) {
    q.scales.clear();
    for (std::int32_t o = 0; o < outputs; ++o) {
      q.scales.push_back(dice_.real(0.01F, 0.1F));
    }
  }
  draft_.constant(shape, bytes ? DataType::Int8 : DataType::Float32, q);
  if (dice_.once_in(2)) {
    draft_.constant({outputs}, DataType::Float32, {});
  }
  if (dice_.once_in(3)) {
    host_.numbers = {0.0F, 6.0F};
  }
}

void HostDraw::convolution() {
  const DataType of = type();
  const bool depthwise = host_.kind == HostKind::DepthwiseConv2d;
  const std::int32_t groups = dice_.between(1, 2);
  const std::int32_t inputs = dice_.between(1, 3);
  const std::int32_t channels = groups * inputs;
  const std::int32_t outputs =
      depthwise ? channels * dice_.between(1, 2) : groups * dice_.between(1, 3);
  const std::int32_t kh = dice_.between(1, 3);
  const std::int32_t kw = dice_.between(1, 3);
  const std::int32_t h = dice_.between(1, 6);
  const std::int32_t w = dice_.between(1, 6);
  const std::int32_t n = dice_.between(1, 2);
  std::vector<std::int32_t>& i = host_.integers;
  i = {dice_.between(1, 2), dice_.between(1, 2), dice_.between(1, 2),
       dice_.between(1, 2), dice_.between(0, 1), dice_.between(0, 1),
       dice_.between(0, 1), dice_.between(0, 1), dice_.between(0, 2)};
  const auto extent = [&](std::size_t a, std::int32_t in, std::int32_t kernel) {
    return std::max((in + i[4 + a] + i[6 + a] - i[2 + a] * (kernel - 1) - 1) / i[a] + 1, 1);
  };
  draft_.input({n, h, w, channels}, of);
  weights(depthwise ? Shape{1, kh, kw, outputs} : Shape{outputs, kh, kw, inputs}, outputs, of);
  draft_.output({n, extent(0, h, kh), extent(1, w, kw), outputs},
                of == DataType::Int32 ? of : DataType::Float32, {});
  end();
}

void HostDraw::fully_connected() {
  const std::int32_t inputs = dice_.between(1, 20);
  const std::int32_t outputs = dice_.between(1, 6);
  const std::int32_t rows = dice_.between(1, 3);
  host_.integers = {dice_.between(0, 2)};
  draft_.input({rows, inputs}, DataType::Float32);
  weights({outputs, inputs}, outputs, DataType::Float32);
  draft_.output({rows, outputs}, DataType::Float32, {});
  end();
}

void HostDraw::detections() {
  const DataType of = type();
  const std::int32_t anchors = dice_.between(1, 30);
  const std::int32_t classes = dice_.between(1, 4);
  const std::int32_t per_box = dice_.between(1, classes);
  const std::int32_t most = dice_.between(1, 8);
  const std::int32_t part = dice_.between(0, 3);
  host_.integers = {part, most, per_box, dice_.between(0, 1), dice_.between(1, 5), classes};
  host_.numbers = {dice_.real(-1, 1), dice_.real(0.1F, 0.9F), 10, 10, 5, 5};
  const Quantisation codes{{dice_.real(0.01F, 0.1F)}, dice_.between(-20, 20)};
  draft_.input({1, anchors, dice_.between(4, 5)}, of, codes);
  draft_.input({1, anchors, classes + dice_.between(0, 1)}, of, {{1.0F / 64}, 0});
  const bool floats = of == DataType::Float32 || dice_.once_in(2);
  Tensor& places =
      draft_.input({anchors, 4}, floats ? DataType::Float32 : of, {{1.0F / 128}, -100});
  if (floats) {
    Bytes bytes(places.bytes());
    for (std::int64_t i = 0; i < places.elements(); ++i) {
      reference::put(bytes.data(), i, dice_.real(0.05F, 1));
    }
    places.constant = std::move(bytes);
  }
  const std::int32_t results = most * per_box;
  draft_.output(part == 3   ? Shape{1}
                : part == 0 ? Shape{1, results, 4}
                            : Shape{1, results},
                DataType::Float32, {});
  end();
}

void draw_host(OperatorDraft& draft, HostOperator host) {
  HostDraw(draft, std::move(host)).draw();
}

}  // namespace tessera::test
