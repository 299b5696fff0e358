// `cosim board`: boards that are simulated, behind a pseudo-terminal and without.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/app/cli.hpp"

namespace tessera {
namespace {

using test::Finished;
using test::text_of;

// All that a board's host has to do: loads, several runs, a layer of its own in between.
constexpr const char* kNetwork = R"(
name: small
layers:
  - conv2d: {name: a, in: [9, 7, 5], out_channels: 12, kernel: 3, padding: same, activation: relu}
  - softmax: {name: between}
  - conv2d: {name: b, out_channels: 6, kernel: 3}
)";

class BoardCli : public test::Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    test::write_text(path("small.yaml"), kNetwork);
  }

  std::string arguments(const std::string& board, const std::string& more,
                        const std::string& network = "") {
    const std::string boards = TESSERA_SOURCE_DIR "/configs/boards/";
    return "board --config " + boards + (test::fs::exists(boards + board) ? board : "ulx3s") +
           "/npu.yaml --network " + (network.empty() ? path("small.yaml") : network) + " --board " +
           board + " " + more;
  }
  Finished board(const std::string& name, const std::string& more) {
    return run(arguments(name, more));
  }
  void expect_reference(const std::string& name, int hz) {
    SCOPED_TRACE(name);
    const Finished outcome =
        board(name, "--simulate --quiet --output " + path("out.npy") + " --json " + path("a.json"));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(text_of(path("a.json")));
    EXPECT_EQ(json.at("schema"), "tessera.board/1");
    EXPECT_EQ(json.at("board"), name);
    EXPECT_EQ(json.at("clock_hz"), hz);
    EXPECT_TRUE(json.at("verified"));
    // Tiles of so small a network have odd bytes, and a memory without masks is read before these.
    const double ratio = json.at("cycles").get<double>() / json.at("model_cycles").get<double>();
    EXPECT_NEAR(ratio, 1, name == "colorlight-i5" ? 0.25 : 0.06);
    // The same bytes again.
    ASSERT_EQ(board(name, "--simulate --quiet --json " + path("b.json")).code, 0);
    EXPECT_EQ(text_of(path("a.json")), text_of(path("b.json")));
    // Other engines give the same output.
    ASSERT_EQ(run("--config " TESSERA_SOURCE_DIR "/configs/boards/" + name +
                  "/npu.yaml --engine tlm --quiet --network " + path("small.yaml") + " --output " +
                  path("tlm.npy"))
                  .code,
              0);
    EXPECT_EQ(text_of(path("out.npy")), text_of(path("tlm.npy")));
  }
};

/// Those that take a simulated board longest.
class LongBoards : public BoardCli {};

TEST_F(BoardCli, ASimulatedBoardComputesAsTheReferenceKernels) {
  expect_reference("ulx3s", 50'000'000);
}

TEST_F(LongBoards, ComputeAsTheReferenceKernels) {
  expect_reference("colorlight-i5", 62'500'000);
  expect_reference("icebreaker", 24'000'000);
  expect_reference("tang-nano-20k", 54'000'000);
}

TEST_F(BoardCli, WhatCannotBeIsRefused) {
  const auto refused = [&](const std::string& name, const std::string& more,
                           const std::string& words) {
    const Finished outcome = board(name, more);
    EXPECT_EQ(outcome.code, 2) << more;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  };
  refused("ulx4s", "--simulate", "no such board (did you mean `ulx3s`?); there are");
  refused("ulx3s", "", "give --port, or --simulate, or --serve");
  refused("ulx3s", "--simulate --clock 7", "2000000 baud of the link cannot be made of 7 MHz");
  refused("ulx3s", "--simulate --clock 120",
          "with a CAS latency of 2 the memory of ULX3S allows 100 MHz");
  refused("ulx3s", "--port /dev/nothing", "/dev/nothing: No such file or directory");
  refused("ulx3s", "--port /dev/null", "/dev/null: is no serial port");
  refused("ulx3s", "--port /dev/null --baud 12345", "12345 baud: serial ports know 9600");
  refused("ulx3s", "--port /dev/null --clock 50", "says its clock itself");
  refused("ulx3s", "--simulate --set hardware.bus_bytes=32",
          "hardware.bus_bytes is 32; on ULX3S at most 16 are allowed, eight words of its memory");
}

