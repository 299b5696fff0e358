#include "scheduler/lower/partition.hpp"

#include <algorithm>

namespace tessera {
namespace {

// What was adjacent stays adjacent.
bool keeps_rows(const std::vector<std::int32_t>& order) {
  return !order.empty() && static_cast<std::size_t>(order.back()) == order.size() - 1;
}

class UnitPlanner {
 public:
  UnitPlanner(const Network& network, const Hardware& hardware, const Policy& policy, bool slide)
      : network_(network),
        hardware_(hardware),
        policy_(policy),
        plan_{{}, Aliases(network, slide)},
        absorbed_(network.operators.size()),
        consumers_(network.tensors.size()),
        ready_at_(network.tensors.size(), kNever),
        pads_(network.tensors.size()) {
    for (std::size_t i = 0; i < network.operators.size(); ++i) {
      for (const std::int32_t input : network.operators[i].inputs) {
        if (input >= 0) {
          consumers_[static_cast<std::size_t>(input)].push_back(i);
        }
      }
    }
    // A use that no operator can take away.
    for (const std::int32_t output : network.outputs) {
      consumers_[static_cast<std::size_t>(output)].push_back(network.operators.size());
    }
    for (const State& state : network.states) {
      consumers_[static_cast<std::size_t>(state.output)].push_back(network.operators.size());
      ready_at_[static_cast<std::size_t>(state.input)] = 0;
    }
    for (std::size_t t = 0; t < network.tensors.size(); ++t) {
      if (!network.tensors[t].constant.empty()) {
        ready_at_[t] = 0;
      }
    }
    for (const std::int32_t input : network.inputs) {
      ready_at_[static_cast<std::size_t>(input)] = 0;
    }
  }

  Partition run() {
    for (std::size_t i = 0; i < network_.operators.size(); ++i) {
      if (absorbed_[i]) {
        continue;
      }
      if (policy_.fuse && fold_pad(i)) {
        continue;
      }
      add(i);
    }
    embed_tensors(network_, plan_);
    plan_.aliases.place_states();
    return std::move(plan_);
  }

 private:
  static constexpr std::size_t kNever = SIZE_MAX;

  [[nodiscard]] FoldedInputs pads_before(const Operator& op) const {
    FoldedInputs pads;
    for (std::size_t i = 0; i < std::min(pads.size(), op.inputs.size()); ++i) {
      pads[i] = op.inputs[i] >= 0 ? pads_[static_cast<std::size_t>(op.inputs[i])] : std::nullopt;
    }
    return pads;
  }

  // Whether the reader can do what was to be done to `tensor`, which `folded` replaces.
  [[nodiscard]] bool takes(const Operator& reader, std::int32_t tensor,
                           const FoldedInput& folded) const {
    const auto& shape = network_.tensors[static_cast<std::size_t>(folded.feature)].shape;
    const auto* host = std::get_if<HostOperator>(&reader.attributes);
    const bool is_product = host != nullptr && host->kind == HostKind::BatchMatMul;
    const bool takes_transposition =
        (is_product && keeps_rows(folded.order)) ||
        (std::holds_alternative<Mean>(reader.attributes) && shape.size() == 4);
    const bool takes_padding = std::holds_alternative<Conv2d>(reader.attributes) ||
                               std::holds_alternative<DepthwiseConv2d>(reader.attributes);
    const bool can = folded.order.empty() ? takes_padding : takes_transposition;
    FoldedInputs inputs = pads_before(reader);
    for (std::size_t i = 0; i < std::min(inputs.size(), reader.inputs.size()); ++i) {
      if (reader.inputs[i] == tensor) {
        inputs[i] = folded;
      }
    }
    return can && lower(network_, reader, hardware_, inputs).problem.empty();
  }

  // Its readers may come behind what writes the state anew.
  [[nodiscard]] bool lies_in_state(std::int32_t tensor) const {
    return std::any_of(network_.states.begin(), network_.states.end(), [&](const State& state) {
      return plan_.aliases.of(tensor).tensor == plan_.aliases.of(state.input).tensor;
    });
  }

  // A padding whose readers are all convolutions of the accelerator is part of them, as is a
  // transposition whose readers are all means or products.
  bool fold_pad(std::size_t i) {
    const Operator& op = network_.operators[i];
    const auto pad = foldable_input(network_, op);
    if (!pad || lies_in_state(pad->feature)) {
      return false;
    }
    for (const std::size_t reader : consumers_[static_cast<std::size_t>(op.output)]) {
      if (reader == network_.operators.size()) {
        return false;
      }
      if (!takes(network_.operators[reader], op.output, *pad)) {
        return false;
      }
    }
    if (consumers_[static_cast<std::size_t>(op.output)].empty()) {
      return false;
    }
    pads_[static_cast<std::size_t>(op.output)] = pad;
    folded_.push_back(i);
    return true;
  }

