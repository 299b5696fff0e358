// Graph building: operators enter the network: checked, folded when constant, or left out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "network/builder.hpp"
#include "network/import/tflite/seeded.hpp"
#include "network/import/tflite/tflite_graph.hpp"
#include "network/numerics.hpp"
#include "network/states.hpp"
#include "network/wide_sums.hpp"
#include "tessera/reference.hpp"

namespace tessera {

void TfliteGraph::add(Attributes attributes, std::vector<std::int32_t> inputs,
                      std::int32_t output) {
  Operator op;
  op.attributes = std::move(attributes);
  op.inputs = std::move(inputs);
  op.output = output;
  add(std::move(op));
}

bool TfliteGraph::has_batches(const Operator& op) const {
  const bool sees_windows = std::holds_alternative<Conv2d>(op.attributes) ||
                            std::holds_alternative<DepthwiseConv2d>(op.attributes) ||
                            std::holds_alternative<TransposeConv2d>(op.attributes) ||
                            std::holds_alternative<Pool2d>(op.attributes) ||
                            std::holds_alternative<ResizeNearest>(op.attributes);
  if (!sees_windows || op.inputs.empty() || op.inputs[0] < 0) {
    return false;
  }
  const auto& in = tensor(op.inputs[0]).shape;
  const auto& out = tensor(op.output).shape;
  return in.size() == 4 && out.size() == 4 && in[0] > 1 && in[0] == out[0] &&
         tensor(op.inputs[0]).constant.empty();
}

// Pictures of several batches: one after the other.
void TfliteGraph::add_by_batches(const Operator& op) {
  constexpr std::int32_t kMost = 256;
  const std::int32_t whole = op.inputs[0];
  const std::int32_t count = tensor(whole).shape[0];
  require(count <= kMost, fmt::format("{} batches; at most {} are supported", count, kMost));
  const auto one_of = [](std::vector<std::int32_t> shape) {
    shape[0] = 1;
    return shape;
  };
  const auto apart = parts_.find(whole);
  std::vector<std::int32_t> parts;
  for (std::int32_t b = 0; b < count; ++b) {
    Operator one = op;
    if (apart != parts_.end()) {
      one.inputs[0] = apart->second[static_cast<std::size_t>(b)];
    } else {
      one.inputs[0] = new_tensor(fmt::format("{}/batch{}", tensor(whole).name, b),
                                 one_of(tensor(whole).shape), whole);
      add(StridedSlice{{b, 0, 0, 0}, {1, 1, 1, 1}}, {whole}, one.inputs[0]);
    }
    one.output = new_tensor(fmt::format("{}/batch{}", tensor(op.output).name, b),
                            one_of(tensor(op.output).shape), op.output);
    parts.push_back(one.output);
    add(std::move(one));
  }
  Operator join;
  join.attributes = Concatenation{0};
  join.inputs = parts;
  join.output = op.output;
  add(std::move(join));
  network_.operators.back().name += kBatches;
  parts_[op.output] = std::move(parts);
}

// Operators that only move bytes, or take one of several, work without scales.
bool TfliteGraph::moves_bytes(const Operator& op) {
  if (const auto* pool = std::get_if<Pool2d>(&op.attributes); pool != nullptr) {
    return pool->kind == PoolKind::Max;
  }
  if (const auto* host = std::get_if<HostOperator>(&op.attributes); host != nullptr) {
    static const std::set<HostKind> kinds = {
        HostKind::Gather,  HostKind::GatherNd,     HostKind::Tile,      HostKind::BroadcastTo,
        HostKind::Reverse, HostKind::MirrorPad,    HostKind::PadValue,  HostKind::Minimum,
        HostKind::Maximum, HostKind::Select,       HostKind::ReduceMax, HostKind::ReduceMin,
        HostKind::ArgMax,  HostKind::ArgMin,       HostKind::Equal,     HostKind::NotEqual,
        HostKind::Greater, HostKind::GreaterEqual, HostKind::Less,      HostKind::LessEqual};
    return kinds.count(host->kind) != 0;
  }
  return std::holds_alternative<Reshape>(op.attributes) ||
         std::holds_alternative<Transpose>(op.attributes) ||
         std::holds_alternative<StridedSlice>(op.attributes) ||
         std::holds_alternative<Pad>(op.attributes) ||
         std::holds_alternative<Concatenation>(op.attributes) ||
         std::holds_alternative<ResizeNearest>(op.attributes);
}

// Bytes whose scale the file does not give: moved as numbers, and no operator computes with them.
void TfliteGraph::settle_scales(const Operator& op) {
  if (const auto* host = std::get_if<HostOperator>(&op.attributes);
      host != nullptr && host->kind == HostKind::Cast) {
    return;  // of numbers, whatever they mean
  }
  std::vector<std::int32_t> bytes;
  for (const std::int32_t t : op.inputs) {
    if (t >= 0 && tensor(t).type == DataType::Int8) {
      bytes.push_back(t);
    }
  }
  if (tensor(op.output).type == DataType::Int8) {
    bytes.push_back(op.output);
  }
  const auto lacks = [&](std::int32_t t) {
    return tensor(t).quantisation.scales.empty() || unscaled_.count(t) != 0;
  };
  if (std::none_of(bytes.begin(), bytes.end(), lacks)) {
    return;
  }
  require(moves_bytes(op), "computes with int8 tensors that have no scale");
  require(std::all_of(bytes.begin(), bytes.end(), lacks),
          "reads or writes int8 tensors with a scale beside some without");
  for (const std::int32_t t : bytes) {
    unscaled_.insert(t);
    network_.tensors[static_cast<std::size_t>(t)].quantisation = {{1.0F},
                                                                  is_unsigned(t) ? -128 : 0};
  }
}

void TfliteGraph::add(Operator op) {
  // The host's operators have no inputs that are absent.
  while (std::holds_alternative<HostOperator>(op.attributes) && op.inputs.size() > 1 &&
         op.inputs.back() == -1) {
    op.inputs.pop_back();
  }
  if (!seeded_) {
    settle_scales(op);
  }
  if (has_batches(op)) {
    add_by_batches(op);
    return;
  }
  if (seeded_) {
    seed_operator(network_, op, options_.seed);
  }
  // A table is named after the function that it holds.
  const auto* unary = std::get_if<Unary>(&op.attributes);
  const bool table = unary != nullptr && unary->kind == UnaryKind::Lookup;
  op.name = fmt::format("{}_{}", table ? kind_ : op.type_name(), network_.operators.size());
  require(!op.inputs.empty(), "needs inputs");
  check_usable(op.inputs);
  try {
    check_operator(network_, op);
  } catch (const InputError& error) {
    // The file's name and the operator stand in front already.
    const std::string text = error.what();
    const std::size_t colon = text.find(": ", network_.name.size() + 2);
    fail(colon == std::string::npos ? text : text.substr(colon + 2));
  }
  const bool constant = std::all_of(op.inputs.begin(), op.inputs.end(), [&](std::int32_t input) {
    return input < 0 || !tensor(input).constant.empty();
  });
  if (constant) {
    fold(op);
  } else {
    network_.operators.push_back(std::move(op));
  }
}

void TfliteGraph::fold(const Operator& op) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 26;
  require(tensor(op.output).bytes() <= kMostBytes,
          fmt::format("computes a constant of {} bytes; at most {} are", tensor(op.output).bytes(),
                      kMostBytes));
  std::vector<const std::uint8_t*> data;
  data.reserve(op.inputs.size());
  for (const std::int32_t input : op.inputs) {
    data.push_back(input < 0 ? nullptr : tensor(input).constant.data());
  }
  std::vector<std::uint8_t> bytes(tensor(op.output).bytes());
  run_operator(network_, op, data, bytes.data());
  set_constant(op.output, std::move(bytes));
}

