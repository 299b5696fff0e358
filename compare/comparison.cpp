#include "compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "app/input_steps.hpp"
#include "app/simulate.hpp"
#include "app/tensor_file.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

constexpr double kFloatTolerance = 1e-5;

template <class Value>
double number_at(const Bytes& bytes, std::size_t i) {
  Value value;
  std::memcpy(&value, &bytes[i * sizeof(Value)], sizeof(Value));
  return static_cast<double>(value);
}

double value_at(const Tensor& tensor, const Bytes& bytes, std::size_t i) {
  switch (tensor.type) {
    case DataType::Int8:
      return number_at<std::int8_t>(bytes, i);
    case DataType::Int16:
      return number_at<std::int16_t>(bytes, i);
    case DataType::Int32:
      return number_at<std::int32_t>(bytes, i);
    case DataType::Int64:
      return number_at<std::int64_t>(bytes, i);
    case DataType::Float32:
      return number_at<float>(bytes, i);
    case DataType::Bool:
      return number_at<std::uint8_t>(bytes, i);
  }
  return 0;
}

// Equal ones, both without a number or infinite alike, are no distance apart.
double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) {
    return 0;
  }
  const double difference = a - b;
  return std::isfinite(difference) ? difference : HUGE_VAL;
}

class Judge {
 public:
  Judge(const Tensor& tensor, const Bytes& theirs) : tensor_(tensor), theirs_(theirs) {
    if (tensor.type != DataType::Float32) {
      return;
    }
    for (std::size_t i = 0; i < count(); ++i) {
      const double value = std::fabs(value_at(tensor, theirs, i));
      tolerance_ =
          std::isfinite(value) ? std::max(tolerance_, value * kFloatTolerance) : tolerance_;
    }
  }

  [[nodiscard]] double difference(const Bytes& ours, std::size_t i) const {
    const double d = distance(value_at(tensor_, ours, i), value_at(tensor_, theirs_, i));
    return std::fabs(d) <= tolerance_ ? 0 : d;
  }

  [[nodiscard]] Differences of(const Bytes& ours) const {
    Differences all;
    all.values = count();
    for (std::size_t i = 0; i < count(); ++i) {
      const double d = difference(ours, i);
      all.different += d != 0 ? 1 : 0;
      all.greatest = std::max(all.greatest, std::fabs(d));
      if (tensor_.type == DataType::Int8) {
        ++all.steps[static_cast<std::int32_t>(d)];
      }
    }
    return all;
  }

  // Images by rows and columns, anything else as one row.
  [[nodiscard]] DifferenceMap map_of(const Bytes& ours) const {
    DifferenceMap map;
    const auto& shape = tensor_.shape;
    const bool is_image = shape.size() == 4 && shape[0] == 1;
    const std::size_t channels = is_image ? static_cast<std::size_t>(shape[3]) : 1;
    map.rows = is_image ? shape[1] : 1;
    map.columns = is_image ? shape[2] : static_cast<std::int32_t>(count());
    map.greatest.assign(count() / channels, 0);
    for (std::size_t i = 0; i < count(); ++i) {
      double& greatest = map.greatest[i / channels];
      greatest = std::max(greatest, std::fabs(difference(ours, i)));
    }
    return map;
  }

 private:
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(tensor_.elements()); }

  const Tensor& tensor_;
  const Bytes& theirs_;
  double tolerance_ = 0;
};

