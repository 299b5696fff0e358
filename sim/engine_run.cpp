#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/platform/platform.hpp"
#include "sim/rtl/variant.hpp"
#include "tessera/engine.hpp"
#include "tessera/reference.hpp"
#include "timing/machine/cost_model.hpp"
#include "timing/machine/layer_counters.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kWatchdogCycles = 1000000;
constexpr std::uint32_t kCommandBytes = 8;

class PlatformRun final : public EngineSession {
 public:
  PlatformRun(const Program& program, const RunOptions& options, platform::NpuKind kind,
              bool netlist = false)
      : program_(program),
        options_(options),
        platform_(platform::Platform::instance()),
        memory_(program.image),
        counters_(result_.layers) {
    platform::Platform::Setup setup;
    setup.kind = kind;
    setup.hardware = program.hardware;
    setup.memory = options.memory;
    setup.activations = program.arena();
    setup.disturbance = options.disturbance;
    setup.traffic = options.traffic;
    setup.waves = options.waves;
    if (kind == platform::NpuKind::Rtl) {
      setup.library =
          rtl::build_variant(program.hardware, {!options.waves.empty(), netlist}, options.announce);
    }
    if (options.check_memory) {
      setup.checker = &checker_.emplace(program, memory_);
    }
    setup.listener.mark = [this](unsigned unit, std::uint32_t id, const Counters& counters) {
      mark(unit, id, counters);
    };
    setup.listener.tick = [this](timing::Cycle /*cycles*/) { tick(); };
    platform_.set_up(setup, memory_);
  }
  ~PlatformRun() override { platform_.take_down(); }
  PlatformRun(const PlatformRun&) = delete;
  PlatformRun& operator=(const PlatformRun&) = delete;
  PlatformRun(PlatformRun&&) = delete;
  PlatformRun& operator=(PlatformRun&&) = delete;

  std::uint64_t reset() override {
    if (!program_.reset) {
      return 0;
    }
    run_ = nullptr;
    platform_.run(program_.reset->stream, program_.hardware.cbuf_end(), kWatchdogCycles);
    return counter(counters_.skip(final_counters()), isa::Counter::Cycles);
  }

