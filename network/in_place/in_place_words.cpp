// Memory that operators in their input's memory need.
#include <algorithm>
#include <limits>

#include "tessera/error.hpp"
#include "tessera/in_place.hpp"

namespace tessera {
namespace {

std::uint64_t words(std::int32_t a, std::int32_t b, std::int32_t c = 1) {
  return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b) *
         static_cast<std::uint64_t>(c);
}

// First row or column of the window that lies in the picture; `in` when none does.
std::int32_t first_inside(std::int32_t out, std::int32_t stride, std::int32_t pad,
                          std::int32_t dilation, std::int32_t kernel, std::int32_t in) {
  for (std::int32_t k = 0; k < kernel; ++k) {
    const std::int32_t at = out * stride - pad + k * dilation;
    if (at >= 0) {
      return std::min(at, in);
    }
  }
  return in;
}

/// The first input word of each output pixel's window; past the input when it sees padding only.
std::vector<std::int64_t> first_words(const WindowShape& s) {
  std::vector<std::int64_t> first;
  for (std::int32_t y = 0; y < s.out_h; ++y) {
    const std::int32_t row =
        first_inside(y, s.stride_h, s.pad_top, s.dilation_h, s.kernel_h, s.in_h);
    for (std::int32_t x = 0; x < s.out_w; ++x) {
      const std::int32_t col =
          first_inside(x, s.stride_w, s.pad_left, s.dilation_w, s.kernel_w, s.in_w);
      first.push_back(row == s.in_h || col == s.in_w ? static_cast<std::int64_t>(s.input_words())
                                                     : (std::int64_t{row} * s.in_w + col) * s.in_c);
    }
  }
  return first;
}

InPlaceWords finished(const WindowShape& shape, InPlaceWords result, std::int64_t distance) {
  result.distance = distance > 0 ? static_cast<std::uint64_t>(distance) : 0;
  result.total =
      std::max(result.distance + shape.input_words(), shape.output_words()) + result.temporary;
  result.extra = result.total - shape.input_words();
  return result;
}

}  // namespace

std::uint64_t WindowShape::input_words() const {
  return words(in_h, in_w, in_c);
}

std::uint64_t WindowShape::output_words() const {
  return words(out_h, out_w, out_c);
}

PublishedWords published_words(const WindowShape& s) {
  const std::uint64_t in = s.input_words();
  const std::uint64_t out = s.output_words();
  PublishedWords result;
  result.direct = out;
  result.im2col = words(s.out_h, s.out_w) * words(s.kernel_h, s.kernel_w, s.in_c) + out;
  result.mec = words(s.out_h, s.kernel_h) * words(s.in_w, s.in_c) + out;
  const std::uint64_t more = out > in ? out - in : 0;
  const bool pointwise = s.kernel_h == 1 && s.kernel_w == 1;
  const std::uint64_t rows = words((s.kernel_h + 1) / 2, s.out_w, s.out_c);
  switch (s.kind) {
    case WindowKind::Standard:
      result.in_place = pointwise ? more : rows + more;
      break;
    case WindowKind::Depthwise:
      result.in_place = rows;
      break;
    case WindowKind::Pooling:
      break;
  }
  return result;
}

