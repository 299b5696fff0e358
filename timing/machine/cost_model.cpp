#include "timing/machine/cost_model.hpp"

#include "timing/machine/program_runs.hpp"
#include "timing/memory/memory_controller.hpp"
#include "timing/memory/traffic.hpp"

namespace tessera::timing {
// Not unnamed: they are members of what has a name.
namespace cost {

/// Moves no data.
class TimingPort final : public MemoryPort {
 public:
  TimingPort(const ExternalMemory& memory, const Program& program,
             const std::vector<TrafficPattern>& traffic)
      : controller_(memory, program.hardware.bus_bytes, 1 + traffic.size()) {
    const Slot arena = program.arena();
    controller_.set_activations(arena.address, arena.bytes);
    for (const TrafficPattern& pattern : traffic) {
      sources_.emplace_back(pattern, program.hardware.bus_bytes);
    }
  }
  /// The other masters' bursts up to that cycle.
  void offer_until(Cycle until) {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      while (sources_[i].due() < until) {
        const Cycle due = sources_[i].due();
        controller_.offer(1 + i, sources_[i].writes(), sources_[i].take(), due);
      }
    }
  }
  [[nodiscard]] bool is_shared() const { return !sources_.empty(); }
  MemoryController* direct() override { return is_shared() ? nullptr : &controller_; }
  bool takes_read(Cycle /*now*/) override { return controller_.takes_read(0); }
  bool takes_write(Cycle /*now*/) override { return controller_.takes_write(0); }
  void read(const Burst& burst, Cycle now) override { controller_.read(0, burst, now); }
  void write(const Burst& burst, Cycle now) override { controller_.write(0, burst, now); }
  void step(Cycle now, bool read_ready, const WriteBeat& beat, Moves& moves) override {
    controller_.step(0, now, read_ready, beat, moves);
  }
  std::uint32_t run(Cycle now, std::uint32_t most) override {
    return controller_.run(0, now, most);
  }
  std::uint64_t phase(Cycle now) override { return controller_.phase(0, now); }
  bool may_leap(Cycle now, Cycle cycles, std::uint32_t reads, std::uint32_t writes) override {
    return controller_.may_leap(0, now, cycles, reads, writes);
  }
  void leap(Cycle now, Cycle cycles, std::uint32_t reads, std::uint32_t writes,
            const WriteBeat& beat) override {
    controller_.leap(0, now, cycles, reads, writes, beat);
  }
  Cycle next(Cycle now, bool write_offered) override {
    return controller_.next(0, now, write_offered);
  }

 private:
  MemoryController controller_;
  std::vector<TrafficSource> sources_;
};

constexpr Cycle kQuantum = 1024;  // that other masters' bursts are known ahead

class Marks final : public MachineObserver {
 public:
  Marks(const Program& program, LayerCounters& counters) : program_(program), counters_(counters) {}
  void follow(const CommandRun& run) { run_ = &run; }
  void mark(unsigned unit, std::uint32_t id, const Counters& now) override {
    counters_.mark(unit, run_->layers.at(id), now);
  }

  const std::uint8_t* load_codes(const LoadOperation& load) override {
    return program_.codes_at(load.source.address);
  }

 private:
  const Program& program_;
  LayerCounters& counters_;
  const CommandRun* run_ = nullptr;
};

}  // namespace cost

struct CostModel::Parts {
  Parts(const Program& whole, const ExternalMemory& memory,
        const std::vector<TrafficPattern>& traffic)
      : program(whole),
        port(memory, whole, traffic),
        machine(make_accelerator(whole.hardware, port, marks)) {}

  void advance(Cycle from) {
    if (!port.is_shared()) {
      machine->run(kNever);
    }
    for (Cycle until = from; port.is_shared() && !machine->run(until); until += cost::kQuantum) {
      port.offer_until(until + cost::kQuantum);
    }
  }

  const Program& program;
  std::vector<LayerResult> layers;
  LayerCounters counters{layers};
  cost::TimingPort port;
  cost::Marks marks{program, counters};
  std::unique_ptr<Accelerator> machine;
  Cycle now = kFirstRun;
};

CostModel::CostModel(const Program& program, const ExternalMemory& memory,
                     const std::vector<TrafficPattern>& traffic)
    : parts_(std::make_unique<Parts>(program, memory, traffic)) {}

CostModel::~CostModel() = default;

std::uint64_t CostModel::reset() {
  Parts& p = *parts_;
  if (!p.program.reset) {
    return 0;
  }
  p.layers.assign(1, {});
  p.marks.follow(*p.program.reset);
  const std::uint64_t before = counter(p.machine->counters(), isa::Counter::Cycles);
  make_run(*p.program.reset, p.program, *p.machine, p.now, [&](Cycle from) { p.advance(from); });
  p.counters.skip(p.machine->counters());
  return counter(p.machine->counters(), isa::Counter::Cycles) - before;
}

RunResult CostModel::run() {
  Parts& p = *parts_;
  p.layers.assign(p.program.layers.size(), {});
  RunResult result;
  result.totals = make_runs(
      p.program, *p.machine, p.layers, p.counters, p.now,
      [&](const CommandRun& run) { p.marks.follow(run); }, [&](Cycle from) { p.advance(from); });
  result.layers = p.layers;
  return result;
}

RunResult estimate(const Program& program, const ExternalMemory& memory,
                   const std::vector<TrafficPattern>& traffic) {
  return CostModel(program, memory, traffic).run();
}

}  // namespace tessera::timing
