// Programs with compressed weights.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/isa.hpp"
#include "tessera/program.hpp"

namespace tessera {
namespace {

// 3x3, 64 to 96 channels, with weights of so many bits.
Network network_of(int bits, int zeros) {
  return import_yaml(
      fmt::format("inputs: {{x: {{shape: [1, 8, 8, 64]}}}}\nlayers:\n  - conv2d: {{out_channels: "
                  "96, kernel: 3, weight_bits: {}, zeros: {}}}\n",
                  bits, zeros),
      "net.yaml", 1);
}

Hardware without(const char* preset) {
  Hardware hardware = hardware_preset(preset);
  hardware.features &= ~(1U << static_cast<unsigned>(isa::Feature::Compression));
  return hardware;
}

std::uint64_t weight_bytes(const Program& program) {
  std::uint64_t bytes = 0;
  std::uint64_t segment = 0;
  const auto& run = std::get<CommandRun>(program.steps.front());
  for (const std::uint64_t word : isa::words_of(program.commands_of(run), run.stream.bytes)) {
    const isa::Command command = *isa::decode(word).command;
    if (const auto* shape = std::get_if<isa::LdShape>(&command)) {
      segment = std::uint64_t{shape->segment_bytes} * shape->inner * shape->outer;
    } else if (const auto* load = std::get_if<isa::Load>(&command);
               load != nullptr && static_cast<isa::LoadKind>(load->kind) == isa::LoadKind::Weight) {
      bytes += segment;
    }
  }
  return bytes;
}

TEST(CompressedWeights, TakeTheirBits) {
  for (const char* preset : {"medium", "large"}) {
    const Hardware hardware = hardware_preset(preset);
    const auto share = [&](const Network& network) {
      const Program plain = compile(network, without(preset), {});
      const Program coded = compile(network, hardware, {});
      EXPECT_EQ(check_program(coded), std::vector<std::string>());
      EXPECT_LE(coded.image.size(), plain.image.size());
      return static_cast<double>(weight_bytes(coded)) / static_cast<double>(weight_bytes(plain));
    };
    const double codes = 4.0 / hardware.atomic_c;  // bits for each value
    EXPECT_NEAR(share(network_of(4, 0)), (4 + codes) / 8, 0.01);
    EXPECT_NEAR(share(network_of(6, 0)), (6 + codes) / 8, 0.01);
    EXPECT_EQ(share(network_of(8, 0)), 1.0) << "they are left as they are";
    EXPECT_LT(share(network_of(8, 80)), 0.45) << "a bit for each value, a byte for one in five";
    EXPECT_LT(share(network_of(8, 100)), 0.04);
  }
}

// Parts of channels and folded taps: their order is another one in each strategy.
TEST(CompressedWeights, FollowTheStrategy) {
  for (const char* cbuf : {"16 KiB", "4 KiB", "64 KiB"}) {
    const Config config = parse_config(
        fmt::format(
            "hardware: {{preset: small, cbuf: {{size: {}}}, features: {{compression: yes}}}}"
            "\nnetwork: first_light\n",
            cbuf),
        "npu.yaml", {});
    const Program program = compile(network_of(3, 10), config.hardware, {});
    EXPECT_EQ(check_program(program), std::vector<std::string>()) << cbuf;
    EXPECT_FALSE(program.coded.empty()) << cbuf;
  }
}

// Without the bytes all addresses and codes are the same.
TEST(CompressedWeights, CostTheSameWithoutTheirBytes) {
  const Network network = network_of(5, 30);
  const Hardware hardware = hardware_preset("medium");
  const Program all = compile(network, hardware, {});
  const Program commands = compile(network, hardware, {}, Contents::Commands);
  EXPECT_EQ(all.memory_bytes(), commands.memory_bytes());
  ASSERT_EQ(all.coded.size(), 1U);
  ASSERT_EQ(commands.coded.size(), 1U);
  EXPECT_EQ(all.coded.begin()->first, commands.coded.begin()->first);
  EXPECT_EQ(all.coded.begin()->second->codes, commands.coded.begin()->second->codes);
}

// One kernel group of 64 atoms, and two of 32: their codes are the same 32 bytes of zeros.
TEST(CompressedWeights, OfOtherUnitsAreNotShared) {
  const Network network = import_yaml(
      "inputs: {x: {shape: [1, 4, 4, 64]}, y: {shape: [1, 4, 4, 32]}}\nlayers:\n"
      "  - conv2d: {from: x, out_channels: 16, kernel: 1, zeros: 100}\n"
      "  - conv2d: {from: y, out_channels: 32, kernel: 1, zeros: 100}\n",
      "net.yaml", 1);
  const Program program = compile(network, hardware_preset("medium"), {});
  EXPECT_EQ(check_program(program), std::vector<std::string>());
  ASSERT_EQ(program.coded.size(), 2U);
  std::vector<std::size_t> units;
  for (const auto& [address, coded] : program.coded) {
    EXPECT_EQ(coded->bytes(), 32U);
    units.push_back(coded->units.size() - 1);
  }
  EXPECT_EQ(units, (std::vector<std::size_t>{1, 2}));
}

TEST(CompressedWeights, TheCheckerReadsTheirCodes) {
  const Program program = compile(network_of(4, 50), hardware_preset("medium"), {});
  const std::uint64_t at = program.coded.begin()->first;
  Program damaged = program;
  damaged.image[at] = static_cast<std::uint8_t>(damaged.image[at] == 0x88 ? 0x11 : 0x88);
  ASSERT_FALSE(check_program(damaged).empty());
  EXPECT_NE(check_program(damaged)[0].find("atoms of compressed weights"), std::string::npos)
      << check_program(damaged)[0];
}

}  // namespace
}  // namespace tessera