InPlaceWords in_place_words(const WindowShape& shape, WriteOrder order) {
  const std::vector<std::int64_t> first = first_words(shape);
  const auto none = static_cast<std::int64_t>(shape.input_words());
  // Words from here on are needed by pixels from each on.
  std::vector<std::int64_t> needed(first.size() + 1, none);
  for (std::size_t p = first.size(); p-- > 0;) {
    needed[p] = std::min(needed[p + 1], first[p]);
  }
  const std::int64_t channels = shape.out_c;
  InPlaceWords result;
  result.order = order;
  std::int64_t distance = 0;
  const auto keep = [&](std::int64_t written, std::int64_t unread) {
    if (unread < none) {
      distance = std::max(distance, written - unread);
    }
  };
  if (order == WriteOrder::Rows) {
    result.temporary = words(shape.out_w, shape.out_c);
    for (std::int32_t y = 0; y < shape.out_h; ++y) {
      const std::size_t next =
          static_cast<std::size_t>(y + 1) * static_cast<std::size_t>(shape.out_w);
      keep(static_cast<std::int64_t>(next) * channels, needed[next]);
    }
    return finished(shape, result, distance);
  }
  result.temporary = order == WriteOrder::Pixels ? static_cast<std::uint64_t>(channels) : 0;
  for (std::size_t p = 0; p < first.size(); ++p) {
    const auto begin = static_cast<std::int64_t>(p) * channels;
    if (order == WriteOrder::Pixels) {
      keep(begin + channels, needed[p + 1]);
    } else if (shape.kind == WindowKind::Standard) {
      // Before the last channel the whole window is still needed.
      keep(begin + channels - 1, needed[p]);
      keep(begin + channels, needed[p + 1]);
    } else {
      // Channel k of the input is read for the last time with the last output made from it.
      const std::int64_t outputs = channels / shape.in_c;
      for (std::int64_t k = 0; k < channels; ++k) {
        const std::int64_t own = k + 1 < channels ? first[p] + (k + 1) / outputs : none;
        keep(begin + k + 1, std::min(own, needed[p + 1]));
      }
    }
  }
  return finished(shape, result, distance);
}

InPlaceWords least_in_place_words(const WindowShape& shape) {
  InPlaceWords best = in_place_words(shape, WriteOrder::Words);
  for (const WriteOrder order : {WriteOrder::Pixels, WriteOrder::Rows}) {
    const InPlaceWords other = in_place_words(shape, order);
    if (other.total < best.total) {
      best = other;
    }
  }
  return best;
}

WindowShape window_shape(const Network& network, const Operator& op) {
  const auto tensor = [&](std::int32_t index) -> const Tensor& {
    return network.tensors[static_cast<std::size_t>(index)];
  };
  const Tensor& in = tensor(op.inputs[0]);
  const Tensor& out = tensor(op.output);
  WindowShape shape;
  const auto from_conv = [&](const Conv2d& conv) {
    const Tensor& kernel = tensor(op.inputs[1]);
    shape.kernel_h = kernel.shape[1];
    shape.kernel_w = kernel.shape[2];
    shape.stride_h = conv.stride_h;
    shape.stride_w = conv.stride_w;
    shape.dilation_h = conv.dilation_h;
    shape.dilation_w = conv.dilation_w;
    shape.pad_top = conv.padding.top;
    shape.pad_left = conv.padding.left;
  };
  if (const auto* conv = std::get_if<Conv2d>(&op.attributes);
      conv != nullptr && tensor(op.inputs[1]).shape[3] == in.shape[3]) {
    from_conv(*conv);
  } else if (const auto* depthwise = std::get_if<DepthwiseConv2d>(&op.attributes);
             depthwise != nullptr) {
    shape.kind = WindowKind::Depthwise;
    from_conv(depthwise->conv);
  } else if (const auto* pool = std::get_if<Pool2d>(&op.attributes); pool != nullptr) {
    shape.kind = WindowKind::Pooling;
    shape.kernel_h = pool->filter_h;
    shape.kernel_w = pool->filter_w;
    shape.stride_h = pool->stride_h;
    shape.stride_w = pool->stride_w;
    shape.pad_top = pool->padding.top;
    shape.pad_left = pool->padding.left;
  } else {
    throw InputError("`" + op.name + "`: " + std::string(op.type_name()) +
                     " has no kernel that runs in its input's memory");
  }
  shape.in_h = in.shape[1];
  shape.in_w = in.shape[2];
  shape.in_c = in.shape[3];
  shape.out_h = out.shape[1];
  shape.out_w = out.shape[2];
  shape.out_c = out.shape[3];
  return shape;
}

}  // namespace tessera
