#include <algorithm>

#include "sim/npu/dot_products.hpp"
#include "sim/npu/units.hpp"
#include "timing/data_path/channel_pieces.hpp"

namespace tessera::npu {
namespace {

constexpr std::int64_t kAddressMask = 0xFFFFF;

// Rows above the first new one that the window holds for a tile that resumes.
std::int64_t rows_held(const timing::ConvOperation& op) {
  if (!op.depthwise || op.conv.resume == 0) {
    return 0;
  }
  const std::int64_t stride = op.kernel.stride_y;
  const std::int64_t window = op.window.window_h;
  return op.window.spaced != 0 ? (window - 1) * stride : window - stride;
}

/// The slab and the places of taps in it.
class Slab {
 public:
  explicit Slab(const timing::ConvOperation& op) : op_(op) {
    y0_ = op.tile.y0;
    origin_ = op.conv.origin;
    y0_ -= rows_held(op);
    origin_ -= rows_held(op) * op.kernel.row_pitch;
  }

  /// Atom of the tap `dy`, `dx` slab rows and columns from the tile's first; -1: padding.
  [[nodiscard]] std::int64_t atom(std::int64_t dy, std::int64_t dx) const {
    const std::int64_t y = y0_ + dy;
    const std::int64_t x = op_.tile.x0 + dx;
    if (y < 0 || x < 0 || y >= op_.input.rows || x >= op_.input.cols) {
      return -1;
    }
    const std::int64_t wrapped = y >= op_.ring.row ? op_.ring.atoms : 0;
    return (origin_ + dy * op_.kernel.row_pitch + dx * op_.input.atoms - wrapped) & kAddressMask;
  }

 private:
  const timing::ConvOperation& op_;
  std::int64_t y0_ = 0, origin_ = 0;
};

std::uint32_t kernels_of(const timing::ConvOperation& op, std::uint32_t group, const Hardware& hw) {
  return group + 1 == op.weights.groups ? op.weights.last_kernels : hw.atomic_k;
}

void convolve_plain(const timing::ConvOperation& op, Memories& m) {
  const Slab slab(op);
  const std::size_t c = m.hw.atomic_c;
  const std::size_t atoms = op.input.atoms;
  const std::size_t pixels = std::size_t{op.tile.rows} * op.tile.cols;
  const std::size_t taps = std::size_t{op.kernel.kernel_h} * op.kernel.kernel_w;
  const std::vector<std::int16_t> padding(atoms * c,
                                          static_cast<std::int16_t>(op.input.zero_point));
  std::vector<const std::int16_t*> features;
  features.reserve(taps * pixels);
  for (std::size_t ky = 0; ky < op.kernel.kernel_h; ++ky) {
    for (std::size_t kx = 0; kx < op.kernel.kernel_w; ++kx) {
      for (std::size_t y = 0; y < op.tile.rows; ++y) {
        for (std::size_t x = 0; x < op.tile.cols; ++x) {
          const std::int64_t atom = slab.atom(
              static_cast<std::int64_t>(ky * op.kernel.dilation_y + y * op.kernel.stride_y),
              static_cast<std::int64_t>(kx * op.kernel.dilation_x + x * op.kernel.stride_x));
          features.push_back(atom < 0 ? padding.data()
                                      : m.cbuf.data() + static_cast<std::size_t>(atom) * c);
        }
      }
    }
  }
  std::vector<std::int16_t> less;
  if (op.input.centred != 0) {
    less.reserve(features.size() * atoms * c);
    for (const std::int16_t*& feature : features) {
      for (std::size_t i = 0; i < atoms * c; ++i) {
        less.push_back(static_cast<std::int16_t>(feature[i] - op.input.zero_point));
      }
      feature = less.data() + (less.size() - atoms * c);
    }
  }
  GroupProducts products;
  products.pixels = pixels;
  products.taps = taps;
  products.atoms = atoms;
  products.atomic_c = c;
  products.features = features.data();
  products.weights = m.cbuf.data() + std::size_t{op.weights.address} * c;
  products.sum_stride = m.hw.atomic_k;
  products.accumulate = op.conv.accumulate != 0;
  std::vector<std::int16_t> centred;
  if (op.weights.zero_point != 0) {
    const std::size_t kernels =
        std::size_t{op.weights.groups - 1} * m.hw.atomic_k + op.weights.last_kernels;
    centred.assign(products.weights, products.weights + taps * atoms * kernels * c);
    for (std::int16_t& weight : centred) {
      weight = static_cast<std::int16_t>(weight - op.weights.zero_point);
    }
    products.weights = centred.data();
  }
  for (std::uint32_t g = 0; g < op.weights.groups; ++g) {
    products.kernels = kernels_of(op, g, m.hw);
    products.sums = m.sums.data() + (op.conv.acc_base + g * pixels) * m.hw.atomic_k;
    add_products(products);
    products.weights += taps * atoms * products.kernels * c;
  }
}

/// One piece of a depthwise convolution: a value per channel and tap.
struct Taps {
  std::size_t count = 0;
  std::vector<std::int16_t> weights;  ///< [tap][channel]
};

// Windows of taps, one after the other, as they lie in the cbuf.
Taps taps_of(const timing::ConvOperation& op, std::size_t address, std::size_t channels,
             const Memories& m) {
  const Hardware::Window window = m.hw.depthwise_window();
  const std::size_t c = m.hw.atomic_c;
  const std::size_t h = op.window.window_h;
  const std::size_t w = op.window.window_w;
  const std::size_t chunks = std::size_t{op.window.chunks_y} * op.window.chunks_x;
  Taps taps;
  taps.count = chunks * h * w;
  taps.weights.resize(taps.count * channels);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::size_t k = 0; k < channels; ++k) {
      const std::int16_t* atom = m.cbuf.data() + (address + chunk * channels + k) * c;
      for (std::size_t r = 0; r < h; ++r) {
        for (std::size_t x = 0; x < w; ++x) {
          const std::size_t byte = (window.rows - h + r) * window.cols + window.cols - w + x;
          taps.weights[((chunk * h + r) * w + x) * channels + k] =
              static_cast<std::int16_t>(atom[byte] - op.weights.zero_point);
        }
      }
    }
  }
  return taps;
}

