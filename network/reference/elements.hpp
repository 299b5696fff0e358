// Walking over the elements of tensors.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "network/reference/reference_kernels.hpp"

namespace tessera::reference {

/// Calls `visit(output index, coordinates)` for every element, in order.
template <class Visit>
void for_elements(const std::vector<std::int32_t>& shape, Visit visit) {
  std::vector<std::int32_t> at(shape.size(), 0);
  std::int64_t count = 1;
  for (const std::int32_t extent : shape) {
    count *= extent;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    visit(i, at);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d]) {
        break;
      }
      at[d] = 0;
    }
  }
}

/// Row-major index.
inline std::int64_t index_of(const std::vector<std::int32_t>& shape,
                             const std::vector<std::int32_t>& at) {
  std::int64_t index = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    index = index * shape[d] + at[d];
  }
  return index;
}

/// Row-major strides of a shape that broadcasts to one of `rank` dimensions: 0 where it is
/// repeated.
inline std::vector<std::int64_t> broadcast_strides(const std::vector<std::int32_t>& shape,
                                                   std::size_t rank) {
  std::vector<std::int64_t> strides(rank, 0);
  std::int64_t stride = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int32_t extent = shape[shape.size() - 1 - d];
    strides[rank - 1 - d] = extent == 1 ? 0 : stride;
    stride *= extent;
  }
  return strides;
}

/// Element i; memory may lie at any address.
template <class T>
T get(const std::uint8_t* data, std::int64_t i) {
  T value;
  std::memcpy(&value, data + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}
template <class T>
void put(std::uint8_t* data, std::int64_t i, T value) {
  std::memcpy(data + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
}

/// Calls `visit(value of the type)`; bool is uint8_t.
template <class Visit>
void for_type(DataType type, Visit visit) {
  switch (type) {
    case DataType::Int8:
      return visit(std::int8_t{});
    case DataType::Int16:
      return visit(std::int16_t{});
    case DataType::Int32:
      return visit(std::int32_t{});
    case DataType::Float32:
      return visit(float{});
    case DataType::Int64:
      return visit(std::int64_t{});
    case DataType::Bool:
      return visit(std::uint8_t{});
  }
}

/// Fills the output with elements of input `i`, at the index that `source(coordinates)` gives.
template <class Source>
void move_elements(const Operands& x, std::size_t i, Source source) {
  for_type(x.output().type, [&](auto zero) {
    using T = decltype(zero);
    for_elements(x.output().shape, [&](std::int64_t o, const std::vector<std::int32_t>& at) {
      put<T>(x.output_data, o, get<T>(x.inputs[i], source(at)));
    });
  });
}

}  // namespace tessera::reference
