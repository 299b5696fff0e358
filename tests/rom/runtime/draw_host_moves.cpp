// Draws operators that only the host has: those that move elements, and conversions.
#include <utility>

#include "network/reference/elements.hpp"
#include "tests/rom/runtime/host_draw.hpp"

namespace tessera::test {

void HostDraw::select() {
  const DataType of = any();
  const Shape shape = dice_.shape(0, 4);
  draft_.input(dice_.narrowed(shape), DataType::Bool);
  draft_.input(shape, of);
  draft_.input(dice_.narrowed(shape), of);
  draft_.output(shape, of, dice_.quantisation());
  end();
}

void HostDraw::arg() {
  const Shape shape = dice_.shape(1, 4, 6);
  const std::int32_t axis = dice_.between(0, static_cast<std::int32_t>(shape.size()) - 1);
  Shape out = shape;
  out.erase(out.begin() + axis);
  host_.integers = {axis};
  draft_.input(shape, type());
  if (dice_.once_in(2)) {
    few_values(0);
  }
  draft_.output(out, dice_.once_in(2) ? DataType::Int32 : DataType::Int64, {});
  end();
}

void HostDraw::indices(const Shape& shape, const std::vector<std::int32_t>& extents) {
  const DataType of = dice_.once_in(2) ? DataType::Int32 : DataType::Int64;
  Tensor& tensor = draft_.input(shape, of);
  Bytes bytes(tensor.bytes());
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const std::int32_t extent =
        extents.empty()
            ? 1
            : extents[static_cast<std::size_t>(i % static_cast<std::int64_t>(extents.size()))];
    const std::int32_t index = dice_.between(-extent, extent - 1);
    if (of == DataType::Int64) {
      reference::put(bytes.data(), i, std::int64_t{index});
    } else {
      reference::put(bytes.data(), i, index);
    }
  }
  if (dice_.once_in(3)) {
    tensor.constant = std::move(bytes);
  } else {
    draft_.give(1, bytes);
  }
}

void HostDraw::gather() {
  const Shape from = dice_.shape(1, 4);
  const auto rank = static_cast<std::int32_t>(from.size());
  const std::int32_t axis = dice_.between(0, rank - 1);
  const std::int32_t batch = dice_.between(0, axis);
  Shape at(from.begin(), from.begin() + batch);
  for (const std::int32_t extent : dice_.shape(0, 2)) {
    at.push_back(extent);
  }
  Shape out(from.begin(), from.begin() + axis);
  out.insert(out.end(), at.begin() + batch, at.end());
  out.insert(out.end(), from.begin() + axis + 1, from.end());
  host_.integers = {axis, batch};
  const DataType of = any();
  const Quantisation q = dice_.quantisation();
  draft_.input(from, of, q);
  indices(at, {from[static_cast<std::size_t>(axis)]});
  draft_.output(out, of, q);
  end();
}

void HostDraw::gather_nd() {
  const Shape from = dice_.shape(1, 4);
  const std::int32_t parts = dice_.between(1, static_cast<std::int32_t>(from.size()));
  Shape at = dice_.shape(0, 2);
  Shape out = at;
  at.push_back(parts);
  out.insert(out.end(), from.begin() + parts, from.end());
  const DataType of = any();
  const Quantisation q = dice_.quantisation();
  draft_.input(from, of, q);
  indices(at, {from.begin(), from.begin() + parts});
  draft_.output(out, of, q);
  end();
}

void HostDraw::tile() {
  const Shape from = dice_.shape(1, 4, 4);
  Shape out = from;
  for (std::int32_t& extent : out) {
    extent *= dice_.between(1, 3);
  }
  moved(from, out);
}

void HostDraw::broadcast() {
  const Shape out = dice_.shape(0, 4);
  moved(dice_.narrowed(out), out);
}

void HostDraw::moved(const Shape& from, const Shape& to) {
  const DataType of = any();
  const Quantisation q = dice_.quantisation();
  draft_.input(from, of, q);
  draft_.output(to, of, q);
  end();
}

void HostDraw::pad() {
  const bool mirror = host_.kind == HostKind::MirrorPad;
  const std::int32_t edge = dice_.between(0, 1);
  const Shape from = dice_.shape(1, 4);
  Shape out = from;
  Shape after;
  for (std::size_t d = 0; d < from.size(); ++d) {
    const std::int32_t most = mirror ? from[d] - 1 + edge : 3;
    host_.integers.push_back(dice_.between(0, most));
    after.push_back(dice_.between(0, most));
    out[d] += host_.integers.back() + after.back();
  }
  host_.integers.insert(host_.integers.end(), after.begin(), after.end());
  if (mirror) {
    host_.integers.push_back(edge);
  } else {
    host_.numbers = {static_cast<float>(dice_.between(0, 100))};
  }
  moved(from, out);
}

void HostDraw::cast() {
  const DataType to = type();
  const DataType from = type();
  const Shape shape = dice_.shape(1, 3, 7);
  draft_.input(shape, from).form.is_unsigned = from == DataType::Int8 && dice_.once_in(2);
  draft_.output(shape, to, dice_.quantisation()).form.is_unsigned =
      to == DataType::Int8 && dice_.once_in(2);
  if (from == DataType::Float32) {
    draft_.give_no_number(0);
  }
  end();
}

}  // namespace tessera::test
