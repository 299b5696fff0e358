#include "scheduler/across/fusion.hpp"

#include <algorithm>

#include "scheduler/lower/tiling.hpp"
#include "scheduler/walk/layer_planner.hpp"
#include "scheduler/walk/row_buffer.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kMostLoads = 8;  // of a band's feature
// Loads are strewn over the work on the band in front: percent of it.
constexpr std::uint64_t kLead = 20;
constexpr std::uint64_t kSpread = 75;
constexpr std::uint64_t kStartCycles = 200;  // per layer and band: until the first sums are there

std::uint64_t row_atoms(const ConvShape& shape, const Hardware& hw) {
  return std::uint64_t{u32(shape.in_w)} * atoms_of(shape, hw);
}

std::uint64_t weight_atoms(const ConvShape& shape, const Hardware& hw) {
  return kernel_atoms(shape, hw, atoms_of(shape, hw)) * stored_kernels(shape, hw);
}

/// Goes through all bands; `make(i, rows)`: rows of the first layer's feature (0) or of the output
/// of layer i - 1 are made.
class Bands {
 public:
  Bands(std::vector<const ConvShape*> layers, bool feature_kept, const FusedLayout& layout)
      : layers_(std::move(layers)), feature_kept_(feature_kept), band_(layout.band) {
    for (const std::uint32_t rows : layout.rows) {
      buffers_.emplace_back(rows);
    }
  }

  static std::vector<Range> outputs(const ConvShape& last, std::uint32_t band) {
    return split_evenly({0, last.out_h}, u32(ceil_div(u32(last.out_h), band)));
  }
  [[nodiscard]] const RowBuffer& buffer(std::size_t i) const { return buffers_[i]; }

  template <class Make>
  void run(Make make) {
    for (const Range& rows : outputs(*layers_.back(), band_)) {
      make_rows(layers_.size(), rows, make);
    }
  }

 private:
  template <class Make>
  void make_rows(std::size_t i, Range rows, Make& make) {
    if (i < layers_.size()) {
      rows = i == 0 && feature_kept_ ? Range{} : buffers_[i].add(rows);
    }
    if (rows.size() > 0) {
      if (i > 0) {
        make_rows(i - 1, input_rows(*layers_[i - 1], rows), make);
      }
      make(i, rows);
    }
  }

