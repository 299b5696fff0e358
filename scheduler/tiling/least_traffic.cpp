#include "scheduler/tiling/least_traffic.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "scheduler/lower/tiling.hpp"
#include "scheduler/operations/constants.hpp"
#include "scheduler/tile_loops/pass_planner.hpp"
#include "tessera/schedule.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kMostTiles = 400;
constexpr std::uint32_t kMostGroups = 255;  // CV_WEIGHTS

/// Rows or columns cut into some number of tiles.
struct Cut {
  std::uint32_t sum = 0;      // of input rows, or bytes of a row; the halo as often as it is read
  std::uint32_t largest = 0;  // input
  std::uint32_t outputs = 0;  // of the largest
};

class LeastTraffic {
 public:
  LeastTraffic(const ConvShape& shape, const Hardware& hardware, CbufBudget budget,
               const std::optional<Fold>& fold)
      : shape_(shape),
        hw_(hardware),
        atoms_(atoms_of(shape, hardware)),
        groups_(groups_of(shape, hardware)),
        cbuf_(budget.atoms),
        weight_bytes_(packed_bytes(shape, hardware)),
        param_bytes_(std::uint64_t{8} * u32(shape.out_c)),
        fold_(fold) {
    for (std::uint32_t n = 1; n <= u32(shape.out_h); ++n) {
      rows_.push_back(cut(n, shape.out_h, true));
    }
    for (std::uint32_t n = 1; n <= u32(shape.out_w); ++n) {
      cols_.push_back(cut(n, shape.out_w, false));
    }
  }

  std::optional<LayerDecision> run() {
    const bool spatial_only = fold_.has_value();  // taps that were made channels are no parts
    for (std::uint32_t h = 1; h <= rows_.size(); ++h) {
      for (std::uint32_t w = 1; w <= cols_.size() && h * w <= kMostTiles; ++w) {
        consider_tiles(h, w, false);
        consider_tiles(h, w, h > 1);
        if (!spatial_only && atoms_ > 1) {
          consider_resident_parts(h, w, false);
          consider_resident_parts(h, w, h > 1);
          consider_blocks(h, w);
        }
      }
    }
    for (std::uint32_t w = 1; w <= cols_.size(); ++w) {
      for (std::uint32_t n = 1; n <= groups_; ++n) {
        consider_kernel_parts(w, n);
      }
    }
    if (!best_) {
      return std::nullopt;
    }
    return LayerDecision{std::move(*best_),
                         {{}, {}, fmt::format("the fewest external bytes: {}", least_)}};
  }

 private:
  [[nodiscard]] Cut cut(std::uint32_t n, std::int32_t outputs, bool rows) const {
    Cut result;
    for (const Range& out : split_evenly({0, outputs}, n)) {
      const std::uint32_t in =
          u32((rows ? input_rows(shape_, out) : input_cols(shape_, out)).size());
      result.sum += rows ? in * (fold_ ? u32(fold_->rows) : 1) : col_bytes(out, in);
      result.largest = std::max(result.largest, in);
      result.outputs = std::max(result.outputs, u32(out.size()));
    }
    return result;
  }

  // Of one row of these output columns.
  [[nodiscard]] std::uint32_t col_bytes(const Range& out, std::uint32_t in) const {
    return fold_ ? u32(input_cols(fold_->plain, out).size()) * u32(fold_->plain.in_c)
                 : in * u32(shape_.in_c);
  }

  [[nodiscard]] std::uint64_t group_atoms(std::uint32_t channel_atoms) const {
    return kernel_atoms(shape_, hw_, channel_atoms) * std::min(hw_.atomic_k, u32(shape_.out_c));
  }

  // All channels of a tile are there; weights stay when there is room for all of them.
  void consider_tiles(std::uint32_t h, std::uint32_t w, bool rolling) {
    const Cut& rows = rows_[h - 1];
    const Cut& cols = cols_[w - 1];
    const std::uint64_t feature = std::uint64_t{rows.largest} * cols.largest * atoms_;
    const std::uint64_t group = group_atoms(atoms_);
    const std::uint64_t all = kernel_atoms(shape_, hw_, atoms_) * u32(shape_.out_c);
    if (feature + group > cbuf_) {
      return;
    }
    const bool stay = !rolling && (feature + all <= cbuf_ || h * w == 1);
    const std::uint64_t bytes = feature_bytes(rows, cols, rolling) +
                                weight_bytes_ * (stay ? 1 : std::uint64_t{h} * w) +
                                param_bytes_ * h * w;
    if (bytes >= least_) {
      return;
    }
    const Mode mode = !rolling && feature + all <= cbuf_ ? Mode::Direct
                      : feature + 2 * group <= cbuf_     ? Mode::PingPong
                                                         : Mode::Wait;
    // Weights stay only when all tiles are alike.
    take(bytes, SpatialTiles{{h, w}, std::vector<Mode>(std::size_t{h} * w, mode), rolling});
  }

