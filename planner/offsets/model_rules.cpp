#include "tessera/model_rules.hpp"

#include <algorithm>
#include <map>

#include "tessera/memory_plan.hpp"

namespace tessera {
namespace {

/// Bytes of something that models of different groups share and models of one group do not.
class SharedRegion {
 public:
  void add(std::uint32_t group, std::uint64_t bytes) {
    by_group_[group] += bytes;
    apart_ += bytes;
  }
  [[nodiscard]] std::uint64_t apart() const { return apart_; }
  [[nodiscard]] std::uint64_t shared() const {
    std::uint64_t most = 0;
    for (const auto& [group, bytes] : by_group_) {
      most = std::max(most, bytes);
    }
    return most;
  }

 private:
  std::map<std::uint32_t, std::uint64_t> by_group_;
  std::uint64_t apart_ = 0;
};

std::uint64_t temporaries_of(const ModelMemory& model) {
  std::uint64_t sum = 0;
  for (const auto& temporary : model.temporaries) {
    sum += temporary.bytes;
  }
  return sum;
}

// Temporaries and outputs of layers that do not read the input, in the input's memory: as much of
// it as their plan fills.
std::uint64_t saved_in_input(const ModelMemory& model) {
  AllocationProblem problem;
  for (const auto& temporary : model.temporaries) {
    if (temporary.lower >= model.input_upper) {
      problem.buffers.push_back({"", temporary.lower, temporary.upper, temporary.bytes});
    }
  }
  std::uint64_t most = 0;
  for (const Buffer& buffer : problem.buffers) {
    most = std::max(most, buffer.size <= model.input_bytes ? buffer.size : 0);
  }
  return most;
}

std::uint64_t planned(const ModelMemory& model) {
  AllocationProblem problem;
  for (const auto& temporary : model.temporaries) {
    problem.buffers.push_back({"", temporary.lower, temporary.upper, temporary.bytes});
  }
  return problem.buffers.empty() ? 0 : allocate(problem, PlannerName::GreedySize, {}).height;
}

// n equal slots, as many as are alive at once.
std::uint64_t slots(const ModelMemory& model) {
  std::uint64_t largest = 0;
  std::uint64_t most = 0;
  for (const auto& moment : model.temporaries) {
    std::uint64_t alive = 0;
    for (const auto& other : model.temporaries) {
      alive += other.lower <= moment.lower && moment.lower < other.upper ? 1 : 0;
    }
    most = std::max(most, alive);
    largest = std::max(largest, moment.bytes);
  }
  return most * largest;
}

std::uint64_t less(std::uint64_t from, std::uint64_t what) {
  return from > what ? from - what : 0;
}

}  // namespace

ModelRules apply_model_rules(const std::vector<ModelMemory>& models) {
  SharedRegion inputs;
  SharedRegion outputs;
  std::map<std::size_t, SharedRegion> positions;
  std::uint64_t kept = 0;
  std::uint64_t temporaries = 0;
  std::uint64_t in_input = 0;
  std::uint64_t within = 0;
  std::uint64_t pools = 0;
  for (const ModelMemory& model : models) {
    inputs.add(model.group, model.input_bytes);
    if (model.keep_outputs) {
      kept += model.output_bytes;
    } else {
      outputs.add(model.group, model.output_bytes);
    }
    for (std::size_t p = 0; p < model.temporaries.size(); ++p) {
      positions[p].add(model.group, model.temporaries[p].bytes);
    }
    temporaries += temporaries_of(model);
    in_input += saved_in_input(model);
    within += less(temporaries_of(model), planned(model));
    pools += less(temporaries_of(model), slots(model));
  }
  std::uint64_t by_position = 0;
  for (const auto& [position, region] : positions) {
    by_position += region.shared();
  }
  ModelRules result;
  result.apart_bytes = inputs.apart() + temporaries + outputs.apart() + kept;
  result.savings = {{"inputs share one memory", inputs.apart() - inputs.shared()},
                    {"temporaries at the same position share", temporaries - by_position},
                    {"outputs that are not kept share", outputs.apart() - outputs.shared()},
                    {"temporaries in a dead input's memory", in_input},
                    {"temporaries of one model share", within},
                    {"temporaries from equal slots", pools}};
  result.regions_bytes = inputs.shared() + by_position + outputs.shared() + kept;
  return result;
}

}  // namespace tessera
