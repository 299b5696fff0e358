// The host kernels against the reference outputs of real models, operator by operator.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "input/read_file.hpp"
#include "tessera/import.hpp"
#include "tessera/reference.hpp"
#include "tests/digest.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

class ReferenceModels : public testing::TestWithParam<const char*> {};

TEST_P(ReferenceModels, EveryOperatorOfEveryInputIsBitExact) {
  TESSERA_NEEDS_SHARED();
  const std::string model = GetParam();
  const Network network =
      load_network(test::shared_dir() + "/models/" + model + "/model.tflite", 1);
  const auto inputs = test::model_inputs(model);
  ASSERT_FALSE(inputs.empty());
  for (const std::string& tag : inputs) {
    SCOPED_TRACE(tag);
    std::ifstream file(tag + ".layers.json");
    const auto layers = nlohmann::json::parse(file);
    ASSERT_EQ(layers.size(), network.operators.size());
    const auto outputs = run_reference(
        network, {read_file(tag + ".input.bin")}, [&](std::size_t op, const Bytes& output) {
          EXPECT_EQ(test::sha256(output), layers[op]["sha256"])
              << "operator " << op << ", " << network.operators[op].type_name();
        });
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::string name = outputs.size() == 1 ? "output" : "output" + std::to_string(i);
      EXPECT_EQ(outputs[i], read_file(fmt::format("{}.{}.bin", tag, name)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ReferenceModels,
                         testing::Values("ic_resnet8", "kws_dscnn", "ad_autoencoder",
                                         "person_detect", "ssd_slim"),
                         [](const auto& param_info) { return std::string(param_info.param); });

}  // namespace
}  // namespace tessera
