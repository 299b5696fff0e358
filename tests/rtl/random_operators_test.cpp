// Random operators beside convolutions and pools, alone and behind one another, with and without
// fusion, on slow and stuttering memory, against the reference kernels.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/draws.hpp"
#include "tests/rtl/random_networks.hpp"

namespace tessera {
namespace {

using test::draw_shape;
using test::one_of;
using test::pick;
using test::Recipe;
using test::yes_no;

void run_operators(const Recipe& recipe, const std::string& preset) {
  const Hardware hw = hardware_preset(preset);
  const auto atomic = static_cast<int>(hw.atomic_c);
  const int atoms = static_cast<int>(hw.cbuf_atoms()) >> pick(0, 5);
  const std::string policy =
      test::policy_text(one_of<std::string>({"first-fit", "best"}),
                        one_of<std::string>({"cycles", "traffic", "energy"}), yes_no());
  test::RandomCase drawn;
  drawn.config = test::draw_config(preset, atoms * atomic, policy);
  drawn.network = recipe.draw(draw_shape(atomic), atomic);
  const test::Outcome outcome = test::run_case(drawn);
  for (const LayerRecord& layer : outcome.program.layers) {
    const bool is_missing = layer.host_reason.find("built without") != std::string::npos;
    if (!layer.host_reason.empty() && !is_missing) {
      RC_FAIL(
          fmt::format("{} runs on the host: {}{}", layer.op, layer.host_reason, drawn.repeat()));
    }
  }
}

using PresetAndRecipe = std::tuple<std::string, std::size_t>;

class RandomOperators : public testing::TestWithParam<PresetAndRecipe> {};

TEST_P(RandomOperators, EqualTheReference) {
  const auto& [preset, recipe] = GetParam();
  test::expect_always(
      5, [&preset = preset, recipe = recipe] { run_operators(test::recipes()[recipe], preset); });
}

std::string preset_and_recipe(const testing::TestParamInfo<PresetAndRecipe>& parameters) {
  return fmt::format("{}_{}", std::get<0>(parameters.param),
                     test::recipes()[std::get<1>(parameters.param)].name);
}

INSTANTIATE_TEST_SUITE_P(Presets, RandomOperators,
                         testing::Combine(testing::Values("micro", "nano", "tiny", "small",
                                                          "medium"),
                                          testing::Range<std::size_t>(0, test::recipes().size())),
                         preset_and_recipe);

}  // namespace
}  // namespace tessera
