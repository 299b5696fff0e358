// The C kernels on other processors: they compile without a warning, need little stack, and give
// the same bytes under QEMU.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/app/cli.hpp"
#include "tests/rom/runtime/operator_file.hpp"

namespace tessera {
namespace {

using test::DrawnOperator;
using test::Finished;
using test::OperatorKind;
using test::text_of;
using test::write_text;

const char* const kArm = "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb";
const char* const kRiscv = "riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32";

std::string bytes_of(const Bytes& bytes) {
  return fmt::format("{{{}}}", fmt::join(bytes, ","));
}

class HostRuntimeProcessors : public test::Cli {
 protected:
  bool there(const std::string& program) { return execute("command -v " + program).code == 0; }

  // So many cases of each kind; those that need no library, or all.
  static std::string cases(int count, bool without_library) {
    test::OperatorFile file;
    for (const OperatorKind& kind : test::operator_kinds()) {
      for (int i = 1; i <= count; ++i) {
        const DrawnOperator drawn = test::draw_operator(kind, static_cast<std::uint64_t>(i));
        test::OperatorFile alone;
        alone.add(drawn);
        if (!without_library || !alone.needs_library()) {
          EXPECT_EQ(file.add(drawn), "") << kind.name;
        }
      }
    }
    return file.text();
  }

  // A program that compares, in run_cases().
  static std::string program(std::uint64_t count, bool without_library) {
    test::OperatorFile file;
    std::string vectors;
    std::string calls;
    int number = 0;
    for (const OperatorKind& kind : test::operator_kinds()) {
      for (std::uint64_t i = 1; i <= count; ++i) {
        const DrawnOperator drawn = test::draw_operator(kind, i);
        test::OperatorFile alone;
        alone.add(drawn);
        if (without_library && alone.needs_library()) {
          continue;
        }
        EXPECT_EQ(file.add(drawn), "") << kind.name;
        std::vector<std::string> pointers;
        for (std::size_t k = 0; k < drawn.inputs.size(); ++k) {
          pointers.emplace_back("0");
          if (!drawn.inputs[k].empty()) {
            pointers.back() = fmt::format("in{}_{}", number, k);
            vectors += fmt::format("static const uint8_t {}[] = {};\n", pointers.back(),
                                   bytes_of(drawn.inputs[k]));
          }
        }
        const Bytes expected = test::expected_of(drawn);
        vectors += fmt::format("static const uint8_t out{}[] = {};\n", number, bytes_of(expected));
        calls += fmt::format(
            "  {{\n    const uint8_t *const in[] = {{{}}};\n    case{}(in, output);\n    failed += "
            "differs(output, out{}, {});\n  }}\n",
            fmt::join(pointers, ", "), number, number, expected.size());
        ++number;
      }
    }
    return file.text() + vectors + R"(
static uint8_t output[1 << 16];
static int differs(const uint8_t *a, const uint8_t *b, int32_t bytes) {
  int32_t i;
  for (i = 0; i < bytes; ++i) {
    if (a[i] != b[i]) {
      return 1;
    }
  }
  return 0;
}
int run_cases(void);
int run_cases(void) {
  int failed = 0;
)" + calls +
           "  return failed;\n}\n";
  }

