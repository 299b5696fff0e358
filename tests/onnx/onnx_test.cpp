// The ONNX importer against ONNX Runtime, against ONNX's own node tests, and with bad models.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "input/read_file.hpp"
#include "network/import/onnx/onnx_values.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/reference.hpp"
#include "tests/damage.hpp"
#include "tests/onnx/model_writer.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using W = test::ModelWriter;
using Dims = std::vector<std::int64_t>;

/// Nodes between `xf`, the dequantised input, and `yf`; or, for QLinear operators, between `x` and
/// `y`.
struct Case {
  const char* name;
  Dims dims;
  float y_scale;
  std::function<void(W&, bool is_signed)> build;
  bool qlinear = false;
};

constexpr float kXScale = 0.03F;

int x_zero(bool is_signed) {
  return is_signed ? -9 : 119;
}
int y_zero(bool is_signed) {
  return is_signed ? 4 : 132;
}

void conv(W& w, bool is_signed, const Dims& kernel, const std::vector<W::Attribute>& attributes,
          bool per_channel) {
  // Unsigned weights are around any zero point; per-channel ones are signed.
  const bool signed_weights = is_signed || per_channel;
  w.quantised("w", kernel, signed_weights, signed_weights ? 0 : 140, per_channel ? 0 : -1, 0.004F);
  w.node("Conv", {"xf", "w"}, {"yf"}, attributes);
}

void qlinear_conv(W& w, bool is_signed, const Dims& kernel,
                  const std::vector<W::Attribute>& attributes, bool per_channel) {
  const bool signed_weights = is_signed || per_channel;
  // That runtime saturates sums of unsigned features with signed weights of 8 bits on many
  // machines.
  const int bits = signed_weights && !is_signed ? 7 : 8;
  w.quantised("w", kernel, signed_weights, signed_weights ? 0 : 120, per_channel ? 0 : -1, 0.004F,
              bits);
  w.bias("b", kernel[0]);
  w.node("QLinearConv", {"x", "xs", "xz", "w_q", "w_s", "w_z", "ys", "yz", "b"}, {"y"}, attributes);
}

