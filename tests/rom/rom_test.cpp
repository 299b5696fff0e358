// ROMs on the hardware that boots from them, and what flipped bits do to it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/input_steps.hpp"
#include "app/simulate.hpp"
#include "isa/checksum.hpp"
#include "rom/formats.hpp"
#include "rom/image.hpp"
#include "rom/system.hpp"
#include "rom/verify.hpp"
#include "rom/verilog.hpp"
#include "rom/words.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/reference.hpp"
#include "tessera/rng.hpp"
#include "tests/app/cli.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

using test::Finished;
using test::text_of;
using test::write_text;

class RomCli : public test::Cli {
 protected:
  Finished rom(const std::string& arguments) {
    return run("rom --config " TESSERA_SOURCE_DIR "/configs/npu.yaml --out " + path("rom") + " " +
               arguments);
  }
};

TEST_F(RomCli, LeNetBootsFromTheFilesWritten) {
  const Finished outcome = rom("--set hardware=tiny --verify");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("verified: booted from"), std::string::npos);
  const auto map = nlohmann::json::parse(text_of(path("rom/memory_map.json")));
  const std::string binary = text_of(path("rom/tessera_rom.bin"));
  EXPECT_EQ(map["rom_bytes"], binary.size());
  EXPECT_EQ(binary.substr(0, 4), "TSRM");
  std::uint64_t bytes = 0;
  for (const auto& layer : map["layers"]) {
    bytes += layer["command_bytes"].get<std::uint64_t>();
  }
  EXPECT_EQ(bytes, map["runs"][0]["bytes"]);
  const std::string listing = text_of(path("rom/listing.txt"));
  EXPECT_NE(listing.find("; conv1 tile 1"), std::string::npos);
  EXPECT_NE(listing.find("; host: SOFTMAX `softmax`"), std::string::npos);
  // Same input, same bytes.
  const std::string before = text_of(path("rom/tessera_rom.hex"));
  ASSERT_EQ(rom("--set hardware=tiny --quiet").code, 0);
  EXPECT_EQ(text_of(path("rom/tessera_rom.hex")) == before, true);
}

const char* const kWindow =
    "inputs: {x: {shape: [1, 1, 3, 8]}, h: {shape: [1, 3, 3, 8]}}\nlayers:\n"
    "  - concat: {name: a, from: [h, x], axis: 1}\n"
    "  - slice: {name: n, from: a, begin: [0, 1, 0, 0], size: [1, 3, 3, 8]}\n"
    "  - conv2d: {from: a, kernel: [4, 1], out_channels: 5}\n"
    "state: [{input: h, output: n}]\n";

TEST_F(RomCli, StepsOfAStateBootFromTheFilesWritten) {
  write_text(path("net.yaml"), kWindow);
  const Finished outcome =
      rom("--set hardware=tiny --set network=" + path("net.yaml") + " --set steps=4 --verify");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto map = nlohmann::json::parse(text_of(path("rom/memory_map.json")));
  EXPECT_EQ(map["runs"][0]["reset"], true);
  EXPECT_EQ(map["states"][0]["bytes"], 72);
  EXPECT_NE(text_of(path("rom/listing.txt")).find("; run 0 (states begin anew)"),
            std::string::npos);
  const std::string driver = text_of(path("rom/tessera_program.h"));
  EXPECT_NE(driver.find("#define TESSERA_RESET_RUNS 1u"), std::string::npos);
  EXPECT_NE(driver.find("#define TESSERA_STATE0_BYTES 0x48u"), std::string::npos);
}

