// Operators of TensorFlow Lite models, one model each: what the importer makes of them is compared
// with the same layer written as a layer list.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/reference.hpp"
#include "tessera/rng.hpp"
#include "tests/tflite/model_writer.hpp"

namespace tessera {
namespace {

using test::TfliteWriter;
using tflite::TensorType_INT8;
using tflite::TensorType_UINT8;

constexpr const char* kInput = "inputs: {x: {shape: [1, 4, 6, 2], scale: 0.05, zero_point: 3}}\n";
const std::vector<std::int32_t> kShape = {1, 4, 6, 2};

std::vector<Bytes> results_of(const Network& network) {
  SplitMix64 rng(9);
  std::vector<Bytes> inputs;
  for (const std::int32_t input : network.inputs) {
    inputs.emplace_back(network.tensors[static_cast<std::size_t>(input)].bytes());
    for (std::uint8_t& byte : inputs.back()) {
      byte = static_cast<std::uint8_t>(rng.int8());
    }
  }
  return run_reference(network, inputs);
}

/// A model of one input `x` and what `build` appends; it returns the outputs.
using Build = std::function<std::vector<std::int32_t>(TfliteWriter&, std::int32_t x)>;

Network imported(const Build& build, tflite::TensorType type = TensorType_INT8,
                 std::int64_t zero_point = 3) {
  TfliteWriter writer;
  const std::int32_t x = writer.tensor(kShape, type, {{0.05F}, {zero_point}});
  const auto outputs = build(writer, x);
  return import_tflite(writer.finish({x}, outputs), "test.tflite");
}

void expect_same(const Build& build, const std::string& layers) {
  SCOPED_TRACE(layers);
  const Network listed = import_yaml(kInput + ("layers:\n" + layers), "list.yaml", 1);
  EXPECT_EQ(results_of(imported(build)), results_of(listed));
}

Build one(std::int32_t code, const std::vector<std::int32_t>& shape,
          const TfliteWriter::Quantised& q = {},
          const std::vector<std::vector<std::int32_t>>& parameters = {},
          tflite::BuiltinOptions type = tflite::BuiltinOptions_NONE,
          const std::function<flatbuffers::Offset<void>(flatbuffers::FlatBufferBuilder&)>& options =
              nullptr) {
  return [=](TfliteWriter& w, std::int32_t x) {
    std::vector<std::int32_t> inputs = {x};
    for (const auto& values : parameters) {
      inputs.push_back(w.integers(values));
    }
    const std::int32_t y = w.tensor(shape, TensorType_INT8, q);
    w.op(code, inputs, {y}, type, options ? options(w.builder()) : 0);
    return std::vector<std::int32_t>{y};
  };
}

TEST(TfliteOperators, FunctionsOfOneValue) {
  const TfliteWriter::Quantised q{{0.04F}, {-10}};
  const char* tail = "{scale: 0.04, zero_point: -10}\n";
  expect_same(one(19, kShape, q), std::string("  - relu: ") + tail);
  expect_same(one(21, kShape, q), std::string("  - relu6: ") + tail);
  expect_same(one(114, kShape, q), std::string("  - quantize: ") + tail);
  expect_same(one(117, kShape, q), std::string("  - hard_swish: ") + tail);
  expect_same(one(14, kShape, {{1.0F / 256}, {-128}}), "  - logistic: {}\n");
  expect_same(one(28, kShape, {{1.0F / 128}, {0}}), "  - tanh: {}\n");
  expect_same(one(98, kShape, q, {}, tflite::BuiltinOptions_LeakyReluOptions,
                  [](auto& b) { return tflite::CreateLeakyReluOptions(b, 0.2F).Union(); }),
              "  - leaky_relu: {alpha: 0.2, scale: 0.04, zero_point: -10}\n");
}

TEST(TfliteOperators, Arithmetic) {
  const auto with_itself = [](std::int32_t code, tflite::BuiltinOptions type, auto options) {
    return [=](TfliteWriter& w, std::int32_t x) {
      const std::int32_t y = w.tensor(kShape, TensorType_INT8, {{0.09F}, {1}});
      w.op(code, {x, x}, {y}, type, options(w.builder()));
      return std::vector<std::int32_t>{y};
    };
  };
  expect_same(with_itself(18, tflite::BuiltinOptions_MulOptions,
                          [](auto& b) {
                            return tflite::CreateMulOptions(b, tflite::Activation_RELU).Union();
                          }),
              "  - mul: {from: [x, x], activation: relu, scale: 0.09, zero_point: 1}\n");
  expect_same(with_itself(41, tflite::BuiltinOptions_SubOptions,
                          [](auto& b) { return tflite::CreateSubOptions(b).Union(); }),
              "  - sub: {from: [x, x], scale: 0.09, zero_point: 1}\n");
}

TEST(TfliteOperators, Moves) {
  const TfliteWriter::Quantised same{{0.05F}, {3}};
  expect_same(one(39, {1, 2, 4, 6}, same, {{0, -1, 1, 2}}),
              "  - transpose: {order: [0, 3, 1, 2]}\n");
  expect_same(one(65, {1, 2, 3, 1}, same, {{0, 1, 2, 1}, {1, 2, 3, 1}}),
              "  - slice: {begin: [0, 1, 2, 1], size: [1, 2, 3, 1]}\n");
  // Ends beyond the tensor, negative begins, masks.
  expect_same(one(45, {1, 2, 3, 2}, same, {{0, 0, -3, 1}, {1, 99, 99, 2}, {1, 2, 1, 1}},
                  tflite::BuiltinOptions_StridedSliceOptions,
                  [](auto& b) { return tflite::CreateStridedSliceOptions(b, 8, 8).Union(); }),
              "  - slice: {begin: [0, 0, 3, 0], stride: [1, 2, 1, 1], size: [1, 2, 3, 2]}\n");
  expect_same(one(34, {1, 5, 8, 2}, same, {{0, 0, 1, 0, 0, 2, 0, 0}}),
              "  - pad: {before: [0, 1, 0, 0], after: [0, 0, 2, 0]}\n");
  expect_same(
      one(97, {1, 8, 12, 2}, same, {{8, 12}}, tflite::BuiltinOptions_ResizeNearestNeighborOptions,
          [](auto& b) {
            return tflite::CreateResizeNearestNeighborOptions(b, false, true).Union();
          }),
      "  - resize_nearest: {size: [8, 12], half_pixel_centers: yes}\n");
  expect_same(one(40, {1, 2}, {{0.02F}, {0}}, {{1, 2}}, tflite::BuiltinOptions_ReducerOptions,
                  [](auto& b) { return tflite::CreateReducerOptions(b).Union(); }),
              "  - mean: {scale: 0.02, zero_point: 0}\n");
  expect_same(one(70, {1, 1, 4, 6, 2}, same, {{0}}), "  - reshape: {shape: [1, 1, 4, 6, 2]}\n");
}

TEST(TfliteOperators, SplitsAreSlices) {
  const Build split = [](TfliteWriter& w, std::int32_t x) {
    const std::int32_t axis = w.integers({2});
    const std::int32_t a = w.tensor({1, 4, 3, 2}, TensorType_INT8);
    const std::int32_t b = w.tensor({1, 4, 3, 2}, TensorType_INT8);
    w.op(49, {axis, x}, {a, b}, tflite::BuiltinOptions_SplitOptions,
         tflite::CreateSplitOptions(w.builder(), 2).Union());
    return std::vector<std::int32_t>{a, b};
  };
  const Network listed =
      import_yaml(std::string(kInput) +
                      "layers:\n  - slice: {name: a, size: [1, 4, 3, 2]}\n"
                      "  - slice: {name: b, from: x, begin: [0, 0, 3, 0]}\noutputs: [a, b]\n",
                  "list.yaml", 1);
  EXPECT_EQ(results_of(imported(split)), results_of(listed));
}

// The same model, unsigned and signed, gives the same values 128 apart, weights of any zero point
// included.
TEST(TfliteOperators, UnsignedModelsAreRewrittenExactly) {
  SplitMix64 rng(2);
  std::vector<std::uint8_t> weights(54);
  for (std::uint8_t& weight : weights) {
    weight = static_cast<std::uint8_t>(rng.next() >> 56);
  }
  const Build unsigned_model = [&](TfliteWriter& w, std::int32_t x) {
    const std::int32_t kernel = w.tensor({3, 3, 3, 2}, TensorType_UINT8, {{0.01F}, {99}}, weights);
    const std::int32_t y = w.tensor({1, 4, 6, 3}, TensorType_UINT8, {{0.05F}, {120}});
    const std::int32_t pooled = w.tensor({1, 2, 3, 3}, TensorType_UINT8, {{0.05F}, {120}});
    w.op(3, {x, kernel, -1}, {y}, tflite::BuiltinOptions_Conv2DOptions,
         tflite::CreateConv2DOptions(w.builder(), tflite::Padding_SAME, 1, 1).Union());
    w.op(1, {y}, {pooled}, tflite::BuiltinOptions_Pool2DOptions,
         tflite::CreatePool2DOptions(w.builder(), tflite::Padding_VALID, 2, 2, 2, 2).Union());
    return std::vector<std::int32_t>{pooled};
  };
  const Network network = imported(unsigned_model, TensorType_UINT8, 131);
  const Tensor& kernel = network.tensors[1];
  EXPECT_EQ(kernel.type, DataType::Int16) << "weights from -99 to 156";
  EXPECT_EQ(kernel.quantisation.zero_point, 0);
  // Straight from the definition, in unsigned numbers.
  SplitMix64 inputs(9);
  const auto at = [](auto& values, int index) -> auto& {
    return values[static_cast<std::size_t>(index)];
  };
  std::vector<int> x(48);
  for (int& value : x) {
    value = inputs.int8() + 128;
  }
  std::vector<int> y(72);
  for (int oy = 0; oy < 4; ++oy) {
    for (int ox = 0; ox < 6; ++ox) {
      for (int k = 0; k < 3; ++k) {
        int sum = 0;
        for (int t = 0; t < 9; ++t) {
          const int iy = oy + t / 3 - 1;
          const int ix = ox + t % 3 - 1;
          for (int c = 0; iy >= 0 && iy < 4 && ix >= 0 && ix < 6 && c < 2; ++c) {
            sum += (at(x, (iy * 6 + ix) * 2 + c) - 131) * (at(weights, (k * 9 + t) * 2 + c) - 99);
          }
        }
        const double scaled = sum * (0.05 * 0.01 / 0.05);
        at(y, (oy * 6 + ox) * 3 + k) =
            std::clamp(static_cast<int>(std::lround(scaled)) + 120, 0, 255);
      }
    }
  }
  const Bytes actual = results_of(network)[0];
  for (int p = 0; p < 18; ++p) {
    const int row = p / 9 * 2;
    const int col = p / 3 % 3 * 2;
    int sum = 0;
    for (int t = 0; t < 4; ++t) {
      sum += at(y, ((row + t / 2) * 6 + col + t % 2) * 3 + p % 3);
    }
    const int expected = (sum + 2) / 4;
    EXPECT_NEAR(static_cast<std::int8_t>(at(actual, p)) + 128, expected, 1) << p;
  }
}

std::string error_of(const Build& build, tflite::TensorType type = TensorType_INT8) {
  try {
    imported(build, type);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TfliteOperators, RefusalsNameTheOperator) {
  const auto expect = [](const std::string& error, const char* part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect(error_of(one(16, kShape)),
         "operator 0: builtin operator 16 (LSTM) is not supported (docs/reference/operators.md "
         "lists what is)");
  expect(error_of(one(55, kShape)), "operator 0 (MAXIMUM): has 1 inputs; it must have 2");
  expect(error_of(one(39, {1, 2, 4, 6}, {}, {{0, 1, 1, 2}})), "order [0, 1, 1, 2]");
  expect(error_of(one(40, {1, 2}, {}, {{0, 2}})), "8 values are left, its output has 2");
  expect(error_of(one(45, {1, 1, 1, 1}, {}, {{0, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 0, 1}},
                      tflite::BuiltinOptions_StridedSliceOptions,
                      [](auto& b) { return tflite::CreateStridedSliceOptions(b).Union(); })),
         "stride 0");
  TfliteWriter two;
  const std::int32_t x = two.tensor(kShape, TensorType_INT8);
  try {
    ImportOptions options;
    options.signature = "serve";
    import_tflite(two.finish({x}, {x}, 2), "two.tflite", options);
    ADD_FAILURE();
  } catch (const InputError& error) {
    expect(error.what(), "it has no signatures, so none is `serve`");
  }
}

// A dilated convolution as older converters write it.
TEST(TfliteOperators, ConvolutionsOverBatchesOfBlocksAreDilated) {
  const auto block = [](std::int32_t code, bool depthwise) {
    return [=](TfliteWriter& w, std::int32_t x) {
      // 4 x 6 pixels padded by 2 all around, in blocks of 2 x 2; 8 x 10 become 4 pictures of 4 x 5.
      const std::int32_t apart = w.tensor({4, 4, 5, 2}, TensorType_INT8);
      const std::int32_t convolved = w.tensor({4, 2, 3, 2}, TensorType_INT8, {{0.2F}, {-4}});
      const std::int32_t y = w.tensor({1, 4, 6, 2}, TensorType_INT8, {{0.2F}, {-4}});
      std::vector<std::uint8_t> weights(depthwise ? 18 : 36);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = static_cast<std::uint8_t>(i * 37);
      }
      const std::vector<std::int32_t> shape =
          depthwise ? std::vector{1, 3, 3, 2} : std::vector{2, 3, 3, 2};
      const std::int32_t kernel = w.tensor(shape, TensorType_INT8, {{0.02F}, {0}}, weights);
      const std::int32_t blocks = w.integers({2, 2});
      w.op(38, {x, blocks, w.integers({2, 2, 2, 2})}, {apart});
      if (code == 4) {
        w.op(4, {apart, kernel, -1}, {convolved}, tflite::BuiltinOptions_DepthwiseConv2DOptions,
             tflite::CreateDepthwiseConv2DOptions(w.builder(), tflite::Padding_VALID, 1, 1, 1)
                 .Union());
      } else {
        w.op(3, {apart, kernel, -1}, {convolved}, tflite::BuiltinOptions_Conv2DOptions,
             tflite::CreateConv2DOptions(w.builder(), tflite::Padding_VALID, 1, 1).Union());
      }
      w.op(37, {convolved, blocks, w.integers({0, 0, 0, 0})}, {y});
      return std::vector<std::int32_t>{y};
    };
  };
  for (const bool depthwise : {false, true}) {
    const auto build = block(depthwise ? 4 : 3, depthwise);
    const Network folded = imported(build);
    ASSERT_EQ(folded.operators.size(), 1U);
    // The same layer with the dilation written out.
    const Build dilated = [&](TfliteWriter& w, std::int32_t x) {
      const std::int32_t y = w.tensor({1, 4, 6, 2}, TensorType_INT8, {{0.2F}, {-4}});
      std::vector<std::uint8_t> weights(depthwise ? 18 : 36);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = static_cast<std::uint8_t>(i * 37);
      }
      const std::vector<std::int32_t> shape =
          depthwise ? std::vector{1, 3, 3, 2} : std::vector{2, 3, 3, 2};
      const std::int32_t kernel = w.tensor(shape, TensorType_INT8, {{0.02F}, {0}}, weights);
      if (depthwise) {
        w.op(4, {x, kernel, -1}, {y}, tflite::BuiltinOptions_DepthwiseConv2DOptions,
             tflite::CreateDepthwiseConv2DOptions(w.builder(), tflite::Padding_SAME, 1, 1, 1,
                                                  tflite::Activation_NONE, 2, 2)
                 .Union());
      } else {
        w.op(3, {x, kernel, -1}, {y}, tflite::BuiltinOptions_Conv2DOptions,
             tflite::CreateConv2DOptions(w.builder(), tflite::Padding_SAME, 1, 1,
                                         tflite::Activation_NONE, 2, 2)
                 .Union());
      }
      return std::vector<std::int32_t>{y};
    };
    EXPECT_EQ(results_of(folded), results_of(imported(dilated)));
  }
}

TEST(TfliteOperators, BatchesOfBlocksAreComputedForOthers) {
  const Build there_and_back = [](TfliteWriter& w, std::int32_t x) {
    const std::int32_t apart = w.tensor({4, 4, 5, 2}, TensorType_INT8);
    const std::int32_t positive = w.tensor({4, 4, 5, 2}, TensorType_INT8);
    const std::int32_t y = w.tensor(kShape, TensorType_INT8);
    const std::int32_t blocks = w.integers({2, 2});
    w.op(38, {x, blocks, w.integers({2, 2, 2, 2})}, {apart});
    w.op(19, {apart}, {positive});
    w.op(37, {positive, blocks, w.integers({2, 2, 2, 2})}, {y});
    return std::vector<std::int32_t>{y};
  };
  EXPECT_EQ(results_of(imported(there_and_back)), results_of(imported(one(19, kShape))));
}

// relu, an LSTM, two operators behind it, and a max pool beside all that.
std::vector<std::uint8_t> model_with_lstm() {
  TfliteWriter w;
  const std::int32_t x = w.tensor(kShape, TensorType_INT8);
  const std::int32_t a = w.tensor(kShape, TensorType_INT8);
  const std::int32_t b = w.tensor(kShape, TensorType_INT8);
  const std::int32_t c = w.tensor(kShape, TensorType_INT8);
  const std::int32_t d = w.tensor(kShape, TensorType_INT8);
  const std::int32_t e = w.tensor({1, 2, 3, 2}, TensorType_INT8);
  w.op(19, {x}, {a});
  w.op(16, {a}, {b});
  w.op(19, {b}, {c});
  w.op(44, {c}, {d});
  w.op(17, {a}, {e}, tflite::BuiltinOptions_Pool2DOptions,
       tflite::CreatePool2DOptions(w.builder(), tflite::Padding_VALID, 2, 2, 2, 2).Union());
  return w.finish({x}, {d, e});
}

TEST(TfliteUnsupported, ErrorsNameEveryOperatorInTheWay) {
  try {
    import_tflite(model_with_lstm(), "m.tflite");
    ADD_FAILURE();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("m.tflite: 2 operators are in the way"), std::string::npos) << text;
    EXPECT_NE(text.find("operator 1: builtin operator 16 "), std::string::npos) << text;
    EXPECT_NE(text.find("operator 3: builtin operator 44 "), std::string::npos) << text;
  }
}

// A network that Vela has compiled is one custom operator.
TEST(TfliteUnsupported, CompiledNetworksAreToldFromModels) {
  const auto compiled = [](TfliteWriter& w, std::int32_t x) {
    const std::int32_t y = w.tensor(kShape, TensorType_INT8);
    w.op(32, {x}, {y}, tflite::BuiltinOptions_NONE, 0, "ethos-u");
    return std::vector<std::int32_t>{y};
  };
  EXPECT_NE(error_of(compiled).find("was compiled for an Ethos-U by Vela"), std::string::npos)
      << error_of(compiled);
}

TEST(TfliteUnsupported, CutRunsWhatComesBefore) {
  const Network network = import_tflite(model_with_lstm(), "m.tflite", {1, false, true});
  ASSERT_EQ(network.operators.size(), 2U);
  // The output that is left, and the tensor that the first missing operator reads.
  ASSERT_EQ(network.outputs.size(), 2U);
  EXPECT_EQ(network.outputs[0], network.operators[1].output);
  EXPECT_EQ(network.outputs[1], network.operators[0].output);
  ASSERT_EQ(network.left_out.size(), 3U);
  EXPECT_EQ(network.left_out[1].rfind("operator 2 (RELU): reads what operator 1", 0), 0U)
      << network.left_out[1];
  // Nothing before the first one: that is an error.
  TfliteWriter w;
  const std::int32_t x = w.tensor(kShape, TensorType_INT8);
  const std::int32_t y = w.tensor(kShape, TensorType_INT8);
  w.op(16, {x}, {y});
  EXPECT_THROW(import_tflite(w.finish({x}, {y}), "m.tflite", {1, false, true}), InputError);
}

TEST(TfliteUnsupported, TypesThatNobodyReadsDoNotMatter) {
  TfliteWriter w;
  const std::int32_t x = w.tensor(kShape, TensorType_INT8);
  w.tensor(kShape, tflite::TensorType_STRING);
  const std::int32_t y = w.tensor(kShape, TensorType_INT8);
  const std::int32_t z = w.tensor(kShape, tflite::TensorType_INT16);
  w.op(19, {x}, {y});
  EXPECT_EQ(import_tflite(w.finish({x}, {y}), "m.tflite").operators.size(), 1U);
  TfliteWriter wide;
  const std::int32_t in = wide.tensor(kShape, TensorType_INT8);
  const std::int32_t out = wide.tensor(kShape, tflite::TensorType_INT16);
  wide.op(19, {in}, {out});
  try {
    import_tflite(wide.finish({in}, {out}), "m.tflite");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("type INT16; supported are int8, uint8, int32"),
              std::string::npos)
        << error.what();
  }
  EXPECT_GT(z, y);
}

