// The C driver: compiled by four compilers, and driving the RTL.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>

#include "app/input_steps.hpp"
#include "app/simulate.hpp"
#include "rom/driver.hpp"
#include "rom/host_runtime.hpp"
#include "rom/image.hpp"
#include "sim/rtl/device.hpp"
#include "sim/rtl/variant.hpp"
#include "tessera/config.hpp"
#include "tessera/reference.hpp"
#include "tests/app/cli.hpp"

namespace tessera {
namespace {

using test::Finished;
using test::text_of;
using test::write_text;

const char* const kUser = R"(#include "tessera_program.h"

int run_all(void *base, uint32_t polls) {
  if (tessera_probe(base) != TESSERA_DONE) return -1;
  for (size_t run = 0; run < TESSERA_RUNS; ++run) {
    enum tessera_result result = tessera_start(base, run, 1);
    if (result == TESSERA_DONE) result = tessera_wait(base, polls);
    if (result == TESSERA_FAILED) return (int)tessera_cause(base);
    if (result != TESSERA_DONE) return -2;
  }
  return 0;
}

uint32_t info(void *base) { return tessera_info(base); }
uint64_t cycles(void *base) { return tessera_counter(base, TESSERA_COUNTER_CYCLES); }
int no_such_run(void *base) { return (int)tessera_start(base, TESSERA_RUNS, 0); }
)";

class Driver : public test::Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    config_ = load_config(TESSERA_SOURCE_DIR "/configs/npu.yaml", {"hardware=small"});
    network_ = load_configured(config_);
    image_ = rom::make_image(compile(network_, config_.hardware, config_.policy), 0);
    write_text(path("tessera_program.h"), driver_header(image_));
    write_text(path("user.c"), kUser);
    const rom::HostRuntime runtime = host_runtime(image_);
    write_text(path("tessera_host.h"), runtime.header);
    write_text(path("tessera_host.c"), runtime.source);
  }
  Config config_;
  Network network_;
  rom::Image image_;
};

TEST_F(Driver, CompilesWithoutAWarningEverywhere) {
  std::size_t compiled = 0;
  std::string missing;
  for (const std::string compiler : {"gcc", "clang", "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb",
                                     "riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32",
                                     "riscv64-unknown-elf-gcc", "gcc -m64 -xc++ -std=c++17"}) {
    const std::string name = compiler.substr(0, compiler.find(' '));
    if (execute("command -v " + name).code != 0) {
      missing += " " + name;
      continue;
    }
    const bool is_c = compiler.find("c++") == std::string::npos;
    for (const char* source : {"user.c", "tessera_host.c"}) {
      const Finished outcome =
          execute(fmt::format("{} {} -ffreestanding -Wall -Wextra -Wconversion -Wshadow -pedantic "
                              "-Werror -O2 -c {} -o {}",
                              compiler, is_c ? "-std=c99" : "", path(source), path("user.o")));
      EXPECT_EQ(outcome.code, 0) << compiler << "\n" << outcome.err;
    }
    ++compiled;
  }
  EXPECT_GE(compiled, 2U);
  if (!missing.empty()) {
    GTEST_SKIP() << "skipped:" << missing << " are not installed";
  }
}

// What the driver's registers are, while it runs.
rtl::Device* device = nullptr;

std::uint32_t read32(std::uint32_t offset) {
  return device->read_register(offset).data;
}
void write32(std::uint32_t offset, std::uint32_t value) {
  device->write_register(offset, value);
}

TEST_F(Driver, DrivesTheRtl) {
  write_text(path("host.c"),
             "#include <stdint.h>\n"
             "uint32_t (*read32)(uint32_t);\n"
             "void (*write32)(uint32_t, uint32_t);\n"
             "#define TESSERA_READ32(base, offset) ((void)(base), read32(offset))\n"
             "#define TESSERA_WRITE32(base, offset, value) ((void)(base), write32(offset, value))\n"
             "#include \"user.c\"\n");
  const Finished built =
      execute(fmt::format("gcc -std=c99 -Wall -Wextra -Werror -shared -fPIC {} -o {}",
                          path("host.c"), path("host.so")));
  ASSERT_EQ(built.code, 0) << built.err;
  void* library = ::dlopen(path("host.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  *static_cast<void**>(::dlsym(library, "read32")) = reinterpret_cast<void*>(&read32);
  *static_cast<void**>(::dlsym(library, "write32")) = reinterpret_cast<void*>(&write32);
  const auto run_all = reinterpret_cast<int (*)(void*, std::uint32_t)>(::dlsym(library, "run_all"));
  const auto info = reinterpret_cast<std::uint32_t (*)(void*)>(::dlsym(library, "info"));
  const auto cycles = reinterpret_cast<std::uint64_t (*)(void*)>(::dlsym(library, "cycles"));
  const auto no_such_run = reinterpret_cast<int (*)(void*)>(::dlsym(library, "no_such_run"));

  std::vector<std::uint8_t> memory = image_.program.image;
  const auto inputs = read_inputs(config_, network_, "");
  const auto begin = memory.begin();
  const auto give_input = [&] {
    std::copy(inputs[0].begin(), inputs[0].end(),
              begin + static_cast<std::ptrdiff_t>(image_.program.inputs[0].address));
  };
  give_input();
  rtl::Device npu(rtl::build_variant(config_.hardware, {}), config_.hardware, memory,
                  config_.memory);
  device = &npu;
  EXPECT_EQ(run_all(nullptr, 1000000), 0)
      << describe(static_cast<isa::Error>(read32(isa::reg::kErrorCause)), info(nullptr));
  EXPECT_GT(cycles(nullptr), 1000U);
  EXPECT_NE(no_such_run(nullptr), 0);

  // Up to the softmax, which is the host's.
  const auto& call = std::get<HostCall>(image_.program.steps.back());
  std::vector<std::uint8_t> expected;
  run_reference(network_, inputs, [&](std::size_t op, const std::vector<std::uint8_t>& output) {
    if (op + 1 == call.layer) {
      expected = output;
    }
  });
  const auto at = begin + static_cast<std::ptrdiff_t>(call.inputs[0]->address);
  EXPECT_EQ(std::vector<std::uint8_t>(at, at + static_cast<std::ptrdiff_t>(expected.size())),
            expected);

  // A flipped bit in the stream: nothing is written.
  memory[image_.program.steps.empty() ? 0 : image_.commands.address + 100] ^= 4;
  const std::vector<std::uint8_t> before = memory;
  EXPECT_EQ(run_all(nullptr, 1000000), static_cast<int>(isa::Error::StreamChecksum));
  EXPECT_EQ(memory == before, true);
  memory[image_.commands.address + 100] ^= 4;
  // In a constant: its load's address.
  memory[image_.constants.address + 1] ^= 1;
  EXPECT_EQ(run_all(nullptr, 1000000), static_cast<int>(isa::Error::LoadChecksum));
  EXPECT_EQ(info(nullptr), image_.constants.address);
  memory[image_.constants.address + 1] ^= 1;
  give_input();
  EXPECT_EQ(run_all(nullptr, 1000000), 0);
  device = nullptr;
  ::dlclose(library);
}

}  // namespace
}  // namespace tessera
