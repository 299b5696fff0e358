// Models that TensorFlow's converter and ONNX Runtime's quantiser wrote, with what their runtimes
// make of them: tests/zoo/make.py made them once.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/engine.hpp"
#include "tessera/error.hpp"
#include "tests/shared_data.hpp"
#include "tests/zoo/known_model.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> small_models() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(TESSERA_SOURCE_DIR "/tests/zoo/small")) {
    if (entry.path().extension() == ".json") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

class SmallZoo : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static fs::path file(const std::string& ending) {
    return fs::path(TESSERA_SOURCE_DIR "/tests/zoo/small") / (GetParam() + ending);
  }
};

TEST_P(SmallZoo, GivesWhatItsOwnRuntimeGives) {
  const test::KnownModel model(file(".json"));
  model.expect(run_reference(model.network, model.inputs()));
}

void expect_outputs_on_tlm(const test::KnownModel& model, PolicyName policy) {
  Policy with;
  with.name = policy;
  const Program program = compile(model.network, hardware_preset("medium"), with);
  ASSERT_TRUE(check_program(program).empty());
  RunOptions options;
  options.inputs = model.inputs();
  model.expect(run_on_tlm(program, options).outputs);
}

TEST_P(SmallZoo, RunsOnTlm) {
  expect_outputs_on_tlm(test::KnownModel(file(".json")), PolicyName::FirstFit);
}

TEST_P(SmallZoo, RunsOnTlmWithPolicyBest) {
  expect_outputs_on_tlm(test::KnownModel(file(".json")), PolicyName::Best);
}

TEST_P(SmallZoo, IsTheSameAsALayerList) {
  const test::KnownModel model(file(".json"));
  const fs::path dir =
      fs::temp_directory_path() / ("tessera_zoo_" + GetParam() + std::to_string(::getpid()));
  fs::create_directories(dir);
  export_yaml(model.network, (dir / "n.yaml").string());
  const Network again = load_network((dir / "n.yaml").string(), 9);
  EXPECT_EQ(run_reference(again, model.inputs()), run_reference(model.network, model.inputs()));
  for (std::size_t i = 0; i < again.outputs.size(); ++i) {
    const Tensor& a = again.tensors[static_cast<std::size_t>(again.outputs[i])];
    const Tensor& b = model.network.tensors[static_cast<std::size_t>(model.network.outputs[i])];
    EXPECT_EQ(file_type(a, TensorForm::Own), file_type(b, TensorForm::Own));
    EXPECT_EQ(file_shape(a, TensorForm::Own), file_shape(b, TensorForm::Own));
  }
  fs::remove_all(dir);
}

INSTANTIATE_TEST_SUITE_P(Models, SmallZoo, testing::ValuesIn(small_models()),
                         [](const auto& name) { return name.param; });

// The public ones that come with references; all others: ctest -L zoo.
TEST(PublicModels, KeywordSpottersEqualOnnxRuntime) {
  if (test::shared_dir().empty()) {
    GTEST_SKIP() << "skipped: the public models are not on this machine (TESSERA_SHARED)";
  }
  std::size_t different = 0;
  for (const char* name : {"micro_kws_m_static_qdq", "micro_kws_m_static_qoperator"}) {
    const std::string stem = test::shared_dir() + "/models/public/" + name;
    const Network network = load_network(stem + ".onnx", 1);
    for (int k = 1; k <= 4; ++k) {
      const auto values = [&](const char* kind) {
        const std::string text = test::text_of(fmt::format("{}.{}.{}.f32.bin", stem, k, kind));
        return Bytes(text.begin(), text.end());
      };
      const Bytes ours = run_reference(network, {values("input")})[0];
      const Bytes theirs = values("output");
      ASSERT_EQ(ours.size(), theirs.size());
      for (std::size_t i = 0; i < ours.size(); i += sizeof(float)) {
        float a = 0;
        float b = 0;
        std::memcpy(&a, &ours[i], sizeof(a));
        std::memcpy(&b, &theirs[i], sizeof(b));
        different += a != b ? 1 : 0;
        EXPECT_NEAR(a, b, 1.01F / 255) << name << " " << k << " " << i / sizeof(float);
      }
    }
  }
  EXPECT_EQ(different, 0U);
}

TEST(PublicModels, AreReadWhole) {
  if (test::shared_dir().empty()) {
    GTEST_SKIP() << "skipped: the public models are not on this machine (TESSERA_SHARED)";
  }
  for (const auto& entry : fs::directory_iterator(test::shared_dir() + "/models/public")) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".tflite" || ending == ".onnx") {
      const Network network = load_network(entry.path().string(), 1);
      EXPECT_TRUE(network.left_out.empty()) << entry.path();
      EXPECT_GT(network.operators.size(), 10U) << entry.path();
    }
  }
}

}  // namespace
}  // namespace tessera
