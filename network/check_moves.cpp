#include <fmt/format.h>
#include <fmt/ranges.h>

#include "network/network_checker.hpp"
#include "tessera/error.hpp"

namespace tessera {

void NetworkChecker::check_moved(const Tensor& in, const Tensor& out) const {
  require(in.type == out.type && in.type != DataType::Int16,
          fmt::format("turns {} into {}", name_of(in.type), name_of(out.type)));
  if (in.type != DataType::Int8) {
    return;
  }
  check_activation(in, "input");
  check_activation(out, "output");
  require(in.quantisation.scales == out.quantisation.scales &&
              in.quantisation.zero_point == out.quantisation.zero_point,
          "input and output are quantised differently");
}

void NetworkChecker::check(const Operator& op, const Transpose& transpose) const {
  const Tensor& in = input(op, 0, "input");
  const Tensor& out = output(op);
  check_moved(in, out);
  std::vector<bool> seen(in.shape.size(), false);
  bool fits = transpose.order.size() == in.shape.size() && out.shape.size() == in.shape.size();
  for (std::size_t d = 0; fits && d < in.shape.size(); ++d) {
    const std::int32_t from = transpose.order[d];
    fits = from >= 0 && static_cast<std::size_t>(from) < in.shape.size() &&
           !seen[static_cast<std::size_t>(from)] &&
           out.shape[d] == in.shape[static_cast<std::size_t>(from)];
    if (fits) {
      seen[static_cast<std::size_t>(from)] = true;
    }
  }
  require(fits,
          fmt::format("order [{}] does not turn [{}] into [{}]", fmt::join(transpose.order, ", "),
                      fmt::join(in.shape, ", "), fmt::join(out.shape, ", ")));
}

void NetworkChecker::check(const Operator& op, const StridedSlice& slice) const {
  const Tensor& in = input(op, 0, "input");
  const Tensor& out = output(op);
  check_moved(in, out);
  const std::size_t rank = in.shape.size();
  require(out.shape.size() == rank && slice.begin.size() == rank && slice.stride.size() == rank,
          "rank must be equal everywhere");
  for (std::size_t d = 0; d < rank; ++d) {
    require(slice.begin[d] >= 0 && slice.stride[d] >= 1 &&
                slice.begin[d] + std::int64_t{out.shape[d] - 1} * slice.stride[d] < in.shape[d],
            fmt::format("dimension {}: {} elements from {} in steps of {} (at least 1) are not "
                        "inside {}",
                        d, out.shape[d], slice.begin[d], slice.stride[d], in.shape[d]));
  }
}

void NetworkChecker::check(const Operator& op, const ResizeNearest& resize) const {
  const Tensor& in = input(op, 0, "feature");
  const Tensor& out = output(op);
  check_nhwc(in, "feature");
  check_nhwc(out, "output");
  check_moved(in, out);
  require(in.shape[3] == out.shape[3], "channels of input and output differ");
  require(!(resize.align_corners && resize.half_pixel_centers),
          "align_corners and half_pixel_centers exclude each other");
}

void NetworkChecker::check(const Operator& op, const Reshape&) const {
  const Tensor& in = input(op, 0, "input");
  const Tensor& out = output(op);
  check_moved(in, out);
  require(in.bytes() == out.bytes(), "input and output differ in size");
}

void NetworkChecker::check(const Operator& op, const Pad& pad) const {
  const Tensor& in = input(op, 0, "input");
  const Tensor& out = output(op);
  check_moved(in, out);
  require(in.type == DataType::Int8, "pads int8 tensors");
  const std::size_t rank = in.shape.size();
  require(rank >= 1 && rank <= 8 && out.shape.size() == rank && pad.before.size() == rank &&
              pad.after.size() == rank,
          "rank must be 1 to 8 and equal everywhere");
  for (std::size_t d = 0; d < rank; ++d) {
    require(pad.before[d] >= 0 && pad.after[d] >= 0 &&
                std::int64_t{in.shape[d]} + pad.before[d] + pad.after[d] == out.shape[d],
            fmt::format("dimension {}: {} + {} + {} is not {}", d, pad.before[d], in.shape[d],
                        pad.after[d], out.shape[d]));
  }
}

void NetworkChecker::check(const Operator& op, const Concatenation& concat) const {
  const Tensor& out = output(op);
  require(out.type != DataType::Int16, "int16 is for kernels");
  require(concat.axis >= 0 && static_cast<std::size_t>(concat.axis) < out.shape.size(),
          fmt::format("axis {} of {} dimensions", concat.axis, out.shape.size()));
  std::int64_t extent = 0;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const Tensor& in = input(op, i, "input");
    require(in.type == out.type, "inputs and output differ in type");
    if (in.type == DataType::Int8) {
      check_activation(in, "input");
      check_activation(out, "output");
    }
    require(in.shape.size() == out.shape.size(), "inputs differ in rank");
    for (std::size_t d = 0; d < out.shape.size(); ++d) {
      require(d == static_cast<std::size_t>(concat.axis) || in.shape[d] == out.shape[d],
              "inputs differ in shape");
    }
    extent += in.shape[static_cast<std::size_t>(concat.axis)];
  }
  require(extent == out.shape[static_cast<std::size_t>(concat.axis)],
          "inputs do not add up to the output");
}

}  // namespace tessera
