// Writes small models that the fuzzers start from: fuzz_seeds FOLDER
#include <filesystem>
#include <fstream>

#include "input/read_file.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "tests/onnx/model_writer.hpp"
#include "tests/tflite/model_writer.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tessera;

void write(const fs::path& path, const std::vector<std::uint8_t>& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::uint8_t> tflite_model() {
  test::TfliteWriter w;
  const auto int8 = tflite::TensorType_INT8;
  const std::int32_t x = w.tensor({1, 4, 4, 2}, int8);
  const std::int32_t kernel =
      w.tensor({2, 3, 3, 2}, int8, {{0.01F}, {0}}, std::vector<std::uint8_t>(36, 5));
  const std::int32_t a = w.tensor({1, 4, 4, 2}, int8);
  const std::int32_t b = w.tensor({1, 2, 4, 2}, int8);
  const std::int32_t c = w.tensor({1, 2, 4, 2}, int8);
  const std::int32_t sum = w.tensor({1, 2, 4, 2}, int8);
  const std::int32_t mean = w.tensor({1, 2}, int8);
  w.op(3, {x, kernel, -1}, {a}, tflite::BuiltinOptions_Conv2DOptions,
       tflite::CreateConv2DOptions(w.builder(), tflite::Padding_SAME, 1, 1).Union());
  w.op(49, {w.integers({1}), a}, {b, c}, tflite::BuiltinOptions_SplitOptions,
       tflite::CreateSplitOptions(w.builder(), 2).Union());
  w.op(0, {b, c}, {sum}, tflite::BuiltinOptions_AddOptions,
       tflite::CreateAddOptions(w.builder()).Union());
  w.op(40, {sum, w.integers({1, 2})}, {mean}, tflite::BuiltinOptions_ReducerOptions,
       tflite::CreateReducerOptions(w.builder()).Union());
  return w.finish({x}, {mean});
}

std::vector<std::uint8_t> onnx_model() {
  test::ModelWriter w(1);
  w.input("x", onnx::TensorProto::UINT8, {1, 2, 4, 4});
  w.output("y", onnx::TensorProto::UINT8);
  w.scale("s", 0.05F);
  w.zero("z", false, 120);
  w.node("DequantizeLinear", {"x", "s", "z"}, {"xf"});
  w.quantised("w", {2, 2, 3, 3}, false, 110, -1, 0.01F);
  w.node("Conv", {"xf", "w"}, {"c"}, {test::ModelWriter::ints("pads", {1, 1, 1, 1})});
  w.node("Relu", {"c"}, {"r"});
  w.node("QuantizeLinear", {"r", "s", "z"}, {"q"});
  w.node("DequantizeLinear", {"q", "s", "z"}, {"qf"});
  w.numbers("shape", {1, -1});
  w.node("Reshape", {"qf", "shape"}, {"f"});
  w.node("QuantizeLinear", {"f", "s", "z"}, {"y"});
  return w.bytes();
}

// The stream of a network with every kind of command.
std::vector<std::uint8_t> command_stream() {
  const Network network = import_yaml(
      "input: [6, 6, 1]\nlayers:\n  - conv2d: {name: a, out_channels: 5, kernel: 3}\n"
      "  - depthwise_conv2d: {name: b, kernel: 3, padding: same}\n  - add: {from: [a, b]}\n"
      "  - max_pool2d: {kernel: 2}\n  - tanh: {}\n",
      "seed.yaml", 1);
  const Program program = compile(network, hardware_preset("tiny"), {});
  const Slot& stream = std::get<CommandRun>(program.steps[0]).stream;
  const auto begin = program.image.begin() + static_cast<std::ptrdiff_t>(stream.address);
  return {begin, begin + static_cast<std::ptrdiff_t>(stream.bytes)};
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path folder = argc > 1 ? argv[1] : ".";
  write(folder / "tflite/small", tflite_model());
  write(folder / "onnx/small", onnx_model());
  write(folder / "commands/small", command_stream());
  const fs::path configs = fs::path(TESSERA_SOURCE_DIR) / "configs";
  write(folder / "yaml/lenet5", read_file((configs / "networks/lenet5.yaml").string()));
  write(folder / "config/npu", read_file((configs / "npu.yaml").string()));
  const std::string table =
      "Layer, h, w, fh, fw, c, n, s,\nConv1, 16, 16, 3, 3, 8, 16, 1,\nFC, 1, 1, 1, 1, 64, 10, 1,\n";
  write(folder / "csv/table", {table.begin(), table.end()});
  return 0;
}
