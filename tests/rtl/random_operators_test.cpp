// Random operators beside convolutions and pools, alone and behind one another, with and without
// fusion, on slow and stuttering memory, against the reference kernels.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>

#include "tests/rtl/random_networks.hpp"

namespace tessera {
namespace {

using test::draw_shape;
using test::one_of;
using test::pick;
using test::Recipe;
using test::yes_no;

void run(const Recipe& recipe, const std::string& preset) {
  const Hardware hw = hardware_preset(preset);
  const auto atomic = static_cast<int>(hw.atomic_c);
  const int atoms = static_cast<int>(hw.cbuf_atoms()) >> pick(0, 5);
  const std::string policy =
      fmt::format("name: {}, objective: {}, fuse: {}", one_of<std::string>({"first-fit", "best"}),
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

using Parameters = std::tuple<std::string, std::size_t>;

class RandomOperators : public testing::TestWithParam<Parameters> {};

TEST_P(RandomOperators, EqualTheReference) {
  const auto& [preset, recipe] = GetParam();
  setenv("RC_PARAMS", "seed=20 max_success=25 max_discard_ratio=40 noshrink=0", 0);
  EXPECT_TRUE(
      rc::check([&preset = preset, recipe = recipe] { run(test::recipes()[recipe], preset); }));
}

std::string name_of_parameters(const testing::TestParamInfo<Parameters>& parameters) {
  return fmt::format("{}_{}", std::get<0>(parameters.param),
                     test::recipes()[std::get<1>(parameters.param)].name);
}

INSTANTIATE_TEST_SUITE_P(Presets, RandomOperators,
                         testing::Combine(testing::Values("micro", "nano", "tiny", "small",
                                                          "medium"),
                                          testing::Range<std::size_t>(0, test::recipes().size())),
                         name_of_parameters);

}  // namespace
}  // namespace tessera
