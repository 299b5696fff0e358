// Convolutions of one pass.
#include <algorithm>

#include "scheduler/operations/pass_operations.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kAddressMask = (1U << 20) - 1;

}  // namespace

// What a kernel group sees of a pixel is a pixel of its own: of a row as many times as wide.
void PassOperations::see_diagonal(const Convolution& c, ConvOperation& conv) const {
  const std::uint32_t atoms = diagonal_atoms(hw_);
  const std::uint32_t wider = conv.input.atoms / atoms;
  conv.input.atoms = atoms;
  conv.input.cols *= wider;
  conv.kernel.stride_x = c.tile.cols.size() == 1 ? 1 : conv.kernel.stride_x * wider;
  conv.kernel.dilation_x = conv.kernel.kernel_w == 1 ? 1 : conv.kernel.dilation_x * wider;
  conv.tile.x0 *= static_cast<std::int32_t>(wider);
}

// The tile as if it lay above the slab, where all is padding: with computed weights that takes what
// the ifmap's zero point has too much from the sums. These come first: they need no ifmap.
void PassOperations::add_pixels(const ConvOperation& conv, const std::vector<Access>& accesses) {
  Operation operation;
  operation.unit = isa::Unit::Compute;
  operation.accesses = accesses;
  ConvOperation added = conv;
  added.tile.y0 = -static_cast<std::int32_t>(conv.tile.rows);
  added.ring = {};
  for (const std::int32_t value : binding_.added_pixels) {
    added.input.zero_point = value;
    operation.body = added;
    operations_.push_back(operation);
    added.accumulate = true;
  }
}

void PassOperations::convolve(const Convolution& c) {
  const bool diagonal = is_diagonal(shape_, hw_);
  const bool windowed = shape_.depthwise && !diagonal;
  ConvOperation conv;
  conv.input.rows = u32(c.slab.rows.size());
  conv.input.cols = u32(c.slab.cols.size());
  conv.input.atoms = u32(c.slab.atoms.size());
  conv.input.zero_point = binding_.padding_value;
  if (binding_.subtracted != 0) {
    conv.input.zero_point = binding_.subtracted;
    conv.input.centred = 1;
  }
  // DEPTHWISE has its size from the window.
  conv.kernel = {windowed ? 1 : u32(shape_.kernel_h),
                 windowed ? 1 : u32(shape_.kernel_w),
                 u32(shape_.stride_h),
                 u32(shape_.stride_w),
                 u32(shape_.dilation_h),
                 u32(shape_.dilation_w),
                 c.slab.row_pitch()};
  WindowTiling window;
  if (windowed) {
    window = Windows(shape_, hw_)[c.phase];
    if (window.spaced) {
      // The next window of the same phase begins behind this one's spaced taps.
      conv.kernel.dilation_y = u32(shape_.stride_h);
      conv.kernel.dilation_x = u32(shape_.stride_w);
    }
  }
  conv.tile.y0 =
      c.tile.rows.begin * shape_.stride_h - shape_.pad_top - c.slab.rows.begin + window.tap_y;
  if (c.resume) {
    conv.resume = true;
    conv.tile.y0 += static_cast<std::int32_t>(window.window_h) - shape_.stride_h;
  }
  conv.tile.x0 =
      c.tile.cols.begin * shape_.stride_w - shape_.pad_left - c.slab.cols.begin + window.tap_x;
  conv.tile.rows = u32(c.tile.rows.size());
  conv.tile.cols = u32(c.tile.cols.size());
  conv.weights = {c.weights, u32(c.groups.size()), last_kernels(c.groups), shape_.weight_zero};
  std::int64_t first_atom = 0;
  if (shape_.depthwise) {
    const std::uint32_t channel = u32(c.groups.begin) * hw_.atomic_k;
    first_atom = std::int64_t{channel / hw_.atomic_c} - c.slab.atoms.begin;
    conv.first_byte = windowed ? channel % hw_.atomic_c : 0;
  }
  conv.origin = u32(std::int64_t{c.slab.base} + std::int64_t{conv.tile.y0} * c.slab.row_pitch() +
                    std::int64_t{conv.tile.x0} * c.slab.atoms.size() + first_atom) &
                kAddressMask;
  if (diagonal) {
    see_diagonal(c, conv);
  }
  if (c.slab.rows.begin < c.slab.ring.wrap && c.slab.ring.wrap < c.slab.rows.end) {
    conv.ring = {u32(c.slab.ring.wrap - c.slab.rows.begin), c.slab.ring.atoms};
  }
  conv.acc_base = c.acc_base;
  conv.accumulate = c.accumulate;

  Range rows = input_rows(shape_, c.tile.rows);
  if (windowed) {
    conv.maximum = shape_.maximum;
    conv.window = {window.window_h, window.window_w, window.chunks_y, window.chunks_x,
                   window.spaced ? 1U : 0U};
    // The last window may reach below the kernel.
    const std::int32_t below =
        static_cast<std::int32_t>(window.window_h * window.chunks_y) - window.taps_h;
    rows.end = std::min(rows.end + below * window.step_h, c.slab.rows.end);
    // Strides larger than the window walk rows that no output needs.
    rows.begin = std::clamp(conv.tile.y0 + c.slab.rows.begin, c.slab.rows.begin, rows.begin);
  }
  const std::uint32_t pitch = c.slab.row_pitch();
  Operation operation;
  operation.unit = isa::Unit::Compute;
  for (const Range& piece : c.slab.ring.pieces(rows)) {
    const std::uint64_t first =
        c.slab.base + c.slab.ring.distance(c.slab.rows.begin, piece.begin, pitch);
    operation.accesses.push_back(
        {Resource::Cbuf, false, first, first + std::uint64_t{u32(piece.size())} * pitch});
  }
  operation.accesses.push_back({Resource::Cbuf, false, c.weights,
                                std::uint64_t{c.weights} + weight_atoms(c.groups, c.slab.atoms)});
  operation.accesses.push_back(
      {Resource::Accumulator, true, c.acc_base, std::uint64_t{c.acc_base} + c.acc_words});
  // Loads cannot hand tokens to stores: the convolution before the store waits for its
  // parameters.
  operation.accesses.push_back(
      {Resource::Parameter, false, c.params, std::uint64_t{c.params} + c.param_groups});
  for (const Access& access : post_accesses(c.acc_base, c.acc_words, u32(c.groups.size()))) {
    operation.accesses.push_back(access);
  }
  // Loads cannot hand tokens to stores: the first convolution makes sure that what was loaded where
  // the output will be kept is there.
  if (residency_.ofmap && !reserved_) {
    reserved_ = true;
    const std::uint32_t row = u32(shape_.out_w) * output_atoms(shape_, hw_);
    for (const Range& piece : residency_.ofmap->ring.pieces(residency_.ofmap->rows)) {
      const std::uint64_t first = residency_.ofmap->atom_of(piece.begin, row);
      operation.accesses.push_back(
          {Resource::Cbuf, true, first, first + std::uint64_t{u32(piece.size())} * row});
    }
  }
  if (!binding_.added_pixels.empty()) {
    add_pixels(conv, operation.accesses);
    conv.accumulate = true;
  }
  operation.body = conv;
  operations_.push_back(std::move(operation));
}

}  // namespace tessera
