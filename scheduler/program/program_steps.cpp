#include "scheduler/program/program_steps.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "scheduler/program/accesses.hpp"
#include "scheduler/program/alignment.hpp"
#include "scheduler/program/shared_bytes.hpp"
#include "scheduler/stream/load_checksums.hpp"
#include "scheduler/stream/stream_writer.hpp"
#include "scheduler/stream/tokens.hpp"
#include "scheduler/tile_loops/pass_planner.hpp"

namespace tessera {
namespace {

// The trace port tells where a layer ends.
void add_marks(std::size_t i, bool loads_only, std::vector<Operation>& operations) {
  for (const isa::Unit unit : {isa::Unit::Load, isa::Unit::Compute, isa::Unit::Store}) {
    if (loads_only && unit != isa::Unit::Load) {
      continue;
    }
    Operation mark;
    mark.unit = unit;
    mark.body = MarkOperation{static_cast<std::uint32_t>(i)};
    operations.push_back(std::move(mark));
  }
}

std::vector<std::uint8_t> bytes_of(const std::vector<std::uint64_t>& words) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(8 * words.size());
  for (const std::uint64_t word : words) {
    for (unsigned b = 0; b < 8; ++b) {
      bytes.push_back(static_cast<std::uint8_t>(word >> (8 * b)));
    }
  }
  return bytes;
}

// The operator with just its tensors, renumbered.
HostCall host_call(const Network& network, std::size_t index, const MemoryMap& map) {
  const Operator& op = network.operators[index];
  HostCall call;
  call.layer = static_cast<std::uint32_t>(index);
  call.kernel.name = op.name;
  Operator alone{op.name, op.attributes, {}, 0, op.rounding};
  for (const std::int32_t input : op.inputs) {
    if (input < 0) {
      alone.inputs.push_back(-1);
      call.inputs.emplace_back();
      continue;
    }
    alone.inputs.push_back(static_cast<std::int32_t>(call.kernel.tensors.size()));
    call.kernel.tensors.push_back(network.tensors[static_cast<std::size_t>(input)]);
    call.inputs.push_back(map.slot(input));
  }
  alone.output = static_cast<std::int32_t>(call.kernel.tensors.size());
  call.kernel.tensors.push_back(network.tensors[static_cast<std::size_t>(op.output)]);
  call.kernel.operators.push_back(std::move(alone));
  call.output = *map.slot(op.output);
  return call;
}

/// When inputs are written and outputs are taken.
class ModelEnds {
 public:
  ModelEnds(const Network& network, Program& program) : network_(network), program_(program) {}

  // Outputs of the models before `begun` are there by now; inputs of models up to it are written.
  void at(std::size_t begun) {
    const std::size_t now = program_.steps.size();
    if (network_.models.empty()) {
      program_.input_steps.resize(network_.inputs.size(), 0);
      program_.output_steps.assign(network_.outputs.size(), now);
      return;
    }
    for (std::size_t m = next_; m <= begun && m < network_.models.size(); ++m) {
      program_.input_steps.resize(network_.models[m].end_input, now);
    }
    // Kept ones are taken when all is done.
    for (std::size_t m = 0; m < begun; ++m) {
      const Model& model = network_.models[m];
      program_.output_steps.resize(std::max(program_.output_steps.size(), model.end_output), now);
      for (std::size_t o = model.first_output; model.keep_outputs && o < model.end_output; ++o) {
        program_.output_steps[o] = now;
      }
    }
    next_ = begun + 1;
  }

 private:
  const Network& network_;
  Program& program_;
  std::size_t next_ = 0;  // model whose inputs are not written yet
};

constexpr std::size_t kMarks = 3;  // of a layer

/// Commands of layers that nothing on the host comes between.
class RunWriter {
 public:
  /// Command streams lie from address `begin` on.
  RunWriter(const Hardware& hardware, const Prefetch& ahead, Contents contents, std::uint64_t begin,
            Program& program)
      : hardware_(hardware), ahead_(ahead), contents_(contents), begin_(begin), program_(program) {}

  [[nodiscard]] bool is_empty() const { return run_.layers.empty(); }
  /// As many operations at most, all layers together.
  void reserve(std::size_t operations) { operations_.reserve(operations); }

  void add(std::uint32_t layer, Segment segment) {
    std::move(segment.operations.begin(), segment.operations.end(),
              std::back_inserter(operations_));
    add_marks(run_.layers.size(), segment.loads_only, operations_);
    run_.layers.push_back(layer);
  }

  [[nodiscard]] const std::vector<std::uint8_t>& commands() const { return commands_; }