// A network with the runtime's values where it has some.
class Walk {
 public:
  /// `states`: ours before the step that is compared.
  Walk(Network network, const std::vector<FileTensor>& tensors, const std::vector<Bytes>& inputs,
       std::vector<Bytes> states, const RuntimeValues& values)
      : network_(std::move(network)),
        theirs_(network_.tensors.size()),
        ours_(network_.tensors.size()),
        states_(std::move(states)),
        names_(network_.tensors.size()) {
    for (const FileTensor& tensor : tensors) {
      const auto found = values.values.find(key_of(tensor));
      const Tensor there = in_file(network_, tensor);
      if (found != values.values.end() && found->second.size() == there.bytes()) {
        theirs_[at(tensor.tensor)] = from_own(there, found->second);
        names_[at(tensor.tensor)] = tensor.name;
      }
      const auto plain = values.undisturbed.find(key_of(tensor));
      if (plain != values.undisturbed.end() && plain->second.size() == there.bytes()) {
        undisturbed_[at(tensor.tensor)] = from_own(there, plain->second);
      }
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      theirs_[at(network_.inputs[i])] = inputs[i];
    }
    for (std::size_t s = 0; s < states_.size(); ++s) {
      ours_[at(network_.states[s].input)] = states_[s];
    }
  }

  [[nodiscard]] const Network& network() const { return network_; }

  /// Every operator on the runtime's values; on ours of those where it shows none.
  std::vector<ComparedOperator> operators() {
    std::vector<ComparedOperator> all;
    all.reserve(network_.operators.size());
    for (const Operator& op : network_.operators) {
      all.push_back(run(op));
    }
    return all;
  }

  [[nodiscard]] DifferenceMap map_of(std::size_t op) const {
    const std::size_t output = at(network_.operators[op].output);
    return Judge(network_.tensors[output], theirs_[output]).map_of(ours_[output]);
  }

  /// Our own run from the inputs on, into `all`; and the outputs.
  std::vector<ComparedOutput> whole(const std::vector<Bytes>& inputs,
                                    std::vector<ComparedOperator>& all) const {
    std::vector<Bytes> states = states_;
    const auto observe = [&](std::size_t op, const Bytes& output) {
      const std::size_t t = at(network_.operators[op].output);
      if (all[op].known) {
        all[op].whole = Judge(network_.tensors[t], theirs_[t]).of(output);
      }
    };
    const auto outputs = run_reference(network_, inputs, observe, &states);
    std::vector<ComparedOutput> compared;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::size_t t = at(network_.outputs[i]);
      if (!theirs_[t].empty()) {
        const auto plain = undisturbed_.find(t);
        const Bytes& theirs = plain == undisturbed_.end() ? theirs_[t] : plain->second;
        compared.push_back({names_[t], Judge(network_.tensors[t], theirs).of(outputs[i])});
      }
    }
    return compared;
  }

 private:
  static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

  ComparedOperator run(const Operator& op) {
    ComparedOperator result;
    result.name = op.name;
    result.type = op.type_name();
    std::vector<const std::uint8_t*> data;
    for (const std::int32_t input : op.inputs) {
      if (input < 0) {
        data.push_back(nullptr);
        continue;
      }
      const Bytes& constant = network_.tensors[at(input)].constant;
      const bool is_theirs = !theirs_[at(input)].empty();
      result.on_theirs = result.on_theirs && (is_theirs || !constant.empty());
      data.push_back(!constant.empty() ? constant.data()
                     : is_theirs       ? theirs_[at(input)].data()
                                       : ours_[at(input)].data());
    }
    const std::size_t out = at(op.output);
    ours_[out].resize(network_.tensors[out].bytes());
    run_operator(network_, op, data, ours_[out].data());
    result.known = !theirs_[out].empty();
    if (result.known) {
      result.output = names_[out];
      result.alone = Judge(network_.tensors[out], theirs_[out]).of(ours_[out]);
    }
    return result;
  }

  Network network_;
  std::vector<Bytes> theirs_, ours_;
  std::vector<Bytes> states_;
  std::map<std::size_t, Bytes> undisturbed_;  // outputs, by tensor, where they are others
  std::vector<std::string> names_;
};

