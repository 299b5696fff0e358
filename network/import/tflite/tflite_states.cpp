#include "network/import/tflite/tflite_states.hpp"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::int32_t kCallOnce = 129;
constexpr std::int32_t kVarHandle = 142;
constexpr std::int32_t kReadVariable = 143;
constexpr std::int32_t kAssignVariable = 144;

}  // namespace

std::int32_t builtin_of(const tflite::Model& model, const tflite::Operator& source) {
  const auto* codes = model.operator_codes();
  if (codes == nullptr || source.opcode_index() >= codes->size()) {
    return -1;
  }
  const auto* code = codes->Get(source.opcode_index());
  return std::max<std::int32_t>(code->deprecated_builtin_code(), code->builtin_code());
}

bool TfliteStates::is_one(std::int32_t builtin) {
  return name_of(builtin) != nullptr;
}

const char* TfliteStates::name_of(std::int32_t builtin) {
  switch (builtin) {
    case kCallOnce:
      return "CALL_ONCE";
    case kVarHandle:
      return "VAR_HANDLE";
    case kReadVariable:
      return "READ_VARIABLE";
    case kAssignVariable:
      return "ASSIGN_VARIABLE";
    default:
      return nullptr;
  }
}

void TfliteStates::read(const tflite::Operator& source, std::int32_t builtin) {
  switch (builtin) {
    case kCallOnce:
      call_once(source);
      break;
    case kVarHandle:
      handle(source);
      break;
    case kReadVariable:
      read_variable(source);
      break;
    default:
      assign_variable(source);
      break;
  }
}

// A variable is known by its container and its name there.
std::size_t TfliteStates::variable_of(const tflite::Operator& source) {
  const auto& options = graph_.need(source.builtin_options_as_VarHandleOptions());
  const auto text = [](const flatbuffers::String* string) {
    return string != nullptr ? string->str() : std::string();
  };
  const std::string container = text(options.container());
  const std::string name = container.empty() ? text(options.shared_name())
                                             : container + "/" + text(options.shared_name());
  const auto [entry, fresh] = by_name_.emplace(name, variables_.size());
  if (fresh) {
    variables_.push_back({name, nullptr, -1, -1});
  }
  return entry->second;
}

// What the subgraph does that runs before anything else: it assigns constants.
void TfliteStates::initialise(const tflite::SubGraph& subgraph) {
  graph_.require(subgraph.tensors() != nullptr, "its subgraph has no tensors");
  std::map<std::int32_t, std::size_t> handles;
  const std::size_t operators = subgraph.operators() != nullptr ? subgraph.operators()->size() : 0;
  for (std::size_t i = 0; i < operators; ++i) {
    const tflite::Operator& op = *subgraph.operators()->Get(static_cast<unsigned>(i));
    const std::int32_t builtin = builtin_of(model_, op);
    const std::vector<std::int32_t> inputs = values_of(op.inputs());
    const std::vector<std::int32_t> outputs = values_of(op.outputs());
    if (builtin == kVarHandle && outputs.size() == 1) {
      handles[outputs[0]] = variable_of(op);
      continue;
    }
    graph_.require(builtin == kAssignVariable && inputs.size() == 2,
                   fmt::format("operator {} of its subgraph is neither VAR_HANDLE nor "
                               "ASSIGN_VARIABLE of a constant; supported are these two",
                               i));
    const auto found = handles.find(inputs[0]);
    graph_.require(found != handles.end() && inputs[1] >= 0 &&
                       static_cast<unsigned>(inputs[1]) < subgraph.tensors()->size(),
                   fmt::format("operator {} of its subgraph assigns to no variable", i));
    variables_[found->second].initial = subgraph.tensors()->Get(static_cast<unsigned>(inputs[1]));
  }
}

void TfliteStates::call_once(const tflite::Operator& source) {
  const std::int32_t index =
      graph_.need(source.builtin_options_as_CallOnceOptions()).init_subgraph_index();
  graph_.require(index >= 0 && static_cast<unsigned>(index) < model_.subgraphs()->size() &&
                     model_.subgraphs()->Get(static_cast<unsigned>(index)) != &graph_.subgraph(),
                 fmt::format("its subgraph {} does not exist, or is this one", index));
  initialise(*model_.subgraphs()->Get(static_cast<unsigned>(index)));
}

void TfliteStates::handle(const tflite::Operator& source) {
  const std::vector<std::int32_t> outputs = values_of(source.outputs());
  graph_.require(outputs.size() == 1, "must have one output");
  graph_.check_tensors(outputs, 0);
  handles_[outputs[0]] = variable_of(source);
}

TfliteStates::Variable& TfliteStates::variable(std::int32_t handle) {
  const auto found = handles_.find(handle);
  graph_.require(found != handles_.end(),
                 fmt::format("tensor {} is no variable of VAR_HANDLE", handle));
  return variables_[found->second];
}

void TfliteStates::read_variable(const tflite::Operator& source) {
  const std::vector<std::int32_t> inputs = values_of(source.inputs());
  const std::vector<std::int32_t> outputs = values_of(source.outputs());
  graph_.require(inputs.size() == 1 && outputs.size() == 1, "must have one input and one output");
  graph_.check_tensors(outputs, 0);
  graph_.check_usable(outputs);
  graph_.claim(outputs);
  Variable& variable = this->variable(inputs[0]);
  const std::int32_t now = variable.assigned >= 0 ? variable.assigned : variable.read;
  if (now < 0) {
    variable.read = outputs[0];
    return;
  }
  graph_.call("RESHAPE");
  graph_.add(Reshape{}, {now}, outputs[0]);
}

void TfliteStates::assign_variable(const tflite::Operator& source) {
  const std::vector<std::int32_t> inputs = values_of(source.inputs());
  graph_.require(inputs.size() == 2, "must have two inputs");
  graph_.check_tensors(inputs, 0);
  graph_.check_usable({inputs[1]});
  variable(inputs[0]).assigned = inputs[1];
}

std::vector<std::uint8_t> TfliteStates::initial_of(const Variable& variable) const {
  const Tensor& tensor = graph_.tensor(variable.read);
  if (variable.initial == nullptr) {
    graph_.fail("is read before anything is assigned to it; CALL_ONCE must give its first value");
  }
  const tflite::Tensor& source = *variable.initial;
  const auto* buffers = model_.buffers();
  const bool exists = buffers != nullptr && source.buffer() < buffers->size() &&
                      buffers->Get(source.buffer())->data() != nullptr;
  std::vector<std::uint8_t> bytes =
      exists ? values_of(buffers->Get(source.buffer())->data()) : std::vector<std::uint8_t>();
  graph_.require(
      bytes.size() == tensor.bytes(),
      fmt::format("its first value has {} bytes; it is read as {}", bytes.size(), tensor.bytes()));
  if (tensor.form.is_unsigned) {
    for (std::uint8_t& byte : bytes) {
      byte ^= 0x80;
    }
  }
  return bytes;
}

void TfliteStates::finish() {
  for (const Variable& variable : variables_) {
    if (variable.read < 0) {
      continue;  // nobody needs what it held before
    }
    graph_.at(fmt::format("variable `{}`: ", variable.name));
    State state;
    state.name = variable.name;
    state.input = variable.read;
    state.output = variable.assigned >= 0 ? variable.assigned : variable.read;
    state.initial = initial_of(variable);
    graph_.add_state(std::move(state));
  }
}

}  // namespace tessera