// The front end gives states their first values in the first run, and when it is told to.
TEST_F(RomCli, StatesBeginAnewWhenTheyAreToldTo) {
  const Config config = load_config(TESSERA_SOURCE_DIR "/configs/npu.yaml", {"hardware=tiny"});
  const Network network = import_yaml(kWindow, "net.yaml", 1);
  const rom::Image image = rom::make_image(compile(network, config.hardware, {}), 0);
  write_text(path("tessera_rom.sv"), rom_module(image));
  write_text(path("tessera_system.sv"), system_module(image));
  write_text(path("tessera_rom.hex"), rom::to_readmemh(image.bytes, config.hardware.bus_bytes));
  rom::System system(dir_.string(), config.hardware, nullptr);
  const std::vector<std::uint8_t> input = read_inputs(config, network, "").at(0);
  const auto step = [&](bool restart) {
    system.write(image.program.inputs[0].address - image.arena.address, input);
    system.start(1'000'000, restart);
    EXPECT_FALSE(system.failed()) << system.error_text();
    EXPECT_EQ(system.runs_done(), 0U);
    const Slot& output = image.program.outputs[0];
    return system.read(output.address - image.arena.address, output.bytes);
  };
  std::vector<std::vector<std::uint8_t>> states = initial_states(network);
  for (int i = 0; i < 6; ++i) {
    const bool restart = i == 4;
    if (restart) {
      states = initial_states(network);
    }
    EXPECT_EQ(step(restart), run_reference(network, {input}, {}, &states)[0]) << i;
  }
}

TEST_F(RomCli, TheSimulatedStreamIsTheRoms) {
  ASSERT_EQ(rom("--set hardware=tiny --quiet").code, 0);
  const Config config =
      load_config(TESSERA_SOURCE_DIR "/configs/npu.yaml", {"hardware=tiny", "engine=rtl"});
  const Program program = compile(load_configured(config), config.hardware, config.policy);
  const std::string binary = text_of(path("rom/tessera_rom.bin"));
  const auto map = nlohmann::json::parse(text_of(path("rom/memory_map.json")));
  for (const auto& section : map["sections"]) {
    if (section["kind"] == "header") {
      continue;
    }
    const auto kind = section["kind"] == "constants" ? MemoryKind::Constants : MemoryKind::Commands;
    for (const MemoryRegion& region : program.regions) {
      if (region.kind == kind) {
        const std::string expected(
            program.image.begin() + static_cast<std::ptrdiff_t>(region.range.address),
            program.image.begin() +
                static_cast<std::ptrdiff_t>(region.range.address + region.range.bytes));
        EXPECT_EQ(section["address"], region.range.address);
        EXPECT_EQ(binary.substr(section["rom_offset"], expected.size()) == expected, true);
      }
    }
  }
}