TEST(TfliteFloat, ModelsRunForTheirShapes) {
  TfliteWriter w;
  const auto real = tflite::TensorType_FLOAT32;
  const TfliteWriter::Quantised none{{}, {}};
  const std::int32_t x = w.tensor(kShape, real, none);
  const std::int32_t kernel =
      w.tensor({3, 3, 3, 2}, real, none, std::vector<std::uint8_t>(std::size_t{54} * 4, 1));
  const std::int32_t bias = w.tensor({3}, real, none, std::vector<std::uint8_t>(12, 1));
  const std::int32_t y = w.tensor({1, 4, 6, 3}, real, none);
  const std::int32_t z = w.tensor({1, 4, 6, 3}, real, none);
  w.op(3, {x, kernel, bias}, {y}, tflite::BuiltinOptions_Conv2DOptions,
       tflite::CreateConv2DOptions(w.builder(), tflite::Padding_SAME, 1, 1).Union());
  w.op(25, {y}, {z}, tflite::BuiltinOptions_SoftmaxOptions,
       tflite::CreateSoftmaxOptions(w.builder(), 1.0F).Union());
  const auto bytes = w.finish({x}, {z});
  EXPECT_THROW(import_tflite(bytes, "m.tflite"), InputError);
  const Network network = import_tflite(bytes, "m.tflite", {5, true, false});
  ASSERT_EQ(network.notes.size(), 1U);
  EXPECT_NE(network.notes[0].find("drawn from the seed"), std::string::npos);
  ASSERT_EQ(network.operators.size(), 2U);
  EXPECT_EQ(macs_of(network, network.operators[0]), 24U * 54);
  EXPECT_EQ(results_of(network)[0].size(), 72U);
  EXPECT_EQ(import_tflite(bytes, "m.tflite", {5, true, false}).tensors[1].constant,
            network.tensors[1].constant);
  EXPECT_NE(import_tflite(bytes, "m.tflite", {6, true, false}).tensors[1].constant,
            network.tensors[1].constant);
}

