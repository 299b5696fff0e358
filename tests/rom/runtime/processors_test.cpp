// The C kernels on other processors: they compile without a warning, need little stack, and give
// the same bytes under QEMU.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
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

// What docs/howto/run-on-a-processor.md promises.
TEST_F(HostRuntimeProcessors, NeedLessStackThanIsPromised) {
  if (!there("arm-none-eabi-gcc")) {
    GTEST_SKIP() << "skipped: arm-none-eabi-gcc is not installed";
  }
  write_text(path("free.c"), cases(2, true));
  const Finished built =
      execute(fmt::format("{} -std=c99 -ffreestanding -Os -fno-inline -fstack-usage -c {} -o {}",
                          kArm, path("free.c"), path("free.o")));
  ASSERT_EQ(built.code, 0) << built.err;
  std::istringstream usage(text_of(path("free.su")));
  std::vector<int> frames;
  for (std::string place, kind; usage >> place >> frames.emplace_back() >> kind;) {
    EXPECT_EQ(kind, "static") << place;
  }
  std::sort(frames.rbegin(), frames.rend());
  ASSERT_GT(frames.size(), 100U);
  // Calls are nested five deep at most.
  EXPECT_LE(frames[0] + frames[1] + frames[2] + frames[3] + frames[4], 1024);
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
