// The program checker accepts what the scheduler makes and notices when it is broken.
#include "tessera/checker.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/isa.hpp"
#include "tests/setups.hpp"

namespace tessera {

// Names of parameters in what tests print.
static void PrintTo(ForcedMode mode, std::ostream* out) {
  *out << static_cast<int>(mode);
}

namespace {

const char* const kNetwork =
    "layers:\n"
    "  - conv2d: {in: [20, 18, 20], out_channels: 27, kernel: 3, padding: same}\n"
    "  - depthwise_conv2d: {kernel: 3, padding: same}\n"
    "  - conv2d: {out_channels: 40, kernel: [2, 3], stride: 2}\n"
    "  - conv2d: {out_channels: 9, kernel: 1}\n";

Program program_with(ForcedMode mode, std::uint64_t cbuf = 131072) {
  const Hardware hw = test::hardware_with("small", cbuf);
  Policy policy;
  policy.mode = mode;
  return compile(import_yaml(kNetwork, "checked.yaml", 1), hw, policy);
}

const Slot& stream_of(const Program& program) {
  return std::get<CommandRun>(program.steps.at(0)).stream;
}

std::vector<std::uint64_t> words_of(const Program& program) {
  return isa::words_of(program.image.data() + stream_of(program).address, stream_of(program).bytes);
}

void set_word(Program& program, std::size_t index, std::uint64_t word) {
  for (std::size_t b = 0; b < 8; ++b) {
    program.image[stream_of(program).address + 8 * index + b] =
        static_cast<std::uint8_t>(word >> (8 * b));
  }
}

// A window of one column steps from output to output, whatever the stride: five columns of a line
// of 16.
TEST(Checker, LinesOfWindowsOfOneColumnAreTheirOutputs) {
  Hardware hardware = hardware_preset("small");
  hardware.line_atoms = 16;
  const Network network = import_yaml(
      "layers:\n"
      "  - depthwise_conv2d: {in: [3, 13, 6], kernel: [2, 5], stride: [2, 4], dilation: [1, 2], "
      "padding: [1, 5, 0, 7]}\n",
      "lines.yaml", 1);
  const auto problems = check_program(compile(network, hardware, Policy{}));
  EXPECT_TRUE(problems.empty()) << problems[0];
}

class EveryMode : public testing::TestWithParam<ForcedMode> {};

TEST_P(EveryMode, SchedulesPass) {
  const auto problems = check_program(program_with(GetParam()));
  EXPECT_TRUE(problems.empty()) << problems[0];
}

// Every load of constants has a checksum, and the checker compares it.
TEST_P(EveryMode, ChecksumsAreThoseOfTheConstants) {
  const Program program = program_with(GetParam());
  const auto words = words_of(program);
  isa::LdSource source;
  std::size_t checked = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const isa::Command command = *isa::decode(words[i]).command;
    if (const auto* s = std::get_if<isa::LdSource>(&command); s != nullptr) {
      source = *s;
    }
    const auto* load = std::get_if<isa::Load>(&command);
    if (load == nullptr) {
      continue;
    }
    const bool constant = load->kind == static_cast<unsigned>(isa::LoadKind::Weight) ||
                          load->kind == static_cast<unsigned>(isa::LoadKind::Param);
    EXPECT_EQ(load->check, constant ? 1U : 0U) << "word " << i;
    Program damaged = program;
    isa::Load changed = *load;
    if (constant) {
      damaged.image[source.address] ^= 0x10;
    } else {
      changed.check = 1;  // a feature may be another one in the next run
    }
    set_word(damaged, i, isa::encode(changed));
    const auto problems = check_program(damaged);
    ASSERT_FALSE(problems.empty()) << "word " << i;
    EXPECT_NE(problems[0].find("checksum"), std::string::npos) << problems[0];
    ++checked;
  }
  EXPECT_GE(checked, 8U);
}

// Without a token that is waited for, or with one that nobody gives, the checker must object.
void expect_every_token_to_count(const Program& program) {
  const auto words = words_of(program);
  std::size_t broken = 0;
  const auto try_without = [&](std::size_t index, const isa::Command& command) {
    Program damaged = program;
    set_word(damaged, index, isa::encode(command));
    ++broken;
    EXPECT_FALSE(check_program(damaged).empty())
        << "word " << index << ": " << isa::disassemble(command);
  };
  const auto try_each = [&](std::size_t index, const auto& command, const auto& flags) {
    for (const auto flag : flags) {
      if (command.*flag != 0) {
        auto without = command;
        without.*flag = 0;
        try_without(index, without);
      }
    }
  };
  const auto convolution_flags = [](const auto& command) {
    using Command = std::decay_t<decltype(command)>;
    return std::array{&Command::wait_load, &Command::wait_store, &Command::post_load,
                      &Command::post_store};
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const isa::Command command = *isa::decode(words[i]).command;
    if (const auto* load = std::get_if<isa::Load>(&command)) {
      try_each(
          i, *load,
          std::array{&isa::Load::wait_compute, &isa::Load::wait_store, &isa::Load::post_compute});
    } else if (const auto* conv = std::get_if<isa::Conv>(&command)) {
      try_each(i, *conv, convolution_flags(*conv));
    } else if (const auto* depthwise = std::get_if<isa::Depthwise>(&command)) {
      try_each(i, *depthwise, convolution_flags(*depthwise));
    } else if (const auto* store = std::get_if<isa::Store>(&command)) {
      try_each(
          i, *store,
          std::array{&isa::Store::wait_compute, &isa::Store::post_compute, &isa::Store::post_load});
    }
  }
  EXPECT_GT(broken, 10U);
}

// Every token of every command is there for a reason.
TEST_P(EveryMode, EveryMissingTokenIsNoticed) {
  expect_every_token_to_count(program_with(GetParam()));
}

// Three layers that hand their outputs on in the cbuf, the first one to two others.
Program program_that_keeps() {
  Policy policy;
  policy.name = PolicyName::Best;
  const Network network = import_yaml(
      "layers:\n  - conv2d: {in: [9, 9, 12], out_channels: 20, kernel: 3, padding: same}\n"
      "  - depthwise_conv2d: {kernel: 3, padding: same, name: d}\n"
      "  - conv2d: {out_channels: 9, kernel: 1, from: conv2d_0, name: p}\n"
      "  - conv2d: {out_channels: 9, kernel: 1, from: d, name: q}\n"
      "  - add: {from: [p, q]}\n",
      "kept.yaml", 1);
  Program program = compile(network, hardware_preset("small"), policy);
  EXPECT_TRUE(check_program(program).empty());
  return program;
}

TEST(KeptTiles, EveryMissingTokenIsNoticed) {
  expect_every_token_to_count(program_that_keeps());
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryMode,
                         testing::Values(ForcedMode::None, ForcedMode::Direct, ForcedMode::PingPong,
                                         ForcedMode::Wait, ForcedMode::SplitSpatial));

// Applies `change` to the first command of type T and returns the checker's first finding.
template <class T>
std::string finding_in(Program program, const std::function<void(T&)>& change) {
  const auto words = words_of(program);
  for (std::size_t i = 0; i < words.size(); ++i) {
    isa::Command command = *isa::decode(words[i]).command;
    if (auto* c = std::get_if<T>(&command)) {
      change(*c);
      set_word(program, i, isa::encode(command));
      break;
    }
  }
  const auto problems = check_program(program);
  return problems.empty() ? "" : problems[0];
}

template <class T>
std::string finding(const std::function<void(T&)>& change) {
  return finding_in(program_with(ForcedMode::PingPong), change);
}

// The same in a program of a folded convolution with an addition and a function behind others.
template <class T>
std::string finding_beside(const std::function<void(T&)>& change) {
  const Network network = import_yaml(
      "inputs: {x: {shape: [1, 12, 12, 1]}, y: {shape: [1, 12, 12, 9]}}\n"
      "layers:\n  - conv2d: {from: x, out_channels: 9, kernel: 3, padding: same}\n"
      "  - add: {from: [conv2d_0, y]}\n  - conv2d: {out_channels: 4, kernel: 1}\n  - tanh: {}\n",
      "beside.yaml", 1);
  Program program = compile(network, hardware_preset("small"), {});
  EXPECT_TRUE(check_program(program).empty());
  return finding_in(std::move(program), change);
}

TEST(Checker, NamesWhatIsWrongWithFoldsAndWhatFollowsTheRequantiser) {
  const auto expect = [](const std::string& finding, const char* part) {
    EXPECT_NE(finding.find(part), std::string::npos) << part << ": " << finding;
  };
  expect(finding_beside<isa::LdFold>([](auto& c) { c.units += 1; }), "its 13 units need");
  expect(finding_beside<isa::LdFold>([](auto& c) { c.offset = 63; }), "cannot be folded");
  expect(finding_beside<isa::StPost>([](auto& c) { c.table_select ^= 1; }), "table");
  const auto with_kind = [](isa::LoadKind kind, std::uint32_t dest) {
    return [kind, dest](isa::Load& c) {
      c.kind = static_cast<std::uint32_t>(kind);
      c.dest = dest;
    };
  };
  expect(finding_beside<isa::Load>(with_kind(isa::LoadKind::Operand, 600)), "operand word");
  expect(finding_beside<isa::Load>(with_kind(isa::LoadKind::Table, 2)), "table");
}

TEST(Checker, NamesWhatIsWrong) {
  const auto expect = [](const std::string& finding, const char* part) {
    EXPECT_NE(finding.find(part), std::string::npos) << part << ": " << finding;
  };
  expect(finding<isa::LdSource>([](auto& c) { c.address = 0xFFFFFF00; }), "outside the map");
  expect(finding<isa::LdShape>([](auto& c) { c.segment_bytes += 1; }), "no whole number of units");
  expect(finding<isa::Load>([](auto& c) { c.dest = 5000; }), "there are 64");
  expect(finding<isa::Conv>([](auto& c) { c.origin = 5000; }), "nothing was written to");
  expect(finding<isa::Conv>([](auto& c) { c.origin = 16300; }), "there are 16384");
  expect(finding<isa::CvWeights>([](auto& c) { c.address += 1; }), "still be on its way");
  expect(finding<isa::CvWeights>([](auto& c) { c.last_kernels = 9; }), "the array has 8");
  expect(finding<isa::Conv>([](auto& c) { c.acc_base = 500; }), "there are 512");
  expect(finding<isa::Conv>([](auto& c) { c.accumulate = 1; }), "holds no sum");
  expect(finding<isa::StTile>([](auto& c) { c.pixels -= 1; }), "the tile has");
  expect(finding<isa::StTile>([](auto& c) { c.param_base = 60; }), "parameter group");
  expect(finding<isa::StAddress>([](auto& c) { c.address = 0; }), "outside the activations");
  expect(finding<isa::StQuant>([](auto& c) { c.low = 1, c.high = 0; }), "clamps to");
  expect(finding<isa::CvWeights>([](auto& c) { c.last_kernels -= 1; }), "kernels of accumulator");
  for (const std::string& mark : {finding<isa::LdMark>([](auto& c) { c.id = 4; }),
                                  finding<isa::CvMark>([](auto& c) { c.id = 77; }),
                                  finding<isa::StMark>([](auto& c) { c.id = 4; })}) {
    expect(mark, "of a run of 4 layers");
  }
}

// Operands that are loaded a word further than they are read, for both operations that take them.
TEST(Checker, NamesOperandsThatAreNotThere) {
  for (const char* operation : {"add", "mul"}) {
    const Network network = import_yaml(
        fmt::format("inputs: {{x: {{shape: [1, 12, 12, 8]}}, y: {{shape: [1, 12, 12, 9]}}}}\n"
                    "layers:\n  - conv2d: {{from: x, out_channels: 9, kernel: 1}}\n"
                    "  - {}: {{from: [conv2d_0, y]}}\n",
                    operation),
        "operands.yaml", 1);
    Program program = compile(network, hardware_preset("small"), {});
    ASSERT_TRUE(check_program(program).empty());
    const auto words = words_of(program);
    std::size_t moved = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      isa::Command command = *isa::decode(words[i]).command;
      auto* load = std::get_if<isa::Load>(&command);
      if (load != nullptr && static_cast<isa::LoadKind>(load->kind) == isa::LoadKind::Operand) {
        ++load->dest;
        set_word(program, i, isa::encode(command));
        ++moved;
      }
    }
    EXPECT_GT(moved, 0U) << operation;
    const auto problems = check_program(program);
    ASSERT_FALSE(problems.empty()) << operation;
    EXPECT_NE(problems[0].find("operand word"), std::string::npos) << problems[0];
  }
}