std::vector<Case> cases() {
  const auto function = [](const char* op, const std::vector<W::Attribute>& attributes = {}) {
    return [op, attributes](W& w, bool) { w.node(op, {"xf"}, {"yf"}, attributes); };
  };
  std::vector<Case> result = {
      {"conv", {1, 3, 9, 7}, 0.05F,
       [](W& w, bool s) {
         conv(w, s, {5, 3, 3, 3}, {W::ints("pads", {1, 1, 1, 1}), W::ints("strides", {2, 2})},
              false);
       }},
      {"conv_per_channel_relu", {1, 4, 6, 6}, 0.06F,
       [](W& w, bool) {
         w.quantised("w", {6, 4, 3, 3}, true, 0, 0, 0.004F);
         w.node("Conv", {"xf", "w"}, {"c"}, {W::text("auto_pad", "SAME_UPPER")});
         w.node("Relu", {"c"}, {"yf"});
       }},
      {"conv_groups", {1, 6, 6, 5}, 0.05F,
       [](W& w, bool s) { conv(w, s, {4, 3, 2, 3}, {W::integer("group", 2)}, true); }},
      {"conv_depthwise", {1, 5, 8, 8}, 0.02F,
       [](W& w, bool s) {
         conv(w, s, {10, 1, 3, 3}, {W::integer("group", 5), W::ints("dilations", {2, 1})}, true);
       }},
      {"conv_transpose", {1, 4, 5, 4}, 0.05F,
       [](W& w, bool s) {
         w.quantised("w", {4, 3, 3, 2}, s, s ? 0 : 99, -1, 0.004F);
         w.node("ConvTranspose", {"xf", "w"}, {"yf"},
                {W::ints("strides", {2, 2}), W::ints("pads", {1, 0, 1, 0}),
                 W::ints("output_padding", {1, 0})});
       }},
      {"qlinear_conv", {1, 3, 7, 8}, 0.05F,
       [](W& w, bool s) {
         qlinear_conv(w, s, {4, 3, 3, 3}, {W::ints("pads", {0, 1, 2, 1})}, false);
       },
       true},
      {"qlinear_conv_per_channel", {1, 3, 7, 8}, 0.05F,
       [](W& w, bool s) {
         qlinear_conv(w, s, {4, 3, 3, 3}, {W::ints("strides", {1, 3})}, true);
       },
       true},
      {"qlinear_add", {1, 3, 5, 4}, 0.06F,
       [](W& w, bool) {
         w.node("QLinearAdd", {"x", "xs", "xz", "x", "xs", "xz", "ys", "yz"}, {"y"}, {},
                "com.microsoft");
       },
       true},
      {"qlinear_sigmoid", {1, 3, 5, 4}, 1.0F / 256,
       [](W& w, bool) {
         w.node("QLinearSigmoid", {"x", "xs", "xz", "ys", "yz"}, {"y"}, {}, "com.microsoft");
       },
       true},
      {"qlinear_global_average_pool", {1, 3, 5, 4}, 0.02F,
       [](W& w, bool) {
         w.node("QLinearGlobalAveragePool", {"x", "xs", "xz", "ys", "yz"}, {"y"},
                {W::integer("channels_last", 0)}, "com.microsoft");
       },
       true},
      {"gemm", {3, 10}, 0.04F,
       [](W& w, bool s) {
         w.quantised("w", {6, 10}, s, s ? 0 : 130, -1, 0.004F);
         w.node("Gemm", {"xf", "w"}, {"yf"}, {W::integer("transB", 1)});
       }},
      {"matmul_per_channel", {2, 9}, 0.04F,
       [](W& w, bool) {
         w.quantised("w", {9, 5}, true, 0, 1, 0.004F);
         w.node("MatMul", {"xf", "w"}, {"yf"});
       }},
      {"add_constant", {1, 4, 3, 5}, 0.05F,
       [](W& w, bool s) {
         w.quantised("k", {4, 1, 1}, s, s ? 3 : 120, -1, 0.02F);
         w.node("Add", {"xf", "k"}, {"yf"});
       }},
      {"mul_by_itself", {1, 4, 3, 5}, 0.08F,
       [](W& w, bool) { w.node("Mul", {"xf", "xf"}, {"yf"}); }},
      {"sub_constant", {1, 2, 3, 5}, 0.05F,
       [](W& w, bool s) {
         w.quantised("k", {1, 2, 3, 5}, s, s ? -5 : 110, -1, 0.02F);
         w.node("Sub", {"k", "xf"}, {"yf"});
       }},
      {"relu", {1, 2, 4, 4}, 0.03F, function("Relu")},
      {"leaky_relu", {1, 2, 8, 16}, 0.02F, function("LeakyRelu", {W::number("alpha", 0.2F)})},
      {"sigmoid", {1, 2, 8, 16}, 1.0F / 256, function("Sigmoid")},
      {"tanh", {1, 2, 8, 16}, 1.0F / 128, function("Tanh")},
      {"hard_sigmoid", {1, 2, 8, 16}, 1.0F / 256, function("HardSigmoid")},
      {"hard_swish", {1, 2, 8, 16}, 0.02F, function("HardSwish")},
      {"max_pool", {1, 3, 7, 8}, kXScale,
       function("MaxPool", {W::ints("kernel_shape", {3, 2}), W::ints("strides", {2, 2}),
                            W::ints("pads", {1, 0, 1, 1})})},
      {"max_pool_ceil", {1, 3, 8, 8}, kXScale,
       function("MaxPool", {W::ints("kernel_shape", {3, 3}), W::ints("strides", {2, 2}),
                            W::integer("ceil_mode", 1)})},
      {"average_pool", {1, 3, 7, 8}, kXScale,
       function("AveragePool", {W::ints("kernel_shape", {2, 3}), W::ints("pads", {0, 1, 0, 1})})},
      {"average_pool_with_padding", {1, 3, 7, 8}, kXScale,
       function("AveragePool", {W::ints("kernel_shape", {3, 3}), W::ints("pads", {1, 1, 1, 1}),
                                W::integer("count_include_pad", 1)})},
      {"global_average_pool", {1, 5, 6, 7}, 0.01F, function("GlobalAveragePool")},
      {"reduce_mean", {1, 5, 6, 7}, 0.01F, function("ReduceMean", {W::ints("axes", {1}),
                                                                   W::integer("keepdims", 0)})},
      {"flatten", {1, 3, 4, 5}, kXScale, function("Flatten")},
      {"transpose", {1, 3, 4, 5}, kXScale, function("Transpose", {W::ints("perm", {0, 3, 1, 2})})},
      {"reshape", {1, 3, 4, 6}, kXScale,
       [](W& w, bool) {
         w.numbers("shape", {0, 6, -1, 4});
         w.node("Reshape", {"xf", "shape"}, {"yf"});
       }},
      {"squeeze_unsqueeze", {1, 3, 1, 6}, kXScale,
       [](W& w, bool) {
         w.numbers("two", {2});
         w.numbers("one", {1});
         w.node("Squeeze", {"xf", "two"}, {"s"});
         w.node("Unsqueeze", {"s", "one"}, {"yf"});
       }},
      {"pad", {1, 2, 3, 4}, kXScale,
       [](W& w, bool) {
         w.numbers("pads", {0, 1, 2, 0, 0, 0, 1, 3});
         w.node("Pad", {"xf", "pads"}, {"yf"});
       }},
      {"slice", {1, 4, 6, 8}, kXScale,
       [](W& w, bool) {
         w.numbers("starts", {1, -5});
         w.numbers("ends", {INT64_MAX, -1});
         w.numbers("axes", {1, 3});
         w.numbers("steps", {2, 1});
         w.node("Slice", {"xf", "starts", "ends", "axes", "steps"}, {"yf"});
       }},
      {"split_concat", {1, 5, 4, 3}, 0.025F,
       [](W& w, bool) {
         w.numbers("sizes", {2, 3});
         w.node("Split", {"xf", "sizes"}, {"a", "b"}, {W::integer("axis", 1)});
         w.node("Concat", {"b", "a"}, {"yf"}, {W::integer("axis", 2 - 1)});
       }},
      {"resize_asymmetric", {1, 2, 3, 4}, kXScale,
       [](W& w, bool) {
         w.constant<float>("scales", onnx::TensorProto::FLOAT, {4}, {1, 1, 2, 3});
         w.node("Resize", {"xf", "", "scales"}, {"yf"},
                {W::text("coordinate_transformation_mode", "asymmetric"),
                 W::text("nearest_mode", "floor")});
       }},
      {"resize_half_pixel", {1, 2, 3, 4}, kXScale,
       [](W& w, bool) {
         w.numbers("sizes", {1, 2, 6, 8});
         w.node("Resize", {"xf", "", "", "sizes"}, {"yf"});
       }},
      {"softmax", {2, 12}, 1.0F / 256, function("Softmax")},
  };
  return result;
}

