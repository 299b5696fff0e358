// The ONNX importer against ONNX's own node tests.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "app/tensor_file.hpp"
#include "input/read_file.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/reference.hpp"
#include "tests/files.hpp"
#include "tests/onnx/cases.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Dims = std::vector<std::int64_t>;

const fs::path kNodeTests = "/usr/share/libonnx-testdata/data/node";

/// The test's model with all inputs but the first `kept` as constants.
struct NodeTest {
  onnx::ModelProto model;
  onnx::TensorProto input;
  onnx::TensorProto output;
};

NodeTest node_test(const fs::path& dir, const std::set<int>& kept) {
  NodeTest result;
  result.model.ParseFromString(test::text_of(dir / "model.onnx"));
  auto* graph = result.model.mutable_graph();
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> inputs;
  for (int i = 0; i < graph->input_size(); ++i) {
    onnx::TensorProto tensor;
    tensor.ParseFromString(test::text_of(dir / fmt::format("test_data_set_0/input_{}.pb", i)));
    if (kept.count(i) != 0) {
      *inputs.Add() = graph->input(i);
      result.input = tensor;
    } else {
      tensor.set_name(graph->input(i).name());
      *graph->add_initializer() = tensor;
    }
  }
  *graph->mutable_input() = std::move(inputs);
  result.output.ParseFromString(test::text_of(dir / "test_data_set_0/output_0.pb"));
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
    const Network network = import_onnx(bytes_of(test.model), name, {1, false, false});
    const std::string& raw = test.input.raw_data();
    const std::string& expected = test.output.raw_data();
    const auto tensor = [&](std::int32_t index) {
      return network.tensors[static_cast<std::size_t>(index)];
    };
    const Bytes actual =
        run_reference(network, {from_own(tensor(network.inputs[0]), {raw.begin(), raw.end()})})[0];
    EXPECT_EQ(to_own(tensor(network.outputs[0]), actual), Bytes(expected.begin(), expected.end()));
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
    model.ParseFromString(test::text_of(entry.path() / "model.onnx"));
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
      const Network network = import_onnx(bytes_of(test.model), "node", {1, true, false});
      const Tensor& out = network.tensors[static_cast<std::size_t>(network.outputs[0])];
      Dims expected(test.output.dims().begin(), test.output.dims().end());
      const auto shape = file_shape(out, TensorForm::Own);
      EXPECT_EQ(Dims(shape.begin(), shape.end()), expected);
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

}  // namespace
}  // namespace tessera