TEST_F(RomCli, TheHostsWorkLiesBetweenRunsAndAnyBaseWillDo) {
  write_text(path("n.yaml"),
             "layers:\n"
             "  - conv2d: {in: [8, 8, 4], out_channels: 8, kernel: 3, padding: same}\n"
             "  - flatten: {}\n"
             "  - fully_connected: {out_features: 20}\n"
             "  - softmax: {}\n"
             "  - fully_connected: {out_features: 12}\n"
             "  - softmax: {}\n");
  const Finished outcome =
      rom("--set hardware=tiny --verify --base 0x80001000 --network " + path("n.yaml"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto map = nlohmann::json::parse(text_of(path("rom/memory_map.json")));
  ASSERT_EQ(map["runs"].size(), 2U);
  EXPECT_EQ(map["runs"][0]["host_works_after"], true);
  EXPECT_EQ(map["sections"][1]["address"], 0x80001000U);
}

TEST_F(RomCli, SeveralModelsTakeTurns) {
  write_text(path("npu.yaml"),
             "hardware: tiny\nmodels:\n  - {network: a.yaml}\n  - {network: b.yaml}\n");
  write_text(path("a.yaml"), "layers:\n  - conv2d: {in: [6, 6, 4], out_channels: 4, kernel: 3}\n");
  write_text(path("b.yaml"), "layers:\n  - conv2d: {in: [5, 7, 8], out_channels: 6, kernel: 1}\n");
  const Finished outcome =
      run("rom --verify --config " + path("npu.yaml") + " --out " + path("rom"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
}

class LongRom : public RomCli {};

TEST_F(LongRom, ResNetFitsSmall) {
  TESSERA_NEEDS_SHARED();
  const std::string model = test::shared_dir() + "/models/ic_resnet8/model.tflite";
  const Finished outcome =
      rom("--set hardware=small --set policy=best --verify --network " + model);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto map = nlohmann::json::parse(text_of(path("rom/memory_map.json")));
  EXPECT_LE(map["sections"][2]["bytes"], 8192U);
}

TEST_F(RomCli, MistakesAreNamed) {
  EXPECT_EQ(rom("--base 12x").code, 2);
  const Finished odd = rom("--base 0x10");
  EXPECT_EQ(odd.code, 2);
  EXPECT_NE(odd.err.find("allowed are multiples of 0x1000"), std::string::npos) << odd.err;
  EXPECT_EQ(rom("--base 0xFFFFF000").code, 2);
  EXPECT_EQ(rom("--input x.npy").code, 2);
  write_text(path("s.yaml"), "layers:\n  - softmax: {in: [10]}\n");
  const Finished none = rom("--network " + path("s.yaml"));
  EXPECT_EQ(none.code, 2);
}

/// A ROM whose bytes can be changed before it boots.
class Flips : public test::Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    config_ = load_config(TESSERA_SOURCE_DIR "/configs/npu.yaml", {"hardware=tiny"});
    network_ = load_configured(config_);
    image_ = rom::make_image(compile(network_, config_.hardware, config_.policy), 0);
    write_text(path("tessera_rom.sv"), rom_module(image_));
    write_text(path("tessera_system.sv"), system_module(image_));
    inputs_ = read_inputs(config_, network_, "");
  }

  std::unique_ptr<rom::System> system_with(const std::vector<std::uint8_t>& bytes) {
    write_text(path("tessera_rom.hex"), rom::to_readmemh(bytes, config_.hardware.bus_bytes));
    auto system = std::make_unique<rom::System>(dir_.string(), config_.hardware, nullptr);
    system->write(0, std::vector<std::uint8_t>(image_.arena.bytes, kMarked));
    system->write(image_.program.inputs[0].address - image_.arena.address, inputs_[0]);
    return system;
  }
  std::vector<std::uint8_t> flipped(std::uint64_t bit) const {
    std::vector<std::uint8_t> bytes = image_.bytes;
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    return bytes;
  }

  static constexpr std::uint8_t kMarked = 0xA5;
  static constexpr std::uint64_t kMost = 1'000'000;
  Config config_;
  Network network_;
  rom::Image image_;
  std::vector<std::vector<std::uint8_t>> inputs_;
};

TEST_F(Flips, InACommandStopTheRunBeforeAnythingIsWritten) {
  SplitMix64 rng(5);
  const std::uint64_t stream = image_.runs[0].bytes;
  for (int i = 0; i < 24; ++i) {
    const std::uint64_t bit = 8 * image_.commands.rom_offset + rng.next() % (8 * stream);
    const auto system = system_with(flipped(bit));
    const auto before = system->read(0, image_.arena.bytes);
    system->start(kMost);
    ASSERT_TRUE(system->failed()) << bit;
    EXPECT_EQ(system->error_cause(), static_cast<unsigned>(isa::Error::StreamChecksum));
    EXPECT_NE(system->error_info(), image_.runs[0].checksum);
    EXPECT_EQ(system->read(0, image_.arena.bytes) == before, true);
  }
}

TEST_F(Flips, InTheHeaderAreFound) {
  SplitMix64 rng(6);
  const std::uint64_t words = rom::kFirstRunWord + rom::kRunWords * image_.runs.size();
  for (int i = 0; i < 24; ++i) {
    const std::uint64_t bit = rng.next() % (32 * words);
    if (bit / 32 == 2) {
      continue;  // the ROM's size, which the hardware does not need
    }
    const auto system = system_with(flipped(bit));
    system->start(kMost);
    ASSERT_TRUE(system->failed()) << bit;
    const std::uint64_t word = bit / 32;
    const auto expected = word < 2 ? rom::BootError::Header : rom::BootError::Checksum;
    // A header that claims other words than it has ends early or never: its checksum is wrong, too.
    if (word != 1 || bit % 32 < 16) {
      EXPECT_EQ(system->error_cause(), static_cast<unsigned>(expected))
          << bit << ": " << system->error_text();
    }
  }
}

TEST_F(Flips, ARomForOtherHardwareDoesNotStart) {
  std::vector<std::uint8_t> bytes = image_.bytes;
  bytes[16] ^= 0x0C;  // word 4: atomic_c, with a checksum that fits
  const std::size_t words = rom::kFirstRunWord + rom::kRunWords * image_.runs.size();
  const std::uint32_t checksum = isa::crc32(bytes.data() + 16, 4 * words - 16);
  for (unsigned b = 0; b < 4; ++b) {
    bytes[12 + b] = static_cast<std::uint8_t>(checksum >> (8 * b));
  }
  const auto system = system_with(bytes);
  system->start(kMost);
  ASSERT_TRUE(system->failed());
  EXPECT_EQ(system->error_cause(), static_cast<unsigned>(rom::BootError::Hardware));
  EXPECT_EQ(system->error_info(), config_.hardware.atomic_c);
}

TEST_F(Flips, InConstantsStopTheRunWithTheirAddress) {
  // What each load of constants reads, as the listing's words say it.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> loads;  // first and last byte
  isa::LdSource source;
  isa::LdShape shape;
  for_words(image_, [&](const rom::Word& word) {
    if (const auto* s = std::get_if<isa::LdSource>(&*word.command); s != nullptr) {
      source = *s;
    } else if (const auto* h = std::get_if<isa::LdShape>(&*word.command); h != nullptr) {
      shape = *h;
    } else if (const auto* load = std::get_if<isa::Load>(&*word.command);
               load != nullptr && load->check != 0 && shape.inner == 1 && shape.outer == 1) {
      loads.emplace_back(source.address, source.address + shape.segment_bytes - 1);
    }
  });
  ASSERT_GT(loads.size(), 10U);
  SplitMix64 rng(7);
  for (int i = 0; i < 24; ++i) {
    const auto& [first, last] = loads[rng.next() % loads.size()];
    const std::uint64_t at = first + rng.next() % (last - first + 1);
    const std::uint64_t bit =
        8 * (image_.constants.rom_offset + at - image_.constants.address) + rng.next() % 8;
    const auto system = system_with(flipped(bit));
    system->start(kMost);
    ASSERT_TRUE(system->failed()) << at;
    EXPECT_EQ(system->error_cause(), static_cast<unsigned>(isa::Error::LoadChecksum));
    // The first load that has the byte.
    const auto found = std::find_if(loads.begin(), loads.end(), [&](const auto& load) {
      return load.first <= at && at <= load.second;
    });
    EXPECT_EQ(system->error_info(), found->first);
    EXPECT_NE(system->error_text().find("checksum"), std::string::npos) << system->error_text();
  }
}

TEST_F(Flips, AfterAnErrorTheNextStartBeginsAnew) {
  const auto good = system_with(image_.bytes);
  good->start(kMost);
  EXPECT_FALSE(good->failed()) << good->error_text();
  EXPECT_EQ(good->runs_done(), 0U);
  const auto first = good->read(0, image_.arena.bytes);
  good->write(image_.program.inputs[0].address - image_.arena.address, inputs_[0]);
  good->start(kMost);
  EXPECT_FALSE(good->failed()) << good->error_text();
  const auto& output = std::get<HostCall>(image_.program.steps.back()).inputs[0];
  const auto slice = [&](const std::vector<std::uint8_t>& all) {
    const auto begin =
        all.begin() + static_cast<std::ptrdiff_t>(output->address - image_.arena.address);
    return std::vector<std::uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(output->bytes));
  };
  EXPECT_EQ(slice(good->read(0, image_.arena.bytes)), slice(first));
  const auto bad = system_with(flipped(8 * image_.commands.rom_offset));
  for (int i = 0; i < 2; ++i) {
    bad->start(kMost);
    EXPECT_EQ(bad->error_cause(), static_cast<unsigned>(isa::Error::StreamChecksum));
  }
}

TEST(InPlace, ARomIsUsedWhereItIsAndActivationsLieElsewhere) {
  constexpr std::uint64_t kRom = 0x110'0000;
  constexpr std::uint64_t kArena = 0x4000;
  const Config config = load_config(TESSERA_SOURCE_DIR "/configs/npu.yaml", {"hardware=tiny"});
  const Network network = load_configured(config);
  const auto program = [&] { return compile(network, config.hardware, config.policy); };
  const rom::Image moved = rom::make_image(program(), 0);
  const rom::Image image = rom::make_image_in_place(program(), kRom, kArena);
  EXPECT_TRUE(image.in_place());
  EXPECT_FALSE(moved.in_place());
  EXPECT_EQ(image.constants.address, kRom + image.constants.rom_offset);
  EXPECT_EQ(image.commands.address, kRom + image.commands.rom_offset);
  EXPECT_LE(image.header_bytes, image.constants.rom_offset);
  // Bursts have the shapes that they have elsewhere.
  EXPECT_EQ(image.constants.address % rom::kBaseAlignment,
            moved.constants.address % rom::kBaseAlignment);
  EXPECT_EQ(image.commands.address % rom::kBaseAlignment,
            moved.commands.address % rom::kBaseAlignment);
  EXPECT_EQ(image.arena.address % rom::kBaseAlignment, moved.arena.address % rom::kBaseAlignment);
  EXPECT_GE(image.arena.address, kArena);
  EXPECT_LT(image.arena.address, kArena + rom::kBaseAlignment);

  // The same commands, each address moved with the part that it is of.
  std::vector<std::uint64_t> before;
  std::vector<std::uint64_t> after;
  const auto addresses = [](const rom::Image& of, std::vector<std::uint64_t>& all) {
    for_words(of, [&](const rom::Word& word) {
      if (const auto* s = std::get_if<isa::LdSource>(&*word.command); s != nullptr) {
        all.push_back(s->address);
      } else if (const auto* t = std::get_if<isa::StAddress>(&*word.command); t != nullptr) {
        all.push_back(t->address);
      }
    });
  };
  addresses(moved, before);
  addresses(image, after);
  ASSERT_EQ(before.size(), after.size());
  ASSERT_GT(before.size(), 20U);
  std::size_t constants = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool constant = before[i] < moved.constants.address + moved.constants.bytes;
    constants += constant ? 1 : 0;
    EXPECT_EQ(after[i] - before[i], constant ? image.constants.address - moved.constants.address
                                             : image.arena.address - moved.arena.address);
  }
  EXPECT_GT(constants, 5U);
  EXPECT_LT(constants, before.size());
  EXPECT_EQ(image.on_bus(image.program.inputs[0].address) - image.arena.address,
            moved.on_bus(moved.program.inputs[0].address) - moved.arena.address);

  EXPECT_THROW(rom::make_image_in_place(program(), kRom + 64, 0), InputError) << "not aligned";
  EXPECT_THROW(rom::make_image_in_place(program(), kRom, 100), InputError) << "not aligned";
  EXPECT_THROW(rom::make_image_in_place(program(), 0, 0), InputError) << "both at one place";
  EXPECT_THROW(rom::make_image_in_place(program(), 0xFFFF'F000, 0), InputError) << "no room";
}

}  // namespace
}  // namespace tessera
