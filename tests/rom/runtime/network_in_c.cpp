#include "tests/rom/runtime/network_in_c.hpp"

namespace tessera::test {
namespace {

Registers* current = nullptr;

std::uint32_t read32(std::uint32_t offset) {
  return current->read(offset);
}
void write32(std::uint32_t offset, std::uint32_t value) {
  current->write(offset, value);
}

// Counts what is done to the cache: once before and once behind each run.
const char* const kConfig = R"(#include <stdint.h>
extern uint32_t (*read32)(uint32_t);
extern void (*write32)(uint32_t, uint32_t);
extern uint8_t *memory;
extern int cleaned, invalidated;
#define TESSERA_READ32(base, offset) ((void)(base), read32(offset))
#define TESSERA_WRITE32(base, offset, value) ((void)(base), write32(offset, value))
#define TESSERA_MEMORY(address) (memory + (address))
#define TESSERA_CLEAN_CACHE(first, bytes) ((void)(first), (void)(bytes), ++cleaned)
#define TESSERA_INVALIDATE_CACHE(first, bytes) ((void)(first), (void)(bytes), ++invalidated)
)";
const char* const kDefinitions = R"(#include "tessera_host.c"
uint32_t (*read32)(uint32_t);
void (*write32)(uint32_t, uint32_t);
uint8_t *memory;
int cleaned, invalidated;
)";

using Infer = int (*)(void*, const void* const*, void* const*, std::uint32_t);

}  // namespace

bool NetworkInC::prepare(const std::vector<std::string>& sets,
                         const std::function<void(Program&)>& change) {
  config_ = load_config(TESSERA_SOURCE_DIR "/configs/npu.yaml", sets);
  network_ = load_configured(config_);
  image_ = rom::make_image(compile(network_, config_.hardware, config_.policy), 0);
  if (change) {
    change(image_.program);
  }
  memory_ = image_.program.image;
  const rom::HostRuntime runtime = host_runtime(image_);
  EXPECT_EQ(runtime.missing, std::vector<std::string>());
  write_text(path("tessera_program.h"), driver_header(image_));
  write_text(path("tessera_host.h"), runtime.header);
  write_text(path("tessera_host.c"), runtime.source);
  write_text(path("config.h"), kConfig);
  write_text(path("all.c"), kDefinitions);
  compiled_ = std::make_unique<Compiled>(path("all"), "-DTESSERA_CONFIG='\"config.h\"'");
  return compiled_->loaded() && runtime.missing.empty();
}

int NetworkInC::infer(const std::vector<Bytes>& inputs, std::vector<Bytes>& outputs,
                      std::uint32_t polls) {
  std::vector<const void*> from;
  from.reserve(inputs.size());
  for (const Bytes& input : inputs) {
    from.push_back(input.data());
  }
  std::vector<void*> to;
  to.reserve(outputs.size());
  for (Bytes& output : outputs) {
    to.push_back(output.data());
  }
  return compiled_->at<Infer>("tessera_infer")(nullptr, from.data(), to.data(), polls);
}

void NetworkInC::expect_reference_bytes(
    Registers& registers, std::size_t steps,
    const std::function<void(const std::vector<Bytes>&, const std::vector<Bytes>&)>& begins) {
  constexpr int kBusy = 1;
  current = &registers;
  *compiled_->at<std::uint32_t (**)(std::uint32_t)>("read32") = &read32;
  *compiled_->at<void (**)(std::uint32_t, std::uint32_t)>("write32") = &write32;
  *compiled_->at<std::uint8_t**>("memory") = memory_.data();
  const auto reset = compiled_->at<int (*)(void*, std::uint32_t)>("tessera_reset");
  for (int time = 0; time < (network_.states.empty() ? 1 : 2); ++time) {
    ASSERT_EQ(reset(nullptr, kPolls), 0);
    std::vector<Bytes> states = initial_states(network_);
    for (std::size_t step = 0; step < steps; ++step) {
      Config seeded = config_;
      seeded.seed = config_.seed + step;
      const std::vector<Bytes> inputs = read_inputs(seeded, network_, "");
      if (begins) {
        begins(inputs, states);
      }
      const std::vector<Bytes> expected = run_reference(network_, inputs, {}, &states);
      std::vector<Bytes> outputs;
      outputs.reserve(expected.size());
      for (const Bytes& output : expected) {
        outputs.emplace_back(output.size());
      }
      if (network_.states.empty()) {
        EXPECT_EQ(infer(inputs, outputs, 0), kBusy);
        while (registers.read(isa::reg::kStatus) % 2 != 0) {
        }
      }
      ASSERT_EQ(infer(inputs, outputs, kPolls), 0);
      for (std::size_t o = 0; o < expected.size(); ++o) {
        EXPECT_EQ(outputs[o] == expected[o], true) << "step " << step << ", output " << o;
      }
    }
  }
  EXPECT_GT(*compiled_->at<int*>("cleaned"), 0);
  EXPECT_EQ(*compiled_->at<int*>("cleaned"), *compiled_->at<int*>("invalidated"));
  current = nullptr;
}

}  // namespace tessera::test
