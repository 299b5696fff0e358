#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scheduler/arena.hpp"
#include "scheduler/constants.hpp"
#include "scheduler/layer_planner.hpp"
#include "scheduler/stream_writer.hpp"
#include "scheduler/tokens.hpp"
#include "tessera/error.hpp"
#include "tessera/program.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kAddressSpace = std::uint64_t{1} << 32;

std::uint64_t align(std::uint64_t value) {
  return (value + kAlignment - 1) / kAlignment * kAlignment;
}

// Distinct cbuf atoms that the actions from `first` on load.
std::uint64_t atoms_used(const std::vector<Action>& actions, std::size_t first) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (std::size_t i = first; i < actions.size(); ++i) {
    for (const Access& access : actions[i].accesses) {
      if (access.resource == Resource::Cbuf && access.write) {
        ranges.emplace_back(access.begin, access.end);
      }
    }
  }
  std::sort(ranges.begin(), ranges.end());
  std::uint64_t sum = 0;
  std::uint64_t covered = 0;
  for (const auto& [begin, end] : ranges) {
    const std::uint64_t from = std::max(begin, covered);
    sum += end > from ? end - from : 0;
    covered = std::max(covered, end);
  }
  return sum;
}

class Compiler {
 public:
  Compiler(const Network& network, const Hardware& hardware, const Policy& policy)
      : network_(network), hardware_(hardware), policy_(policy) {}

  Program run() {
    program_.network = network_.name;
    program_.hardware = hardware_;
    decide();
    place_constants();
    place_activations();
    emit_steps();
    return std::move(program_);
  }

 private:
  struct ConvLayer {
    ConvShape shape;
    LayerData data;
  };

  [[nodiscard]] const Tensor& tensor(std::int32_t index) const {
    return network_.tensors[static_cast<std::size_t>(index)];
  }

  [[nodiscard]] std::string host_reason(const Operator& op,
                                        const std::optional<ConvShape>& shape) const {
    if (!shape) {
      return std::string(op.type_name()) + " has no accelerator unit";
    }
    if (!tensor(op.inputs[0]).constant.empty()) {
      return "its input is a constant";
    }
    return accelerator_problem(*shape, hardware_);
  }

  void decide() {
    for (const Operator& op : network_.operators) {
      LayerRecord record;
      record.name = op.name;
      record.op = std::string(op.type_name());
      record.macs = macs_of(network_, op);
      record.output_shape = tensor(op.output).shape;
      std::optional<ConvLayer> layer;
      if (std::holds_alternative<Reshape>(op.attributes) && tensor(op.inputs[0]).constant.empty()) {
        record.no_copy = true;
      } else {
        const std::optional<ConvShape> shape = conv_shape_of(network_, op);
        record.host_reason = host_reason(op, shape);
        if (record.host_reason.empty()) {
          record.decision = decide_layer(*shape, hardware_, policy_);
          layer = ConvLayer{*shape, {}};
        }
      }
      program_.layers.push_back(std::move(record));
      convs_.push_back(std::move(layer));
    }
  }

  std::uint64_t add_constant(const std::vector<std::uint8_t>& bytes) {
    const std::uint64_t address = align(program_.image.size());
    program_.image.resize(address);
    program_.image.insert(program_.image.end(), bytes.begin(), bytes.end());
    return address;
  }

  void place_constants() {
    for (std::size_t i = 0; i < convs_.size(); ++i) {
      if (!convs_[i]) {
        continue;
      }
      const Operator& op = network_.operators[i];
      ConvLayer& layer = *convs_[i];
      const LayerKernel kernel = layer_kernel(network_, op, layer.shape);
      layer.data.weights = add_constant(pack_weights(kernel.weights, layer.shape, hardware_,
                                                     program_.layers[i].decision->channel_parts));
      layer.data.params = add_constant(pack_params(kernel));
      layer.data.quant = kernel.quant;
      layer.data.padding_value = kernel.padding_value;
    }
    program_.regions.push_back({MemoryKind::Constants, {0, program_.image.size()}});
  }

