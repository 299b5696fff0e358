// The command line as scripts see it, for tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/files.hpp"
#include "tests/own_folder.hpp"

namespace tessera::test {

namespace fs = std::filesystem;

struct Finished {
  int code = -1;
  std::string out;
  std::string err;
};

class Cli : public testing::Test {
 protected:
  void SetUp() override { dir_ = own_folder("cli"); }
  void TearDown() override { fs::remove_all(dir_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (dir_ / name).string(); }

  Finished run(const std::string& arguments, const std::string& environment = "") {
    return execute(fmt::format("{} {} {}", environment, COSIM, arguments));
  }
  /// Of the shell.
  Finished execute(const std::string& line) {
    const std::string command =
        fmt::format("{} >{} 2>{} </dev/null", line, path("stdout"), path("stderr"));
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(path("stdout")),
            text_of(path("stderr"))};
  }
  Finished simulate(const std::string& arguments = "", const std::string& environment = "") {
    return run("--config " TESSERA_SOURCE_DIR "/configs/npu.yaml " + arguments, environment);
  }
  Finished with_config(const std::string& text) {
    write_text(path("npu.yaml"), text);
    return run("--config " + path("npu.yaml"));
  }

  fs::path dir_;
};

}  // namespace tessera::test
