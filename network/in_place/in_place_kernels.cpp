// Kernels that run inside their input's memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "tessera/in_place.hpp"
#include "tessera/quantise.hpp"

namespace tessera {
namespace {

/// Memory in which every byte knows whether it is input that is still to be read.
class PoisonedMemory {
 public:
  PoisonedMemory(std::uint64_t bytes, std::uint64_t input, std::uint64_t input_bytes,
                 const std::uint8_t* data)
      : bytes_(bytes, kPoison), unread_(bytes, 0), input_(input), input_end_(input + input_bytes) {
    std::copy(data, data + input_bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(input));
    std::fill(unread_.begin() + static_cast<std::ptrdiff_t>(input),
              unread_.begin() + static_cast<std::ptrdiff_t>(input_end_), 1);
    dead_ = input;
  }

  /// `count` input bytes from the input's byte `at` on, all of them still there.
  const std::int8_t* read(std::uint64_t at, std::uint64_t count) const {
    const std::uint8_t* begin = unread_.data() + input_ + at;
    if (const void* gone = std::memchr(begin, 0, count); gone != nullptr) {
      const auto byte = static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(gone) - begin);
      throw std::logic_error(
          fmt::format("input byte {} is read after it was overwritten or given up", at + byte));
    }
    return reinterpret_cast<const std::int8_t*>(bytes_.data()) + input_ + at;
  }

  /// A byte from the start of the memory.
  void write(std::uint64_t at, std::int8_t value) {
    bytes_[at] = static_cast<std::uint8_t>(value);
    unread_[at] = 0;
  }

  /// Input bytes before this one are not needed any more.
  void give_up(std::uint64_t before, std::uint64_t written) {
    const std::uint64_t end = std::min(input_ + before, input_end_);
    for (; dead_ < end; ++dead_) {
      unread_[dead_] = 0;
      if (dead_ >= written) {
        bytes_[dead_] = kPoison;
      }
    }
  }

  [[nodiscard]] std::vector<std::uint8_t> first(std::uint64_t count) const {
    return {bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(count)};
  }

 private:
  static constexpr std::uint8_t kPoison = 0xA5;

  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint8_t> unread_;
  std::uint64_t input_;
  std::uint64_t input_end_;
  std::uint64_t dead_ = 0;
};

/// One output value after the other.
class Kernel {
 public:
  Kernel(const Network& network, const Operator& op, const std::vector<const std::uint8_t*>& inputs)
      : shape_(window_shape(network, op)),
        in_(network.tensors[static_cast<std::size_t>(op.inputs[0])]),
        out_(network.tensors[static_cast<std::size_t>(op.output)]),
        rounding_(op.rounding) {
    if (const auto* pool = std::get_if<Pool2d>(&op.attributes); pool != nullptr) {
      pool_ = pool;
      range_ = activation_range(pool->activation, out_.quantisation);
      return;
    }
    const auto* depthwise = std::get_if<DepthwiseConv2d>(&op.attributes);
    const Conv2d& conv = depthwise != nullptr ? depthwise->conv : std::get<Conv2d>(op.attributes);
    const Tensor& kernel = network.tensors[static_cast<std::size_t>(op.inputs[1])];
    range_ = activation_range(conv.activation, out_.quantisation);
    factors_ = weighted_factors(in_.quantisation, kernel.quantisation, out_.quantisation,
                                shape_.out_c, scale_arithmetic(op, kernel.quantisation));
    weights_ = reinterpret_cast<const std::int8_t*>(inputs[1]);
    bias_ = inputs.size() > 2 ? reinterpret_cast<const std::int32_t*>(inputs[2]) : nullptr;
  }

  [[nodiscard]] const WindowShape& shape() const { return shape_; }

  [[nodiscard]] std::int8_t value(const PoisonedMemory& memory, std::int32_t y, std::int32_t x,
                                  std::int32_t k) const {
    if (pool_ != nullptr) {
      return pooled(memory, y, x, k);
    }
    return shape_.kind == WindowKind::Depthwise ? depthwise(memory, y, x, k)
                                                : standard(memory, y, x, k);
  }

 private:
  [[nodiscard]] std::uint64_t word(std::int32_t y, std::int32_t x, std::int32_t c) const {
    return (static_cast<std::uint64_t>(y) * static_cast<std::uint64_t>(shape_.in_w) +
            static_cast<std::uint64_t>(x)) *
               static_cast<std::uint64_t>(shape_.in_c) +
           static_cast<std::uint64_t>(c);
  }

  // Taps of the window that lie in the picture.
  template <class Visit>
  void taps(std::int32_t y, std::int32_t x, Visit visit) const {
    for (std::int32_t ky = 0; ky < shape_.kernel_h; ++ky) {
      const std::int32_t row = y * shape_.stride_h - shape_.pad_top + ky * shape_.dilation_h;
      for (std::int32_t kx = 0; kx < shape_.kernel_w; ++kx) {
        const std::int32_t col = x * shape_.stride_w - shape_.pad_left + kx * shape_.dilation_w;
        if (row >= 0 && row < shape_.in_h && col >= 0 && col < shape_.in_w) {
          visit(ky, kx, row, col);
        }
      }
    }
  }

