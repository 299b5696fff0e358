// Moves of values of any type.
#include <algorithm>
#include <cmath>

#include "network/reference/elements.hpp"
#include "network/reference/host_kernels.hpp"
#include "tessera/error.hpp"

namespace tessera::reference {
namespace {

using Shape = std::vector<std::int32_t>;

std::int64_t index_value(const Operands& x, std::int64_t i) {
  return x.input(1).type == DataType::Int64 ? get<std::int64_t>(x.inputs[1], i)
                                            : get<std::int32_t>(x.inputs[1], i);
}

// Data decides: what a model computes may lie outside.
std::int32_t checked(const Operands& x, std::int64_t index, std::int32_t extent) {
  if (index < 0) {
    index += extent;
  }
  if (index < 0 || index >= extent) {
    throw InputError("layer `" + x.op.name + "`: index " + std::to_string(index) +
                     " is outside a dimension of " + std::to_string(extent));
  }
  return static_cast<std::int32_t>(index);
}

void gather(const HostOperator& host, const Operands& x) {
  const Shape& from = x.input(0).shape;
  const Shape& indices = x.input(1).shape;
  const auto axis = static_cast<std::size_t>(host.integers[0]);
  const auto batch = static_cast<std::size_t>(host.integers[1]);
  const std::size_t index_rank = indices.size() - batch;
  Shape source(from.size());
  Shape index(indices.size());
  move_elements(x, 0, [&](const Shape& at) {
    std::copy_n(at.begin(), batch, index.begin());
    std::copy_n(at.begin() + static_cast<std::ptrdiff_t>(axis), index_rank,
                index.begin() + static_cast<std::ptrdiff_t>(batch));
    std::copy_n(at.begin(), axis, source.begin());
    source[axis] = checked(x, index_value(x, index_of(indices, index)), from[axis]);
    std::copy(at.begin() + static_cast<std::ptrdiff_t>(axis + index_rank), at.end(),
              source.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    return index_of(from, source);
  });
}

void gather_nd(const Operands& x) {
  const Shape& from = x.input(0).shape;
  const Shape& indices = x.input(1).shape;
  const auto parts = static_cast<std::size_t>(indices.back());
  const std::size_t outer = indices.size() - 1;
  Shape source(from.size());
  move_elements(x, 0, [&](const Shape& at) {
    std::int64_t first = 0;
    for (std::size_t d = 0; d < outer; ++d) {
      first = first * indices[d] + at[d];
    }
    first *= indices.back();
    for (std::size_t p = 0; p < parts; ++p) {
      source[p] = checked(x, index_value(x, first + static_cast<std::int64_t>(p)), from[p]);
    }
    std::copy(at.begin() + static_cast<std::ptrdiff_t>(outer), at.end(),
              source.begin() + static_cast<std::ptrdiff_t>(parts));
    return index_of(from, source);
  });
}

void broadcast(const Operands& x) {
  const auto strides = broadcast_strides(x.input(0).shape, x.output().shape.size());
  move_elements(x, 0, [&](const Shape& at) {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      index += strides[d] * at[d];
    }
    return index;
  });
}

// Where each coordinate of the output comes from, axis by axis.
template <class Place>
void by_axis(const Operands& x, Place place) {
  const Shape& from = x.input(0).shape;
  Shape source(from.size());
  move_elements(x, 0, [&](const Shape& at) {
    for (std::size_t d = 0; d < at.size(); ++d) {
      source[d] = place(d, at[d], from[d]);
    }
    return index_of(from, source);
  });
}

void pad_value(const HostOperator& host, const Operands& x) {
  const Shape& from = x.input(0).shape;
  for_type(x.output().type, [&](auto zero) {
    using T = decltype(zero);
    const T value = static_cast<T>(host.numbers[0]);
    Shape source(from.size());
    for_elements(x.output().shape, [&](std::int64_t o, const Shape& at) {
      bool inside = true;
      for (std::size_t d = 0; d < at.size(); ++d) {
        source[d] = at[d] - host.integers[d];
        inside = inside && source[d] >= 0 && source[d] < from[d];
      }
      put(x.output_data, o, inside ? get<T>(x.inputs[0], index_of(from, source)) : value);
    });
  });
}

}  // namespace

void host_move(const HostOperator& host, const Operands& x) {
  switch (host.kind) {
    case HostKind::Gather:
      return gather(host, x);
    case HostKind::GatherNd:
      return gather_nd(x);
    case HostKind::BroadcastTo:
      return broadcast(x);
    case HostKind::PadValue:
      return pad_value(host, x);
    case HostKind::Reverse:
      return by_axis(x, [&](std::size_t d, std::int32_t at, std::int32_t extent) {
        const bool turned = std::find(host.integers.begin(), host.integers.end(),
                                      static_cast<std::int32_t>(d)) != host.integers.end();
        return turned ? extent - 1 - at : at;
      });
    case HostKind::MirrorPad: {
      // The border itself is repeated, or not.
      const std::int32_t edge = host.integers.back();
      return by_axis(x, [&](std::size_t d, std::int32_t at, std::int32_t extent) {
        std::int32_t place = at - host.integers[d];
        place = place < 0 ? -place - edge : place;
        return place >= extent ? 2 * extent - 2 - place + edge : place;
      });
    }
    default:  // Tile
      return by_axis(x,
                     [](std::size_t, std::int32_t at, std::int32_t extent) { return at % extent; });
  }
}

}  // namespace tessera::reference
