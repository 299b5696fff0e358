// The ONNX importer against ONNX Runtime, and with bad models.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/tensor_file.hpp"
#include "input/read_file.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/reference.hpp"
#include "tests/corruption.hpp"
#include "tests/onnx/cases.hpp"
#include "tests/onnx/model_writer.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using W = test::ModelWriter;
using Dims = std::vector<std::int64_t>;
using Case = test::OnnxCase;

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
  write("model.onnx", test::model_of(c, is_signed));
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
  for (const Case& c : test::onnx_cases()) {
    for (const bool is_signed : {true, false}) {
      write_case(root, c, is_signed);
    }
  }
  const std::string command =
      fmt::format("node {}/tests/onnx/onnxruntime.mjs {}", TESSERA_SOURCE_DIR, root.string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::size_t values = 0;
  std::size_t by_one = 0;
  for (const Case& c : test::onnx_cases()) {
    for (const bool is_signed : {true, false}) {
      const fs::path dir = case_dir(root, c, is_signed);
      SCOPED_TRACE(dir.filename().string());
      std::ifstream json(dir / "output.json");
      const Dims dims = nlohmann::json::parse(json)["dims"];
      const Network network =
          import_onnx(test::model_of(c, is_signed), "model.onnx", {1, false, false});
      const Tensor& in = network.tensors[static_cast<std::size_t>(network.inputs[0])];
      const Tensor& out = network.tensors[static_cast<std::size_t>(network.outputs[0])];
      EXPECT_EQ(file_type(in, TensorForm::Own), is_signed ? "int8" : "uint8");
      EXPECT_EQ(file_type(out, TensorForm::Own), is_signed ? "int8" : "uint8");
      const Bytes actual = to_own(out, run_reference(network, {from_own(in, input_of(c))})[0]);
      const auto shape = file_shape(out, TensorForm::Own);
      EXPECT_EQ(Dims(shape.begin(), shape.end()), dims);
      const Bytes expected = read_file((dir / "output.bin").string());
      ASSERT_EQ(actual.size(), expected.size());
      std::size_t different = 0;
      for (std::size_t i = 0; i < actual.size(); ++i) {
        const auto value = [&](const Bytes& bytes) {
          return is_signed ? static_cast<std::int8_t>(bytes[i]) : int{bytes[i]};
        };
        const int difference = std::abs(value(actual) - value(expected));
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

std::string error_of(const std::vector<std::uint8_t>& data, bool seeded = false) {
  try {
    import_onnx(data, "model.onnx", {1, seeded, false});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// Weights in a file beside the model's are as good as those in it.
TEST(Onnx, ReadsValuesThatLieInAnotherFile) {
  W w(1);
  w.input("x", onnx::TensorProto::INT8, {1, 2, 3, 3});
  w.output("y", onnx::TensorProto::INT8);
  w.scale("s", 0.05F);
  w.zero("z", true, 3);
  w.node("DequantizeLinear", {"x", "s", "z"}, {"f"});
  w.quantised("k", {2, 2, 1, 1}, true, 0, -1, 0.01F);
  w.node("Conv", {"f", "k"}, {"c"});
  w.node("QuantizeLinear", {"c", "s", "z"}, {"y"});
  const auto inside = w.bytes();
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tessera_external_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "model.onnx").string();
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromArray(inside.data(), static_cast<int>(inside.size())));
  const auto read = [&](const std::string& location) {
    for (auto& tensor : *model.mutable_graph()->mutable_initializer()) {
      if (tensor.name() != "k_q") {
        continue;
      }
      if (!tensor.raw_data().empty()) {
        std::ofstream(folder / "weights.bin", std::ios::binary) << "####" << tensor.raw_data();
        tensor.clear_raw_data();
      }
      tensor.set_data_location(onnx::TensorProto::EXTERNAL);
      tensor.clear_external_data();
      for (const auto& [key, value] : std::map<std::string, std::string>{
               {"location", location}, {"offset", "4"}, {"length", "4"}}) {
        auto* entry = tensor.add_external_data();
        entry->set_key(key);
        entry->set_value(value);
      }
    }
    const std::string text = model.SerializeAsString();
    return import_onnx({text.begin(), text.end()}, path, {});
  };
  const Bytes input(18, 40);
  EXPECT_EQ(run_reference(read("weights.bin"), {input}),
            run_reference(import_onnx(inside, path, {}), {input}));
  EXPECT_THROW(read("../weights.bin"), InputError);
  EXPECT_THROW(read("none.bin"), InputError);
  std::filesystem::remove_all(folder);
}

TEST(Onnx, ErrorsNameTheNode) {
  const auto expect = [](const std::string& error, const char* part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect(error_of({1, 2, 3}), "not an ONNX model");
  W old(1, 5);
  expect(error_of(old.bytes()), "opset 5; supported are 6 to 25");
  W w(1);
  w.input("x", onnx::TensorProto::FLOAT, {1, 3, 4, 4});
  w.output("y", onnx::TensorProto::FLOAT);
  w.node("Hardmax", {"x"}, {"y"});
  expect(error_of(w.bytes()), "weights: seeded");
  expect(error_of(w.bytes(), true),
         "node 0 (Hardmax, ``): is not supported (docs/reference/operators.md lists what is)");
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
  const Network network = import_onnx(bare.bytes(), "model.onnx", {});
  ASSERT_EQ(network.notes.size(), 1U);
  expect(network.notes[0], "node 2 (Conv, ``): its result has no QuantizeLinear behind it");
}

TEST(Onnx, RanksAreOnnxs) {
  // A bias of one dimension stays one: [1, 6] plus [6] is [1, 6].
  W w(1);
  w.input("x", onnx::TensorProto::UINT8, {1, 6});
  w.output("y", onnx::TensorProto::UINT8);
  w.scale("s", 0.05F);
  w.zero("z", false, 100);
  w.quantised("b", {6}, false, 100, -1, 0.05F);
  w.node("QLinearAdd", {"x", "s", "z", "b_q", "b_s", "b_z", "s", "z"}, {"y"}, {}, "com.microsoft");
  const Network network = import_onnx(w.bytes(), "model.onnx", {1, false, false});
  const Tensor& out = network.tensors[static_cast<std::size_t>(network.outputs[0])];
  EXPECT_EQ(out.shape, (std::vector<std::int32_t>{1, 6}));
  EXPECT_EQ(file_type(out, TensorForm::Own), "uint8");
}

TEST(Onnx, LayoutFollowsTheOperators) {
  // NHWC outside, NCHW in the middle: nothing moves.
  W w(1);
  w.input("x", onnx::TensorProto::INT8, {1, 4, 5, 3});
  w.output("y", onnx::TensorProto::INT8);
  w.scale("s", 0.05F);
  w.zero("z", true, 3);
  w.node("DequantizeLinear", {"x", "s", "z"}, {"xf"});
  w.node("Transpose", {"xf"}, {"t"}, {W::ints("perm", {0, 3, 1, 2})});
  w.quantised("w", {2, 3, 3, 3}, true, 0, -1, 0.01F);
  w.node("Conv", {"t", "w"}, {"c"});
  w.node("QuantizeLinear", {"c", "s", "z"}, {"q"});
  w.node("DequantizeLinear", {"q", "s", "z"}, {"qf"});
  w.node("Transpose", {"qf"}, {"u"}, {W::ints("perm", {0, 2, 3, 1})});
  w.node("QuantizeLinear", {"u", "s", "z"}, {"y"});
  const Network network = import_onnx(w.bytes(), "model.onnx", {1, false, false});
  ASSERT_EQ(network.operators.size(), 1U);
  const Tensor& in = network.tensors[static_cast<std::size_t>(network.inputs[0])];
  const Tensor& out = network.tensors[static_cast<std::size_t>(network.outputs[0])];
  EXPECT_TRUE(in.form.order.empty());
  EXPECT_TRUE(out.form.order.empty());
  EXPECT_EQ(out.shape, (std::vector<std::int32_t>{1, 2, 3, 2}));
}

W with_hardmax() {
  W w(1);
  w.input("x", onnx::TensorProto::INT8, {1, 3, 4, 4});
  w.output("y", onnx::TensorProto::INT8);
  w.output("p", onnx::TensorProto::INT8);
  w.scale("s", 0.05F);
  w.zero("z", true, 3);
  w.node("DequantizeLinear", {"x", "s", "z"}, {"xf"});
  w.node("MaxPool", {"xf"}, {"m"}, {W::ints("kernel_shape", {2, 2})});
  w.node("QuantizeLinear", {"m", "s", "z"}, {"p"});
  w.node("Hardmax", {"m"}, {"e"});
  w.node("Det", {"m"}, {"d"});
  w.node("Relu", {"e"}, {"r"});
  w.node("QuantizeLinear", {"r", "s", "z"}, {"y"});
  return w;
}

TEST(Onnx, EveryNodeInTheWayIsNamed) {
  const std::string error = error_of(with_hardmax().bytes());
  EXPECT_NE(error.find("2 nodes are in the way"), std::string::npos) << error;
  EXPECT_NE(error.find("node 3 (Hardmax"), std::string::npos) << error;
  EXPECT_NE(error.find("node 4 (Det"), std::string::npos) << error;
}

TEST(Onnx, CutRunsWhatComesBefore) {
  const Network network = import_onnx(with_hardmax().bytes(), "model.onnx", {1, false, true});
  EXPECT_EQ(network.operators.size(), 1U);
  EXPECT_EQ(network.outputs.size(), 1U);
  EXPECT_EQ(network.left_out.size(), 4U);
}

// What a node that fails had taken along stands alone again, and is left out by itself.
TEST(Onnx, CutGivesBackWhatAFailedNodeTook) {
  W w(1);
  w.input("x", onnx::TensorProto::INT8, {1, 3, 4, 4});
  w.output("p", onnx::TensorProto::INT8);
  w.output("y", onnx::TensorProto::INT8);
  w.scale("s", 0.05F);
  w.zero("z", true, 3);
  w.node("DequantizeLinear", {"x", "s", "z"}, {"xf"});
  w.node("MaxPool", {"xf"}, {"m"}, {W::ints("kernel_shape", {2, 2})});
  w.node("QuantizeLinear", {"m", "s", "z"}, {"p"});
  w.quantised("w", {4, 2, 1, 1}, true, 0, -1, 0.01F);  // two channels of three
  w.node("Conv", {"m", "w"}, {"c"});
  w.node("Relu", {"c"}, {"r"});
  w.node("QuantizeLinear", {"r", "s", "z"}, {"y"});
  const Network network = import_onnx(w.bytes(), "model.onnx", {1, false, true});
  EXPECT_EQ(network.operators.size(), 1U);
  EXPECT_EQ(network.outputs.size(), 1U);
  EXPECT_EQ(network.left_out.size(), 3U);
}

TEST(Onnx, AnOpenFirstDimensionIsSaid) {
  W w(1);
  w.input("x", onnx::TensorProto::INT8, {0, 3, 4, 4});
  w.output("y", onnx::TensorProto::INT8);
  w.scale("s", 0.05F);
  w.zero("z", true, 3);
  w.node("DequantizeLinear", {"x", "s", "z"}, {"xf"});
  w.node("GlobalAveragePool", {"xf"}, {"m"});
  w.node("QuantizeLinear", {"m", "s", "z"}, {"y"});
  const Network network = import_onnx(w.bytes(), "model.onnx", {1, false, false});
  ASSERT_EQ(network.notes.size(), 1U);
  EXPECT_NE(network.notes[0].find("input `x`: its first dimension is open and taken as 1"),
            std::string::npos)
      << network.notes[0];
}

// Windows see one picture after the other, and what is between two of them stays apart.
TEST(Onnx, BatchesAreOnePictureAfterTheOther) {
  const auto model = [](std::int64_t batches) {
    W w(5);
    w.input("x", onnx::TensorProto::INT8, {batches, 3, 6, 6});
    w.output("y", onnx::TensorProto::INT8);
    w.scale("s", 0.05F);
    w.zero("z", true, 3);
    w.node("DequantizeLinear", {"x", "s", "z"}, {"xf"});
    w.quantised("w", {4, 3, 3, 3}, true, 0, 0, 0.01F);
    w.node("Conv", {"xf", "w"}, {"c"});
    w.node("QuantizeLinear", {"c", "s", "z"}, {"cq"});
    w.node("DequantizeLinear", {"cq", "s", "z"}, {"cd"});
    w.node("MaxPool", {"cd"}, {"p"}, {W::ints("kernel_shape", {2, 2}), W::ints("strides", {2, 2})});
    w.node("Flatten", {"p"}, {"f"});
    w.quantised("v", {16, 5}, true, 0, -1, 0.02F);
    w.node("MatMul", {"f", "v"}, {"m"});
    w.node("QuantizeLinear", {"m", "s", "z"}, {"y"});
    return import_onnx(w.bytes(), "model.onnx", {});
  };
  constexpr std::size_t kPicture = 108;  // 3 channels, 6 x 6
  Bytes pictures(3 * kPicture);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    pictures[i] = static_cast<std::uint8_t>(i * 83 + i / 7);
  }
  const Network one = model(1);
  Bytes apart;
  for (std::size_t b = 0; b < 3; ++b) {
    const auto first = pictures.begin() + static_cast<std::ptrdiff_t>(b * kPicture);
    const Bytes output =
        run_reference(one, {Bytes(first, first + static_cast<std::ptrdiff_t>(kPicture))}).at(0);
    apart.insert(apart.end(), output.begin(), output.end());
  }
  const Network three = model(3);
  EXPECT_EQ(run_reference(three, {pictures}).at(0), apart);
  const auto count = [&](const char* type) {
    return std::count_if(three.operators.begin(), three.operators.end(),
                         [&](const Operator& op) { return op.type_name() == type; });
  };
  EXPECT_EQ(count("CONV_2D"), 4);  // and the rows of the product
  EXPECT_EQ(count("MAX_POOL_2D"), 3);
  EXPECT_EQ(count("CONCATENATION"), 1);
  EXPECT_EQ(count("STRIDED_SLICE"), 3);
}

// What a QONNX node means, written with ONNX's own.
class Quants : public testing::Test {
 protected:
  struct Wanted {
    float bits;
    bool is_signed, is_narrow;
    int low, high;
  };

  // Conv between two of them, the weights' with a scale for each output.
  static void convolution(W& w, const Wanted& q, bool as_quants) {
    w.input("x", onnx::TensorProto::FLOAT, {1, 2, 5, 5});
    w.output("y", onnx::TensorProto::FLOAT);
    std::vector<float> weights(54);
    for (int i = 0; i < 54; ++i) {
      weights[static_cast<std::size_t>(i)] = 0.037F * static_cast<float>(i * 29 % 23 - 11);
    }
    w.constant("w", onnx::TensorProto::FLOAT, {3, 2, 3, 3}, weights);
    value(w, "x", "xq", {8, true, false, -128, 127}, {}, 0.05F, as_quants);
    value(w, "w", "wq", q, {0.02F, 0.05F, 0.031F}, 0, as_quants);
    w.node("Conv", {"xq", "wq"}, {"c"});
    w.node("Relu", {"c"}, {"r"});
    value(w, "r", "y", {4, false, false, 0, 15}, {}, 0.11F, as_quants);
  }

  static void value(W& w, const std::string& from, const std::string& to, const Wanted& q,
                    const std::vector<float>& scales, float scale, bool as_quants) {
    const std::string name = to + "_";
    const auto type = q.is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;
    const auto count = static_cast<std::int64_t>(scales.size());
    const bool by_output = count > 1;
    if (as_quants) {
      w.constant(name + "s", onnx::TensorProto::FLOAT, by_output ? Dims{count, 1, 1, 1} : Dims{},
                 by_output ? scales : std::vector<float>{scale});
      w.scale(name + "z", 0);
      w.scale(name + "b", q.bits);
      w.node("Quant", {from, name + "s", name + "z", name + "b"}, {to},
             {W::integer("signed", q.is_signed ? 1 : 0), W::integer("narrow", q.is_narrow ? 1 : 0),
              W::text("rounding_mode", "ROUND")},
             "qonnx.custom_op.general");
      return;
    }
    std::vector<W::Attribute> axis;
    if (by_output) {
      axis.push_back(W::integer("axis", 0));
      w.constant(name + "s", onnx::TensorProto::FLOAT, {count}, scales);
      w.constant(name + "z", type, {count}, std::vector<std::uint8_t>(scales.size(), 0));
    } else {
      w.scale(name + "s", scale);
      w.zero(name + "z", q.is_signed, 0);
    }
    w.node("QuantizeLinear", {from, name + "s", name + "z"}, {name + "q"}, axis);
    w.zero(name + "low", q.is_signed, q.low);
    w.zero(name + "high", q.is_signed, q.high);
    w.node("Clip", {name + "q", name + "low", name + "high"}, {name + "c"});
    w.node("DequantizeLinear", {name + "c", name + "s", name + "z"}, {to}, axis);
  }

  static Bytes outputs(const W& w) {
    const Network network = import_onnx(w.bytes(), "model.onnx", {});
    Bytes input(50 * sizeof(float));
    for (std::size_t i = 0; i < 50; ++i) {
      const float x = 0.13F * static_cast<float>(static_cast<int>(i * 37 % 61) - 30);
      std::memcpy(&input[i * sizeof(float)], &x, sizeof(float));
    }
    return run_reference(network, {input}).at(0);
  }
};

TEST_F(Quants, AreQuantiserClipDequantiser) {
  const std::vector<Wanted> all = {{8, true, false, -128, 127}, {8, true, true, -127, 127},
                                   {4, true, false, -8, 7},     {4, true, true, -7, 7},
                                   {2, true, true, -1, 1},      {3, false, false, 0, 7}};
  std::set<Bytes> different;
  for (const Wanted& q : all) {
    W quants(1);
    convolution(quants, q, true);
    W linear(1);
    convolution(linear, q, false);
    EXPECT_EQ(outputs(quants), outputs(linear)) << q.bits << " bits, narrow " << q.is_narrow;
    different.insert(outputs(quants));
  }
  EXPECT_GE(different.size(), 4U);  // bits count
}

TEST_F(Quants, OfOtherKindsAreRefused) {
  const auto refused = [](float bits, float zero, const char* rounding, const std::string& says) {
    W w(1);
    w.input("x", onnx::TensorProto::FLOAT, {1, 2});
    w.output("y", onnx::TensorProto::FLOAT);
    w.scale("s", 0.1F);
    w.scale("z", zero);
    w.scale("b", bits);
    w.node("Quant", {"x", "s", "z", "b"}, {"y"}, {W::text("rounding_mode", rounding)},
           "qonnx.custom_op.general");
    try {
      import_onnx(w.bytes(), "model.onnx", {});
      ADD_FAILURE() << says;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  refused(16, 0, "ROUND", "16 bits; supported are whole numbers up to 8");
  refused(4, 0.5F, "ROUND", "zero point 0.5; it must be a whole number of -8 to 7");
  refused(4, 0, "FLOOR", "rounding_mode `FLOOR`; supported is ROUND");
}

// Reshape([batch, -1]) as PyTorch writes it, the batch taken from the value's own shape.
TEST(Onnx, ArithmeticOfShapesIsFolded) {
  W w(1);
  w.input("x", onnx::TensorProto::INT8, {1, 3, 4, 4});
  w.output("y", onnx::TensorProto::INT8);
  w.scale("s", 0.05F);
  w.zero("z", true, 3);
  w.node("DequantizeLinear", {"x", "s", "z"}, {"xf"});
  w.node("Shape", {"xf"}, {"shape"});
  w.constant<std::int64_t>("zero", onnx::TensorProto::INT64, {}, {0});
  w.node("Gather", {"shape", "zero"}, {"batch"});
  w.numbers("axes", {0});
  w.node("Unsqueeze", {"batch", "axes"}, {"batch1"});
  w.numbers("rest", {-1});
  w.node("Concat", {"batch1", "rest"}, {"to"}, {W::integer("axis", 0)});
  w.node("Reshape", {"xf", "to"}, {"r"});
  w.node("QuantizeLinear", {"r", "s", "z"}, {"y"});
  const Network network = import_onnx(w.bytes(), "model.onnx", {1, false, false});
  EXPECT_EQ(network.tensors[static_cast<std::size_t>(network.outputs[0])].shape,
            (std::vector<std::int32_t>{1, 48}));
}

TEST(Onnx, DamagedModelsNeverCrash) {
  for (const Case& c : test::onnx_cases()) {
    const auto bytes = model_of(c, true);
    test::damage({bytes.begin(), bytes.end()}, 100, [](const std::string& text) {
      import_onnx({text.begin(), text.end()}, "damaged.onnx", {1, true, false});
    });
  }
}

}  // namespace
}  // namespace tessera
