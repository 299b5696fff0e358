// Comparisons with a runtime's values: here those of the reference kernels, changed.
#include "compare/comparison.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/tensor_file.hpp"
#include "tessera/error.hpp"
#include "tests/files.hpp"

namespace tessera {
namespace {

const std::string kSmall = TESSERA_SOURCE_DIR "/tests/zoo/small/";

class Compared : public testing::Test {
 protected:
  void load(const std::string& model, const std::string& numerics) {
    const std::string base = TESSERA_SOURCE_DIR "/configs/npu.yaml";
    const std::string network = "network=" + kSmall + model;
    config_ = load_config(base, {network});
    tensors_.clear();
    network_ = load_configured(config_, &tensors_);
    inputs_ = {network_.inputs.size(), Bytes{}};
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Tensor& tensor = network_.tensors[static_cast<std::size_t>(network_.inputs[i])];
      inputs_[i].resize(tensor.bytes());
      for (std::size_t b = 0; b < inputs_[i].size(); ++b) {
        // Whole floats as well.
        inputs_[i][b] = tensor.type == DataType::Float32
                            ? static_cast<std::uint8_t>(b % 4 == 3 ? 0x3E + b / 4 % 2 : b * 37)
                            : static_cast<std::uint8_t>(b * 73 + i);
      }
    }
    // What a runtime of that rounding has.
    const Config theirs = load_config(base, {network, "numerics=" + numerics});
    std::vector<FileTensor> tensors;
    const Network rounded = load_configured(theirs, &tensors);
    std::vector<Bytes> values(rounded.tensors.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      values[static_cast<std::size_t>(rounded.inputs[i])] = inputs_[i];
    }
    run_reference(rounded, inputs_, [&](std::size_t op, const Bytes& output) {
      values[static_cast<std::size_t>(rounded.operators[op].output)] = output;
    });
    runtime_ = {};
    runtime_.version = "a runtime";
    for (const FileTensor& tensor : tensors) {
      runtime_.values[key_of(tensor)] =
          to_own(in_file(rounded, tensor), values[static_cast<std::size_t>(tensor.tensor)]);
    }
  }

  [[nodiscard]] Comparison compared() const {
    return compare_with(config_, network_, tensors_, {inputs_}, runtime_);
  }

  /// The key of what an operator computes.
  [[nodiscard]] FileKey output_of(std::size_t op) const {
    for (const FileTensor& tensor : tensors_) {
      if (tensor.tensor == network_.operators[op].output) {
        return key_of(tensor);
      }
    }
    return {};
  }

  Config config_;
  Network network_;
  std::vector<FileTensor> tensors_;
  std::vector<Bytes> inputs_;
  RuntimeValues runtime_;
};

TEST_F(Compared, TheSameValuesAreEqual) {
  for (const char* model : {"keyword_spotter_int8.tflite", "elementwise_int8.tflite",
                            "arrangements_uint8.tflite", "squeeze_excite_qdq_int8.onnx"}) {
    if (!std::filesystem::exists(kSmall + model)) {
      ADD_FAILURE() << model;
      continue;
    }
    load(model, "auto");
    const Comparison result = compared();
    EXPECT_TRUE(result.is_equal()) << comparison_table(result, false);
    EXPECT_FALSE(result.first.has_value());
    EXPECT_GT(result.compared(), result.operators.size() / 2) << model;
    EXPECT_FALSE(result.outputs.empty());
    EXPECT_NE(comparison_table(result, false).find("values are equal"), std::string::npos);
  }
}

TEST_F(Compared, OneChangedValueIsFoundWhereItIs) {
  load("keyword_spotter_int8.tflite", "auto");
  const std::size_t op = 2;
  Bytes& values = runtime_.values.at(output_of(op));
  values[5] = static_cast<std::uint8_t>(values[5] ^ 1);
  const Comparison result = compared();
  ASSERT_EQ(result.first, op);
  const ComparedOperator& first = result.operators[op];
  EXPECT_EQ(first.alone.different, 1U);
  EXPECT_EQ(first.alone.greatest, 1);
  EXPECT_EQ(first.alone.values, values.size());
  EXPECT_EQ(first.alone.steps.at(0), values.size() - 1);
  EXPECT_EQ(std::count_if(result.map.greatest.begin(), result.map.greatest.end(),
                          [](double d) { return d != 0; }),
            1);
  // No rounding gives that.
  EXPECT_TRUE(first.agree.empty());
  ASSERT_EQ(result.alternatives.size(), 2U);
  EXPECT_GT(result.alternatives[0].different, 0U);
  const std::string text = comparison_table(result, false);
  EXPECT_NE(text.find("1 of " + std::to_string(values.size()) + " values, by 1 at most"),
            std::string::npos)
      << text;
  const auto json = nlohmann::json::parse(comparison_json(result));
  EXPECT_EQ(json["schema"], "tessera.comparison/1");
  EXPECT_EQ(json["first"], op);
  EXPECT_EQ(json["operators"][op]["alone"]["different"], 1);
  EXPECT_FALSE(json["equal"]);
}

TEST_F(Compared, AnotherRoundingIsRecognised) {
  load("keyword_spotter_int8.tflite", "xnnpack");
  const Comparison result = compared();
  ASSERT_TRUE(result.first.has_value());
  ASSERT_EQ(result.alternatives.size(), 2U);
  EXPECT_EQ(result.alternatives[1].numerics, Numerics::Xnnpack);
  EXPECT_EQ(result.alternatives[1].different, 0U);
  EXPECT_GT(result.alternatives[0].different, 0U);
  const std::vector<std::string> agree = result.operators[*result.first].agree;
  EXPECT_NE(std::find(agree.begin(), agree.end(), "xnnpack"), agree.end());
  EXPECT_NE(comparison_table(result, false).find("equal everywhere with `numerics: xnnpack`"),
            std::string::npos);
}

// What a runtime does not show is computed from what it shows.
TEST_F(Compared, HiddenValuesAreOurs) {
  load("keyword_spotter_int8.tflite", "auto");
  runtime_.values.erase(output_of(1));
  const Comparison result = compared();
  EXPECT_TRUE(result.is_equal());
  EXPECT_FALSE(result.operators[1].known);
  EXPECT_FALSE(result.operators[2].on_theirs);
  EXPECT_TRUE(result.operators[2].known);
  EXPECT_EQ(result.compared(), result.operators.size() - 1);
  EXPECT_NE(comparison_table(result, true).find("not shown"), std::string::npos);
  runtime_.values.clear();
  EXPECT_THROW(static_cast<void>(compared()), InputError);
}

}  // namespace
}  // namespace tessera
