// A memory may lie anywhere in the 4 GiB that addresses reach: the same bytes in the same cycles.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "tests/rtl/small_programs.hpp"

namespace tessera {
namespace {

using namespace test;

constexpr std::size_t kBytes = 0x8000;
constexpr std::uint32_t kStream = 0x4008;
constexpr std::uint32_t kFeatures = 0x0013;
constexpr std::uint32_t kWeights = 0x1000;
constexpr std::uint32_t kParams = 0x2000;
constexpr std::uint32_t kOutput = 0x6005;
constexpr std::uint32_t kPixels = 6;

// A 1x1 convolution over one atom of six pixels, read and written in segments apart.
std::vector<std::uint64_t> program(const Hardware& hardware, std::uint32_t base) {
  const std::uint32_t atom = hardware.atomic_c;
  const std::uint32_t kernels = hardware.atomic_k;
  const auto load = [](isa::LoadKind kind, std::uint32_t dest, bool last) {
    isa::Load command = load_of(kind, dest);
    command.post_compute = last ? 1 : 0;
    return command;
  };
  isa::Conv conv;
  conv.wait_load = 1;
  conv.post_store = 1;
  isa::Store store;
  store.wait_compute = 1;
  return encode_all({isa::LdSource{base + kFeatures, atom},
                     isa::LdShape{atom, 3, 2},
                     isa::LdStride{atom + 5, 6 * atom + 31},
                     load(isa::LoadKind::Feature, 0, false),
                     isa::LdSource{base + kWeights, atom},
                     isa::LdShape{atom * kernels, 1, 1},
                     isa::LdStride{},
                     load(isa::LoadKind::Weight, kPixels, false),
                     isa::LdSource{base + kParams, 12},
                     isa::LdShape{12 * kernels, 1, 1},
                     load(isa::LoadKind::Param, 0, true),
                     isa::CvInput{2, 3, 1, 0},
                     isa::CvKernel{1, 1, 1, 1, 1, 1, 3},
                     isa::CvTile{0, 0, 2, 3},
                     isa::CvWeights{kPixels, 1, kernels, 0},
                     conv,
                     isa::StAddress{base + kOutput},
                     isa::StShape{kernels, 3, 2},
                     isa::StStride{kernels + 3, 5 * kernels},
                     isa::StQuant{3, -128, 127},
                     isa::StTile{kPixels, 1, kernels, 0},
                     store,
                     isa::End{}});
}

struct Ran {
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(kBytes);
  Counters counters{};
  bool operator==(const Ran& other) const {
    return memory == other.memory && counters == other.counters;
  }
};

// The stream's addresses are the base's; all else in memory is the same.
Ran run_at(const std::string& library, const Hardware& hardware, std::uint32_t base) {
  Ran ran;
  std::mt19937 random(1);
  for (std::uint8_t& byte : ran.memory) {
    byte = static_cast<std::uint8_t>(random());
  }
  for (std::uint32_t k = 0; k < hardware.atomic_k; ++k) {
    const std::array<std::uint32_t, 3> record{100 * k, 0x50000000U + k, 0xFFFFFFF9U};
    for (std::uint32_t b = 0; b < 12; ++b) {
      ran.memory[kParams + 12 * k + b] = static_cast<std::uint8_t>(record[b / 4] >> (8 * (b % 4)));
    }
  }
  const auto words = program(hardware, base);
  TestBench::place(words, kStream, ran.memory);
  rtl::Device device(library, hardware, ran.memory, ExternalMemory{}, {}, base);
  device.run({std::uint64_t{base} + kStream, 8 * words.size()}, hardware.cbuf_atoms(),
             TestBench::kWatchdog, [](const auto&) {});
  ran.counters = device.read_counters();
  std::fill_n(ran.memory.begin() + kStream, 8 * words.size(), std::uint8_t{0});
  return ran;
}

class FarMemory : public testing::TestWithParam<const char*> {};

TEST_P(FarMemory, IsReadAndWrittenAsANearOne) {
  const Hardware hardware = hardware_preset(GetParam());
  const std::string library = rtl::build_variant(hardware, {});
  const Ran near = run_at(library, hardware, 0);
  // Something was computed, and written where it belongs.
  std::set<std::uint8_t> values(near.memory.begin() + kOutput,
                                near.memory.begin() + kOutput + hardware.atomic_k);
  EXPECT_GT(values.size(), 1U);
  for (const std::uint32_t base :
       {0x55555000U, 0xAAAAA000U, 0x7FFFF000U, 0x80000000U, 0xFFFF8000U}) {
    EXPECT_TRUE(run_at(library, hardware, base) == near) << std::hex << base;
  }
}

TEST_P(FarMemory, IsNotWhereAddressesAreWrong) {
  const Hardware hardware = hardware_preset(GetParam());
  const std::string library = rtl::build_variant(hardware, {});
  std::vector<std::uint8_t> memory(kBytes);
  for (unsigned bit = 15; bit < 32; ++bit) {
    constexpr std::uint32_t kBase = 0x80000000U;
    TestBench::place(encode_all(loading(0, (kBase ^ 1U << bit) + 0x1000)), kStream, memory);
    rtl::Device device(library, hardware, memory, ExternalMemory{}, {}, kBase);
    try {
      device.run({kBase + kStream, 40}, hardware.cbuf_atoms(), TestBench::kWatchdog,
                 [](const auto&) {});
      ADD_FAILURE() << "bit " << bit << " of a load's address is not looked at";
    } catch (const EngineError& error) {
      EXPECT_EQ(error.cause(), isa::Error::ReadBus);
      EXPECT_EQ(error.info(), 3U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, FarMemory,
                         testing::Values("micro", "nano", "tiny", "small", "medium"));

}  // namespace
}  // namespace tessera