std::vector<std::uint8_t> model_of(const Case& c, bool is_signed) {
  W w(11);
  const auto type = is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;
  const bool softmax = c.name == std::string("softmax");
  w.input("x", type, c.dims);
  w.output("y", type);
  w.scale("xs", kXScale);
  w.zero("xz", is_signed, x_zero(is_signed));
  const bool same = c.y_scale == kXScale;
  w.scale("ys", c.y_scale);
  w.zero("yz", is_signed,
         same      ? x_zero(is_signed)
         : softmax ? (is_signed ? -128 : 0)
                   : y_zero(is_signed));
  if (!c.qlinear) {
    w.node("DequantizeLinear", {"x", "xs", "xz"}, {"xf"});
  }
  c.build(w, is_signed);
  if (!c.qlinear) {
    w.node("QuantizeLinear", {"yf", "ys", "yz"}, {"y"});
  }
  return w.bytes();
}

// NCHW to NHWC.
Bytes stored(const Bytes& bytes, const Dims& dims) {
  if (dims.size() != 4) {
    return bytes;
  }
  Bytes result(bytes.size());
  const auto c = static_cast<std::size_t>(dims[1]);
  const auto pixels = static_cast<std::size_t>(dims[2] * dims[3]);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    result[i % pixels * c + i / pixels % c] = bytes[i];
  }
  return result;
}

