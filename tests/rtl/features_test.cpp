// Hardware without features refuses the words that need them, and computes all the same.
#include <gtest/gtest.h>

#include "tessera/checker.hpp"
#include "tessera/import.hpp"
#include "tests/isa/words.hpp"
#include "tests/rtl/conformance.hpp"
#include "tests/rtl/test_bench.hpp"

namespace tessera {
namespace {

constexpr std::size_t kNumFeatures = isa::kFeatures.size();

Hardware tiny_with(std::uint32_t features) {
  Hardware hardware = hardware_preset("tiny");
  hardware.features = features;
  return hardware;
}

std::uint32_t bit(isa::Feature feature) {
  return 1U << static_cast<unsigned>(feature);
}

// Written against the command set's text, not its tables.
std::uint32_t needed_by(const isa::Command& command) {
  std::uint32_t needed = 0;
  if (const auto* load = std::get_if<isa::Load>(&command); load != nullptr) {
    needed |= load->fold != 0 ? bit(isa::Feature::Folding) : 0;
    needed |= load->coded != 0 ? bit(isa::Feature::Compression) : 0;
    needed |= load->check != 0 ? bit(isa::Feature::Checksums) : 0;
    needed |= load->kind == 3 ? bit(isa::Feature::Operands) : 0;
    needed |= load->kind == 4 ? bit(isa::Feature::Tables) : 0;
  } else if (const auto* post = std::get_if<isa::StPost>(&command); post != nullptr) {
    needed |= post->operation == 1 || post->operation == 2 ? bit(isa::Feature::Tables) : 0;
    needed |= post->operation >= 2 ? bit(isa::Feature::Operands) : 0;
  } else if (const auto* store = std::get_if<isa::Store>(&command); store != nullptr) {
    needed |= store->keep != 0 || store->keep_only != 0 ? bit(isa::Feature::Keep) : 0;
  } else if (const auto* weights = std::get_if<isa::CvWeights>(&command); weights != nullptr) {
    needed |= weights->zero_point != 0 ? bit(isa::Feature::ZeroPoints) : 0;
  } else if (const auto* input = std::get_if<isa::CvInput>(&command); input != nullptr) {
    needed |= input->centred != 0 ? bit(isa::Feature::CentredFeatures) : 0;
  } else if (const auto* quant = std::get_if<isa::StQuant>(&command)) {
    needed |= quant->rounding != 0 ? bit(isa::Feature::SingleRounding) : 0;
  } else if (std::holds_alternative<isa::LdCode>(command)) {
    needed |= bit(isa::Feature::Compression);
  } else if (std::holds_alternative<isa::LdFold>(command)) {
    needed |= bit(isa::Feature::Folding);
  } else if (std::holds_alternative<isa::CvWindow>(command) ||
             std::holds_alternative<isa::Depthwise>(command)) {
    needed |= bit(isa::Feature::Depthwise);
  } else if (const auto* result = std::get_if<isa::StResult>(&command); result != nullptr) {
    needed |= bit(isa::Feature::Operands);
    needed |= result->square != 0 ? bit(isa::Feature::Squares) : 0;
  } else if (std::holds_alternative<isa::StKeep>(command)) {
    needed |= bit(isa::Feature::Keep);
  } else if (std::holds_alternative<isa::StSoftmax>(command)) {
    needed |= bit(isa::Feature::Softmax) | bit(isa::Feature::Tables);
  }
  return needed;
}

void compare(test::TestBench& bench, const std::vector<std::uint64_t>& words,
             std::size_t& refused) {
  const std::uint64_t end = isa::encode(isa::End{});
  for (const std::uint64_t word : words) {
    const auto command = isa::decode(word).command;
    const std::uint32_t needed = command ? needed_by(*command) : 0;
    if (command) {
      ASSERT_EQ(isa::features_of(word), needed) << std::hex << word;
    }
    std::uint32_t info = 99;
    const isa::Error cause = bench.failure({isa::encode(isa::LdStride{}), word, end, end}, &info);
    const bool missing = (needed & ~bench.hardware.features) != 0;
    refused += missing ? 1 : 0;
    ASSERT_EQ(cause == isa::Error::NotBuilt, missing) << std::hex << word << " " << bench.text;
    ASSERT_EQ(cause == isa::Error::IllegalCommand, !command)
        << std::hex << word << " " << bench.text;
    if (missing) {
      ASSERT_EQ(info, 8U);
    }
  }
}

TEST(Features, WordsThatNeedWhatIsNotThereStopTheHardware) {
  for (const std::uint32_t features : {0U, 0x55U}) {
    test::TestBench bench(tiny_with(features));
    std::size_t refused = 0;
    compare(bench, isa::test::boundary_words(), refused);
    compare(bench, isa::test::random_words(200, 7), refused);
    EXPECT_GT(refused, 100U);
  }
}

TEST(Features, RegistersSayWhatIsThere) {
  test::TestBench all(tiny_with(Hardware::kAllFeatures));
  EXPECT_EQ(all.device.read_register(isa::reg::kFeatures).data, Hardware::kAllFeatures);
  EXPECT_NE(all.device.read_register(isa::reg::kWindow).data, 0U);
  EXPECT_NE(all.device.read_register(isa::reg::kFold).data, 0U);
  test::TestBench none(tiny_with(0));
  EXPECT_EQ(none.device.read_register(isa::reg::kFeatures).data, 0U);
  EXPECT_EQ(none.device.read_register(isa::reg::kWindow).data, 0U);
  EXPECT_EQ(none.device.read_register(isa::reg::kFold).data, 0U);
}

TEST(Features, WithoutChecksumsAStartThatAsksForOneIsRefused) {
  test::TestBench bench(tiny_with(0));
  EXPECT_EQ(bench.device.write_register(isa::reg::kCommandChecksum, 1).response, 2U);
  EXPECT_EQ(bench.device.write_register(isa::reg::kControl, 5).response, 2U);
  EXPECT_EQ(bench.device.read_register(isa::reg::kStatus).data, 0U);
  bench.run({isa::encode(isa::End{})});
  EXPECT_EQ(bench.device.read_register(isa::reg::kStatus).data, 2U);
}

TEST(Features, WithoutCountersOnlyCyclesAreRead) {
  test::TestBench all("tiny");
  all.run({isa::encode(isa::End{})});
  test::TestBench none(tiny_with(0));
  none.run({isa::encode(isa::End{})});
  Counters expected{};
  counter(expected, isa::Counter::Cycles) =
      counter(all.device.read_counters(), isa::Counter::Cycles);
  EXPECT_GT(counter(expected, isa::Counter::Cycles), 0U);
  EXPECT_EQ(none.device.read_counters(), expected);
}

// Depthwise convolutions, pooling, functions, additions, slices: everything that has hardware of
// its own.
const char* const kAllKinds =
    "layers:\n"
    "  - conv2d: {in: [9, 11, 3], out_channels: 7, kernel: 3, padding: same, rounding: half_even}\n"
    "  - depthwise_conv2d: {kernel: 3, stride: 2, padding: same}\n"
    "  - logistic: {}\n"
    "  - max_pool2d: {kernel: 2, stride: 1}\n"
    "  - conv2d: {name: a, from: max_pool2d_3, out_channels: 7, kernel: 1}\n"
    "  - conv2d: {name: b, from: max_pool2d_3, out_channels: 7, kernel: 1}\n"
    "  - add: {from: [a, b]}\n"
    "  - avg_pool2d: {kernel: 2, stride: 1}\n"
    "  - mean: {axes: [1, 2], rounding: half_up}\n";

TEST(Features, EachCanBeMissingAndAllEnginesStillEqualTheReference) {
  const Network network = import_yaml(kAllKinds, "features.yaml", 3);
  Policy policy;
  policy.name = PolicyName::Best;
  const auto run = [&](const Hardware& hardware, test::Engines engines) {
    const test::Outcome outcome =
        test::conform(network, hardware, policy, test::seeded_inputs(network, 3), {}, {}, engines);
    EXPECT_EQ(outcome.problem, "") << hardware.features;
  };
  for (std::size_t f = 0; f < kNumFeatures; ++f) {
    run(tiny_with(Hardware::kAllFeatures & ~(1U << f)), test::Engines::WithoutRtl);
    run(tiny_with(1U << f), test::Engines::WithoutRtl);
  }
  run(tiny_with(0), test::Engines::All);
  run(hardware_preset("nano"), test::Engines::All);
  run(hardware_preset("micro"), test::Engines::All);
}

TEST(Features, MultipliersOfLogicComputeTheSameInTheSameCycles) {
  const Network network = import_yaml(kAllKinds, "features.yaml", 3);
  Hardware hardware = hardware_preset("tiny");
  hardware.multipliers = Multipliers::Luts;
  const test::Outcome outcome = test::conform(
      network, hardware, Policy{}, test::seeded_inputs(network, 3), {}, {}, test::Engines::All);
  EXPECT_EQ(outcome.problem, "");
}

TEST(Features, LayersThatNeedThemGoToTheHostAndSayWhy) {
  const Network network = import_yaml(kAllKinds, "features.yaml", 3);
  const Program all = compile(network, tiny_with(Hardware::kAllFeatures), Policy{});
  const Program none = compile(network, tiny_with(0), Policy{});
  std::string reasons;
  for (const LayerRecord& layer : none.layers) {
    reasons += layer.host_reason + "\n";
  }
  for (const LayerRecord& layer : all.layers) {
    EXPECT_EQ(layer.host_reason, "") << layer.name;
  }
  EXPECT_NE(reasons.find("needs `tables`, which the hardware is built without"), std::string::npos)
      << reasons;
  EXPECT_NE(reasons.find("needs `tables`, `operands`"), std::string::npos) << reasons;
  EXPECT_NE(reasons.find("needs `depthwise`"), std::string::npos) << reasons;
  EXPECT_TRUE(check_program(none).empty());
}

TEST(Features, TheCheckerRefusesProgramsForOtherHardware) {
  Program program = compile(import_yaml(kAllKinds, "features.yaml", 3),
                            tiny_with(Hardware::kAllFeatures), Policy{});
  ASSERT_TRUE(check_program(program).empty());
  program.hardware.features &= ~bit(isa::Feature::Operands);
  const auto problems = check_program(program);
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(problems[0].find("needs `operands`, which the hardware is built without"),
            std::string::npos)
      << problems[0];
}

}  // namespace
}  // namespace tessera
