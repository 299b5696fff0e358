// Readers of networks: what they accept, and that bad input ends in an error that says where.
#include "tessera/import.hpp"
#include "tessera/reference.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include <filesystem>

#include "input/read_file.hpp"
#include "tessera/error.hpp"
#include "tessera/rng.hpp"
#include "tests/corruption.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

std::string error_of(const std::string& yaml) {
  try {
    import_yaml(yaml, "net.yaml", 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string csv_error_of(const std::string& csv) {
  try {
    import_csv(csv, "table.csv", 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string kHeader = "Layer, IH, IW, FH, FW, C, N, S,\n";

TEST(Yaml, ChainsLayersAndTheirShapes) {
  const Network network = import_yaml(
      "name: n\nlayers:\n  - conv2d: {in: [8, 9, 3], out_channels: 5, kernel: [3, 2], stride: 2, "
      "padding: same}\n  - avg_pool2d: {kernel: 2, stride: 2}\n  - flatten:\n  - fully_connected: "
      "{out_features: 7}\n",
      "net.yaml", 1);
  ASSERT_EQ(network.operators.size(), 4U);
  const auto shape = [&](std::size_t op) {
    return network.tensors[static_cast<std::size_t>(network.operators[op].output)].shape;
  };
  EXPECT_EQ(shape(0), (std::vector<std::int32_t>{1, 4, 5, 5}));
  EXPECT_EQ(shape(1), (std::vector<std::int32_t>{1, 2, 2, 5}));
  EXPECT_EQ(shape(3), (std::vector<std::int32_t>{1, 7}));
}

TEST(Yaml, SameSeedGivesTheSameWeights) {
  const std::string text = "layers: [{conv2d: {in: [4, 4, 3], out_channels: 2, kernel: 1}}]";
  const Network a = import_yaml(text, "a.yaml", 5);
  const Network b = import_yaml(text, "a.yaml", 5);
  const Network c = import_yaml(text, "a.yaml", 6);
  EXPECT_EQ(a.tensors[1].constant, b.tensors[1].constant);
  EXPECT_NE(a.tensors[1].constant, c.tensors[1].constant);
}

TEST(Yaml, ErrorsSayWhereAndWhatIsAllowed) {
  EXPECT_EQ(error_of("layers:\n  - conv2d: {in: [8, 8, 3], out_chanels: 4, kernel: 3}\n"),
            "net.yaml:2:29: unknown key `out_chanels` in `conv2d` (did you mean `out_channels`?)");
  EXPECT_NE(error_of("layers:\n  - conv2d: {in: [8, 8, 3], out_channels: 4, kernl: 3}\n")
                .find("net.yaml:2:46: unknown key `kernl` in `conv2d` (did you mean `kernel`?)"),
            std::string::npos);
  EXPECT_NE(error_of("layers:\n  - conv3d: {in: [8, 8, 3]}\n").find("did you mean `conv2d`?"),
            std::string::npos);
  EXPECT_NE(error_of("layers:\n  - conv2d: {in: [8, 8, 3], out_channels: 0}\n")
                .find("allowed is a whole number from 1 to 65535"),
            std::string::npos);
  EXPECT_NE(error_of("layers:\n  - conv2d: {in: [2, 2, 3], out_channels: 1, kernel: 5}\n")
                .find("net.yaml"),
            std::string::npos);
  EXPECT_NE(error_of("layers: [").find("net.yaml:"), std::string::npos);
  EXPECT_NE(error_of("layers: 3").find("must be a list"), std::string::npos);
  EXPECT_NE(error_of("- 1").find("must be a map"), std::string::npos);
  EXPECT_NE(error_of(std::string(100000, '[')).find("nested deeper"), std::string::npos);
}

TEST(Yaml, KeysAreThereOnce) {
  EXPECT_EQ(error_of("name: a\nlayers: []\nname: b\n"),
            "net.yaml:3:1: key `name` is there twice, first in line 1");
  EXPECT_EQ(
      error_of("layers:\n  - conv2d: {in: [8, 8, 3], out_channels: 4, kernel: 3, in: [4, 4, 3]}\n"),
      "net.yaml:2:57: key `in` is there twice, first in line 2");
  EXPECT_EQ(error_of("layers: []\n---\nlayers: []\n"),
            "net.yaml: has several YAML documents; allowed is one");
  // The same word as a value, in another map, or as a key and a value.
  EXPECT_FALSE(import_yaml("name: layers\nlayers: [{conv2d: {name: name, in: [4, 4, 3], "
                           "out_channels: 2, kernel: 1}}, {conv2d: {name: b, out_channels: 2, "
                           "kernel: 1}}]",
                           "net.yaml", 1)
                   .operators.empty());
}

TEST(Yaml, KernelsLargerThanTheirInputSaySo) {
  EXPECT_EQ(
      error_of("layers:\n  - conv2d: {in: [2, 9, 3], out_channels: 4, kernel: 5, padding: 1}\n"),
      "net.yaml:2:54: `conv2d.kernel`: spans 5 rows, the input with its padding has 4");
  EXPECT_EQ(
      error_of("layers:\n  - max_pool2d: {in: [9, 2, 3], kernel: 3}\n"),
      "net.yaml:2:41: `max_pool2d.kernel`: spans 3 columns, the input with its padding has 2");
}

TEST(Yaml, ATabInTheIndentationIsNamed) {
  EXPECT_EQ(error_of("name: a\nlayers:\n\t- conv2d: {in: [8, 8, 3]}\n"),
            "net.yaml:3: the line is indented with a tab; YAML allows spaces only");
  EXPECT_FALSE(import_yaml("{\n\t\"layers\": [\n\t\t{\"conv2d\": {\"in\": [4, 4, 3], "
                           "\"out_channels\": 2, \"kernel\": 1}}\n\t]\n}\n",
                           "net.json", 1)
                   .operators.empty());
}

TEST(Yaml, EveryShippedNetworkReads) {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(TESSERA_SOURCE_DIR "/configs/networks")) {
    SCOPED_TRACE(entry.path().string());
    EXPECT_FALSE(load_network(entry.path().string(), 1).operators.empty());
    ++count;
  }
  EXPECT_EQ(count, 9U);
}

std::uint64_t macs(const std::string& name) {
  const Network network = load_network(TESSERA_SOURCE_DIR "/configs/networks/" + name + ".yaml", 1);
  std::uint64_t sum = 0;
  for (const Operator& op : network.operators) {
    sum += macs_of(network, op);
  }
  return sum;
}

// Published counts of multiply-accumulates, convolutions and fully connected layers together.
TEST(Yaml, ShippedNetworksHaveTheKnownNumberOfMacs) {
  EXPECT_EQ(macs("vgg16"), 15470264320U);
  EXPECT_EQ(macs("resnet18"), 1814073344U);
  EXPECT_EQ(macs("resnet50"), 4089184256U);
  EXPECT_EQ(macs("mobilenet_v1"), 568740352U);
  EXPECT_EQ(macs("mobilenet_v2"), 300774272U);
  EXPECT_EQ(macs("lenet5"), 416520U);
}

TEST(Csv, OutputsOverhangIntoZeros) {
  const Network network = import_csv(kHeader + "c1, 224, 224, 11, 11, 3, 96, 4,\n", "t.csv", 1);
  EXPECT_EQ(network.tensors[static_cast<std::size_t>(network.operators[0].output)].shape,
            (std::vector<std::int32_t>{1, 55, 55, 96}));
}

TEST(Csv, ToleratesTheFormatsHazards) {
  const Network network =
      import_csv("\xEF\xBB\xBF" + kHeader +
                     ",,,,,,,,\n\n a ,\t8 , 8,3,3,4,2,1,,,9,9\n# note\nb,8,8,1,1,4,2,1 "
                     "# comment\nc,4,4,2,2,1,1,2",
                 "t.csv", 1);
  ASSERT_EQ(network.operators.size(), 3U);
  EXPECT_EQ(network.operators[0].name, "a");
  EXPECT_EQ(network.operators[2].name, "c");
}

TEST(Csv, ErrorsNameLineAndColumn) {
  const auto says = [](const std::string& table, const std::string& text) {
    EXPECT_NE(csv_error_of(table).find(text), std::string::npos) << csv_error_of(table);
  };
  says(kHeader + "a,8,8,3,3,4,2,1\nb,8,x,3,3,4,2,1\n",
       "table.csv:3: column 3 (input width) is `x`; allowed is a whole number from 1 to 65535");
  says(kHeader + "a,8,8,9,3,4,2,1\n", "filter 9 is larger than input 8");
  says(kHeader + "a,8,8\n", "column 4 (filter height) is ``");
  says(kHeader, "no layers");
  says("", "empty; a header line is expected");
  says("a,8,8,3,3,4,2,1\n", "table.csv:1: column 1 is `a`; a header line with names of columns");
  says(kHeader + "\"a,8,8,3,3,4,2,1\n", "table.csv:2: a quote is not closed");
  says(kHeader + "\"a\"b,8,8,3,3,4,2,1\n", "`b,8,8,3,3,4,2,1` stands behind a closing quote");
}

std::vector<std::int32_t> shape_of(const Network& network, std::size_t op) {
  return network.tensors[static_cast<std::size_t>(network.operators[op].output)].shape;
}

TEST(Csv, ColumnsAreReadByTheirNames) {
  const Network sorted = import_csv(kHeader + "a,9,8,3,2,4,5,1\n", "t.csv", 1);
  const Network mixed = import_csv(
      "Strides,Num Filter,Layer name,IFMAP Width,Filter Width,IFMAP Height,Channels,Filter "
      "Height\n1,5,a,8,2,9,4,3\n",
      "t.csv", 1);
  EXPECT_EQ(shape_of(sorted, 0), (std::vector<std::int32_t>{1, 7, 7, 5}));
  EXPECT_EQ(shape_of(mixed, 0), shape_of(sorted, 0));
  EXPECT_EQ(macs_of(mixed, mixed.operators[0]), macs_of(sorted, sorted.operators[0]));

  const std::string wide = "Layer, IH, IW, FH, FW, C, N, Stride Height, Stride Width,\n";
  EXPECT_EQ(shape_of(import_csv(wide + "a,9,9,3,3,4,5,1,3\n", "t.csv", 1), 0),
            (std::vector<std::int32_t>{1, 7, 3, 5}));
  const auto says = [](const std::string& table, const std::string& text) {
    EXPECT_NE(csv_error_of(table).find(text), std::string::npos) << csv_error_of(table);
  };
  says("Layer, IH, IW, FH, FW, C, N, S, Dilation,\na,8,8,3,3,4,2,1,1\n",
       "table.csv:1: column 9 is `Dilation`");
  says("Layer, IH, IW, FH, FW, C, N, S, Stride,\na,8,8,3,3,4,2,1,1\n",
       "columns 8 and 9 (`Stride`) are both the stride");
  says("Layer, IH, IW, FH, FW, C, S,\na,8,8,3,3,4,1\n", "table.csv:1: no column `filters`");
  says(kHeader + "a,8,8,3,3,4,2,1,2\n", "column 9 has no name in the header and is `2` here");
}

TEST(Csv, OnlyDenseLayersOfOneInput) {
  const std::string header = "Layer, IH, IW, FH, FW, C, N, S, Sparsity, Batch\n";
  EXPECT_EQ(import_csv(header + "a,8,8,3,3,4,2,1,1:1,1\nb,8,8,3,3,4,2,1,4:4,1\n", "t.csv", 1)
                .operators.size(),
            2U);
  EXPECT_NE(csv_error_of(header + "a,8,8,3,3,4,2,1,2:4,1\n")
                .find("table.csv:2: column 9 (sparsity) is `2:4`; allowed is 1:1"),
            std::string::npos);
  EXPECT_NE(csv_error_of(header + "a,8,8,3,3,4,2,1,1:1,8\n").find("column 10 (batch size) is `8`"),
            std::string::npos);
}

TEST(Csv, SeparatorsAndQuotes) {
  const Network network =
      import_csv("Layer;IH;IW;FH;FW;C;N;S\n\"a, \"\"b\"\" # 1\";8;8;3;3;4;2;1\n", "t.csv", 1);
  EXPECT_EQ(network.operators[0].name, "a, \"b\" # 1");
  const Network tabs =
      import_csv("Layer\tIH\tIW\tFH\tFW\tC\tN\tS\na b\t8\t8\t3\t3\t4\t2\t1\n", "t.csv", 1);
  EXPECT_EQ(tabs.operators[0].name, "a b");
}

TEST(Csv, ProductsHaveRowsColumnsAndAnInnerDimension) {
  const Network network = import_csv("Layer,M,N,K,\nqk,197,64,192,\n", "t.csv", 1);
  EXPECT_EQ(shape_of(network, 0), (std::vector<std::int32_t>{1, 197, 1, 64}));
  EXPECT_EQ(macs_of(network, network.operators[0]), 197U * 64 * 192);
  EXPECT_NE(csv_error_of("Layer,M,K\nqk,1,2\n").find("no column `N`"), std::string::npos);
}

TEST(Csv, MacsOfThePublicTablesAreAsTheirToolCounts) {
  TESSERA_NEEDS_SHARED();
  const std::pair<const char*, double> tables[] = {
      {"alexnet", 805.1},          {"Resnet18", 1471.2},  {"Resnet50", 3479.5},
      {"mobilenet", 565.5},        {"yolo_tiny", 1753.6}, {"Googlenet", 1352.4},
      {"DeepBench_Vision", 6720.9}};
  for (const auto& [name, mmacs] : tables) {
    SCOPED_TRACE(name);
    const Network network =
        load_network(test::shared_dir() + "/benchmarks/topologies/" + name + ".csv", 1);
    std::uint64_t sum = 0;
    for (const Operator& op : network.operators) {
      sum += macs_of(network, op);
    }
    EXPECT_NEAR(static_cast<double>(sum) / 1e6, mmacs, 0.05);
  }
}

TEST(Yaml, DamagedFilesNeverCrash) {
  const auto bytes = read_file(TESSERA_SOURCE_DIR "/configs/networks/lenet5.yaml");
  test::damage({bytes.begin(), bytes.end()}, 2000,
               [](const std::string& text) { import_yaml(text, "damaged.yaml", 1); });
}

// Every kind of layer, with constants, groups and names that YAML must quote.
const char* const kEveryLayer =
    "inputs: {\"x \\\"1\\\"\": {shape: [1, 8, 8, 6], scale: 0.02, zero_point: 5}}\n"
    "layers:\n"
    "  - conv2d: {name: 'a: b', out_channels: 6, groups: 2, kernel: 3, padding: same}\n"
    "  - depthwise_conv2d: {kernel: 3, multiplier: 2, activation: relu6}\n"
    "  - transpose_conv2d: {out_channels: 4, kernel: 3, stride: 2, padding: same}\n"
    "  - leaky_relu: {alpha: 0.3}\n  - hard_swish: {}\n  - quantize: {scale: 0.1}\n"
    "  - avg_pool2d: {name: p, kernel: 2, stride: 2, ties_up: yes}\n"
    "  - max_pool2d: {kernel: 3, stride: 1, padding: same}\n"
    "  - sub: {from: [p, max_pool2d_7]}\n  - mul: {from: [p, sub_8], activation: relu}\n"
    "  - pad: {before: [0, 1, 0, 2], after: [0, 0, 1, 0]}\n"
    "  - slice: {begin: [0, 1, 0, 1], stride: [1, 2, 1, 1]}\n"
    "  - transpose: {order: [0, 3, 1, 2]}\n  - resize_nearest: {size: [9, 5]}\n"
    "  - concat: {from: [resize_nearest_13, resize_nearest_13], axis: 3}\n"
    "  - mean: {name: m}\n  - reshape: {shape: [1, 1, 1, 14]}\n  - tanh: {}\n"
    "  - fully_connected: {from: m, out_features: 3}\n  - softmax: {}\n  - dequantize: {}\n"
    "outputs: [tanh_17, dequantize_20]\n";

void expect_same_results(const Network& a, const Network& b) {
  SplitMix64 rng(5);
  std::vector<Bytes> inputs;
  for (const std::int32_t input : a.inputs) {
    inputs.emplace_back(a.tensors[static_cast<std::size_t>(input)].bytes());
    for (std::uint8_t& byte : inputs.back()) {
      byte = static_cast<std::uint8_t>(rng.int8());
    }
  }
  std::vector<Bytes> expected;
  run_reference(a, inputs, [&](std::size_t, const Bytes& out) { expected.push_back(out); });
  std::size_t at = 0;
  run_reference(b, inputs,
                [&](std::size_t op, const Bytes& out) { EXPECT_EQ(out, expected[at++]) << op; });
  EXPECT_EQ(at, expected.size());
}

Network exported_and_read(const Network& network) {
  const auto dir =
      std::filesystem::temp_directory_path() / ("tessera_export_" + std::to_string(::getpid()));
  std::filesystem::create_directories(dir);
  export_yaml(network, (dir / "n.yaml").string());
  Network again = load_network((dir / "n.yaml").string(), 77);
  std::filesystem::remove_all(dir);
  return again;
}

TEST(Export, ComesBackAsTheSameNetwork) {
  const Network network = import_yaml(kEveryLayer, "every.yaml", 1);
  expect_same_results(network, exported_and_read(network));
}

TEST(Export, ModelsComeBackAsTheSameNetworks) {
  TESSERA_NEEDS_SHARED();
  for (const char* name :
       {"ic_resnet8", "kws_dscnn", "ad_autoencoder", "person_detect", "ssd_slim"}) {
    const Network network =
        load_network(test::shared_dir() + "/models/" + name + "/model.tflite", 1);
    expect_same_results(network, exported_and_read(network));
  }
}

TEST(Csv, DamagedFilesNeverCrash) {
  test::damage(
      "Layer, h, w, fh, fw, c, n, s,\nConv1, 16, 16, 3, 3, 8, 16, 1,\nFC, 1, 1, 1, 1, 64, 10, 1,\n",
      2000, [](const std::string& text) { import_csv(text, "damaged.csv", 1); });
}

TEST(Tflite, TruncatedFilesAreErrors) {
  TESSERA_NEEDS_SHARED();
  const auto whole = read_file(test::shared_dir() + "/models/kws_dscnn/model.tflite");
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 16) {
    const std::vector<std::uint8_t> part(whole.begin(),
                                         whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(import_tflite(part, "part"), InputError) << size;
  }
}

TEST(Tflite, DamagedFilesNeverCrash) {
  TESSERA_NEEDS_SHARED();
  const auto whole = read_file(test::shared_dir() + "/models/kws_dscnn/model.tflite");
  SplitMix64 rng(3);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    auto damaged = whole;
    for (int n = 0; n < 4; ++n) {
      // Tables and vectors lie at both ends; weights, in the middle, may take any value.
      const std::size_t span = damaged.size() / 8;
      const std::size_t at =
          rng.below(2) == 0 ? rng.below(span) : damaged.size() - 1 - rng.below(span);
      damaged[at] = static_cast<std::uint8_t>(rng.next());
    }
    try {
      import_tflite(damaged, "damaged");
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(LayerList, FormsInFilesMustFitTheirTensors) {
  const auto read = [](const std::string& form) {
    return import_yaml("inputs: {x: {shape: [1, 4, 5, 2], scale: 0.1, zero_point: 0" + form +
                           "}}\nlayers:\n  - relu: {}\n",
                       "n.yaml", 1);
  };
  EXPECT_NO_THROW(read(", file_shape: [1, 2, 4, 5], file_order: [0, 2, 3, 1]"));
  for (const char* bad :
       {", file_order: [0, 2, 3, 1]", ", file_shape: [1, 2]", ", file_shape: [1, 4, 2, 5]",
        ", file_shape: [1, 2, 4, 5], file_order: [0, 2, 3, 3]",
        ", file_shape: [1, 2, 4, 5], file_order: [5, 5, 5, 7]",
        ", file_shape: [1, 2, 4, 5], file_order: [0, 2, 3]"}) {
    EXPECT_THROW(read(bad), InputError) << bad;
  }
}

}  // namespace
}  // namespace tessera
