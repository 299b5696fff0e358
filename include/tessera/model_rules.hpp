// What several models on one accelerator save by sharing memory, rule by rule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// Bytes of one model's activations. Temporaries are by position: the output of its first layer,
/// of its second one, ...
struct ModelMemory {
  struct Temporary {
    std::uint64_t bytes = 0;
    std::int64_t lower = 0;  ///< layer that writes it
    std::int64_t upper = 0;  ///< one past the last layer that needs it
  };

  std::string name;
  std::uint32_t group = 0;  ///< models of one group run at the same time
  bool keep_outputs = true;
  std::uint64_t input_bytes = 0;
  std::int64_t input_upper = 0;  ///< one past the last layer that reads the input
  std::uint64_t output_bytes = 0;
  std::vector<Temporary> temporaries;
};

struct RuleSaving {
  std::string rule;
  std::uint64_t bytes = 0;
};

/// Regions by the published rules, each alone against memory that shares nothing: models that run
/// one after the other share their inputs, their temporaries at the same position, and outputs
/// that are not kept; within a model what does not need the input may use its memory, temporaries
/// that are never needed together share, and all of them may come from a pool of equal slots.
struct ModelRules {
  std::uint64_t apart_bytes = 0;  ///< everything in memory of its own
  std::vector<RuleSaving> savings;
  std::uint64_t regions_bytes = 0;  ///< with the rules between models together
};
ModelRules apply_model_rules(const std::vector<ModelMemory>& models);

}  // namespace tessera