Bytes shifted(Bytes bytes, bool is_signed) {
  for (std::uint8_t& byte : bytes) {
    byte ^= is_signed ? 0x00 : 0x80;
  }
  return bytes;
}

fs::path case_dir(const fs::path& root, const Case& c, bool is_signed) {
  return root / fmt::format("{}_{}", c.name, is_signed ? "int8" : "uint8");
}

Bytes input_of(const Case& c) {
  Bytes bytes(1);
  std::size_t count = 1;
  for (const std::int64_t extent : c.dims) {
    count *= static_cast<std::size_t>(extent);
  }
  bytes.resize(count);
  SplitMix64 rng(4);
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(rng.next() >> 56);
  }
  return bytes;
}

void write_case(const fs::path& root, const Case& c, bool is_signed) {
  const fs::path dir = case_dir(root, c, is_signed);
  fs::create_directories(dir);
  const auto write = [&](const char* name, const auto& data) {
    std::ofstream out(dir / name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(data.data()),
              static_cast<std::streamsize>(data.size()));
  };
  write("model.onnx", model_of(c, is_signed));
  write("input.bin", input_of(c));
  const nlohmann::json json = {{"type", is_signed ? "int8" : "uint8"}, {"dims", c.dims}};
  write("input.json", json.dump());
}

