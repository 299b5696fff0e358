// Convolutions and pools whose output overwrites their input.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/network.hpp"

namespace tessera {

enum class WindowKind : std::uint8_t {
  Standard,   ///< every output channel from all input channels
  Depthwise,  ///< each output channel from one input channel
  Pooling
};

/// A window that moves over [height][width][channels]. Sizes in elements, which are words.
struct WindowShape {
  WindowKind kind = WindowKind::Standard;
  std::int32_t in_h = 1, in_w = 1, in_c = 1;
  std::int32_t out_h = 1, out_w = 1, out_c = 1;
  std::int32_t kernel_h = 1, kernel_w = 1;
  std::int32_t stride_h = 1, stride_w = 1;
  std::int32_t dilation_h = 1, dilation_w = 1;
  std::int32_t pad_top = 0, pad_left = 0;

  [[nodiscard]] std::uint64_t input_words() const;
  [[nodiscard]] std::uint64_t output_words() const;
};

/// Words beyond the input's by formulas of the literature: direct, im2col and MEC convolution
/// (Cho and Brand, 2017), and convolution in the input's memory with a temporary of ceil(kh / 2)
/// output rows. The last is not a proof: for some shapes it would overwrite unread input.
struct PublishedWords {
  std::uint64_t direct = 0;
  std::uint64_t im2col = 0;
  std::uint64_t mec = 0;
  std::uint64_t in_place = 0;
};
PublishedWords published_words(const WindowShape& shape);

/// How outputs are written.
enum class WriteOrder : std::uint8_t {
  Rows,    ///< a row at once, from a buffer of one row
  Pixels,  ///< a pixel at once, from a buffer of one pixel
  Words    ///< word by word as they are computed, no buffer
};

/// The output starts `distance` words below the input and grows towards it.
struct InPlaceWords {
  WriteOrder order = WriteOrder::Words;
  std::uint64_t distance = 0;   ///< the least that is safe
  std::uint64_t temporary = 0;  ///< the buffer
  std::uint64_t total = 0;      ///< input, output and buffer
  std::uint64_t extra = 0;      ///< total less the input
};

/// From the words that each output still needs: exact.
InPlaceWords in_place_words(const WindowShape& shape, WriteOrder order);

/// The order that needs the least.
InPlaceWords least_in_place_words(const WindowShape& shape);

/// Shape of a CONV_2D without groups, DEPTHWISE_CONV_2D, AVERAGE_POOL_2D or MAX_POOL_2D. Throws
/// InputError for others.
WindowShape window_shape(const Network& network, const Operator& op);

/// Computes the operator within `words.total` bytes of memory, input and output in it. Bytes that
/// nobody needs any more are poisoned at once, and every byte is looked at before it is read:
/// throws std::logic_error when it is no input any more. `inputs` as run_operator has them.
std::vector<std::uint8_t> run_in_place(const Network& network, const Operator& op,
                                       const std::vector<const std::uint8_t*>& inputs,
                                       const InPlaceWords& words);

}  // namespace tessera