  // What is there becomes a step.
  void flush() {
    if (is_empty()) {
      return;
    }
    if (ahead_.bytes != 0 || ahead_.work != 0) {
      prefetch(operations_, ahead_);
    }
    write(std::move(operations_), run_);
    program_.steps.emplace_back(std::move(run_));
    run_ = {};
    operations_.clear();
  }

  // A stream of its own, which is no step.
  void write(std::vector<Operation> operations, CommandRun& run) {
    assign_tokens(operations);
    std::vector<std::uint64_t> words = write_stream(operations, hardware_.queue_depth);
    if (contents_ == Contents::All && hardware_.has(isa::Feature::Checksums)) {
      add_load_checksums(words, program_.image, program_.regions.front().range, hardware_);
    }
    const std::vector<std::uint8_t> bytes = bytes_of(words);
    const auto [address, fresh] = streams_.add(bytes, commands_);
    program_.commands_saved_bytes += fresh ? 0 : bytes.size();
    run.stream = {begin_ + address, bytes.size()};
  }

 private:
  const Hardware& hardware_;
  const Prefetch& ahead_;
  Contents contents_;
  std::uint64_t begin_;
  Program& program_;
  // By themselves as long as they grow: before them lies room for all activations.
  std::vector<std::uint8_t> commands_;
  SharedBytes streams_{kAlignment};
  std::vector<Operation> operations_;
  CommandRun run_;
};

// Only the last operator of a unit leaves its output in memory.
void record_outputs(const FusedOperator& unit, const Network& network, const MemoryMap& map,
                    Program& program) {
  const auto record = [&](std::size_t op) {
    if (network.operators[op].output == unit.output && map.slot(unit.written())) {
      program.layers[op].output = output_of(unit, network, map);
    }
  };
  record(unit.op);
  for (const std::size_t op : unit.absorbed) {
    record(op);
  }
}

void count(const Segment& segment, const Hardware& hardware, LayerRecord& record) {
  const Traffic traffic = traffic_of(segment.operations);
  record.traffic.read_bytes += traffic.read_bytes;
  record.traffic.write_bytes += traffic.write_bytes;
  record.accesses += accesses_of(segment.operations, hardware);
}

}  // namespace

void add_steps(std::vector<Segment> segments, std::vector<Operation> reset,
               const Prepared& prepared, const MemoryMap& map, const Prefetch& ahead,
               Contents contents, Program& program) {
  const std::uint64_t commands_begin = align(map.arena.address + map.arena.bytes);
  std::map<std::size_t, AtomsUsed> used;  // by operator
  RunWriter run(prepared.hardware, ahead, contents, commands_begin, program);
  std::size_t operations = 0;
  for (const Segment& segment : segments) {
    operations += segment.operations.size() + kMarks;
  }
  run.reserve(operations);
  if (!reset.empty()) {
    add_marks(0, false, reset);
    program.reset.emplace().layers = {0};
    run.write(std::move(reset), *program.reset);
  }
  ModelEnds ends(prepared.network, program);
  std::optional<std::size_t> last_model;
  for (Segment& segment : segments) {
    const FusedOperator& unit = prepared.plan.units[segment.unit];
    const auto layer = static_cast<std::uint32_t>(unit.op);
    const std::size_t model = prepared.activations.model_of(segment.unit);
    if (last_model != model) {
      run.flush();
      ends.at(model);
      last_model = model;
    }
    record_outputs(unit, prepared.network, map, program);
    if (unit.kind == OperatorPlace::NoCopy && run.is_empty()) {
      program.steps.emplace_back(NoCopy{layer});
      continue;
    }
    if (unit.kind == OperatorPlace::Host) {
      run.flush();
      program.steps.emplace_back(host_call(prepared.network, unit.op, map));
      continue;
    }
    if (unit.kind == OperatorPlace::Accelerator) {
      count(segment, prepared.hardware, program.layers[unit.op]);
      used[unit.op].add(segment.operations);
    }
    run.add(layer, std::move(segment));
  }
  run.flush();
  for (const auto& [op, atoms] : used) {
    program.layers[op].cbuf_peak_bytes = atoms.count() * prepared.hardware.atomic_c;
  }
  ends.at(prepared.network.models.size());
  program.regions.push_back({MemoryKind::Commands, {commands_begin, run.commands().size()}});
  if (contents == Contents::Commands) {
    program.left_out = commands_begin - program.image.size();
  } else {
    program.image.resize(commands_begin);
  }
  program.image.insert(program.image.end(), run.commands().begin(), run.commands().end());
}

}  // namespace tessera
