#include "scheduler/interlayer/activations.hpp"

#include <algorithm>
#include <optional>

#include "scheduler/interlayer/in_place.hpp"

namespace tessera {
namespace {

// Tensors that a unit reads from the activations.
std::vector<std::int32_t> read_by(const Network& network, const Partition& plan,
                                  const FusedOperator& unit) {
  std::vector<std::int32_t> result;
  if (unit.kind == OperatorPlace::Host || plan.aliases.of(unit.output).tensor != unit.output) {
    result = network.operators[unit.op].inputs;
  }
  for (const ArrayPass& piece : unit.lowering.passes) {
    result.push_back(piece.feature);
    if (piece.weights) {
      result.push_back(piece.weights->tensor);
    }
  }
  if (unit.lowering.post) {
    result.push_back(unit.lowering.post->operand);
  }
  return result;
}

}  // namespace

Activations::Activations(const Network& network, const Partition& plan)
    : network_(network), buffer_of_(network.tensors.size(), kNone) {
  problem_.before.resize(plan.units.size());
  problem_.work.resize(plan.units.size());
  find_dependencies(plan);
  find_state_dependencies(plan);
  find_models(plan);
  find_touches(plan);
}

// One model's units follow the other's, whatever the order within them.
void Activations::find_models(const Partition& plan) {
  const std::size_t count = std::max<std::size_t>(network_.models.size(), 1);
  sources_.resize(count);
  sinks_.resize(count);
  std::vector<bool> is_sink(plan.units.size(), true);
  for (std::size_t u = 0; u < plan.units.size(); ++u) {
    std::size_t model = 0;
    while (model + 1 < network_.models.size() &&
           plan.units[u].op >= network_.models[model].end_op) {
      ++model;
    }
    model_of_.push_back(model);
    for (const std::uint32_t before : problem_.before[u]) {
      is_sink[before] = false;
    }
  }
  for (std::size_t u = 0; u < plan.units.size(); ++u) {
    const auto unit = static_cast<std::uint32_t>(u);
    if (problem_.before[u].empty()) {
      sources_[model_of_[u]].push_back(unit);
    }
    if (is_sink[u]) {
      sinks_[model_of_[u]].push_back(unit);
    }
  }
  for (std::size_t model = 1; model < count; ++model) {
    for (const std::uint32_t unit : sources_[model]) {
      problem_.before[unit] = sinks_[model - 1];
    }
  }
}

// Inputs come when their model begins; outputs that are not kept are taken when it ends.
void Activations::touch_ends(const Partition& plan) {
  for (std::size_t m = 0; m < network_.models.size(); ++m) {
    const Model& model = network_.models[m];
    const auto touch_by = [&](std::int32_t tensor, const std::vector<std::uint32_t>& units) {
      for (const std::uint32_t unit : units) {
        touch(unit, tensor, plan);
      }
    };
    for (std::size_t i = model.first_input; i < model.end_input; ++i) {
      touch_by(network_.inputs[i], sources_[m]);
    }
    for (std::size_t o = model.first_output; o < model.end_output; ++o) {
      touch_by(network_.outputs[o], sinks_[m]);
    }
  }
}

std::vector<ModelMemory> Activations::model_memory(const AllocationProblem& problem) const {
  std::vector<ModelMemory> result;
  for (const Model& model : network_.models) {
    ModelMemory memory;
    memory.name = model.name;
    memory.group = model.group;
    memory.keep_outputs = model.keep_outputs;
    result.push_back(std::move(memory));
  }
  for (std::size_t b = 0; b < tensors_.size() && !result.empty(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    const auto& touched = problem_.items[b].touched_by;
    ModelMemory& memory = result[touched.empty() ? 0 : model_of_[touched[0]]];
    if (is_input(b)) {
      memory.input_bytes += buffer.size;
      memory.input_upper = std::max(memory.input_upper, buffer.upper);
    } else if (is_output(b)) {
      memory.output_bytes += buffer.size;
    } else {
      memory.temporaries.push_back({buffer.size, buffer.lower, buffer.upper});
    }
  }
  return result;
}

std::vector<BufferOwner> Activations::owners() const {
  std::vector<BufferOwner> owners(tensors_.size());
  for (std::size_t b = 0; b < owners.size(); ++b) {
    const auto& touched = problem_.items[b].touched_by;
    const std::size_t model = touched.empty() ? 0 : model_of_[touched[0]];
    owners[b].model = static_cast<std::uint32_t>(model);
    owners[b].group = network_.models.empty() ? 0 : network_.models[model].group;
    owners[b].kept = problem_.items[b].to_end;
  }
  return owners;
}

void Activations::touch(std::size_t unit, std::int32_t tensor, const Partition& plan) {
  if (tensor < 0 || !network_.tensors[static_cast<std::size_t>(tensor)].constant.empty()) {
    return;
  }
  const std::int32_t root = plan.aliases.of(tensor).tensor;
  std::size_t& buffer = buffer_of_[static_cast<std::size_t>(root)];
  if (buffer == kNone) {
    buffer = tensors_.size();
    tensors_.push_back(root);
    OrderItem item;
    item.size = network_.tensors[static_cast<std::size_t>(root)].bytes();
    problem_.items.push_back(std::move(item));
  }
  auto& touched = problem_.items[buffer].touched_by;
  const auto toucher = static_cast<std::uint32_t>(unit);
  if (unit < problem_.before.size() &&
      std::find(touched.begin(), touched.end(), toucher) == touched.end()) {
    touched.push_back(toucher);
  }
}

void Activations::find_touches(const Partition& plan) {
  const std::size_t nobody = plan.units.size();
  for (const std::int32_t input : network_.inputs) {
    touch(nobody, input, plan);
    problem_.items[buffer_of_[static_cast<std::size_t>(plan.aliases.of(input).tensor)]].from_start =
        network_.models.empty();
  }
  // A state is there before and after, whoever runs.
  for (const State& state : network_.states) {
    touch(nobody, state.input, plan);
    OrderItem& item =
        problem_.items[buffer_of_[static_cast<std::size_t>(plan.aliases.of(state.input).tensor)]];
    item.from_start = item.to_end = true;
  }
  for (std::size_t u = 0; u < plan.units.size(); ++u) {
    const FusedOperator& unit = plan.units[u];
    for (const std::int32_t input : read_by(network_, plan, unit)) {
      touch(u, input, plan);
    }
    touch(u, unit.written(), plan);
  }
  for (std::size_t o = 0; o < network_.outputs.size(); ++o) {
    const std::int32_t output = network_.outputs[o];
    touch(nobody, output, plan);
    const std::int32_t root = plan.aliases.of(output).tensor;
    const bool kept =
        std::all_of(network_.models.begin(), network_.models.end(), [&](const Model& model) {
          return model.keep_outputs || o < model.first_output || o >= model.end_output;
        });
    if (const std::size_t buffer = buffer_of_[static_cast<std::size_t>(root)]; buffer != kNone) {
      problem_.items[buffer].to_end = problem_.items[buffer].to_end || kept;
    }
  }
  touch_ends(plan);
  // Tensors inside others.
  for (std::size_t t = 0; t < buffer_of_.size(); ++t) {
    const std::int32_t root = plan.aliases.of(static_cast<std::int32_t>(t)).tensor;
    buffer_of_[t] = buffer_of_[static_cast<std::size_t>(root)];
  }
}

// By tensors, not by buffers: parts of a concatenation do not wait for each other.
void Activations::find_dependencies(const Partition& plan) {
  std::vector<std::size_t> unit_of(network_.operators.size(), kNone);
  for (std::size_t u = 0; u < plan.units.size(); ++u) {
    unit_of[plan.units[u].op] = u;
    for (const std::size_t op : plan.units[u].absorbed) {
      unit_of[op] = u;
    }
  }
  std::vector<std::size_t> producer(network_.tensors.size(), kNone);
  for (std::size_t i = 0; i < network_.operators.size(); ++i) {
    producer[static_cast<std::size_t>(network_.operators[i].output)] = i;
  }
  const auto add = [&](std::size_t unit, std::int32_t tensor) {
    // Paddings are part of those who read them: what counts is what computes their input.
    while (tensor >= 0) {
      const std::size_t op = producer[static_cast<std::size_t>(tensor)];
      if (op == kNone) {
        return;
      }
      const bool padding = std::holds_alternative<Pad>(network_.operators[op].attributes) &&
                           (unit_of[op] == kNone || plan.units[unit_of[op]].op != op);
      if (!padding) {
        auto& before = problem_.before[unit];
        const auto other = static_cast<std::uint32_t>(unit_of[op]);
        if (unit_of[op] != unit && std::find(before.begin(), before.end(), other) == before.end()) {
          before.push_back(other);
        }
        return;
      }
      tensor = network_.operators[op].inputs[0];
    }
  };
  for (std::size_t u = 0; u < plan.units.size(); ++u) {
    std::vector<std::size_t> ops = plan.units[u].absorbed;
    ops.push_back(plan.units[u].op);
    for (const std::size_t op : ops) {
      for (const std::int32_t input : network_.operators[op].inputs) {
        add(u, input);
      }
    }
  }
}

// Who reads a state, or what it was, has done so before it is written anew.
void Activations::find_state_dependencies(const Partition& plan) {
  for (const State& state : network_.states) {
    const auto holds_new = [&](std::int32_t tensor) {
      return plan.aliases.lies_in(tensor, state.output);
    };
    const auto is_writer = [&](const FusedOperator& unit) { return unit.output == state.output; };
    const auto writer = std::find_if(plan.units.begin(), plan.units.end(), is_writer);
    if (writer == plan.units.end()) {
      continue;  // it never changes
    }
    auto& before = problem_.before[static_cast<std::size_t>(writer - plan.units.begin())];
    const Aliases::Place own = plan.aliases.of(state.input);
    const auto bytes_of = [&](std::int32_t tensor) {
      return network_.tensors[static_cast<std::size_t>(tensor)].bytes();
    };
    // New rows may lie beside it.
    const auto meets = [&](std::int32_t tensor) {
      const Aliases::Place place = plan.aliases.of(tensor);
      return place.tensor == own.tensor && place.offset < own.offset + bytes_of(state.input) &&
             own.offset < place.offset + bytes_of(tensor);
    };
    for (std::size_t u = 0; u < plan.units.size(); ++u) {
      const FusedOperator& unit = plan.units[u];
      const std::vector<std::int32_t> reads = read_by(network_, plan, unit);
      // What has its tensor there without a copy shows the old value, whoever reads it.
      const bool shows =
          unit.kind == OperatorPlace::NoCopy && meets(unit.output) && !holds_new(unit.output);
      const bool looks = shows || std::any_of(reads.begin(), reads.end(), [&](std::int32_t tensor) {
                           return tensor >= 0 && meets(tensor) && !holds_new(tensor);
                         });
      const auto other = static_cast<std::uint32_t>(u);
      if (looks && !is_writer(unit) &&
          std::find(before.begin(), before.end(), other) == before.end()) {
        before.push_back(other);
      }
    }
  }
}

AllocationProblem Activations::allocation_problem(const std::vector<std::uint32_t>& order,
                                                  std::uint64_t alignment) const {
  std::vector<std::int64_t> when(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    when[order[i]] = static_cast<std::int64_t>(i);
  }
  AllocationProblem problem;
  problem.alignment = alignment;
  const auto end = static_cast<std::int64_t>(std::max<std::size_t>(order.size(), 1));
  for (std::size_t b = 0; b < tensors_.size(); ++b) {
    const OrderItem& item = problem_.items[b];
    std::int64_t lower = item.from_start ? 0 : end - 1;
    std::int64_t upper = item.to_end ? end + 1 : 1;  // outputs outlive the last unit
    for (const std::uint32_t unit : item.touched_by) {
      lower = std::min(lower, when[unit]);
      upper = std::max(upper, when[unit] + 1);
    }
    const Tensor& tensor = network_.tensors[static_cast<std::size_t>(tensors_[b])];
    // Whole units of alignment, so that heights and bounds are in them too.
    const std::uint64_t bytes = (item.size + alignment - 1) / alignment * alignment;
    problem.buffers.push_back({tensor.name, lower, upper, bytes});
  }
  return problem;
}

bool Activations::is_output(std::size_t buffer) const {
  return std::any_of(network_.outputs.begin(), network_.outputs.end(),
                     [&](std::int32_t output) { return buffer_of(output) == buffer; });
}

bool Activations::is_state(std::size_t buffer) const {
  return std::any_of(network_.states.begin(), network_.states.end(),
                     [&](const State& state) { return buffer_of(state.input) == buffer; });
}

// Somebody else has written it before any unit runs.
bool Activations::is_input(std::size_t buffer) const {
  return std::find(network_.inputs.begin(), network_.inputs.end(), tensors_[buffer]) !=
             network_.inputs.end() ||
         is_state(buffer);
}

void Activations::add_overlaps(const FusedOperator& unit, std::size_t when,
                               const std::vector<Operation>& operations,
                               AllocationProblem& problem) const {
  const auto now = static_cast<std::int64_t>(when);
  const std::size_t out = buffer_of(unit.written());
  if (out == kNone || problem.buffers[out].lower != now || is_input(out)) {
    return;
  }
  for (std::size_t in = 0; in < problem.buffers.size(); ++in) {
    const auto& touched = problem_.items[in].touched_by;
    // Read here for the last time, and begun before.
    const bool dies = in != out && problem.buffers[in].upper == now + 1 &&
                      (problem.buffers[in].lower < now || is_input(in)) &&
                      !problem_.items[in].to_end && !touched.empty();
    if (!dies) {
      continue;
    }
    const Distances distances =
        operations.empty() ? Distances{}
                           : safe_distances(operations, in * kVirtualBuffer + kVirtualBuffer,
                                            out * kVirtualBuffer + kVirtualBuffer);
    const std::uint64_t unit_bytes = problem.alignment;
    const auto aligned = [&](std::uint64_t bytes) {
      return (bytes + unit_bytes - 1) / unit_bytes * unit_bytes;
    };
    if (aligned(distances.output_below) < problem.buffers[out].size) {
      problem.overlaps.push_back({out, in, aligned(distances.output_below)});
    }
    if (aligned(distances.output_above) < problem.buffers[in].size) {
      problem.overlaps.push_back({in, out, aligned(distances.output_above)});
    }
  }
}

void link_addresses(std::vector<Operation>& operations, const std::vector<std::uint64_t>& base) {
  const auto moved = [&](std::uint64_t address) {
    return address < kVirtualBuffer ? address
                                    : base[address / kVirtualBuffer - 1] + address % kVirtualBuffer;
  };
  for (Operation& operation : operations) {
    if (auto* load = std::get_if<LoadOperation>(&operation.body); load != nullptr) {
      load->source.address = moved(load->source.address);
    } else if (auto* store = std::get_if<StoreOperation>(&operation.body); store != nullptr) {
      store->dest.address = moved(store->dest.address);
    }
    for (Access& access : operation.accesses) {
      if (access.resource == Resource::External) {
        const std::uint64_t size = access.end - access.begin;
        access.begin = moved(access.begin);
        access.end = access.begin + size;
      }
    }
  }
}

}  // namespace tessera