  void expect_ok(const std::string& compiler, const std::string& machine,
                 const std::string& emulator) {
    for (const std::string& name :
         {compiler.substr(0, compiler.find(' ')), emulator.substr(0, emulator.find(' '))}) {
      if (!there(name)) {
        GTEST_SKIP() << "skipped: " << name << " is not installed";
      }
    }
    const std::string folder = TESSERA_SOURCE_DIR "/tests/rom/runtime/machine/";
    write_text(path("cases.c"), program(5, true));
    const Finished built = execute(fmt::format(
        "{} -std=c99 -ffreestanding -nostdlib -O2 -T {}{}.ld {}{}.c {} -lgcc -o {}", compiler,
        folder, machine, folder, machine, path("cases.c"), path("cases.elf")));
    ASSERT_EQ(built.code, 0) << built.err;
    EXPECT_EQ(execute(fmt::format("timeout 60 {} -nographic -monitor none -serial stdio -kernel {}",
                                  emulator, path("cases.elf")))
                  .code,
              0);
    EXPECT_EQ(text_of(path("stdout")) + text_of(path("stderr")), "OK\n");
  }
};

TEST_F(HostRuntimeProcessors, CompileWithoutAWarningEverywhere) {
  write_text(path("all.c"), cases(2, false));
  write_text(path("free.c"), cases(2, true));
  std::string missing;
  for (const std::string& line :
       {std::string("gcc -std=c99"), std::string("clang -std=c99"),
        std::string("g++ -xc++ -std=c++17"), kArm + std::string(" -std=c99 -ffreestanding"),
        kRiscv + std::string(" -std=c99 -ffreestanding")}) {
    const std::string name = line.substr(0, line.find(' '));
    if (!there(name)) {
      missing += " " + name;
      continue;
    }
    const bool is_free = line.find("freestanding") != std::string::npos;
    const Finished outcome = execute(
        fmt::format("{} -Wall -Wextra -Wconversion -Wshadow -pedantic -Werror -O2 -c {} -o {}",
                    line, path(is_free ? "free.c" : "all.c"), path("all.o")));
    EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
  }
  if (!missing.empty()) {
    GTEST_SKIP() << "skipped:" << missing << " are not installed";
  }
}

class HostRuntimeSanitized : public HostRuntimeProcessors {};

TEST_F(HostRuntimeSanitized, DoesNothingUndefined) {
  write_text(path("cases.c"), program(4, false) + "int main(void) { return run_cases(); }\n");
  const Finished built = execute(fmt::format(
      "gcc -std=c99 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all {} -o {} -lm",
      path("cases.c"), path("cases")));
  ASSERT_EQ(built.code, 0) << built.err;
  const Finished outcome = execute(path("cases"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

// Who calls whom and with how much stack, as gcc's -fcallgraph-info=su says it.
class CallGraph {
 public:
  explicit CallGraph(const std::string& text) {
    const std::regex node(R"re(node: \{ title: "([^"]*)" label: "[^"]*?(\d+) bytes \((\w+)\))re");
    const std::regex edge(R"re(edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)")re");
    std::istringstream lines(text);
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
      if (std::regex_search(line, match, node)) {
        frames_[match[1]] = std::stoi(match[2]);
        EXPECT_EQ(match[3], "static") << line;
      } else if (std::regex_search(line, match, edge)) {
        calls_[match[1]].push_back(match[2]);
      }
    }
  }

  [[nodiscard]] std::size_t functions() const { return frames_.size(); }
  /// The deepest of all. Adds a failure where a function calls itself.
  int most() {
    int most = 0;
    for (const auto& [name, frame] : frames_) {
      most = std::max(most, below(name));
    }
    return most;
  }

 private:
  int below(const std::string& name) {
    if (const auto known = below_.find(name); known != below_.end()) {
      return known->second;
    }
    if (!open_.insert(name).second) {
      ADD_FAILURE() << name << " calls itself";
      return 0;
    }
    int deepest = 0;
    for (const std::string& other : calls_[name]) {
      deepest = std::max(deepest, below(other));
    }
    open_.erase(name);
    return below_[name] = frames_[name] + deepest;
  }

  std::map<std::string, int> frames_, below_;
  std::map<std::string, std::vector<std::string>> calls_;
  std::set<std::string> open_;
};

// As docs/howto/run-on-a-processor.md promises.
TEST_F(HostRuntimeProcessors, TakeAtMost512BytesOfStackAndNeverCallThemselves) {
  if (!there("arm-none-eabi-gcc")) {
    GTEST_SKIP() << "skipped: arm-none-eabi-gcc is not installed";
  }
  // The compiler comes without a library.
  std::string maths =
      "float powf(float, float);\nfloat fmodf(float, float);\ndouble exp(double);\n";
  for (const char* name : {"exp", "log", "sin", "cos", "erf", "tanh", "sqrt", "expm1"}) {
    maths += fmt::format("float {}f(float);\n", name);
  }
  write_text(path("math.h"), maths);
  write_text(path("all.c"), cases(4, false));
  for (const char* options : {"-Os -fno-inline", "-O2"}) {
    const Finished built =
        execute(fmt::format("{} -std=c99 -ffreestanding {} -fcallgraph-info=su -I{} -c {} -o {}",
                            kArm, options, dir_.string(), path("all.c"), path("all.o")));
    ASSERT_EQ(built.code, 0) << built.err;
    CallGraph graph(text_of(path("all.ci")));
    ASSERT_GT(graph.functions(), 300U);
    const int most = graph.most();
    EXPECT_GT(most, 100) << options;
    EXPECT_LE(most, 512) << options;
  }
}

class HostRuntimeUnderQemu : public HostRuntimeProcessors {};

TEST_F(HostRuntimeUnderQemu, GivesTheSameBytesOnACortexM) {
  expect_ok(kArm, "cortex_m",
            "qemu-system-arm -M mps2-an386 -semihosting-config enable=on,target=native");
}

TEST_F(HostRuntimeUnderQemu, GivesTheSameBytesOnARiscV) {
  expect_ok(kRiscv, "riscv", "qemu-system-riscv32 -M virt -bios none");
}

}  // namespace
}  // namespace tessera
