#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scheduler/across/activations.hpp"
#include "scheduler/across/fused_groups.hpp"
#include "scheduler/across/fusion.hpp"
#include "scheduler/across/load_order.hpp"
#include "scheduler/across/order_choice.hpp"
#include "scheduler/across/residency.hpp"
#include "scheduler/decide/piece_decision.hpp"
#include "scheduler/decide/side_by_side.hpp"
#include "scheduler/lower/units.hpp"
#include "scheduler/program/accesses.hpp"
#include "scheduler/program/prepared.hpp"
#include "scheduler/program/seal.hpp"
#include "scheduler/program/shared_bytes.hpp"
#include "scheduler/program/stream_writer.hpp"
#include "scheduler/program/tokens.hpp"
#include "scheduler/walk/constants.hpp"
#include "scheduler/walk/layer_planner.hpp"
#include "tessera/error.hpp"
#include "tessera/program.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kSmallKernel = 4096;  // bytes; such are often shared, and cheap to make
constexpr std::uint64_t kAddressSpace = std::uint64_t{1} << 32;

std::uint64_t align(std::uint64_t value) {
  return (value + kAlignment - 1) / kAlignment * kAlignment;
}

class Compiler {
 public:
  Compiler(const Prepared& prepared, const Tuning& tuning, Contents contents)
      : network_(prepared.network),
        hardware_(prepared.hardware),
        policy_(prepared.policy),
        tuning_(tuning),
        contents_(contents),
        plan_(prepared.plan),
        activations_(prepared.activations),
        choice_(prepared.orders),
        residency_(no_residency(plan_, activations_, hardware_)) {}

  Program run() {
    program_.network = network_.name;
    program_.hardware = hardware_;
    describe_layers();
    decide();
    if (tuning_.keep > 0) {
      keep_in_buffer();
    }
    for (std::size_t u = 0; u < pieces_.size(); ++u) {
      for (PlannedPiece& piece : pieces_[u]) {
        piece.decision.feature_bands = tuning_.feature_bands;
        if (!tuning_.tile_shifts.empty()) {
          piece.decision.tile_shift = tuning_.tile_shifts[plan_.units[u].op];
        }
      }
    }
    record_decisions();
    place_constants();
    place_activations();
    emit_steps();
    return std::move(program_);
  }

 private:
  [[nodiscard]] const Tensor& tensor(std::int32_t index) const {
    return network_.tensors[static_cast<std::size_t>(index)];
  }

  void describe_layers() {
    for (const Operator& op : network_.operators) {
      LayerRecord record;
      record.name = op.name;
      record.op = std::string(op.type_name());
      record.macs = macs_of(network_, op);
      record.output_shape = tensor(op.output).shape;
      program_.layers.push_back(std::move(record));
    }
    for (const WorkUnit& unit : plan_.units) {
      LayerRecord& record = program_.layers[unit.op];
      record.no_copy = unit.kind == UnitKind::NoCopy;
      record.host_reason = unit.host_reason;
      record.riders = unit.absorbed;
      for (const std::size_t rider : unit.absorbed) {
        program_.layers[rider].rides_on = unit.op;
      }
    }
  }

  void decide() {
    for (const WorkUnit& unit : plan_.units) {
      std::vector<PlannedPiece> pieces;
      for (const Piece& piece : unit.lowering.pieces) {
        Variant variant = tuning_.variants.empty() ? Variant{} : tuning_.variants[unit.op];
        variant.side_by_side = variant.side_by_side && !unit.place;
        pieces.push_back(decide_piece(piece, hardware_, policy_, variant));
      }
      pieces_.push_back(std::move(pieces));
    }
  }

  void record_decisions() {
    for (std::size_t u = 0; u < plan_.units.size(); ++u) {
      LayerRecord& record = program_.layers[plan_.units[u].op];
      record.passes = static_cast<std::uint32_t>(pieces_[u].size());
      if (!pieces_[u].empty()) {
        record.decision = pieces_[u][0].decision;
        record.decision->output_columns = pieces_[u][0].columns;
      }
    }
  }