  [[nodiscard]] std::vector<Bytes> states() const override {
    std::vector<Bytes> states;
    for (const StateRecord& state : program_.states) {
      const auto begin = memory_.begin() + static_cast<std::ptrdiff_t>(state.place.address);
      states.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(state.place.bytes));
    }
    return states;
  }

  void set_states(const std::vector<Bytes>& states) override {
    check_sizes(states, program_.states.size(), "state",
                [&](std::size_t i) { return program_.states[i].place.bytes; });
    for (std::size_t i = 0; i < states.size(); ++i) {
      std::copy(states[i].begin(), states[i].end(), at(program_.states[i].place));
      if (checker_) {
        checker_->write(program_.states[i].place);
      }
    }
  }

  RunResult run(const std::vector<Bytes>& inputs) override {
    check_sizes(inputs, program_.inputs.size(), "input",
                [&](std::size_t i) { return program_.inputs[i].bytes; });
    inputs_ = &inputs;
    finished_ = 0;
    result_ = {};
    result_.layers.resize(program_.layers.size());
    result_.outputs.resize(program_.outputs.size());
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      exchange(s);
      const Step& step = program_.steps[s];
      if (const auto* call = std::get_if<HostCall>(&step); call != nullptr) {
        run_host(*call);
      } else if (const auto* view = std::get_if<NoCopy>(&step); view != nullptr) {
        finish(view->layer);
      } else {
        run_commands(std::get<CommandRun>(step));
      }
    }
    exchange(program_.steps.size());
    result_.totals = timing::LayerCounters::totals(result_.layers);
    return std::move(result_);
  }

 private:
  template <class Size>
  static void check_sizes(const std::vector<Bytes>& values, std::size_t count, const char* what,
                          Size size_of) {
    if (values.size() != count) {
      throw std::invalid_argument(fmt::format("wrong number of {}s", what));
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (values[i].size() != size_of(i)) {
        throw std::invalid_argument(fmt::format("wrong number of {} bytes", what));
      }
    }
  }

  // Takes the outputs that are there before a step and gives the inputs it needs.
  void exchange(std::size_t step) {
    for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
      if (program_.output_steps[i] == step) {
        check_read(program_.outputs[i], "whoever takes the outputs");
        result_.outputs[i] = copy(program_.outputs[i]);
      }
    }
    // All are taken before any is given up: two may be the same tensor.
    for (std::size_t i = 0; checker_ && i < program_.outputs.size(); ++i) {
      if (program_.output_steps[i] == step) {
        checker_->taken(program_.outputs[i]);
      }
    }
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      if (program_.input_steps[i] == step) {
        std::copy((*inputs_)[i].begin(), (*inputs_)[i].end(), at(program_.inputs[i]));
        if (checker_) {
          checker_->write(program_.inputs[i]);
        }
      }
    }
  }

  [[nodiscard]] std::vector<std::uint8_t>::iterator at(const Slot& slot) {
    return memory_.begin() + static_cast<std::ptrdiff_t>(slot.address);
  }
  [[nodiscard]] std::vector<std::uint8_t> copy(const Slot& slot) {
    if (slot.segment_bytes == 0) {
      return {at(slot), at({slot.address + slot.bytes})};
    }
    std::vector<std::uint8_t> bytes;
    for (std::uint64_t from = slot.address; bytes.size() < slot.bytes; from += slot.stride) {
      bytes.insert(bytes.end(), at({from}), at({from + slot.segment_bytes}));
    }
    return bytes;
  }

  void check_read(const Slot& slot, const std::string& who) {
    if (checker_) {
      checker_->read_exactly(slot, who);
      if (!checker_->problem().empty()) {
        throw MemoryError(checker_->problem());
      }
    }
  }

  void finish(std::size_t layer) {
    result_.layers[layer].output = copy(program_.layers[layer].output);
    for (const std::size_t rider : program_.layers[layer].riders) {
      result_.layers[rider].output = copy(program_.layers[rider].output);
    }
    finished_ += 1 + program_.layers[layer].riders.size();
    if (checker_) {
      checker_->finish(static_cast<std::uint32_t>(layer));
      if (!checker_->problem().empty()) {
        throw MemoryError(checker_->problem());
      }
    }
    tick();
  }

  void tick() {
    if (options_.tick) {
      options_.tick(finished_, platform_.cycles());
    }
  }

  void run_host(const HostCall& call) {
    const Operator& op = call.kernel.operators[0];
    std::vector<const std::uint8_t*> inputs;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const std::uint8_t* data = nullptr;
      if (call.inputs[i]) {
        data = memory_.data() + call.inputs[i]->address;
        check_read(*call.inputs[i], "layer `" + op.name + "`");
      } else if (op.inputs[i] >= 0) {
        data = call.kernel.tensors[static_cast<std::size_t>(op.inputs[i])].constant.data();
      }
      inputs.push_back(data);
    }
    // Aside first: the output may lie where an input does.
    std::vector<std::uint8_t> output(call.output.bytes);
    run_operator(call.kernel, op, inputs, output.data());
    std::copy(output.begin(), output.end(), at(call.output));
    if (checker_) {
      checker_->write(call.output);
    }
    finish(call.layer);
  }

  void mark(unsigned unit, std::uint32_t id, const Counters& counters) {
    if (run_ == nullptr) {
      last_mark_ = counters;  // states are reset
      return;
    }
    if (id >= run_->layers.size()) {
      throw std::runtime_error(
          fmt::format("mark {} of a run of {} layers", id, run_->layers.size()));
    }
    counters_.mark(unit, run_->layers[id], counters);
    last_mark_ = counters;
    const auto rest = run_->layers.begin() + static_cast<std::ptrdiff_t>(id) + 1;
    if (unit == 2 && std::find(rest, run_->layers.end(), run_->layers[id]) == run_->layers.end()) {
      finish(run_->layers[id]);
    }
  }

  void run_commands(const CommandRun& run) {
    run_ = &run;
    platform_.run(run.stream, program_.hardware.cbuf_end(), kWatchdogCycles);
    counters_.end_run(run.layers.back(), final_counters());
  }

  // Hardware without counters has them on its trace port only; after the last mark only cycles
  // pass, and a microcontroller has END to read.
  [[nodiscard]] Counters final_counters() {
    Counters read = platform_.read_counters();
    if (program_.hardware.has(isa::Feature::Counters)) {
      return read;
    }
    const std::uint64_t cycles = counter(read, isa::Counter::Cycles);
    read = last_mark_;
    counter(read, isa::Counter::ComputeOther) += cycles - counter(read, isa::Counter::Cycles);
    counter(read, isa::Counter::Cycles) = cycles;
    if (program_.hardware.control == Control::Microcode) {
      counter(read, isa::Counter::ReadCommandBytes) += kCommandBytes;
      counter(read, isa::Counter::ReadBeats) +=
          std::max<std::uint32_t>(1, kCommandBytes / program_.hardware.bus_bytes);
    }
    return read;
  }

  const Program& program_;
  const RunOptions& options_;
  platform::Platform& platform_;
  std::vector<std::uint8_t> memory_;
  std::optional<MemoryChecker> checker_;
  RunResult result_;
  timing::LayerCounters counters_;
  const std::vector<Bytes>* inputs_ = nullptr;
  const CommandRun* run_ = nullptr;
  Counters last_mark_{};
  std::size_t finished_ = 0;
};

class ModelRun final : public EngineSession {
 public:
  ModelRun(const Program& program, const RunOptions& options)
      : model_(program, options.memory, options.traffic) {}

  std::uint64_t reset() override { return model_.reset(); }
  RunResult run(const std::vector<Bytes>& /*inputs*/) override { return model_.run(); }
  [[nodiscard]] std::vector<Bytes> states() const override { return {}; }
  void set_states(const std::vector<Bytes>& /*states*/) override {}

 private:
  timing::CostModel model_;
};

}  // namespace

std::unique_ptr<EngineSession> open_engine(Engine engine, const Program& program,
                                           const RunOptions& options) {
  switch (engine) {
    case Engine::Rtl:
      return std::make_unique<PlatformRun>(program, options, platform::NpuKind::Rtl);
    case Engine::Netlist:
      return std::make_unique<PlatformRun>(program, options, platform::NpuKind::Rtl, true);
    case Engine::Tlm:
      return std::make_unique<PlatformRun>(program, options, platform::NpuKind::Tlm);
    default:
      return std::make_unique<ModelRun>(program, options);
  }
}

RunResult run_on(Engine engine, const Program& program, const RunOptions& options) {
  const std::unique_ptr<EngineSession> session = open_engine(engine, program, options);
  session->reset();
  return session->run(options.inputs);
}

RunResult run_on_rtl(const Program& program, const RunOptions& options) {
  return run_on(Engine::Rtl, program, options);
}

RunResult run_on_netlist(const Program& program, const RunOptions& options) {
  return run_on(Engine::Netlist, program, options);
}

RunResult run_on_tlm(const Program& program, const RunOptions& options) {
  return run_on(Engine::Tlm, program, options);
}

RunResult run_on_model(const Program& program, const RunOptions& options) {
  return run_on(Engine::Model, program, options);
}

}  // namespace tessera
