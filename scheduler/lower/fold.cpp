#include "scheduler/lower/fold.hpp"

#include <algorithm>

#include "scheduler/lower/tiling.hpp"

namespace tessera {
namespace {

constexpr std::int32_t kMostUnits = 4095;  // LD_FOLD
constexpr std::int32_t kMostPadding = 255;
constexpr std::uint32_t kMostUnitAtoms = 127;

// Whether the load unit can fold rows of this convolution at all.
bool is_foldable(const ConvShape& s, const Hardware& hardware) {
  const auto most = static_cast<std::int32_t>(hardware.fold_bytes());
  const std::int32_t right =
      (s.out_w - 1) * s.stride_w - s.pad_left + s.kernel_w - s.in_w;  // beyond the picture
  return hardware.has(isa::Feature::Folding) && !s.depthwise && s.dilation_w == 1 &&
         s.kernel_w * s.in_c <= most && s.stride_w * s.in_c <= most && s.out_w <= kMostUnits &&
         // Every window touches the picture.
         s.pad_left >= 0 && s.pad_left < s.kernel_w && right < s.kernel_w &&
         s.pad_left * s.in_c <= kMostPadding && right * s.in_c <= kMostPadding;
}

FoldedConv folded(const ConvShape& plain, std::int32_t rows) {
  FoldedConv result{plain, {plain, rows}};
  ConvShape& s = result.shape;
  s.in_w = plain.out_w;
  s.in_c = rows * result.fold.unit_bytes();
  s.kernel_w = 1;
  s.stride_w = 1;
  s.pad_left = 0;
  if (rows > 1) {
    s.kernel_h = static_cast<std::int32_t>(ceil_div(u32(plain.kernel_h), u32(rows)));
    s.stride_h = 1;
    s.dilation_h = 1;
    s.in_h = plain.out_h + s.kernel_h - 1;
    s.pad_top = 0;
  }
  return result;
}

// Cycles that the array or the load unit needs, whichever is more, and what of the other they do
// not do at once: about a quarter.
std::uint64_t cycles_of(const ConvShape& s, const Hardware& hardware, std::uint64_t load_cycles) {
  const std::uint64_t pixels = std::uint64_t{u32(s.out_h)} * u32(s.out_w);
  const std::uint64_t array =
      pixels * u32(s.kernel_h) * u32(s.kernel_w) * atoms_of(s, hardware) * groups_of(s, hardware);
  return std::max(array, load_cycles) + std::min(array, load_cycles) / 4;
}

}  // namespace

std::optional<FoldedConv> fold_taps(const ConvShape& plain, const Hardware& hardware) {
  if (!is_foldable(plain, hardware)) {
    return std::nullopt;
  }
  std::optional<FoldedConv> best;
  const std::uint64_t plain_pixels = std::uint64_t{u32(plain.in_h)} * u32(plain.in_w);
  std::uint64_t best_cycles = cycles_of(plain, hardware, plain_pixels * atoms_of(plain, hardware));
  const auto unit = u32(plain.kernel_w) * u32(plain.in_c);
  const std::uint32_t advance = u32(plain.stride_w) * u32(plain.in_c);
  const std::uint64_t unit_cycles =
      std::max(ceil_div(advance, hardware.bus_bytes), ceil_div(unit, hardware.atomic_c));
  const auto consider = [&](FoldedConv candidate, std::uint64_t loaded_rows) {
    const std::uint64_t cycles =
        cycles_of(candidate.shape, hardware, loaded_rows * u32(plain.out_w) * unit_cycles);
    if (cycles < best_cycles && accelerator_problem(candidate.shape, hardware).empty()) {
      best_cycles = cycles;
      best = std::move(candidate);
    }
  };
  consider(folded(plain, 1), u32(plain.in_h));
  for (const std::int32_t rows : {plain.kernel_h, plain.stride_h}) {
    if (rows > 1 && rows <= plain.kernel_h && plain.dilation_h == 1 &&
        ceil_div(std::uint64_t{u32(rows)} * unit, hardware.atomic_c) <= kMostUnitAtoms) {
      FoldedConv candidate = folded(plain, rows);
      const std::uint64_t loaded_rows = std::uint64_t{u32(candidate.shape.in_h)} * u32(rows);
      consider(std::move(candidate), loaded_rows);
    }
  }
  return best;
}

std::optional<FoldedConv> fold_columns(const ConvShape& plain, const Hardware& hardware) {
  if (!is_foldable(plain, hardware)) {
    return std::nullopt;
  }
  FoldedConv candidate = folded(plain, 1);
  return accelerator_problem(candidate.shape, hardware).empty()
             ? std::optional(std::move(candidate))
             : std::nullopt;
}

std::vector<std::uint8_t> fold_weights(const std::vector<std::uint8_t>& weights, const Fold& fold,
                                       std::int32_t zero) {
  const auto row = static_cast<std::size_t>(fold.unit_bytes());
  const std::size_t from = row * static_cast<std::size_t>(fold.plain.kernel_h);
  const std::size_t rows = ceil_div(u32(fold.plain.kernel_h), u32(fold.rows)) * u32(fold.rows);
  const std::size_t to = row * rows;
  const auto outputs = static_cast<std::size_t>(fold.plain.out_c);
  std::vector<std::uint8_t> result(outputs * to, static_cast<std::uint8_t>(zero));
  for (std::size_t k = 0; k < outputs; ++k) {
    std::copy_n(weights.begin() + static_cast<std::ptrdiff_t>(k * from), from,
                result.begin() + static_cast<std::ptrdiff_t>(k * to));
  }
  return result;
}

}  // namespace tessera
