#include "scheduler/interlayer/fused_layout.hpp"

#include <algorithm>

#include "scheduler/interlayer/fused_bands.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kStartCycles = 200;  // per layer and band: until the first sums are there

class LayoutSearch {
 public:
  LayoutSearch(const FusedShapes& shapes, const Hardware& hardware, std::uint32_t atoms)
      : shapes_(shapes), hw_(hardware), atoms_(atoms) {
    for (const ConvShape* shape : shapes.layers) {
      weights_ += weight_atoms(*shape, hw_);
    }
  }

  std::optional<FusedLayout> run() {
    const auto out_rows = u32(shapes_.layers.back()->out_h);
    for (std::uint32_t bands = 1; bands <= out_rows; ++bands) {
      const std::uint32_t band = u32(ceil_div(out_rows, bands));
      if (bands == 1 || band != u32(ceil_div(out_rows, bands - 1))) {
        try_band(band);
      }
    }
    return best_;
  }

 private:
  [[nodiscard]] std::size_t first() const { return shapes_.feature_kept ? 1 : 0; }

  void try_band(std::uint32_t band) {
    const Needs needs = needs_of(band);
    FusedLayout layout;
    layout.band = band;
    layout.rows = needs.rows;
    consider(layout, needs);
    // With room for the next band's loads; then so that fewer rows are cut in two.
    if (!shapes_.feature_kept) {
      layout.rows[0] = with_loads(needs);
      consider(layout, needs);
    }
    for (std::size_t i = first(); i < layout.rows.size(); ++i) {
      layout.rows[i] = std::min(u32(ceil_div(layout.rows[i], needs.fresh[i])) * needs.fresh[i],
                                u32(shapes_.layers[i]->in_h));
    }
    consider(layout, needs);
  }

  // What the largest band needs of what the layers read, and how much of that is new.
  struct Needs {
    std::vector<std::uint32_t> rows, fresh;
  };

  [[nodiscard]] Needs needs_of(std::uint32_t band) const {
    Needs needs;
    needs.rows.assign(shapes_.layers.size(), 0);
    needs.fresh.assign(shapes_.layers.size(), 1);
    std::vector<std::int32_t> ends(shapes_.layers.size(), 0);
    for (Range rows : Bands::outputs(*shapes_.layers.back(), band)) {
      for (std::size_t i = shapes_.layers.size(); i-- > first();) {
        const Range needed = input_rows(*shapes_.layers[i], rows);
        needs.rows[i] = std::max(needs.rows[i], u32(needed.size()));
        rows = {std::max(needed.begin, ends[i]), std::max(needed.end, ends[i])};
        if (rows.size() == 0) {
          break;
        }
        if (ends[i] > 0) {
          needs.fresh[i] = std::max(needs.fresh[i], u32(rows.size()));
        }
        ends[i] = rows.end;
      }
    }
    return needs;
  }

  [[nodiscard]] std::uint32_t with_loads(const Needs& needs) const {
    return std::min(needs.rows[0] + needs.fresh[0], u32(shapes_.layers[0]->in_h));
  }

  void consider(FusedLayout& layout, const Needs& needs) {
    layout.atoms = weights_;
    for (std::size_t i = 0; i < layout.rows.size(); ++i) {
      layout.atoms += layout.rows[i] * row_atoms(*shapes_.layers[i], hw_);
    }
    if (layout.atoms > atoms_) {
      return;
    }
    layout.cycles = layout.last_cycles = layout.bytes = 0;
    std::uint64_t first_bytes = 0;
    Bands bands(shapes_.layers, shapes_.feature_kept, layout);
    bands.run([&](std::size_t i, Range rows) {
      const ConvShape& shape = *shapes_.layers[i == 0 ? 0 : i - 1];
      if (i == 0) {
        layout.bytes += std::uint64_t{u32(rows.size())} * u32(shape.in_w) * u32(shape.in_c);
        first_bytes = first_bytes == 0 ? layout.bytes : first_bytes;
        return;
      }
      std::uint64_t cycles = kStartCycles;
      const RowRing ring =
          i < layout.rows.size() ? bands.buffer(i).place(rows, 0, 1).ring : RowRing{};
      for (const Range& piece : ring.pieces(rows)) {
        cycles += array_cycles(shape, hw_, piece);
      }
      layout.cycles += cycles;
      layout.last_cycles += i == shapes_.layers.size() ? cycles : 0;
    });
    const bool waits = !shapes_.feature_kept && layout.rows[0] < with_loads(needs);
    const auto own = cost(layout, first_bytes, waits);
    if (!best_ || own < best_cost_) {
      best_ = layout;
      best_cost_ = own;
    }
  }

  // `waits`: loads and work take turns.
  [[nodiscard]] std::pair<double, double> cost(const FusedLayout& layout, std::uint64_t first_bytes,
                                               bool waits) const {
    const auto cycles = static_cast<double>(layout.cycles);
    const auto bytes = static_cast<double>(layout.bytes);
    const double load = bytes / shapes_.bytes_per_cycle;
    const double first =
        shapes_.small_bands ? static_cast<double>(first_bytes) / shapes_.bytes_per_cycle : 0;
    const double all = waits ? cycles + load : std::max(cycles, load - first) + first;
    return shapes_.objective != Objective::Cycles ? std::pair{bytes, all} : std::pair{all, bytes};
  }

  const FusedShapes& shapes_;
  const Hardware& hw_;
  std::uint64_t atoms_;
  std::uint64_t weights_ = 0;
  std::optional<FusedLayout> best_;
  std::pair<double, double> best_cost_;
};

}  // namespace

std::uint64_t array_cycles(const ConvShape& shape, const Hardware& hardware, Range rows) {
  const std::uint64_t groups = groups_of(shape, hardware);
  if (!shape.depthwise || is_diagonal(shape, hardware)) {
    return groups * u32(rows.size()) * u32(shape.out_w) *
           kernel_atoms(shape, hardware, atoms_of(shape, hardware));
  }
  return Windows(shape, hardware).steps(u32(rows.size()), u32(shape.out_w)) *
         pieces_of(shape, hardware);
}

std::optional<FusedLayout> fused_layout(const FusedShapes& shapes, const Hardware& hardware,
                                        std::uint32_t atoms) {
  return LayoutSearch(shapes, hardware, atoms).run();
}

}  // namespace tessera