// Those that give what the runtime has where ours do not.
void try_others(const Config& config, const std::vector<Bytes>& inputs,
                const std::vector<Bytes>& states, const RuntimeValues& values,
                Comparison& comparison) {
  for (const Numerics numerics : numerics_for(config.network)) {
    if (numerics == comparison.numerics) {
      continue;
    }
    Config other = config;
    other.numerics = numerics;
    std::vector<FileTensor> tensors;
    Network network = load_configured(other, &tensors);
    Walk walk(std::move(network), tensors, inputs, states, values);
    Alternative alternative{numerics, 0};
    std::map<std::string, bool> equal;  // by the output's name in the file
    for (const ComparedOperator& op : walk.operators()) {
      alternative.different += op.alone.different;
      if (op.known) {
        equal[op.output] = op.alone.is_equal();
      }
    }
    for (ComparedOperator& op : comparison.operators) {
      const auto found = equal.find(op.output);
      if (op.known && !op.alone.is_equal() && found != equal.end() && found->second) {
        op.agree.emplace_back(name_of(numerics));
      }
    }
    comparison.alternatives.push_back(alternative);
  }
}

}  // namespace

bool Comparison::is_equal() const {
  return !first.has_value() && std::all_of(outputs.begin(), outputs.end(), [](const auto& output) {
    return output.whole.is_equal();
  });
}

std::size_t Comparison::compared() const {
  return static_cast<std::size_t>(
      std::count_if(operators.begin(), operators.end(), [](const auto& op) { return op.known; }));
}

Comparison compare(const Config& config, const CompareOptions& options) {
  if (!config.models.empty()) {
    throw InputError("a runtime runs one model: what is compared is `network`, not `models`");
  }
  if (config.seeded_weights) {
    throw InputError("`weights: seeded`: weights from a seed are no runtime's");
  }
  const Runtime runtime = runtime_for(options.runtime, config.network, numerics_of(config));
  std::vector<FileTensor> tensors;
  const Network network = load_configured(config, &tensors);
  const std::vector<std::vector<Bytes>> steps = read_steps(config, network, options.input);
  const RuntimeValues values =
      run_in(runtime, config.network, options.python, network, tensors, steps, config.states);
  Comparison result = compare_with(config, network, tensors, steps, values);
  result.runtime = runtime;
  result.inputs = options.input.empty() ? fmt::format("seed {}", config.seed) : options.input;
  return result;
}

Comparison compare_with(const Config& config, const Network& network,
                        const std::vector<FileTensor>& tensors,
                        const std::vector<std::vector<Bytes>>& steps, const RuntimeValues& values) {
  Comparison result;
  const std::vector<Bytes>& inputs = steps.back();
  std::vector<Bytes> states = initial_states(network);
  for (std::size_t s = 0; s + 1 < steps.size(); ++s) {
    run_reference(network, steps[s], {}, &states);
  }
  if (steps.size() > 1) {
    result.notes.push_back(fmt::format("step {} of {} is compared", steps.size(), steps.size()));
  }
  result.model = config.network;
  result.network = std::filesystem::path(config.network).stem().string();
  result.numerics = numerics_of(config);
  result.notes.insert(result.notes.end(), network.notes.begin(), network.notes.end());
  for (const std::string& left : network.left_out) {
    result.notes.push_back("left out: " + left);
  }
  result.version = values.version;
  result.notes.insert(result.notes.end(), values.missing.begin(), values.missing.end());
  if (values.disturbed != 0) {
    result.notes.push_back(
        fmt::format("the runtime computes {} of its outputs' values otherwise when it shows what "
                    "is inside; the whole run is held against those that it gives without that",
                    values.disturbed));
  }
  Walk walk(network, tensors, inputs, states, values);
  result.operators = walk.operators();
  if (result.compared() == 0) {
    throw InputError(fmt::format(
        "{}: nothing can be compared: the runtime shows no operator's output", config.network));
  }
  result.outputs = walk.whole(inputs, result.operators);
  const auto first = std::find_if(result.operators.begin(), result.operators.end(),
                                  [](const auto& op) { return !op.alone.is_equal(); });
  if (first != result.operators.end()) {
    result.first = static_cast<std::size_t>(first - result.operators.begin());
    result.map = walk.map_of(*result.first);
    try_others(config, inputs, states, values, result);
  }
  return result;
}

}  // namespace tessera