void TfliteGraph::leave_out(const tflite::Operator& source, std::size_t index,
                            const std::string& why, std::size_t operators) {
  network_.operators.resize(operators);
  const std::string own = why.rfind(network_.name + ": ", 0) == 0
                              ? why.substr(network_.name.size() + 2)
                              : fmt::format("operator {}: {}", index, why);
  failures_.push_back(own);
  if (!options_.cut) {
    return;  // what follows has its own problems to tell
  }
  const auto exists = [&](std::int32_t t) {
    return t >= 0 && static_cast<std::size_t>(t) < network_.tensors.size();
  };
  for (const std::int32_t input : values_of(source.inputs())) {
    if (exists(input) && problems_[static_cast<std::size_t>(input)].empty() &&
        tensor(input).constant.empty()) {
      open_ends_.push_back(input);
    }
  }
  for (const std::int32_t output : values_of(source.outputs())) {
    if (exists(output)) {
      problems_[static_cast<std::size_t>(output)] =
          fmt::format("reads what operator {} would compute", index);
    }
  }
}

// Outputs that are still there, then the tensors at the cut.
void TfliteGraph::cut() {
  std::vector<bool> computed(network_.tensors.size(), false);
  for (const Operator& op : network_.operators) {
    computed[static_cast<std::size_t>(op.output)] = true;
  }
  std::vector<std::int32_t> outputs;
  const auto take = [&](std::int32_t tensor) {
    if (computed[static_cast<std::size_t>(tensor)] &&
        std::find(outputs.begin(), outputs.end(), tensor) == outputs.end()) {
      outputs.push_back(tensor);
    }
  };
  std::for_each(network_.outputs.begin(), network_.outputs.end(), take);
  std::for_each(open_ends_.begin(), open_ends_.end(), take);
  where_.clear();
  require(!outputs.empty(), fmt::format("nothing is left when what is not supported is cut off:\n"
                                        "  {}",
                                        fmt::join(failures_, "\n  ")));
  network_.outputs = std::move(outputs);
  const auto unusable = [&](std::int32_t input) {
    return !problems_[static_cast<std::size_t>(input)].empty();
  };
  auto& inputs = network_.inputs;
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(), unusable), inputs.end());
  network_.left_out = failures_;
}