  std::vector<const ConvShape*> layers_;
  bool feature_kept_;
  std::uint32_t band_;
  std::vector<RowBuffer> buffers_;
};

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
    Bands bands(shapes_.layers, shapes_.feature_kept, layout);
    bands.run([&](std::size_t i, Range rows) {
      const ConvShape& shape = *shapes_.layers[i == 0 ? 0 : i - 1];
      if (i == 0) {
        layout.bytes += std::uint64_t{u32(rows.size())} * u32(shape.in_w) * u32(shape.in_c);
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
    const auto own = cost(layout, waits);
    if (!best_ || own < best_cost_) {
      best_ = layout;
      best_cost_ = own;
    }
  }

  // `waits`: loads and work take turns.
  [[nodiscard]] std::pair<double, double> cost(const FusedLayout& layout, bool waits) const {
    const auto cycles = static_cast<double>(layout.cycles);
    const auto bytes = static_cast<double>(layout.bytes);
    const double load = bytes / shapes_.bytes_per_cycle;
    const double all = waits ? cycles + load : std::max(cycles, load);
    return shapes_.objective != Objective::Cycles ? std::pair{bytes, all} : std::pair{all, bytes};
  }

  const FusedShapes& shapes_;
  const Hardware& hw_;
  std::uint64_t atoms_;
  std::uint64_t weights_ = 0;
  std::optional<FusedLayout> best_;
  std::pair<double, double> best_cost_;
};

class FusedPlanner {
 public:
  FusedPlanner(const std::vector<FusedLayer>& layers, const FusedLayout& layout,
               const Hardware& hardware, StreamState& state)
      : layers_(layers), layout_(layout), hw_(hardware), state_(state), places_(layers.size()) {
    std::uint32_t at = state_.regions.window().begin;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      places_[i].rows = at;
      at += layout_.rows[i] * u32(row_atoms(*layers_[i].shape, hw_));
    }
    std::uint32_t end = state_.regions.window().end;
    for (std::size_t i = layers_.size(); i-- > 0;) {
      end -= u32(weight_atoms(*layers_[i].shape, hw_));
      places_[i].weights = end;
    }
    place_params();
  }

  std::vector<FusedSegment> run() {
    std::vector<const ConvShape*> shapes;
    for (const FusedLayer& layer : layers_) {
      shapes.push_back(layer.shape);
    }
    Bands bands(shapes, layers_[0].data.feature_kept.has_value(), layout_);
    bands.run([&](std::size_t i, Range rows) { add_step(bands, i, rows); });
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      steps_[s].buffer == 0 ? add_loads(s) : add_work(steps_[s]);
    }
    return join();
  }

 private:
  struct Place {
    std::uint32_t rows = 0;     // atom
    std::uint32_t weights = 0;  // atom
    std::optional<std::uint32_t> params;
    bool begun = false;
  };

  /// Some rows that are loaded or computed.
  struct Step {
    std::size_t buffer = 0;  // they are put there: 0 what is loaded, n the last layer's output
    Range rows;
    KeptRows from;  // of the layer's feature, when it is computed from loaded rows
    KeptRows to;    // unless it is the last layer
  };

  /// What computes them.
  struct Work {
    std::size_t layer = 0;
    std::uint64_t cycles = 0;
    std::vector<Action> actions;
  };
  /// What loads some of them, before an action of some work.
  struct Loads {
    std::size_t work = 0;
    std::size_t action = 0;
    std::vector<Action> actions;
  };

  void add_step(const Bands& bands, std::size_t buffer, Range rows) {
    Step step;
    step.buffer = buffer;
    step.rows = rows;
    if (buffer > (layers_[0].data.feature_kept ? 1U : 0U)) {
      step.from = kept_rows(bands, buffer - 1, bands.buffer(buffer - 1).present());
    }
    if (buffer < layers_.size()) {
      step.to = kept_rows(bands, buffer, rows);
    }
    steps_.push_back(step);
  }

  // Loads are strewn among the work on the rows in front of them, so that neither they nor the
  // other loads there have to wait long.
  void add_loads(std::size_t s) {
    const Step& step = steps_[s];
    std::size_t from = s;
    while (from > 0 && steps_[from - 1].buffer != 0 &&
           !(steps_[from - 1].buffer == 1 && is_read(step, steps_[from - 1]))) {
      --from;
    }
    std::size_t first = work_.size() - (s - from);
    std::uint64_t all = 0;
    for (std::size_t w = first; w < work_.size(); ++w) {
      all += work_[w].cycles;
    }
    const std::vector<Range> pieces =
        split_evenly(step.rows, std::min(u32(step.rows.size()), kMostLoads));
    std::uint64_t passed = 0;
    std::size_t action = 0;
    const std::uint32_t row = u32(row_atoms(*layers_[0].shape, hw_));
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const std::uint64_t due = all * (kLead + kSpread * p / pieces.size()) / 100;
      while (first < work_.size() &&
             (action == work_[first].actions.size() ||
              !is_convolution(work_[first].actions[action]) || passed < due)) {
        if (action == work_[first].actions.size()) {
          ++first;
          action = 0;
        } else {
          passed += array_cycles(work_[first].actions[action]);
          ++action;
        }
      }
      Loads loads{work_.size(), 0, {}};
      if (first < work_.size()) {
        loads.work = first;
        loads.action = action;
      }
      plan_feature_rows(*layers_[0].shape, hw_, layers_[0].data,
                        {step.to.atom_of(pieces[p].begin, row), pieces[p], step.to.ring}, state_,
                        loads.actions);
      loads_.push_back(std::move(loads));
    }
  }

  static bool is_convolution(const Action& action) {
    return std::holds_alternative<ConvAction>(action.body);
  }
  static std::uint64_t array_cycles(const Action& action) {
    const auto* conv = std::get_if<ConvAction>(&action.body);
    if (conv == nullptr) {
      return 0;
    }
    const std::uint64_t pixels =
        std::uint64_t{conv->tile.rows} * conv->tile.cols * conv->weights.groups;
    return conv->window
               ? pixels
               : pixels * conv->kernel.kernel_h * conv->kernel.kernel_w * conv->input.atoms;
  }

  // Whether the work reads what lies where the rows are loaded.
  [[nodiscard]] bool is_read(const Step& load, const Step& work) const {
    return RowBuffer(layout_.rows[0]).collide(load.rows, input_rows(*layers_[0].shape, work.rows));
  }

  void add_work(const Step& step) {
    const std::size_t i = step.buffer - 1;
    const FusedLayer& layer = layers_[i];
    LayerData data = layer.data;
    if (!data.feature_kept) {
      data.feature_kept = step.from;
    }
    if (i + 1 < layers_.size()) {
      data.keep = step.to;
      data.stored = false;
    } else if (data.keep) {
      const std::uint32_t row = u32(layer.shape->out_w) * groups_of(*layer.shape, hw_);
      data.keep = KeptRows{data.keep->at + u32(step.rows.begin) * row, step.rows, {}};
    }
    const bool first = !places_[i].begun;
    places_[i].begun = true;
    Work work;
    work.layer = i;
    plan_band(*layer.shape, hw_, *layer.decision, data,
              {step.rows, places_[i].weights, places_[i].params, first}, state_, work.actions);
    for (const Action& action : work.actions) {
      work.cycles += array_cycles(action);
    }
    work_.push_back(std::move(work));
  }

  // Work can begin with its first row when what else it loads goes ahead of the rows.
  void begin_with_weights() {
    const auto first =
        std::find_if(work_[0].actions.begin(), work_[0].actions.end(), is_convolution);
    for (Loads& loads : loads_) {
      if (loads.work == 0 && loads.action == 0) {
        loads.action = static_cast<std::size_t>(first - work_[0].actions.begin());
      }
    }
  }

  // Loads to their places among the work.
  std::vector<FusedSegment> join() {
    if (state_.rows_last) {
      begin_with_weights();
    }
    state_.rows_last = false;
    std::stable_sort(loads_.begin(), loads_.end(), [](const Loads& a, const Loads& b) {
      return std::pair{a.work, a.action} < std::pair{b.work, b.action};
    });
    auto loads = loads_.begin();
    for (std::size_t w = 0; w < work_.size(); ++w) {
      for (std::size_t a = 0; a < work_[w].actions.size(); ++a) {
        for (; loads != loads_.end() && loads->work == w && loads->action == a; ++loads) {
          append(0, true, loads->actions);
        }
        std::vector<Action> one;
        one.push_back(std::move(work_[w].actions[a]));
        append(work_[w].layer, false, one);
      }
    }
    return std::move(segments_);
  }

  void append(std::size_t layer, bool loads_only, std::vector<Action>& actions) {
    if (segments_.empty() || segments_.back().layer != layer ||
        segments_.back().loads_only != loads_only) {
      segments_.push_back({layer, loads_only, {}});
    }
    std::move(actions.begin(), actions.end(), std::back_inserter(segments_.back().actions));
  }

  void place_params() {
    std::uint32_t groups = 0;
    for (const FusedLayer& layer : layers_) {
      groups += groups_of(*layer.shape, hw_);
    }
    if (groups > hw_.param_groups) {
      return;
    }
    std::uint32_t at = state_.reserve_params(groups, hw_);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      places_[i].params = at;
      at += groups_of(*layers_[i].shape, hw_);
    }
  }

  // Of what layer i reads.
  [[nodiscard]] KeptRows kept_rows(const Bands& bands, std::size_t i, Range rows) const {
    return bands.buffer(i).place(rows, places_[i].rows, u32(row_atoms(*layers_[i].shape, hw_)));
  }

  const std::vector<FusedLayer>& layers_;
  const FusedLayout& layout_;
  const Hardware& hw_;
  StreamState& state_;
  std::vector<Place> places_;
  std::vector<Step> steps_;
  std::vector<Work> work_;
  std::vector<Loads> loads_;
  std::vector<FusedSegment> segments_;
};

}  // namespace

std::uint64_t array_cycles(const ConvShape& shape, const Hardware& hardware, Range rows) {
  const std::uint64_t groups = groups_of(shape, hardware);
  const std::uint64_t parts = u32(shape.weight_parts);
  if (!shape.depthwise) {
    return groups * parts * u32(rows.size()) * u32(shape.out_w) * u32(shape.kernel_h) *
           u32(shape.kernel_w) * atoms_of(shape, hardware);
  }
  const WindowTiling window = window_tiling(shape, hardware);
  return std::uint64_t{walked(u32(rows.size()), u32(shape.stride_h), window.window_h)} *
         walked(u32(shape.out_w), u32(shape.stride_w), window.window_w) * groups * parts *
         window.chunks();
}

std::optional<FusedLayout> fused_layout(const FusedShapes& shapes, const Hardware& hardware,
                                        std::uint32_t atoms) {
  return LayoutSearch(shapes, hardware, atoms).run();
}

std::vector<FusedSegment> plan_fused(const std::vector<FusedLayer>& layers,
                                     const FusedLayout& layout, const Hardware& hardware,
                                     StreamState& state) {
  return FusedPlanner(layers, layout, hardware, state).run();
}

}  // namespace tessera