// The second STORE takes what the first one took.
TEST(Checker, NamesSumsThatAreStoredTwice) {
  Program program = program_with(ForcedMode::SplitSpatial, 16384);
  const auto words = words_of(program);
  std::optional<isa::Store> first;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const isa::Command command = *isa::decode(words[i]).command;
    if (const auto* store = std::get_if<isa::Store>(&command); store != nullptr) {
      if (first) {
        isa::Store again = *store;
        again.acc_base = first->acc_base;
        set_word(program, i, isa::encode(again));
        break;
      }
      first = *store;
    }
  }
  const auto problems = check_program(program);
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(problems[0].find("a second time"), std::string::npos) << problems[0];
}

TEST(Checker, NamesWhatIsWrongWithKeptTilesAndParameters) {
  const auto expect = [](const std::string& finding, const char* part) {
    EXPECT_NE(finding.find(part), std::string::npos) << part << ": " << finding;
  };
  const Program program = program_that_keeps();
  const auto first_kept = [](auto change) {
    return [change](isa::Store& c) {
      if (c.keep != 0) {
        change(c);
      }
    };
  };
  expect(finding_in<isa::Store>(program, first_kept([](auto& c) { c.dest = (1U << 20) - 1; })),
         "there are 16384");
  expect(finding_in<isa::Store>(program, first_kept([](auto& c) { c.dest += 1; })), "cbuf atom");
  expect(finding_in<isa::Store>(program, first_kept([](auto& c) { c.keep = 0; })),
         "written nowhere");
  expect(finding_in<isa::Store>(program, first_kept([](auto& c) { c.dest_byte = 8; })),
         "dest_byte is 8, an atom has 8");
  expect(finding_in<isa::StKeep>(program, [](auto& c) { c.pixel_step += 1; }), "cbuf atom");
  expect(finding_in<isa::LdSource>(program, [](auto& c) { c.pixel_bytes = 5; }),
         "parameters of 5 bytes");
}