  void add(std::size_t i) {
    const Operator& op = network_.operators[i];
    FusedOperator unit;
    unit.op = i;
    unit.output = op.output;
    if (!is_slice_of_copied_slice(op) && plan_.aliases.try_no_copy(op)) {
      unit.kind = OperatorPlace::NoCopy;
    } else {
      const FoldedInputs pads = pads_before(op);
      unit.lowering = lower(network_, op, hardware_, pads);
      unit.host_reason = unit.lowering.problem;
      unit.kind = unit.host_reason.empty() ? OperatorPlace::Accelerator : OperatorPlace::Host;
      for (std::size_t n = 0; n < pads.size(); ++n) {
        if (pads[n]) {
          take_pads(unit, op.inputs[n]);
        }
      }
      if (unit.kind == OperatorPlace::Accelerator && policy_.fuse) {
        while (take_next(unit)) {
        }
      }
    }
    ready_at_[static_cast<std::size_t>(unit.output)] = plan_.units.size() + 1;
    plan_.units.push_back(std::move(unit));
  }

  // A unit that reads a state does not write it anew: its loads may come after its stores.
  [[nodiscard]] bool overwrites_its_state(const FusedOperator& unit, const Operator& next) const {
    return std::any_of(network_.states.begin(), network_.states.end(), [&](const State& state) {
      const auto reads = [&](std::int32_t tensor) {
        return tensor >= 0 &&
               plan_.aliases.of(tensor).tensor == plan_.aliases.of(state.input).tensor;
      };
      const auto& passes = unit.lowering.passes;
      return next.output == state.output &&
             (std::any_of(passes.begin(), passes.end(),
                          [&](const ArrayPass& pass) {
                            return reads(pass.feature) ||
                                   (pass.weights && reads(pass.weights->tensor));
                          }) ||
              (unit.lowering.post && reads(unit.lowering.post->operand)) ||
              std::any_of(next.inputs.begin(), next.inputs.end(), reads));
    });
  }

  // Both may become views of what the first one slices: a tensor inside a copy would keep that.
  [[nodiscard]] bool is_slice_of_copied_slice(const Operator& op) const {
    const auto sliced = [&](const FusedOperator& unit) {
      return unit.output == op.inputs[0] && unit.kind == OperatorPlace::Accelerator &&
             std::holds_alternative<StridedSlice>(network_.operators[unit.op].attributes);
    };
    return std::holds_alternative<StridedSlice>(op.attributes) &&
           std::any_of(plan_.units.begin(), plan_.units.end(), sliced);
  }

  // Reports name the padding with the first convolution that it became part of.
  void take_pads(FusedOperator& unit, std::int32_t padded) {
    const auto found = std::find_if(folded_.begin(), folded_.end(), [&](std::size_t pad) {
      return network_.operators[pad].output == padded;
    });
    if (found != folded_.end()) {
      unit.absorbed.push_back(*found);
      folded_.erase(found);
    }
  }

  // The only reader of the output may ride along, when what else it reads is there by then.
  bool take_next(FusedOperator& unit) {
    const auto& readers = consumers_[static_cast<std::size_t>(unit.output)];
    if (readers.size() != 1 || readers[0] == network_.operators.size()) {
      return false;
    }
    const Operator& next = network_.operators[readers[0]];
    for (const std::int32_t input : next.inputs) {
      if (input != unit.output &&
          (input < 0 || ready_at_[static_cast<std::size_t>(input)] == kNever)) {
        return false;
      }
    }
    if (overwrites_its_state(unit, next) ||
        !absorb(unit.lowering, network_, hardware_, next, unit.output)) {
      return false;
    }
    absorbed_[readers[0]] = true;
    unit.absorbed.push_back(readers[0]);
    unit.output = next.output;
    return true;
  }

  const Network& network_;
  const Hardware& hardware_;
  const Policy& policy_;
  Partition plan_;
  std::vector<bool> absorbed_;
  std::vector<std::vector<std::size_t>> consumers_;  // operators by tensor
  std::vector<std::size_t> ready_at_;                // units that must have run, by tensor
  std::vector<std::optional<FoldedInput>> pads_;     // by padded tensor
  std::vector<std::size_t> folded_;                  // paddings that no unit has named yet
};

}  // namespace

Partition partition_network(const Network& network, const Hardware& hardware, const Policy& policy,
                            bool slide) {
  return UnitPlanner(network, hardware, policy, slide).run();
}

}  // namespace tessera