  // A tile's sums fit the accumulators; its kernel groups' weights pass by in channel parts.
  void consider_resident_parts(std::uint32_t h, std::uint32_t w, bool rolling) {
    const Cut& rows = rows_[h - 1];
    const Cut& cols = cols_[w - 1];
    const std::uint32_t pixels = rows.outputs * cols.outputs;
    const std::uint64_t feature = std::uint64_t{rows.largest} * cols.largest * atoms_;
    const std::uint64_t bytes =
        feature_bytes(rows, cols, rolling) + (weight_bytes_ + param_bytes_) * h * w;
    if (pixels > hw_.acc_words || feature >= cbuf_ || bytes >= least_) {
      return;
    }
    std::optional<std::uint32_t> parts;
    for (std::uint32_t n = 2; n <= atoms_; ++n) {
      const std::uint64_t chunk = group_atoms(u32(ceil_div(atoms_, n)));
      if (feature + 2 * chunk <= cbuf_) {
        parts = n;
        break;
      }
      if (feature + chunk <= cbuf_) {
        parts = n;  // one place at least
      }
    }
    if (parts) {
      take(bytes, ResidentIfmap{{h, w}, *parts, pixels > hw_.acc_half(), rolling});
    }
  }

  // Features and weights pass by in channel parts while the sums of a tile and some kernel groups
  // are there.
  void consider_blocks(std::uint32_t h, std::uint32_t w) {
    const Cut& rows = rows_[h - 1];
    const Cut& cols = cols_[w - 1];
    const std::uint32_t pixels = rows.outputs * cols.outputs;
    if (pixels > hw_.acc_words) {
      return;
    }
    const std::uint32_t groups =
        std::min({hw_.acc_words / pixels, groups_, hw_.param_groups / 2, kMostGroups});
    const std::uint64_t bytes = feature_bytes(rows, cols, false) * ceil_div(groups_, groups) +
                                (weight_bytes_ + param_bytes_) * h * w;
    if (bytes >= least_) {
      return;
    }
    for (std::uint32_t n = 2; n <= atoms_; ++n) {
      const std::uint32_t part = u32(ceil_div(atoms_, n));
      const std::uint64_t feature = std::uint64_t{rows.largest} * cols.largest * part;
      const std::uint64_t chunk = group_atoms(part);
      // With room for the next part beside it, or for just one where nothing smaller is left.
      if (2 * (feature + groups * chunk) <= cbuf_ || (part == 1 && feature + chunk <= cbuf_)) {
        const Mode mode = feature + groups * chunk <= cbuf_ ? Mode::Direct
                          : feature + 2 * chunk <= cbuf_    ? Mode::PingPong
                                                            : Mode::Wait;
        take(bytes, SumBlocks{{h, w}, n, groups, mode});
        return;
      }
    }
  }

  // Weights of one in n kernels stay, strips of columns pass; some rows at once, as many as there
  // is room for up to half the accumulators.
  void consider_kernel_parts(std::uint32_t w, std::uint32_t n) {
    const Cut& cols = cols_[w - 1];
    const std::uint32_t groups = u32(ceil_div(groups_, n));
    const std::uint64_t weights =
        kernel_atoms(shape_, hw_, atoms_) * std::min(groups * hw_.atomic_k, u32(shape_.out_c));
    const std::uint64_t bytes =
        feature_bytes(rows_[0], cols, true) * n + weight_bytes_ + param_bytes_;
    if (bytes >= least_ || groups > std::min(hw_.param_groups / 2, kMostGroups) ||
        ceil_div(groups_, groups) != n || weights >= cbuf_) {
      return;
    }
    const std::uint64_t row = std::uint64_t{cols.largest} * atoms_;
    const std::uint32_t most = std::max(1U, hw_.acc_half() / cols.outputs);
    std::uint32_t band = 0;
    for (std::uint32_t b = 1; b <= std::min(most, u32(shape_.out_h)); ++b) {
      const std::uint32_t bands = u32(ceil_div(u32(shape_.out_h), b));
      const std::uint32_t fresh = b > 1 ? b * u32(shape_.stride_h) : 0;
      if (weights + (rows_[bands - 1].largest + fresh) * row <= cbuf_) {
        band = b;
      }
    }
    if (band > 0) {
      take(bytes, KernelSplit{band, n, w});
    }
  }

  // `rolling`: rows stay from tile to tile.
  [[nodiscard]] std::uint64_t feature_bytes(const Cut& rows, const Cut& cols, bool rolling) const {
    return std::uint64_t{rolling ? rows_[0].sum : rows.sum} * cols.sum;
  }

  void take(std::uint64_t bytes, Strategy strategy) {
    least_ = bytes;
    best_ = std::move(strategy);
  }

  const ConvShape& shape_;
  const Hardware& hw_;
  std::uint32_t atoms_, groups_;
  std::uint64_t cbuf_;
  std::uint64_t weight_bytes_;
  std::uint64_t param_bytes_;  // about; they come again with each tile
  const std::optional<Fold>& fold_;
  std::vector<Cut> rows_, cols_;  // by number of tiles less one
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
  std::optional<Strategy> best_;
};

}  // namespace

std::optional<LayerDecision> decide_least_traffic(const ConvShape& shape, const Hardware& hardware,
                                                  CbufBudget budget,
                                                  const std::optional<Fold>& fold) {
  if (shape.depthwise) {
    return std::nullopt;
  }
  return LeastTraffic(shape, hardware, budget, fold).run();
}

}  // namespace tessera