TEST(Checker, NamesWhatIsWrongWithRings) {
  const Hardware hw = test::hardware_with("small", 14336);
  Policy policy = test::best_for(Objective::Traffic);
  const Program program =
      compile(import_yaml("layers: [{conv2d: {in: [40, 24, 32], out_channels: 64, kernel: 3, "
                          "padding: same}}]",
                          "ring.yaml", 1),
              hw, policy);
  EXPECT_TRUE(check_program(program).empty());
  const auto expect = [&](const std::function<void(isa::CvRing&)>& change, const char* part) {
    const std::string finding = finding_in(program, change);
    EXPECT_NE(finding.find(part), std::string::npos) << part << ": " << finding;
  };
  expect([](auto& c) { c.atoms += 96; }, "cbuf atom");
  expect([](auto& c) { c.atoms = 0; }, "cbuf atom");
  expect([](auto& c) { c.row += 1; }, "cbuf atom");
  expect([](auto& c) { c.row -= 1; }, "cbuf atom");
}

TEST(Checker, NamesWhatIsWrongWithDepthwise) {
  const auto expect = [](const std::string& finding, const char* part) {
    EXPECT_NE(finding.find(part), std::string::npos) << part << ": " << finding;
  };
  expect(finding<isa::CvWindow>([](auto& c) { c.window_h = 3; }), "the hardware has 2 x 4");
  expect(finding<isa::CvWindow>([](auto& c) { c.chunks_y = c.chunks_x = 16; }),
         "still be on its way");
  expect(finding<isa::Depthwise>([](auto& c) { c.resume = 1; }),
         "resumes rows that the window does not hold");
  expect(finding<isa::Depthwise>([](auto& c) { c.acc_base = 500; }), "there are 512");
  expect(finding<isa::Depthwise>([](auto& c) { c.origin = 5000; }), "nothing was written to");
}

TEST(Checker, RefusesIllegalWordsAndMissingEnd) {
  Program program = program_with(ForcedMode::None);
  const std::size_t last = words_of(program).size() - 1;
  Program illegal = program;
  set_word(illegal, 3, 0);
  EXPECT_NE(check_program(illegal).at(0).find("unknown opcode"), std::string::npos);
  set_word(program, last, words_of(program)[0]);
  EXPECT_NE(check_program(program).at(0).find("END"), std::string::npos);
}

}  // namespace
}  // namespace tessera
