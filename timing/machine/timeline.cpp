#include "timing/machine/timeline.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include "timing/machine/program_runs.hpp"
#include "timing/memory/memory_controller.hpp"

namespace tessera::timing {
namespace {

constexpr Cycle kShortPause = 8;  // cycles between beats that belong together

/// The memory, with a note of every beat.
class WatchedPort final : public MemoryPort {
 public:
  WatchedPort(const ExternalMemory& memory, const Program& program)
      : controller_(memory, program.hardware.bus_bytes, 1) {
    const Slot arena = program.arena();
    controller_.set_activations(arena.address, arena.bytes);
  }

  bool takes_read(Cycle /*now*/) override { return controller_.takes_read(0); }
  bool takes_write(Cycle /*now*/) override { return controller_.takes_write(0); }
  void read(const Burst& burst, Cycle now) override { controller_.read(0, burst, now); }
  void write(const Burst& burst, Cycle now) override { controller_.write(0, burst, now); }
  void step(Cycle now, bool read_ready, const WriteBeat& beat, Moves& moves) override {
    controller_.step(0, now, read_ready, beat, moves);
    if (moves.read_valid && read_ready) {
      note(false, now, 1, 1);
    }
    if (moves.write_taken) {
      note(true, now, 1, 1);
    }
  }
  std::uint32_t run(Cycle now, std::uint32_t most) override {
    const std::uint32_t beats = controller_.run(0, now, most);
    note(false, now, beats, beats);
    return beats;
  }
  std::uint64_t phase(Cycle now) override { return controller_.phase(0, now); }
  bool may_leap(Cycle now, Cycle cycles, std::uint32_t reads, std::uint32_t writes) override {
    return controller_.may_leap(0, now, cycles, reads, writes);
  }
  void leap(Cycle now, Cycle cycles, std::uint32_t reads, std::uint32_t writes,
            const WriteBeat& beat) override {
    note(false, now, cycles, reads);
    note(true, now, cycles, writes);
    controller_.leap(0, now, cycles, reads, writes, beat);
  }
  Cycle next(Cycle now, bool write_offered) override {
    return controller_.next(0, now, write_offered);
  }

  std::vector<BusSlice> take() {
    for (BusSlice& slice : open_) {
      close(slice);
    }
    std::stable_sort(slices_.begin(), slices_.end(),
                     [](const BusSlice& a, const BusSlice& b) { return a.begin < b.begin; });
    return std::move(slices_);
  }

 private:
  void note(bool write, Cycle now, Cycle cycles, std::uint64_t beats) {
    if (beats == 0) {
      return;
    }
    BusSlice& slice = open_[write ? 1 : 0];
    if (slice.beats == 0 || now > slice.end + kShortPause) {
      close(slice);
      slice = {write, now, now, 0};
    }
    slice.end = now + cycles;
    slice.beats += beats;
  }
  void close(BusSlice& slice) {
    if (slice.beats > 0) {
      slices_.push_back(slice);
    }
    slice.beats = 0;
  }

  MemoryController controller_;
  std::array<BusSlice, 2> open_{};  // reads, writes
  std::vector<BusSlice> slices_;
};

class Recorder final : public MachineObserver {
 public:
  Recorder(const Program& program, LayerCounters& counters)
      : program_(program),
        hw_(program.hardware),
        bank_atoms_(program.hardware.bank_atoms()),
        counters_(counters) {}

  void follow(const CommandRun& run) {
    run_ = &run;
    for (Lane& lane : lanes_) {
      lane = {};
    }
  }