std::vector<std::uint8_t> bytes_of(const std::vector<float>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Two rows of two values by weights of bytes: each row becomes bytes itself.
std::vector<float> hybrid(bool with_zero_point) {
  TfliteWriter w;
  const auto real = tflite::TensorType_FLOAT32;
  const TfliteWriter::Quantised none{{}, {}};
  const std::int32_t x = w.tensor({2, 2}, real, none);
  const std::int32_t kernel = w.tensor({1, 2}, tflite::TensorType_INT8, {{0.5F}, {0}},
                                       {100, static_cast<std::uint8_t>(-20)});
  const std::int32_t bias = w.tensor({1}, real, none, bytes_of({0.25F}));
  const std::int32_t y = w.tensor({2, 1}, real, none);
  w.op(9, {x, kernel, bias}, {y}, tflite::BuiltinOptions_FullyConnectedOptions,
       tflite::CreateFullyConnectedOptions(w.builder(), tflite::Activation_RELU, 0, false,
                                           with_zero_point)
           .Union());
  const auto bytes = w.finish({x}, {y});
  try {
    import_tflite(bytes, "m.tflite");
    ADD_FAILURE() << "a hybrid model was taken for a quantised one";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("hybrid"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("weights: float"), std::string::npos) << error.what();
  }
  ImportOptions options;
  options.in_float = true;
  const Network network = import_tflite(bytes, "m.tflite", options);
  const auto out = run_reference(network, {bytes_of({1.0F, -0.3F, -2.0F, 0.0F})})[0];
  std::vector<float> values(2);
  std::memcpy(values.data(), out.data(), out.size());
  return values;
}

TEST(TfliteFloat, RowsBecomeBytesWhileHybridModelsRun) {
  // Around zero: 127 and round(-0.3 x 127) = -38, in steps of 1/127. The second row is below zero.
  EXPECT_FLOAT_EQ(hybrid(false)[0], (127 * 100 + 38 * 20) * 0.5F / 127.0F + 0.25F);
  EXPECT_EQ(hybrid(false)[1], 0.0F);
  // From -0.3 to 1: 255 steps of 1.3 / 255; the zero point is 127 - 1 / step = -69.15, rounded.
  const auto step = static_cast<float>(1.3 / 255);
  EXPECT_FLOAT_EQ(hybrid(true)[0], ((127 + 69) * 100 + (-128 + 69) * -20) * 0.5F * step + 0.25F);
  EXPECT_EQ(hybrid(true)[1], 0.0F);
}

TEST(TfliteFloat, WeightsOfHalfPrecisionAreWidened) {
  TfliteWriter w;
  const auto real = tflite::TensorType_FLOAT32;
  const TfliteWriter::Quantised none{{}, {}};
  const std::int32_t x = w.tensor({1, 4}, real, none);
  // 1, -2, 2^-24 (the least of all) and 65504 (the greatest), the lower byte first.
  const std::int32_t halves = w.tensor({1, 4}, tflite::TensorType_FLOAT16, none,
                                       {0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0xff, 0x7b});
  const std::int32_t kernel = w.tensor({1, 4}, real, none);
  const std::int32_t y = w.tensor({1, 1}, real, none);
  w.op(6, {halves}, {kernel});
  w.op(9, {x, kernel, -1}, {y}, tflite::BuiltinOptions_FullyConnectedOptions,
       tflite::CreateFullyConnectedOptions(w.builder()).Union());
  ImportOptions options;
  options.in_float = true;
  const Network network = import_tflite(w.finish({x}, {y}), "m.tflite", options);
  ASSERT_EQ(network.operators.size(), 1U);
  const auto out = run_reference(network, {bytes_of({3, 1, 16777216, 1})})[0];
  float value = 0;
  std::memcpy(&value, out.data(), sizeof(value));
  EXPECT_EQ(value, 3.0F - 2.0F + 1.0F + 65504.0F);
}

}  // namespace
}  // namespace tessera
