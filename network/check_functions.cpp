#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "network/network_checker.hpp"
#include "tessera/error.hpp"

namespace tessera {

void NetworkChecker::check(const Operator& op, const Binary&) const {
  const Tensor& a = input(op, 0, "first input");
  const Tensor& b = input(op, 1, "second input");
  const Tensor& out = output(op);
  check_activation(a, "first input");
  check_activation(b, "second input");
  check_activation(out, "output");
  const std::size_t rank = out.shape.size();
  const auto fits = [&](const Tensor& in) {
    for (std::size_t d = 0; d < in.shape.size() && d < rank; ++d) {
      const std::int32_t extent = in.shape[in.shape.size() - 1 - d];
      if (extent != 1 && extent != out.shape[rank - 1 - d]) {
        return false;
      }
    }
    return in.shape.size() <= rank;
  };
  const auto extent_of = [](const Tensor& in, std::size_t from_end) {
    return from_end < in.shape.size() ? in.shape[in.shape.size() - 1 - from_end] : 1;
  };
  bool whole = true;
  for (std::size_t d = 0; d < rank; ++d) {
    whole = whole && out.shape[rank - 1 - d] == std::max(extent_of(a, d), extent_of(b, d));
  }
  require(fits(a) && fits(b) && whole,
          fmt::format("shapes [{}] and [{}] do not give [{}]", fmt::join(a.shape, ", "),
                      fmt::join(b.shape, ", "), fmt::join(out.shape, ", ")));
}

void NetworkChecker::check(const Operator& op, const Unary& unary) const {
  const Tensor& in = input(op, 0, "input");
  const Tensor& out = output(op);
  if (unary.kind != UnaryKind::Quantize || in.type != DataType::Float32) {
    check_activation(in, "input");
  }
  check_activation(out, "output");
  require(in.shape == out.shape, "input and output differ in shape");
  const Quantisation& to = out.quantisation;
  if (unary.kind == UnaryKind::Logistic) {
    require(to.zero_point == -128 && to.scales[0] == 1.0F / 256,
            "output must have scale 1/256 and zero point -128");
  } else if (unary.kind == UnaryKind::Tanh) {
    require(to.zero_point == 0 && to.scales[0] == 1.0F / 128,
            "output must have scale 1/128 and zero point 0");
  } else if (unary.kind == UnaryKind::Lookup) {
    require(unary.table.size() == 256,
            fmt::format("a table has 256 values, this one {}", unary.table.size()));
  } else if (unary.kind == UnaryKind::LeakyRelu) {
    require(std::fabs(unary.alpha) < 1024,
            fmt::format("alpha is {}; allowed are numbers between -1024 and 1024", unary.alpha));
  }
}

void NetworkChecker::check(const Operator& op, const Mean& mean) const {
  const Tensor& in = input(op, 0, "feature");
  const Tensor& out = output(op);
  check_activation(in, "feature");
  check_activation(out, "output");
  require(
      mean.first_axis >= 0 && mean.axes >= 1 &&
          static_cast<std::size_t>(mean.first_axis) + static_cast<std::size_t>(mean.axes) <=
              in.shape.size(),
      fmt::format("{} axes from {} of {} dimensions", mean.axes, mean.first_axis, in.shape.size()));
  const MeanExtents extents = extents_of(mean, in.shape);
  require(out.elements() == extents.outer * extents.inner,
          fmt::format("output has shape [{}]; {} values are left", fmt::join(out.shape, ", "),
                      extents.outer * extents.inner));
  require(extents.count <= (1 << 23), "more than 2^23 values in a mean");
}

void NetworkChecker::check(const Operator& op, const Dequantize&) const {
  const Tensor& in = input(op, 0, "input");
  const Tensor& out = output(op);
  check_activation(in, "input");
  require(out.type == DataType::Float32 && in.shape == out.shape,
          "output must be float32 of the input's shape");
}

void NetworkChecker::check(const Operator& op, const Softmax& softmax) const {
  const Tensor& in = input(op, 0, "input");
  const Tensor& out = output(op);
  check_activation(in, "input");
  check_activation(out, "output");
  require(!in.shape.empty() && in.shape == out.shape, "input and output differ in shape");
  require(softmax.beta > 0, fmt::format("beta {} is not positive", softmax.beta));
  require(out.quantisation.zero_point == -128 && out.quantisation.scales[0] == 1.0F / 256,
          "output must have scale 1/256 and zero point -128");
}

}  // namespace tessera