  void place_activations() {
    constexpr std::size_t kNone = SIZE_MAX;
    const std::size_t count = network_.operators.size();
    std::vector<std::size_t> buffer_of(network_.tensors.size(), kNone);
    std::vector<Lifetime> buffers;
    const auto born = [&](std::int32_t index, std::size_t when) {
      buffer_of[static_cast<std::size_t>(index)] = buffers.size();
      buffers.push_back({tensor(index).bytes(), when, when + 1});
    };
    const auto used = [&](std::int32_t index, std::size_t when) {
      if (index >= 0 && buffer_of[static_cast<std::size_t>(index)] != kNone) {
        Lifetime& life = buffers[buffer_of[static_cast<std::size_t>(index)]];
        life.last = std::max(life.last, when + 1);
      }
    };
    for (const std::int32_t input : network_.inputs) {
      born(input, 0);
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::int32_t input : network_.operators[i].inputs) {
        used(input, i);
      }
      if (program_.layers[i].no_copy) {
        buffer_of[static_cast<std::size_t>(network_.operators[i].output)] =
            buffer_of[static_cast<std::size_t>(network_.operators[i].inputs[0])];
        used(network_.operators[i].output, i);
      } else {
        born(network_.operators[i].output, i);
      }
    }
    for (const std::int32_t output : network_.outputs) {
      used(output, count);
    }
    const ArenaPlan plan = plan_arena(buffers, kAlignment);
    const std::uint64_t base = align(program_.image.size());
    program_.arena_bytes = plan.bytes;
    for (std::size_t i = 0; i <= count; ++i) {
      std::uint64_t alive = 0;
      for (const Lifetime& life : buffers) {
        alive += life.first <= i && i < life.last ? life.bytes : 0;
      }
      program_.live_bytes = std::max(program_.live_bytes, alive);
    }
    program_.regions.push_back({MemoryKind::Arena, {base, plan.bytes}});
    slots_.resize(network_.tensors.size());
    for (std::size_t t = 0; t < slots_.size(); ++t) {
      if (buffer_of[t] != kNone) {
        slots_[t] = Slot{base + plan.offsets[buffer_of[t]], network_.tensors[t].bytes()};
      }
    }
    if (base + plan.bytes > kAddressSpace / 2) {
      throw InputError(fmt::format("{}: constants and activations need {} bytes, more than 2 GiB",
                                   network_.name, base + plan.bytes));
    }
    program_.image.resize(base + plan.bytes);
    for (const std::int32_t input : network_.inputs) {
      program_.inputs.push_back(*slot(input));
    }
    for (const std::int32_t output : network_.outputs) {
      if (!slot(output)) {
        throw InputError(network_.name + ": an output is a constant");
      }
      program_.outputs.push_back(*slot(output));
    }
  }

  [[nodiscard]] const std::optional<Slot>& slot(std::int32_t index) const {
    return slots_[static_cast<std::size_t>(index)];
  }

  void emit_steps() {
    commands_begin_ = align(program_.image.size());
    program_.image.resize(commands_begin_);
    std::vector<Action> actions;
    StreamState state(hardware_);
    CommandRun run;
    const auto flush = [&] {
      if (!run.layers.empty()) {
        emit_run(actions, std::move(run));
        run = {};
        actions.clear();
        state = StreamState(hardware_);
      }
    };
    for (std::size_t i = 0; i < network_.operators.size(); ++i) {
      const Operator& op = network_.operators[i];
      LayerRecord& record = program_.layers[i];
      record.output = *slot(op.output);
      if (record.no_copy && run.layers.empty()) {
        program_.steps.emplace_back(NoCopy{static_cast<std::uint32_t>(i)});
        continue;
      }
      if (!convs_[i] && !record.no_copy) {
        flush();
        emit_host_call(i);
        continue;
      }
      if (convs_[i]) {
        plan(i, state, actions);
      }
      add_marks(i, actions);
      run.layers.push_back(static_cast<std::uint32_t>(i));
    }
    flush();
    program_.regions.push_back(
        {MemoryKind::Commands, {commands_begin_, program_.image.size() - commands_begin_}});
  }

  void plan(std::size_t i, StreamState& state, std::vector<Action>& actions) {
    LayerRecord& record = program_.layers[i];
    ConvLayer& layer = *convs_[i];
    layer.data.feature = slot(network_.operators[i].inputs[0])->address;
    layer.data.output = record.output.address;
    const std::size_t first = actions.size();
    plan_layer(layer.shape, hardware_, *record.decision, layer.data, state, actions);
    record.cbuf_peak_bytes = atoms_used(actions, first) * hardware_.atomic_c;
  }

  // The trace port tells where a layer ends.
  static void add_marks(std::size_t i, std::vector<Action>& actions) {
    for (const isa::Unit unit : {isa::Unit::Load, isa::Unit::Compute, isa::Unit::Store}) {
      Action mark;
      mark.unit = unit;
      mark.body = MarkAction{static_cast<std::uint32_t>(i)};
      actions.push_back(std::move(mark));
    }
  }

  void emit_run(std::vector<Action>& actions, CommandRun run) {
    assign_tokens(actions);
    const std::vector<std::uint64_t> words = write_stream(actions, hardware_.queue_depth);
    run.stream = {align(program_.image.size()), words.size() * 8};
    program_.image.resize(run.stream.address + run.stream.bytes);
    for (std::size_t w = 0; w < words.size(); ++w) {
      for (std::size_t b = 0; b < 8; ++b) {
        program_.image[run.stream.address + 8 * w + b] =
            static_cast<std::uint8_t>(words[w] >> (8 * b));
      }
    }
    program_.steps.emplace_back(std::move(run));
  }

  // The operator with just its tensors, renumbered.
  void emit_host_call(std::size_t index) {
    const Operator& op = network_.operators[index];
    HostCall call;
    call.layer = static_cast<std::uint32_t>(index);
    call.kernel.name = op.name;
    Operator alone{op.name, op.attributes, {}, 0};
    for (const std::int32_t input : op.inputs) {
      if (input < 0) {
        alone.inputs.push_back(-1);
        call.inputs.emplace_back();
        continue;
      }
      alone.inputs.push_back(static_cast<std::int32_t>(call.kernel.tensors.size()));
      call.kernel.tensors.push_back(tensor(input));
      call.inputs.push_back(slot(input));
    }
    alone.output = static_cast<std::int32_t>(call.kernel.tensors.size());
    call.kernel.tensors.push_back(tensor(op.output));
    call.kernel.operators.push_back(std::move(alone));
    call.output = *slot(op.output);
    program_.steps.emplace_back(std::move(call));
  }

  const Network& network_;
  const Hardware& hardware_;
  const Policy& policy_;
  Program program_;
  std::vector<std::optional<ConvLayer>> convs_;
  std::vector<std::optional<Slot>> slots_;
  std::uint64_t commands_begin_ = 0;
};

}  // namespace

Program compile(const Network& network, const Hardware& hardware, const Policy& policy) {
  if (const std::string problem = hardware_problem(hardware); !problem.empty()) {
    throw InputError(problem);
  }
  return Compiler(network, hardware, policy).run();
}

}  // namespace tessera