  [[nodiscard]] std::int8_t finished(std::uint32_t sum, std::int32_t k) const {
    const std::int32_t scaled =
        requantise(static_cast<std::int32_t>(sum), factors_[static_cast<std::size_t>(k)],
                   out_.quantisation.zero_point, rounding_);
    return static_cast<std::int8_t>(std::clamp(scaled, range_.low, range_.high));
  }

  [[nodiscard]] std::uint32_t start(std::int32_t k) const {
    return bias_ != nullptr ? static_cast<std::uint32_t>(bias_[k]) : 0U;
  }

  [[nodiscard]] std::int8_t standard(const PoisonedMemory& memory, std::int32_t y, std::int32_t x,
                                     std::int32_t k) const {
    std::uint32_t sum = start(k);
    const std::int32_t zero_point = in_.quantisation.zero_point;
    taps(y, x, [&](std::int32_t ky, std::int32_t kx, std::int32_t row, std::int32_t col) {
      const std::int8_t* pixel =
          memory.read(word(row, col, 0), static_cast<std::uint64_t>(shape_.in_c));
      const std::int8_t* weight =
          weights_ +
          ((std::int64_t{k} * shape_.kernel_h + ky) * shape_.kernel_w + kx) * shape_.in_c;
      std::int32_t products = 0;
      for (std::int32_t c = 0; c < shape_.in_c; ++c) {
        products += (pixel[c] - zero_point) * weight[c];
      }
      sum += static_cast<std::uint32_t>(products);
    });
    return finished(sum, k);
  }

  [[nodiscard]] std::int8_t depthwise(const PoisonedMemory& memory, std::int32_t y, std::int32_t x,
                                      std::int32_t k) const {
    std::uint32_t sum = start(k);
    const std::int32_t channel = k / (shape_.out_c / shape_.in_c);
    taps(y, x, [&](std::int32_t ky, std::int32_t kx, std::int32_t row, std::int32_t col) {
      const std::int32_t feature = *memory.read(word(row, col, channel), 1);
      const std::int32_t weight =
          weights_[(std::int64_t{ky} * shape_.kernel_w + kx) * shape_.out_c + k];
      sum += static_cast<std::uint32_t>((feature - in_.quantisation.zero_point) * weight);
    });
    return finished(sum, k);
  }

  [[nodiscard]] std::int8_t pooled(const PoisonedMemory& memory, std::int32_t y, std::int32_t x,
                                   std::int32_t k) const {
    std::int32_t sum = 0;
    std::int32_t greatest = -128;
    std::int32_t cells = 0;
    taps(y, x, [&](std::int32_t, std::int32_t, std::int32_t row, std::int32_t col) {
      const std::int32_t value = *memory.read(word(row, col, k), 1);
      sum += value;
      greatest = std::max(greatest, value);
      ++cells;
    });
    if (pool_->kind == PoolKind::Max) {
      return static_cast<std::int8_t>(std::clamp(greatest, range_.low, range_.high));
    }
    PoolAverage average(in_.quantisation, out_.quantisation, pool_->ties_up, rounding_);
    const std::int32_t rounded = average.of(sum, std::max(cells, 1));
    return static_cast<std::int8_t>(std::clamp(rounded, range_.low, range_.high));
  }

  WindowShape shape_;
  const Tensor& in_;
  const Tensor& out_;
  Rounding rounding_;
  const Pool2d* pool_ = nullptr;
  ClampRange range_;
  std::vector<FixedPoint> factors_;
  const std::int8_t* weights_ = nullptr;
  const std::int32_t* bias_ = nullptr;
};

}  // namespace

std::vector<std::uint8_t> run_in_place(const Network& network, const Operator& op,
                                       const std::vector<const std::uint8_t*>& inputs,
                                       const InPlaceWords& words) {
  const Kernel kernel(network, op, inputs);
  const WindowShape& shape = kernel.shape();
  // The output may be longer than the input reaches: then the input lies so much higher.
  const std::uint64_t room = words.total - words.temporary;
  const std::uint64_t input = std::max(words.distance, room - shape.input_words());
  PoisonedMemory memory(room, input, shape.input_words(), inputs[0]);
  std::vector<std::int8_t> buffer;
  std::uint64_t written = 0;
  const auto flush = [&] {
    for (const std::int8_t value : buffer) {
      memory.write(written++, value);
    }
    buffer.clear();
  };
  for (std::int32_t y = 0; y < shape.out_h; ++y) {
    for (std::int32_t x = 0; x < shape.out_w; ++x) {
      for (std::int32_t k = 0; k < shape.out_c; ++k) {
        buffer.push_back(kernel.value(memory, y, x, k));
        if (words.order == WriteOrder::Words) {
          flush();
        }
      }
      if (words.order == WriteOrder::Pixels) {
        flush();
      }
    }
    flush();
    if (y + 1 < shape.out_h && shape.dilation_h == 1) {
      // No window of a later row reaches higher than this.
      const std::int32_t top = (y + 1) * shape.stride_h - shape.pad_top;
      const std::int32_t row = std::clamp(top, 0, shape.in_h);
      memory.give_up(static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(shape.in_w) *
                         static_cast<std::uint64_t>(shape.in_c),
                     written);
    }
  }
  return memory.first(shape.output_words());
}

}  // namespace tessera