void add_channels(const std::int16_t* weights, const std::int16_t* feature, std::size_t channels,
                  std::int32_t* sums) {
  for (std::size_t k = 0; k < channels; ++k) {
    sums[k] += std::int32_t{weights[k]} * feature[k];
  }
}

void raise_channels(const std::int16_t* weights, const std::int16_t* feature, std::size_t channels,
                    std::int32_t* sums) {
  for (std::size_t k = 0; k < channels; ++k) {
    if (weights[k] != 0) {
      sums[k] = std::max(sums[k], std::int32_t{feature[k]});
    }
  }
}

void convolve_depthwise(const timing::ConvOperation& op, Memories& m) {
  const Slab slab(op);
  const std::size_t c = m.hw.atomic_c;
  const std::size_t h = op.window.window_h;
  const std::size_t w = op.window.window_w;
  const std::size_t chunks = std::size_t{op.window.chunks_y} * op.window.chunks_x;
  const std::size_t pixels = std::size_t{op.tile.rows} * op.tile.cols;
  const bool maximum = op.conv.maximum != 0;
  const std::vector<std::int16_t> padding(c, static_cast<std::int16_t>(op.input.zero_point));
  const std::size_t space_y = op.window.spaced != 0 ? op.kernel.stride_y : 1;
  const std::size_t space_x = op.window.spaced != 0 ? op.kernel.stride_x : 1;
  // Where a tap lies from the output's first one.
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::size_t r = 0; r < h; ++r) {
      for (std::size_t x = 0; x < w; ++x) {
        places.emplace_back(chunk / op.window.chunks_x * h * op.kernel.dilation_y + r * space_y,
                            chunk % op.window.chunks_x * w * op.kernel.dilation_x + x * space_x);
      }
    }
  }
  std::vector<std::int32_t> sums(m.hw.atomic_k);
  std::size_t address = op.weights.address;
  for (const timing::ChannelPiece& piece : timing::channel_pieces(op, m.hw)) {
    const std::size_t channels = piece.lanes;
    const Taps taps = taps_of(op, address, channels, m);
    address += chunks * channels;
    std::int32_t* place =
        m.sums.data() + (op.conv.acc_base + piece.group * pixels) * m.hw.atomic_k + piece.lane;
    for (std::size_t y = 0; y < op.tile.rows; ++y) {
      for (std::size_t x = 0; x < op.tile.cols; ++x, place += m.hw.atomic_k) {
        if (op.conv.accumulate != 0) {
          std::copy(place, place + channels, sums.begin());
        } else {
          std::fill(sums.begin(), sums.end(), maximum ? -128 : 0);
        }
        for (std::size_t t = 0; t < taps.count; ++t) {
          const std::int64_t atom =
              slab.atom(static_cast<std::int64_t>(y * op.kernel.stride_y) + places[t].first,
                        static_cast<std::int64_t>(x * op.kernel.stride_x) + places[t].second);
          const std::int16_t* feature =
              atom < 0
                  ? padding.data()
                  : m.cbuf.data() + static_cast<std::size_t>(atom + piece.atom) * c + piece.byte;
          const std::int16_t* weights = taps.weights.data() + t * channels;
          maximum ? raise_channels(weights, feature, channels, sums.data())
                  : add_channels(weights, feature, channels, sums.data());
        }
        std::copy(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(channels), place);
      }
    }
  }
}

}  // namespace