TEST(Onnx, AgreesWithOnnxRuntime) {
  const char* modules = std::getenv("TESSERA_NODE_MODULES");
  if (modules == nullptr ||
      !fs::is_directory(fs::path(modules) / "node_modules/onnxruntime-node")) {
    GTEST_SKIP() << "skipped: onnxruntime-node is not on this machine (TESSERA_NODE_MODULES)";
  }
  const fs::path root = fs::temp_directory_path() / ("tessera_onnx_" + std::to_string(::getpid()));
  for (const Case& c : cases()) {
    for (const bool is_signed : {true, false}) {
      write_case(root, c, is_signed);
    }
  }
  const std::string command =
      fmt::format("node {}/tests/onnx/onnxruntime.mjs {}", TESSERA_SOURCE_DIR, root.string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::size_t values = 0;
  std::size_t by_one = 0;
  for (const Case& c : cases()) {
    for (const bool is_signed : {true, false}) {
      const fs::path dir = case_dir(root, c, is_signed);
      SCOPED_TRACE(dir.filename().string());
      std::ifstream json(dir / "output.json");
      const Dims dims = nlohmann::json::parse(json)["dims"];
      const Network network = import_onnx(model_of(c, is_signed), "model.onnx", 1, false);
      const Bytes actual =
          run_reference(network, {shifted(stored(input_of(c), c.dims), is_signed)})[0];
      const Tensor& out = network.tensors[static_cast<std::size_t>(network.outputs[0])];
      EXPECT_EQ(logical_dims(out.shape), dims);
      const Bytes expected =
          shifted(stored(read_file((dir / "output.bin").string()), dims), is_signed);
      ASSERT_EQ(actual.size(), expected.size());
      std::size_t different = 0;
      for (std::size_t i = 0; i < actual.size(); ++i) {
        const int difference =
            std::abs(static_cast<std::int8_t>(actual[i]) - static_cast<std::int8_t>(expected[i]));
        EXPECT_LE(difference, 1) << i;
        different += difference != 0 ? 1 : 0;
      }
      values += actual.size();
      by_one += different;
      if (different > 0) {
        std::cout << dir.filename().string() << ": " << different << " of " << actual.size()
                  << " values differ by 1\n";
      }
    }
  }
  std::cout << by_one << " of " << values << " values differ by 1 from ONNX Runtime\n";
  EXPECT_LT(by_one * 50, values) << "rounding alone makes fewer than 2 %";
  fs::remove_all(root);
}

// ONNX's node tests ---------------------------------------------------------------------------

const fs::path kNodeTests = "/usr/share/libonnx-testdata/data/node";

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The test's model with all inputs but the first `kept` as constants.
struct NodeTest {
  onnx::ModelProto model;
  onnx::TensorProto input;
  onnx::TensorProto output;
};

NodeTest node_test(const fs::path& dir, const std::set<int>& kept) {
  NodeTest result;
  result.model.ParseFromString(text_of(dir / "model.onnx"));
  auto* graph = result.model.mutable_graph();
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> inputs;
  for (int i = 0; i < graph->input_size(); ++i) {
    onnx::TensorProto tensor;
    tensor.ParseFromString(text_of(dir / fmt::format("test_data_set_0/input_{}.pb", i)));
    if (kept.count(i) != 0) {
      *inputs.Add() = graph->input(i);
      result.input = tensor;
    } else {
      tensor.set_name(graph->input(i).name());
      *graph->add_initializer() = tensor;
    }
  }
  *graph->mutable_input() = inputs;
  result.output.ParseFromString(text_of(dir / "test_data_set_0/output_0.pb"));
  return result;
}

std::vector<std::uint8_t> bytes_of(const onnx::ModelProto& model) {
  const std::string text = model.SerializeAsString();
  return {text.begin(), text.end()};
}

#define TESSERA_NEEDS_NODE_TESTS()                                \
  if (!fs::is_directory(kNodeTests)) {                            \
    GTEST_SKIP() << "skipped: libonnx-testdata is not installed"; \
  }                                                               \
  static_assert(true)

TEST(OnnxNodeTests, QuantisedOperatorsGiveTheirResults) {
  TESSERA_NEEDS_NODE_TESTS();
  for (const char* name : {"test_qlinearconv", "test_qlinearmatmul_2D"}) {
    SCOPED_TRACE(name);
    const NodeTest test = node_test(kNodeTests / name, {0});
    const Network network = import_onnx(bytes_of(test.model), name, 1, false);
    const Dims in(test.input.dims().begin(), test.input.dims().end());
    const Dims out(test.output.dims().begin(), test.output.dims().end());
    const std::string& raw = test.input.raw_data();
    const std::string& expected = test.output.raw_data();
    const Bytes actual =
        run_reference(network, {shifted(stored({raw.begin(), raw.end()}, in), false)})[0];
    EXPECT_EQ(actual, shifted(stored({expected.begin(), expected.end()}, out), false));
  }
}

// Float nodes run with seeded weights; what is compared is the shape of their results. Refusals
// must say that something is not supported.
TEST(OnnxNodeTests, FloatOperatorsHaveTheirShapes) {
  TESSERA_NEEDS_NODE_TESTS();
  const std::set<std::string> covered = {"Conv",
                                         "ConvTranspose",
                                         "Gemm",
                                         "MatMul",
                                         "Add",
                                         "Sub",
                                         "Mul",
                                         "Relu",
                                         "Clip",
                                         "LeakyRelu",
                                         "Sigmoid",
                                         "Tanh",
                                         "HardSwish",
                                         "HardSigmoid",
                                         "MaxPool",
                                         "AveragePool",
                                         "GlobalAveragePool",
                                         "ReduceMean",
                                         "Reshape",
                                         "Flatten",
                                         "Squeeze",
                                         "Unsqueeze",
                                         "Transpose",
                                         "Pad",
                                         "Slice",
                                         "Split",
                                         "Concat",
                                         "Resize",
                                         "Upsample",
                                         "Softmax",
                                         "Identity"};
  std::size_t right = 0;
  std::size_t refused = 0;
  std::set<std::string> seen;
  for (const auto& entry : fs::directory_iterator(kNodeTests)) {
    onnx::ModelProto model;
    model.ParseFromString(text_of(entry.path() / "model.onnx"));
    if (model.graph().node_size() != 1 || covered.count(model.graph().node(0).op_type()) == 0) {
      continue;
    }
    const std::string op = model.graph().node(0).op_type();
    SCOPED_TRACE(entry.path().filename().string());
    std::set<int> kept = {0};
    const bool several = op == "Add" || op == "Sub" || op == "Mul" || op == "Concat";
    for (int i = 0; several && i < model.graph().input_size(); ++i) {
      kept.insert(i);
    }
    const NodeTest test = node_test(entry.path(), kept);
    try {
      const Network network = import_onnx(bytes_of(test.model), "node", 1, true);
      const Tensor& out = network.tensors[static_cast<std::size_t>(network.outputs[0])];
      Dims expected(test.output.dims().begin(), test.output.dims().end());
      EXPECT_EQ(logical_dims(out.shape), expected.empty() ? Dims{1} : expected);
      ++right;
      seen.insert(op);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()), "");
      ++refused;
    }
  }
  std::cout << right << " node tests have the right shape, " << refused << " are refused\n";
  EXPECT_GE(right, 90U);
  EXPECT_GE(seen.size(), 25U);
}