  std::uint8_t* load_begins(const LoadOperation& load) override {
    static constexpr const char* kKinds[] = {"feature", "weight", "param", "operand", "table"};
    Slice slice;
    slice.unit = 0;
    slice.bytes = load.segments().bytes();
    slice.what = kKinds[load.load.kind];
    const auto kind = static_cast<isa::LoadKind>(load.load.kind);
    if (kind == isa::LoadKind::Feature || kind == isa::LoadKind::Weight) {
      slice.writes = banks(load.load.dest, atoms_of(load));
    }
    begin(std::move(slice));
    return nullptr;
  }
  const std::uint8_t* load_codes(const LoadOperation& load) override {
    return program_.codes_at(load.source.address);
  }
  void conv_begins(const ConvOperation& conv) override {
    Slice slice;
    slice.unit = 1;
    slice.what = conv.depthwise ? "depthwise" : "convolution";
    const Walk walk = walk_of(conv);
    const std::uint64_t rows =
        std::min<std::uint64_t>(conv.input.rows, std::uint64_t{walk.rows} * conv.kernel.stride_y);
    // Rows that wrap around are somewhere in the ring.
    const bool wraps =
        walk.ring_atoms != 0 && walk.y0 + static_cast<std::int64_t>(rows) > walk.ring_row;
    const std::int64_t ring = std::int64_t{conv.conv.origin} +
                              (walk.ring_row - walk.y0) * std::int64_t{walk.row_pitch} -
                              walk.ring_atoms;
    slice.features =
        wraps ? banks(static_cast<std::uint64_t>(ring & 0xFFFFF),
                      static_cast<std::uint64_t>(walk.ring_atoms))
              : banks(conv.conv.origin, std::max<std::uint64_t>(1, rows * walk.row_pitch));
    const std::uint64_t tiles = std::uint64_t{walk.tiles_y} * walk.tiles_x * walk.atoms;
    const std::uint64_t kernels = std::uint64_t{walk.groups - 1} * hw_.atomic_k + walk.last_kernels;
    slice.weights = banks(conv.weights.address, std::max<std::uint64_t>(1, tiles * kernels));
    begin(std::move(slice));
  }
  const std::uint8_t* store_begins(const StoreOperation& store) override {
    Slice slice;
    slice.unit = 2;
    slice.what = "store";
    slice.bytes = store.store.keep_only != 0 ? 0 : store.segments().bytes();
    if (store.store.keep != 0) {
      slice.what = store.store.keep_only != 0 ? "keep" : "store and keep";
      const std::uint64_t rows = (store.tile.pixels + store.keep.cols - 1) / store.keep.cols;
      slice.writes = banks(store.store.dest,
                           rows > 1 ? rows * store.keep.row_step
                                    : std::uint64_t{store.tile.pixels} * store.keep.pixel_step);
    }
    begin(std::move(slice));
    return nullptr;
  }
  void worked(unsigned unit, Cycle begin, Cycle end) override {
    Lane& lane = lanes_[unit];
    Slice& slice = slices_[lane.under_way.front()];
    lane.under_way.pop_front();
    // Commands of a unit may be taken while the one before still works.
    slice.begin = std::max(begin, lane.free);
    slice.end = std::max(end, slice.begin);
    lane.free = slice.end;
  }
  void mark(unsigned unit, std::uint32_t id, const Counters& now) override {
    const std::size_t layer = run_->layers.at(id);
    counters_.mark(unit, layer, now);
    Lane& lane = lanes_[unit];
    // The array reports its convolutions and marks in order; the others are asked in order.
    const std::size_t done =
        unit == 1 ? lane.slices.size() - lane.under_way.size() : lane.slices.size();
    for (std::size_t i = lane.marked; i < done; ++i) {
      slices_[lane.slices[i]].layer = layer;
    }
    lane.marked = done;
  }
  void end_run() {
    for (Lane& lane : lanes_) {
      for (std::size_t i = lane.marked; i < lane.slices.size(); ++i) {
        slices_[lane.slices[i]].layer = run_->layers.back();
      }
    }
  }

  std::vector<Slice> take() {
    std::array<std::vector<std::size_t>, 3> numbers;
    for (Slice& slice : slices_) {
      auto& of_unit = numbers[slice.unit];
      of_unit.resize(std::max(of_unit.size(), slice.layer + 1), 0);
      slice.number = ++of_unit[slice.layer];
    }
    std::stable_sort(slices_.begin(), slices_.end(),
                     [](const Slice& a, const Slice& b) { return a.begin < b.begin; });
    return std::move(slices_);
  }

 private:
  struct Lane {
    std::vector<std::size_t> slices;  // of this run
    std::deque<std::size_t> under_way;
    std::size_t marked = 0;  // slices whose layer is known
    Cycle free = 0;
  };

  void begin(Slice slice) {
    Lane& lane = lanes_[slice.unit];
    lane.slices.push_back(slices_.size());
    lane.under_way.push_back(slices_.size());
    slices_.push_back(std::move(slice));
  }

  [[nodiscard]] std::uint64_t atoms_of(const LoadOperation& load) const {
    if (load.load.coded != 0) {
      return load.code.atoms;
    }
    const std::uint64_t pixels =
        load.load.fold != 0
            ? std::uint64_t{load.shape.outer} * load.fold.units
            : load.segments().bytes() / std::max<std::uint64_t>(1, load.source.pixel_bytes);
    const std::uint64_t step =
        load.load.fold != 0 ? load.fold.unit_step : load.atoms_per_unit(hw_.atomic_c);
    return std::max<std::uint64_t>(1, pixels * step);
  }

  [[nodiscard]] BankRange banks(std::uint64_t atom, std::uint64_t count) const {
    const auto bank = [&](std::uint64_t at) {
      return static_cast<std::uint32_t>(
          std::min<std::uint64_t>(at / bank_atoms_, hw_.cbuf_banks - 1));
    };
    const std::uint32_t first = bank(atom);
    return {first, bank(atom + std::max<std::uint64_t>(count, 1) - 1) - first + 1};
  }

  const Program& program_;
  const Hardware& hw_;
  std::uint64_t bank_atoms_;
  LayerCounters& counters_;
  const CommandRun* run_ = nullptr;
  std::array<Lane, 3> lanes_;
  std::vector<Slice> slices_;
};

}  // namespace

Timeline record(const Program& program, const ExternalMemory& memory) {
  Timeline timeline;
  timeline.result.layers.resize(program.layers.size());
  LayerCounters counters(timeline.result.layers);
  WatchedPort port(memory, program);
  Recorder recorder(program, counters);
  const auto accelerator = make_accelerator(program.hardware, port, recorder);
  Accelerator& machine = *accelerator;
  const auto follow = [&](const CommandRun& run) { recorder.follow(run); };
  Cycle now = kFirstRun;
  timeline.result.totals = make_runs(program, machine, timeline.result.layers, counters, now,
                                     follow, [&](Cycle /*from*/) {
                                       machine.run(kNever);
                                       recorder.end_run();
                                       timeline.end = machine.now();
                                     });
  timeline.slices = recorder.take();
  timeline.bus = port.take();
  return timeline;
}

}  // namespace tessera::timing