// What is read of a slab row: of each weight tile atoms follow each other evenly, their ends tell
// of all.
void check_slab_row(const timing::ConvOperation& op, const Memories& m, const timing::Walk& walk,
                    std::int64_t y, std::int64_t atoms) {
  const std::int64_t wrapped = y >= op.ring.row ? op.ring.atoms : 0;
  const auto atom = [&](std::int64_t x) {
    return (std::int64_t{op.conv.origin} + (y - op.tile.y0) * op.kernel.row_pitch +
            (x - op.tile.x0) * op.input.atoms - wrapped) &
           kAddressMask;
  };
  for (std::int64_t tile = 0; tile < walk.tiles_x; ++tile) {
    const std::int64_t begin = walk.x0 + tile * walk.tile_move_x;
    const std::int64_t move = walk.move_x;
    const std::int64_t skipped = begin < 0 ? (-begin + move - 1) / move : 0;
    const std::int64_t inside = std::int64_t{op.input.cols} - 1 - begin;
    const std::int64_t last =
        std::min<std::int64_t>(walk.cols - 1, inside < 0 ? -1 : inside / move);
    if (skipped > last) {
      continue;
    }
    const std::int64_t first_atom = atom(begin + skipped * move);
    const std::int64_t last_atom = atom(begin + last * move);
    const std::int64_t end = std::max(first_atom, last_atom) + atoms;
    // A row that wraps around passes atoms that no cbuf has.
    if (end > m.cbuf_limit || last_atom - first_atom != (last - skipped) * move * op.input.atoms) {
      fail(isa::Error::CbufRange, static_cast<std::uint64_t>(end - 1));
    }
  }
}

void check_convolution(const timing::ConvOperation& op, const Memories& m) {
  const timing::Walk walk = timing::walk_of(op);
  if (op.depthwise && op.window.window_h != 1 && walk.cols > m.hw.line_atoms) {
    fail(isa::Error::WindowRange, 256);
  }
  const std::uint64_t pixels = std::uint64_t{op.tile.rows} * op.tile.cols;
  const std::uint64_t words = op.conv.acc_base + pixels * op.weights.groups;
  if (words > m.hw.acc_words) {
    fail(isa::Error::AccRange, std::max(op.conv.acc_base, m.hw.acc_words));
  }
  std::uint64_t atoms = std::uint64_t{walk.tiles_y} * walk.tiles_x * walk.atoms;
  atoms *= std::uint64_t{walk.groups - 1} * m.hw.atomic_k + walk.last_kernels;
  if (op.weights.address + atoms > m.cbuf_limit) {
    fail(isa::Error::CbufRange, std::max<std::uint64_t>(op.weights.address, m.cbuf_limit));
  }
  const std::int64_t own =
      op.depthwise ? timing::channel_pieces(op, m.hw).back().atom + 1 : walk.atoms;
  for (std::int64_t tile_y = 0; tile_y < walk.tiles_y; ++tile_y) {
    for (std::int64_t row = 0; row < walk.rows; ++row) {
      const std::int64_t y = walk.y0 + tile_y * walk.tile_move_y + row * walk.move_y;
      if (y >= 0 && y < op.input.rows) {
        check_slab_row(op, m, walk, y, own);
      }
    }
  }
  // What the window's lines hold of the rows above is read from the cbuf here.
  for (std::int64_t y = walk.y0 - rows_held(op); y < walk.y0; ++y) {
    if (y >= 0 && y < op.input.rows) {
      check_slab_row(op, m, walk, y, own);
    }
  }
}

void convolve(const timing::ConvOperation& op, Memories& memories) {
  op.depthwise ? convolve_depthwise(op, memories) : convolve_plain(op, memories);
}

}  // namespace tessera::npu
