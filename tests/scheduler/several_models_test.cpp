// What is known of each of several models' memory.
#include <gtest/gtest.h>

#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/merge.hpp"
#include "tessera/program.hpp"

namespace tessera {
namespace {

// Inputs x and y, read last by the first and the third layer; a, b and c are temporaries.
const char* const kNetwork =
    "inputs: {x: {shape: [1, 6, 6, 8]}, y: {shape: [1, 6, 6, 16]}}\n"
    "layers:\n"
    "  - conv2d: {name: a, from: x, out_channels: 32, kernel: 1}\n"
    "  - conv2d: {name: b, from: a, out_channels: 24, kernel: 3}\n"
    "  - conv2d: {name: c, from: y, out_channels: 40, kernel: 3}\n"
    "  - concat: {name: d, from: [b, c], axis: 3}\n"
    "  - conv2d: {name: e, from: d, out_channels: 4, kernel: 1}\n";

TEST(SeveralModels, InputsOutputsAndTemporariesAreToldApart) {
  const Network network = import_yaml(kNetwork, "net.yaml", 1);
  const Program program =
      compile(merge_networks({{"m", network, 0, true}, {"n", network, 1, false}}),
              hardware_preset("small"), {});
  ASSERT_EQ(program.memory.models.size(), 2U);
  const ModelMemory& first = program.memory.models[0];
  EXPECT_EQ(first.name, "m");
  EXPECT_TRUE(first.keep_outputs);
  EXPECT_FALSE(program.memory.models[1].keep_outputs);
  for (const ModelMemory& model : program.memory.models) {
    EXPECT_EQ(model.input_bytes, 320U + 576) << "288 in units of 64";
    EXPECT_EQ(model.output_bytes, 4U * 4 * 4);
    ASSERT_EQ(model.temporaries.size(), 2U) << "a and the concatenation";
    EXPECT_EQ(model.temporaries[0].bytes, 6U * 6 * 32);
    EXPECT_EQ(model.temporaries[1].bytes, 4U * 4 * 64);
    const std::int64_t begin = &model == &first ? 0 : 5;
    EXPECT_EQ(model.input_upper, begin + 3) << "y is the one that is needed longer";
  }
}

}  // namespace
}  // namespace tessera