  // Activations stay in the cbuf where they can; each layer is decided for what is left of it.
  void keep_in_buffer() {
    choice_.orders.resize(1);
    const PlannedUnits units{plan_, pieces_, activations_, choice_.orders[0], hardware_, policy_};
    residency_ = plan_residency(
        units, tuning_.fuse ? choose_fused_groups(units) : std::vector<FusedGroup>{}, tuning_.keep);
    for (std::size_t u = 0; u < plan_.units.size(); ++u) {
      const UnitResidency& unit = residency_.units[u];
      for (PlannedPiece& piece : pieces_[u]) {
        decide_kept_piece(unit, piece);
        piece.decision.output_kept = unit.output.has_value();
        piece.decision.output_stored = unit.stored;
        piece.decision.feature_kept = unit.feature.has_value();
        piece.data.stored = unit.stored;
        if (unit.feature) {
          piece.data.feature_kept = KeptRows{*unit.feature, {0, piece.shape.in_h}, {}};
        }
        if (unit.output) {
          piece.data.keep = KeptRows{*unit.output, {0, piece.shape.out_h}, {}};
        }
      }
    }
  }

  void decide_kept_piece(const UnitResidency& unit, PlannedPiece& piece) const {
    if (!unit.group) {
      piece.decision =
          decide_within(piece, hardware_, policy_, unit.window.size(), unit.feature.has_value())
              .value();
      return;
    }
    LayerDecision decision;
    decision.sizes = piece.decision.sizes;
    decision.trace = piece.decision.trace;
    decision.modes = {Mode::Direct};
    decision.band_rows = residency_.layouts[*unit.group].band;
    decision.fused = residency_.layouts[*unit.group].rows.size() > 1;
    decision.reason = decision.fused ? "rows go from layer to layer, all weights stay"
                                     : "rows pass by, all weights stay";
    piece.decision = std::move(decision);
  }

  // Equal bytes are kept once.
  std::uint64_t add_constant(const std::vector<std::uint8_t>& bytes) {
    const auto [address, fresh] = constants_.add(bytes, program_.image);
    program_.constants_saved_bytes += fresh ? 0 : bytes.size();
    return address;
  }