// What somebody gets wrong who describes a board of their own: the message has the file, the field
// and what is allowed.
TEST_F(BoardCli, WrongDescriptionsAreRefusedWithTheirField) {
  struct Wrong {
    const char* board;
    const char* from;
    const char* to;
    const char* words;
  };
  const std::vector<Wrong> all = {
      {"ulx3s", "part: ecp5-85f", "part: ecp5-85", "`board.part` is `ecp5-85`"},
      {"ulx3s", "part: ecp5-85f", "part: lifcl-40", "`board.part` is `lifcl-40`"},
      {"ulx3s", "part: ecp5-85f\n", "", "`board` lacks the key `part`"},
      {"ulx3s", "pin_mhz: 25", "pin_mhz: fast", "`clock.pin_mhz` must be a number from 1 to 400"},
      {"ulx3s", "pin_mhz: 25", "pin_mhz: 0", "`clock.pin_mhz` must be a number from 1 to 400"},
      {"ulx3s", "baud: 2000000", "baud: 300", "`link.baud` is `300`"},
      {"ulx3s", "data_bits: 16", "data_bits: 24",
       "`memory.data_bits`: is 24; allowed are powers of two"},
      {"ulx3s", "cas_latency: 2", "cas_latency: 4", "`memory.cas_latency` is `4`"},
      {"ulx3s", "precharge_ns", "precharge_nanoseconds",
       "unknown key `precharge_nanoseconds` in `memory`"},
      {"icebreaker", "size: 128 KiB", "size: 256 KiB",
       "`memory.size`: is 262144 bytes on an ice40"},
      {"icebreaker", "program_at: 1 MiB", "program_at: 16 MiB", "`flash.program_at`: is 16777216"},
      {"icebreaker", "lights: 7", "lights: 9", "`board.lights` is `9`"}};
  test::fs::create_directory_symlink(TESSERA_SOURCE_DIR "/rtl", dir_ / "rtl");
  for (const Wrong& wrong : all) {
    SCOPED_TRACE(std::string(wrong.board) + ": " + wrong.to);
    test::fs::remove_all(dir_ / "configs");
    test::fs::copy(TESSERA_SOURCE_DIR "/configs", dir_ / "configs",
                   test::fs::copy_options::recursive);
    const std::string file = path(std::string("configs/boards/") + wrong.board + "/board.yaml");
    std::string text = text_of(file);
    const std::size_t at = text.find(wrong.from);
    ASSERT_NE(at, std::string::npos);
    test::write_text(file, text.replace(at, std::string(wrong.from).size(), wrong.to));
    const Finished outcome =
        run(arguments(wrong.board, "--simulate"), "TESSERA_DATA_DIR=" + dir_.string());
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(file), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(wrong.words), std::string::npos) << outcome.err;
  }
}

// Weights that its memory has no room for.
constexpr const char* kLarge = R"(
name: large
layers:
  - conv2d: {in: [3, 3, 64], out_channels: 256, kernel: 3}
)";

TEST_F(LongBoards, AProgramInTheFlashRuns) {
  test::write_text(path("large.yaml"), kLarge);
  const Finished outcome = run(
      arguments("icebreaker", "--simulate --quiet --json " + path("a.json"), path("large.yaml")));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(text_of(path("a.json")));
  EXPECT_TRUE(json.at("verified"));
  EXPECT_GT(json.at("link_bytes"), 9 * 64 * 256) << "the flash is compared";
  EXPECT_EQ(json.at("cycles"), json.at("model_cycles"));
}

/// A simulated board that runs beside the test.
class Served {
 public:
  Served(const std::string& program, const std::string& arguments, const std::string& said) {
    process_ = ::fork();
    if (process_ == 0) {
      const std::string command = "exec " + program + " " + arguments + " > " + said;
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    const std::regex behind("behind (/dev/pts/[0-9]+)");
    for (int i = 0; i < 1200 && port_.empty(); ++i) {
      ::usleep(100'000);
      const std::string text = text_of(said);
      std::smatch match;
      if (std::regex_search(text, match, behind)) {
        port_ = match[1];
      }
    }
  }
  ~Served() { stop(); }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  Served(Served&&) = delete;
  Served& operator=(Served&&) = delete;

  [[nodiscard]] const std::string& port() const { return port_; }
  [[nodiscard]] pid_t process() const { return process_; }
  /// Its exit code.
  int stop() {
    int status = 0;
    if (process_ > 0) {
      ::kill(process_, SIGTERM);
      ::waitpid(process_, &status, 0);
      process_ = 0;
    }
    return status;
  }

 private:
  pid_t process_;
  std::string port_;
};

TEST_F(BoardCli, ASerialPortIsAsGoodAsTheBoardItself) {
  Served served(COSIM, arguments("ulx3s", "--serve --quiet"), path("said"));
  ASSERT_FALSE(served.port().empty());
  const std::string port = "--port " + served.port() + " --quiet ";
  const Finished outcome = board("ulx3s", port + "--json " + path("a.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(nlohmann::json::parse(text_of(path("a.json"))).at("verified"));
  // Another network on the same board, and hardware that it does not have.
  ASSERT_EQ(board("ulx3s", port + "--seed 5").code, 0);
  const Finished other = board("ulx3s", port + "--set hardware=nano");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("the board has other hardware than the configuration: register 0x"),
            std::string::npos)
      << other.err;
  // Unplugged while a network is being loaded.
  const std::string loud = "--port " + served.port() + " --set policy=first-fit";
  const Finished unplugged = execute(fmt::format(
      "{{ for i in $(seq 600); do grep -q loading {} && break; sleep 0.1; done; kill -9 {}; }} & "
      "{} {}",
      path("stderr"), served.process(), COSIM, arguments("ulx3s", loud, "lenet5")));
  EXPECT_EQ(unplugged.code, 1);
  EXPECT_NE(unplugged.err.find(served.port() + ": the line is gone"), std::string::npos)
      << unplugged.err;
  served.stop();
  EXPECT_EQ(board("ulx3s", port).code, 2) << "the port is gone";
}

TEST_F(LongBoards, AFlashWithAnotherProgramIsNoticed) {
  test::write_text(path("large.yaml"), kLarge);
  Served served(COSIM, arguments("icebreaker", "--serve --quiet", path("large.yaml")),
                path("said"));
  ASSERT_FALSE(served.port().empty());
  const std::string port = "--port " + served.port() + " --quiet ";
  EXPECT_EQ(run(arguments("icebreaker", port, path("large.yaml"))).code, 0);
  const Finished other = run(arguments("icebreaker", port + "--seed 5", path("large.yaml")));
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("the board's flash does not hold this network's ROM: byte 10"),
            std::string::npos)
      << other.err;
  EXPECT_NE(other.err.find("openFPGALoader"), std::string::npos) << other.err;
}

}  // namespace
}  // namespace tessera
