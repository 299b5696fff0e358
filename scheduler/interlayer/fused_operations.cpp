#include "scheduler/interlayer/fused_operations.hpp"

#include <algorithm>
#include <iterator>

#include "scheduler/interlayer/fused_bands.hpp"
#include "scheduler/tile_loops/pass_planner.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kMostLoads = 8;  // of a band's feature
// Loads are strewn over the work on the band in front: percent of it.
constexpr std::uint64_t kLead = 20;
constexpr std::uint64_t kSpread = 75;

class FusedPlanner {
 public:
  FusedPlanner(const std::vector<FusedLayer>& layers, const FusedLayout& layout,
               const Hardware& hardware, StreamState& state)
      : layers_(layers), layout_(layout), hw_(hardware), state_(state), places_(layers.size()) {
    std::uint32_t at = state_.allocator.window().begin;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      places_[i].rows = at;
      at += layout_.rows[i] * u32(row_atoms(layers_[i].shape(), hw_));
    }
    std::uint32_t end = state_.allocator.window().end;
    for (std::size_t i = layers_.size(); i-- > 0;) {
      end -= u32(weight_atoms(layers_[i].shape(), hw_));
      places_[i].weights = end;
    }
    place_params();
  }

  std::vector<FusedSegment> run() {
    std::vector<const ConvShape*> shapes;
    shapes.reserve(layers_.size());
    for (const FusedLayer& layer : layers_) {
      shapes.push_back(&layer.shape());
    }
    Bands bands(shapes, layers_[0].pass->residency.ifmap.has_value(), layout_);
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
    std::vector<Operation> operations;
  };
  /// What loads some of them, before an operation of some work.
  struct Loads {
    std::size_t work = 0;
    std::size_t operation = 0;
    std::vector<Operation> operations;
  };

  void add_step(const Bands& bands, std::size_t buffer, Range rows) {
    Step step;
    step.buffer = buffer;
    step.rows = rows;
    if (buffer > (layers_[0].pass->residency.ifmap ? 1U : 0U)) {
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
           (steps_[from - 1].buffer != 1 || !is_read(step, steps_[from - 1]))) {
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
    std::size_t operation = 0;
    const std::uint32_t row = u32(row_atoms(layers_[0].shape(), hw_));
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const std::uint64_t due = all * (kLead + kSpread * p / pieces.size()) / 100;
      while (first < work_.size() &&
             (operation == work_[first].operations.size() ||
              !is_convolution(work_[first].operations[operation]) || passed < due)) {
        if (operation == work_[first].operations.size()) {
          ++first;
          operation = 0;
        } else {
          passed += array_cycles(work_[first].operations[operation]);
          ++operation;
        }
      }
      Loads loads{work_.size(), 0, {}};
      if (first < work_.size()) {
        loads.work = first;
        loads.operation = operation;
      }
      plan_feature_rows(*layers_[0].pass,
                        {step.to.atom_of(pieces[p].begin, row), pieces[p], step.to.ring}, hw_,
                        state_, loads.operations);
      loads_.push_back(std::move(loads));
    }
  }

  static bool is_convolution(const Operation& operation) {
    return std::holds_alternative<ConvOperation>(operation.body);
  }
  static std::uint64_t array_cycles(const Operation& operation) {
    const auto* conv = std::get_if<ConvOperation>(&operation.body);
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
    return LineBuffer(layout_.rows[0])
        .collide(load.rows, input_rows(layers_[0].shape(), work.rows));
  }

  void add_work(const Step& step) {
    const std::size_t i = step.buffer - 1;
    const FusedLayer& layer = layers_[i];
    PassResidency rows = layer.pass->residency;
    if (!rows.ifmap) {
      rows.ifmap = step.from;
    }
    if (i + 1 < layers_.size()) {
      rows.ofmap = step.to;
      rows.is_stored = layer.others_read;
    } else if (rows.ofmap) {
      const std::uint32_t row = u32(layer.shape().out_w) * output_atoms(layer.shape(), hw_);
      rows.ofmap = KeptRows{rows.ofmap->at + u32(step.rows.begin) * row, step.rows, {}};
    }
    const bool first = !places_[i].begun;
    places_[i].begun = true;
    Work work;
    work.layer = i;
    plan_band(*layer.pass, rows, {step.rows, places_[i].weights, places_[i].params, first}, hw_,
              state_, work.operations);
    for (const Operation& operation : work.operations) {
      work.cycles += array_cycles(operation);
    }
    work_.push_back(std::move(work));
  }

  // Work can begin with its first row when what else it loads goes ahead of the rows.
  void begin_with_weights() {
    const auto first =
        std::find_if(work_[0].operations.begin(), work_[0].operations.end(), is_convolution);
    for (Loads& loads : loads_) {
      if (loads.work == 0 && loads.operation == 0) {
        loads.operation = static_cast<std::size_t>(first - work_[0].operations.begin());
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
      return std::pair{a.work, a.operation} < std::pair{b.work, b.operation};
    });
    auto loads = loads_.begin();
    for (std::size_t w = 0; w < work_.size(); ++w) {
      for (std::size_t a = 0; a < work_[w].operations.size(); ++a) {
        for (; loads != loads_.end() && loads->work == w && loads->operation == a; ++loads) {
          append(0, true, loads->operations);
        }
        std::vector<Operation> one;
        one.push_back(std::move(work_[w].operations[a]));
        append(work_[w].layer, false, one);
      }
    }
    return std::move(segments_);
  }

  void append(std::size_t layer, bool loads_only, std::vector<Operation>& operations) {
    if (segments_.empty() || segments_.back().layer != layer ||
        segments_.back().loads_only != loads_only) {
      segments_.push_back({layer, loads_only, {}});
    }
    std::move(operations.begin(), operations.end(),
              std::back_inserter(segments_.back().operations));
  }

  void place_params() {
    std::uint32_t groups = 0;
    for (const FusedLayer& layer : layers_) {
      groups += groups_of(layer.shape(), hw_);
    }
    if (groups > hw_.param_groups) {
      return;
    }
    std::uint32_t at = state_.reserve_params(groups, hw_);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      places_[i].params = at;
      at += groups_of(layers_[i].shape(), hw_);
    }
  }

  // Of what layer i reads.
  [[nodiscard]] KeptRows kept_rows(const Bands& bands, std::size_t i, Range rows) const {
    return bands.buffer(i).place(rows, places_[i].rows, u32(row_atoms(layers_[i].shape(), hw_)));
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

std::vector<FusedSegment> plan_fused(const std::vector<FusedLayer>& layers,
                                     const FusedLayout& layout, const Hardware& hardware,
                                     StreamState& state) {
  return FusedPlanner(layers, layout, hardware, state).run();
}

}  // namespace tessera