// Bad models ----------------------------------------------------------------------------------

std::string error_of(const std::vector<std::uint8_t>& data, bool seeded = false) {
  try {
    import_onnx(data, "model.onnx", 1, seeded);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Onnx, ErrorsNameTheNode) {
  const auto expect = [](const std::string& error, const char* part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect(error_of({1, 2, 3}), "not an ONNX model");
  W old(1, 9);
  expect(error_of(old.bytes()), "opset 9; supported are 10 to 21");
  W w(1);
  w.input("x", onnx::TensorProto::FLOAT, {1, 3, 4, 4});
  w.output("y", onnx::TensorProto::FLOAT);
  w.node("Einsum", {"x"}, {"y"});
  expect(error_of(w.bytes()), "weights: seeded");
  expect(error_of(w.bytes(), true), "node 0 (Einsum, ``): is not supported; supported are Add, ");
  W later(1);
  later.input("x", onnx::TensorProto::FLOAT, {1, 3, 4, 4});
  later.output("y", onnx::TensorProto::FLOAT);
  later.node("Relu", {"z"}, {"y"});
  expect(error_of(later.bytes(), true), "reads `z`, which no node before it computes");
  W bare(1);
  bare.input("x", onnx::TensorProto::INT8, {1, 3, 4, 4});
  bare.output("y", onnx::TensorProto::FLOAT);
  bare.scale("s", 0.1F);
  bare.zero("z", true, 0);
  bare.node("DequantizeLinear", {"x", "s", "z"}, {"xf"});
  bare.quantised("w", {4, 3, 1, 1}, true, 0, -1, 0.1F);
  bare.node("Conv", {"xf", "w"}, {"y"});
  expect(error_of(bare.bytes()), "no QuantizeLinear behind it");
}

TEST(Onnx, DamagedModelsNeverCrash) {
  for (const Case& c : cases()) {
    const auto bytes = model_of(c, true);
    test::damage({bytes.begin(), bytes.end()}, 100, [](const std::string& text) {
      import_onnx({text.begin(), text.end()}, "damaged.onnx", 1, true);
    });
  }
}

}  // namespace
}  // namespace tessera