  static std::vector<std::uint8_t> bytes_of(const std::vector<std::int32_t>& values) {
    std::vector<std::uint8_t> bytes;
    for (const std::int32_t value : values) {
      for (int b = 0; b < 4; ++b) {
        bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(value) >> (8 * b)));
      }
    }
    return bytes;
  }

  // Images grow to tens of megabytes: moving them again and again would take longest of all.
  void reserve_image() {
    std::uint64_t bytes = 0;
    for (const std::vector<PlannedPiece>& pieces : pieces_) {
      for (const PlannedPiece& piece : pieces) {
        bytes += align(packed_bytes(piece.shape, hardware_)) +
                 align(std::uint64_t{kParamBytes} * u32(piece.shape.out_c));
      }
    }
    for (const Tensor& tensor : network_.tensors) {
      bytes += tensor.constant.empty() ? tensor.bytes() : 0;
    }
    program_.image.reserve(std::min(bytes + bytes / 8, kAddressSpace / 2));
  }

  void place_constants() {
    reserve_image();
    for (std::size_t u = 0; u < plan_.units.size(); ++u) {
      const Lowering& lowering = plan_.units[u].lowering;
      for (std::size_t p = 0; p < pieces_[u].size(); ++p) {
        const Piece& piece = lowering.pieces[p];
        place_kernel(piece, pieces_[u][p]);
        LayerData& data = pieces_[u][p].data;
        if (lowering.post) {
          place_post(*lowering.post, data);
        }
      }
    }
    program_.regions.push_back({MemoryKind::Constants, {0, program_.image.size()}});
  }

  void place_kernel(const Piece& piece, PlannedPiece& placed) {
    LayerData& data = placed.data;
    const std::uint64_t bytes = packed_bytes(placed.shape, hardware_);
    const bool left_out = contents_ == Contents::Commands && bytes > kSmallKernel;
    LayerKernel kernel = piece.kernel(left_out ? Contents::Commands : Contents::All);
    data.quant = kernel.quant;
    const std::uint64_t taps = std::uint64_t{u32(piece.shape.kernel_h)} *
                               u32(piece.shape.kernel_w) *
                               (piece.shape.depthwise ? 1 : u32(piece.shape.in_c));
    data.param_bytes = param_bytes(kernel, taps);
    if (data.param_bytes == sizeof(std::uint32_t)) {
      data.factor = isa::LdFactor{static_cast<std::uint32_t>(kernel.factors[0].multiplier),
                                  kernel.factors[0].shift};
    }
    data.padding_value = kernel.padding_value;
    if (placed.columns > 1) {
      kernel = side_by_side(kernel, piece.shape, placed.columns);
    }
    if (left_out) {
      data.weights = constants_.reserve(bytes, program_.image);
      data.params = constants_.reserve(packed_params_bytes(kernel.biases.size(), data.param_bytes),
                                       program_.image);
      return;
    }
    if (data.fold) {
      kernel.weights[0] = fold_weights(kernel.weights[0], *data.fold);
    }
    data.weights =
        add_constant(pack_weights(kernel, placed.shape, hardware_, placed.decision.channel_parts));
    data.params = add_constant(pack_params(kernel, data.param_bytes));
  }

  void place_post(const PostOperation& post, LayerData& data) {
    data.post = post.command;
    data.result = post.result;
    if (!post.table.empty()) {
      data.table = add_constant(bytes_of(post.table));
    }
    if (post.operand >= 0 && !tensor(post.operand).constant.empty()) {
      operand_constants_[post.operand] = add_constant(tensor(post.operand).constant);
    }
  }

  [[nodiscard]] Slot output_of(const WorkUnit& unit) const {
    Slot result = *slot(unit.written());
    if (unit.place) {
      result.address += unit.place->offset;
      result.bytes = tensor(unit.output).bytes();
      result.segment_bytes = unit.place->block;
      result.stride = unit.place->pitch;
    }
    return result;
  }

  /// Work of one unit that nothing of another unit comes between; none of what is not for the
  /// accelerator.
  struct Segment {
    std::uint32_t unit;
    bool loads_only = false;
    std::vector<Action> actions;
  };

  /// All work in one order: what it does, on virtual addresses, and where buffers can lie.
  struct Attempt {
    std::vector<std::uint32_t> order;
    std::vector<Segment> segments;
    AllocationProblem problem;
    Allocation allocation;
  };

  void place_activations() {
    const Activations& activations = activations_;
    OrderChoice& choice = choice_;
    std::optional<Attempt> best;
    for (const std::vector<std::uint32_t>& order : choice.orders) {
      Attempt attempt = plan_in(order, activations);
      if (!best || attempt.allocation.height < best->allocation.height) {
        best = std::move(attempt);
        choice.taken = choice.names[static_cast<std::size_t>(&order - choice.orders.data())];
      }
    }
    describe_plan(*best, choice, activations);
    if (const std::string problem = violation(best->problem, best->allocation.offsets);
        !problem.empty()) {
      throw std::logic_error("memory plan: " + problem);
    }
    segments_ = std::move(best->segments);
    place_slots(activations);
  }

  Attempt plan_in(const std::vector<std::uint32_t>& order, const Activations& activations) {
    Attempt attempt;
    attempt.order = order;
    attempt.problem = activations.allocation_problem(order, kAlignment);
    for (const FusedGroup& group : residency_.groups) {
      needed_throughout(group, attempt.problem);
    }
    for (std::size_t b = 0; b < attempt.problem.buffers.size(); ++b) {
      attempt.problem.buffers[b].size =
          residency_.external[b] ? attempt.problem.buffers[b].size : 0;
    }
    const bool overlaps = policy_.plan.in_place && (policy_.plan.planner == PlannerName::Best ||
                                                    policy_.plan.planner == PlannerName::Exact);
    StreamState state(hardware_);
    state.rows_last = tuning_.rows_last;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const WorkUnit& unit = plan_.units[order[i]];
      if (unit.kind == UnitKind::Host || starts_model(order, i, activations)) {
        state = StreamState(hardware_);
        state.rows_last = tuning_.rows_last;
      }
      state.regions.set_window(residency_.units[order[i]].window);
      if (const auto group = residency_.units[order[i]].group) {
        plan_group(order, i, residency_.layouts[*group], activations, state, attempt.segments);
        i = residency_.groups[*group].last;
        continue;
      }
      attempt.segments.push_back({order[i], false, {}});
      if (unit.kind == UnitKind::Accelerator) {
        plan_unit(order[i], activations, state, attempt.segments.back().actions);
        note_kept(order[i], state);
      }
      if (overlaps && unit.kind != UnitKind::NoCopy) {
        activations.add_overlaps(unit, i, attempt.segments.back().actions, attempt.problem);
      }
    }
    attempt.allocation = allocate_models(attempt.problem, activations.owners(),
                                         policy_.plan.planner, {policy_.plan.budget});
    return attempt;
  }

  // Kept tensors are in use as well.
  void note_kept(std::size_t unit, StreamState& state) const {
    const PlannedPiece& piece = pieces_[unit][0];
    const ConvShape& shape = piece.shape;
    if (piece.data.feature_kept) {
      const std::uint32_t at = piece.data.feature_kept->at;
      state.regions.note({at, at + u32(shape.in_h) * u32(shape.in_w) * atoms_of(shape, hardware_)});
    }
    if (piece.data.keep) {
      const std::uint32_t at = piece.data.keep->at;
      state.regions.note(
          {at, at + u32(shape.out_h) * u32(shape.out_w) * groups_of(shape, hardware_)});
    }
  }

  // What one layer of a group reads is read until the last one is done, what one writes is written
  // from the first one on.
  static void needed_throughout(const FusedGroup& group, AllocationProblem& problem) {
    const auto first = static_cast<std::int64_t>(group.first);
    const auto last = static_cast<std::int64_t>(group.last);
    for (Buffer& buffer : problem.buffers) {
      if (buffer.lower > first && buffer.lower <= last) {
        buffer.lower = first;
      }
      if (buffer.upper > first && buffer.upper <= last) {
        buffer.upper = last + 1;
      }
    }
  }

  static bool starts_model(const std::vector<std::uint32_t>& order, std::size_t i,
                           const Activations& activations) {
    return i > 0 && activations.model_of(order[i]) != activations.model_of(order[i - 1]);
  }

  void describe_plan(const Attempt& attempt, const OrderChoice& choice,
                     const Activations& activations) {
    const OrderProblem& orders = activations.order_problem();
    MemoryPlan& memory = program_.memory;
    memory.problem = attempt.problem;
    memory.allocation = attempt.allocation;
    memory.planner = planner_names()[static_cast<std::size_t>(policy_.plan.planner)];
    memory.order = choice.taken;
    memory.peaks = choice.peaks;
    const auto along = memory_along(orders, attempt.order);
    memory.order_bytes = along.empty() ? 0 : *std::max_element(along.begin(), along.end());
    if (!attempt.problem.overlaps.empty()) {
      AllocationProblem apart = attempt.problem;
      apart.overlaps.clear();
      const std::uint64_t height =
          allocate_models(apart, activations.owners(), policy_.plan.planner, {policy_.plan.budget})
              .height;
      memory.in_place_saved_bytes = height - std::min(height, attempt.allocation.height);
    }
    for (const std::int32_t output : network_.outputs) {
      memory.output_buffers.push_back(activations.buffer_of(output));
    }
    memory.models = activations.model_memory(attempt.problem);
    for (const std::uint32_t unit : attempt.order) {
      memory.layers.push_back(static_cast<std::uint32_t>(plan_.units[unit].op));
    }
  }

  void place_slots(const Activations& activations) {
    const std::uint64_t bytes = align(program_.memory.allocation.height);
    const std::uint64_t base = align(program_.image.size());
    if (base + bytes > kAddressSpace / 2) {
      throw InputError(fmt::format("{}: constants and activations need {} bytes, more than 2 GiB",
                                   network_.name, base + bytes));
    }
    program_.regions.push_back({MemoryKind::Arena, {base, bytes}});
    program_.image.resize(base + bytes);
    std::vector<std::uint64_t> bases = program_.memory.allocation.offsets;
    for (std::uint64_t& offset : bases) {
      offset += base;
    }
    for (Segment& segment : segments_) {
      relocate(segment.actions, bases);
    }
    slots_.resize(network_.tensors.size());
    for (std::size_t t = 0; t < slots_.size(); ++t) {
      const auto tensor = static_cast<std::int32_t>(t);
      if (const std::size_t buffer = activations.buffer_of(tensor);
          buffer != Activations::kNone && residency_.external[buffer]) {
        slots_[t] =
            Slot{bases[buffer] + plan_.aliases.of(tensor).offset, network_.tensors[t].bytes()};
      }
    }
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
    std::map<std::size_t, AtomsUsed> used;  // by operator
    CommandRun run;
    const auto flush = [&] {
      if (!run.layers.empty()) {
        emit_run(actions, std::move(run));
        run = {};
        actions.clear();
      }
    };
    std::optional<std::size_t> last_model;
    for (Segment& segment : segments_) {
      const WorkUnit& unit = plan_.units[segment.unit];
      const auto layer = static_cast<std::uint32_t>(unit.op);
      const std::size_t model = activations_.model_of(segment.unit);
      if (last_model != model) {
        flush();
        end_models(last_model ? *last_model + 1 : 0, model);
        last_model = model;
      }
      record_outputs(unit);
      if (unit.kind == UnitKind::NoCopy && run.layers.empty()) {
        program_.steps.emplace_back(NoCopy{layer});
        continue;
      }
      if (unit.kind == UnitKind::Host) {
        flush();
        emit_host_call(unit.op);
        continue;
      }
      if (unit.kind == UnitKind::Accelerator) {
        const Traffic traffic = traffic_of(segment.actions, 0);
        program_.layers[unit.op].traffic.read_bytes += traffic.read_bytes;
        program_.layers[unit.op].traffic.write_bytes += traffic.write_bytes;
        program_.layers[unit.op].accesses += accesses_of(segment.actions, hardware_);
        used[unit.op].add(segment.actions);
        std::move(segment.actions.begin(), segment.actions.end(), std::back_inserter(actions));
      }
      add_marks(run.layers.size(), segment.loads_only, actions);
      run.layers.push_back(layer);
    }
    flush();
    for (const auto& [op, atoms] : used) {
      program_.layers[op].cbuf_peak_bytes = atoms.count() * hardware_.atomic_c;
    }
    end_models(last_model ? *last_model + 1 : 0, network_.models.size());
    program_.regions.push_back(
        {MemoryKind::Commands, {commands_begin_, program_.image.size() - commands_begin_}});
  }

  // Outputs of the models before `begun` are there by now; inputs of models up to it are written.
  void end_models(std::size_t from, std::size_t begun) {
    const std::size_t now = program_.steps.size();
    if (network_.models.empty()) {
      program_.input_steps.resize(network_.inputs.size(), 0);
      program_.output_steps.assign(network_.outputs.size(), now);
      return;
    }
    for (std::size_t m = from; m <= begun && m < network_.models.size(); ++m) {
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
  }

  // Only the last operator of a unit leaves its output in memory.
  void record_outputs(const WorkUnit& unit) {
    const auto record = [&](std::size_t op) {
      if (network_.operators[op].output == unit.output && slot(unit.written())) {
        program_.layers[op].output = output_of(unit);
      }
    };
    record(unit.op);
    for (const std::size_t op : unit.absorbed) {
      record(op);
    }
  }

  void plan_unit(std::size_t u, const Activations& activations, StreamState& state,
                 std::vector<Action>& actions) {
    address_unit(u, activations);
    for (const PlannedPiece& piece : pieces_[u]) {
      plan_layer(piece.shape, hardware_, piece.decision, piece.data, state, actions);
    }
  }

  // From place `first` of the order on.
  void plan_group(const std::vector<std::uint32_t>& order, std::size_t first,
                  const FusedLayout& layout, const Activations& activations, StreamState& state,
                  std::vector<Segment>& segments) {
    std::vector<FusedLayer> layers;
    for (std::size_t i = 0; i < layout.rows.size(); ++i) {
      const std::uint32_t unit = order[first + i];
      address_unit(unit, activations);
      const PlannedPiece& piece = pieces_[unit][0];
      layers.push_back({&piece.shape, &piece.decision, piece.data});
    }
    for (FusedSegment& segment : plan_fused(layers, layout, hardware_, state)) {
      segments.push_back(
          {order[first + segment.layer], segment.loads_only, std::move(segment.actions)});
    }
  }

  void address_unit(std::size_t u, const Activations& activations) {
    const WorkUnit& unit = plan_.units[u];
    const auto address = [&](std::int32_t tensor) {
      return (activations.buffer_of(tensor) + 1) * kVirtualBuffer + plan_.aliases.of(tensor).offset;
    };
    for (std::size_t p = 0; p < pieces_[u].size(); ++p) {
      const Piece& piece = unit.lowering.pieces[p];
      LayerData& data = pieces_[u][p].data;
      data.feature = at(piece.feature_view, address(piece.feature));
      data.feature.row_stride *= u32(pieces_[u][p].feature_step_h);
      data.feature.pixel_stride *= u32(pieces_[u][p].feature_step_w);
      data.output = at(unit.place ? unit.place->within(piece.output_view) : piece.output_view,
                       address(unit.written()));
      data.output.pixel_stride *= u32(pieces_[u][p].columns);
      if (piece.operand_view) {
        const std::int32_t operand = unit.lowering.post->operand;
        const auto constant = operand_constants_.find(operand);
        data.operand =
            at(*piece.operand_view,
               constant == operand_constants_.end() ? address(operand) : constant->second);
        data.operand->pixel_stride *= u32(pieces_[u][p].columns);
      }
    }
  }

  static View at(View view, std::uint64_t address) {
    view.offset += address;
    return view;
  }

  // The trace port tells where a layer ends.
  static void add_marks(std::size_t i, bool loads_only, std::vector<Action>& actions) {
    for (const isa::Unit unit : {isa::Unit::Load, isa::Unit::Compute, isa::Unit::Store}) {
      if (loads_only && unit != isa::Unit::Load) {
        continue;
      }
      Action mark;
      mark.unit = unit;
      mark.body = MarkAction{static_cast<std::uint32_t>(i)};
      actions.push_back(std::move(mark));
    }
  }

  void emit_run(std::vector<Action>& actions, CommandRun run) {
    if (tuning_.ahead.bytes != 0 || tuning_.ahead.work != 0) {
      load_ahead(actions, tuning_.ahead);
    }
    assign_tokens(actions);
    std::vector<std::uint64_t> words = write_stream(actions, hardware_.queue_depth);
    if (contents_ == Contents::All) {
      seal_loads(words, program_.image, program_.regions.front().range, hardware_);
    }
    std::vector<std::uint8_t> bytes;
    for (const std::uint64_t word : words) {
      for (unsigned b = 0; b < 8; ++b) {
        bytes.push_back(static_cast<std::uint8_t>(word >> (8 * b)));
      }
    }
    const auto [address, fresh] = streams_.add(bytes, program_.image);
    program_.commands_saved_bytes += fresh ? 0 : bytes.size();
    run.stream = {address, bytes.size()};
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
  const Tuning& tuning_;
  Contents contents_;
  const UnitPlan& plan_;
  const Activations& activations_;
  OrderChoice choice_;
  Residency residency_;
  Program program_;
  std::vector<std::vector<PlannedPiece>> pieces_;  // by unit
  SharedBytes constants_{kAlignment};
  SharedBytes streams_{kAlignment};
  std::map<std::int32_t, std::uint64_t> operand_constants_;  // by tensor
  std::vector<std::optional<Slot>> slots_;
  std::vector<Segment> segments_;  // in the order in which they are run
  std::uint64_t commands_begin_ = 0;
};

}  // namespace

Prepared prepare(const Network& network, const Hardware& hardware, const Policy& policy) {
  UnitPlan plan = plan_units(network, hardware, policy);
  Activations activations(network, plan);
  OrderChoice orders = choose_orders(activations.order_problem(), policy.plan);
  return {network, hardware, policy, std::move(plan), std::move(activations), std::move(orders)};
}

Program compile_tuned(const Prepared& prepared, const Tuning& tuning, Contents contents) {
  return Compiler(prepared, tuning, contents).run();
}

}  // namespace tessera