// A variable that is not assigned any more keeps the value that it begins with.
void TfliteGraph::cut_states() {
  std::vector<bool> computed(network_.tensors.size(), false);
  for (const Operator& op : network_.operators) {
    computed[static_cast<std::size_t>(op.output)] = true;
  }
  for (State& state : network_.states) {
    if (!computed[static_cast<std::size_t>(state.output)] && state.output != state.input) {
      state.output = state.input;
      network_.left_out.push_back(fmt::format(
          "variable `{}`: keeps its first value, what it is assigned is left out", state.name));
    }
  }
}

// A tensor has one place and one form: what is an input, or an output already, is copied.
void TfliteGraph::copy_outputs() {
  std::vector<std::int32_t> outputs;
  for (const std::int32_t output : network_.outputs) {
    const auto in = [&](const std::vector<std::int32_t>& tensors) {
      return std::find(tensors.begin(), tensors.end(), output) != tensors.end();
    };
    const bool is_state = std::any_of(network_.states.begin(), network_.states.end(),
                                      [&](const State& state) { return state.input == output; });
    if (!in(network_.inputs) && !in(outputs) && !is_state) {
      outputs.push_back(output);
      continue;
    }
    call("RESHAPE");
    outputs.push_back(new_tensor(tensor(output).name + "/output", tensor(output).shape, output));
    add(Reshape{}, {output}, outputs.back());
  }
  network_.outputs = std::move(outputs);
}

// The file's own come first among the network's.
void TfliteGraph::list_file_tensors() const {
  if (options_.file_tensors == nullptr) {
    return;
  }
  std::vector<bool> has_values(network_.tensors.size(), false);
  for (const std::int32_t input : network_.inputs) {
    has_values[static_cast<std::size_t>(input)] = true;
  }
  for (const State& state : network_.states) {
    has_values[static_cast<std::size_t>(state.input)] = true;
  }
  for (const Operator& op : network_.operators) {
    has_values[static_cast<std::size_t>(op.output)] = true;
  }
  const std::size_t own = subgraph_->tensors() != nullptr ? subgraph_->tensors()->size() : 0;
  for (std::size_t t = 0; t < own; ++t) {
    if (has_values[t]) {
      const Tensor& tensor = network_.tensors[t];
      options_.file_tensors->push_back(
          {static_cast<std::int32_t>(t), tensor.name, static_cast<std::int32_t>(t), tensor.form});
    }
  }
}

Network TfliteGraph::finish() {
  where_.clear();
  if (!failures_.empty()) {
    if (!options_.cut) {
      fail(failures_.size() == 1
               ? failures_[0]
               : fmt::format("{} operators are in the way:\n  {}\n(`unsupported: cut` runs what "
                             "comes before them)",
                             failures_.size(), fmt::join(failures_, "\n  ")));
    }
    cut();
    cut_states();
  }
  // Tensors of other types that nobody reads are of no account.
  for (std::size_t t = 0; t < problems_.size(); ++t) {
    if (!problems_[t].empty()) {
      Tensor unused;
      unused.name = network_.tensors[t].name;
      network_.tensors[t] = unused;
    }
  }
  check_usable(network_.inputs);
  check_usable(network_.outputs);
  copy_outputs();
  settle_states(network_);
  drop_unread_batches(network_);
  list_file_tensors();
  round_as(options_.numerics, network_);
  check_network(network_);
  bound_scaled_sums(network_);
  return std::move(network_);
}

}  // namespace tessera
