#include "rom/driver.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "rom/runtime/c_text.hpp"
#include "tessera/generated/command_set.hpp"

namespace tessera::rom {
namespace {

const char* const kHead = R"(#ifndef TESSERA_PROGRAM_H
#define TESSERA_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

/* How the accelerator's registers are reached. Define both before this header for anything other
 * than 32-bit words in the address space. `base` is what the functions below were given. */
#ifndef TESSERA_READ32
#define TESSERA_READ32(base, offset) (*(const volatile uint32_t *)((uintptr_t)(base) + (offset)))
#define TESSERA_WRITE32(base, offset, value) \
  (*(volatile uint32_t *)((uintptr_t)(base) + (offset)) = (value))
#endif

)";

const char* const kFunctions = R"(
enum tessera_result {
  TESSERA_DONE = 0,
  TESSERA_BUSY,           /* not yet */
  TESSERA_FAILED,         /* see tessera_cause() and tessera_info() */
  TESSERA_OTHER_HARDWARE, /* no accelerator there, or not the one this program is for */
  TESSERA_NO_SUCH_RUN,
  TESSERA_BAD_INDEX /* of an operator of the host: the data names an element that is not there */
};

/* Whether the accelerator is the one that this program is for. */
static inline enum tessera_result tessera_probe(void *base) {
  const int same = TESSERA_READ32(base, TESSERA_REG_ID) == TESSERA_ID &&
                   TESSERA_READ32(base, TESSERA_REG_VERSION) == TESSERA_COMMAND_SET_VERSION &&
                   TESSERA_READ32(base, TESSERA_REG_ATOMIC_C) == TESSERA_ATOMIC_C &&
                   TESSERA_READ32(base, TESSERA_REG_ATOMIC_K) == TESSERA_ATOMIC_K &&
                   TESSERA_READ32(base, TESSERA_REG_BUS_BYTES) == TESSERA_BUS_BYTES &&
                   TESSERA_READ32(base, TESSERA_REG_ACC_WORDS) == TESSERA_ACC_WORDS &&
                   TESSERA_READ32(base, TESSERA_REG_PARAM_GROUPS) == TESSERA_PARAM_GROUPS &&
                   TESSERA_READ32(base, TESSERA_REG_FEATURES) == TESSERA_FEATURES &&
                   TESSERA_READ32(base, TESSERA_REG_CBUF_BYTES) / TESSERA_ATOMIC_C >=
                       TESSERA_CBUF_LIMIT;
  return same ? TESSERA_DONE : TESSERA_OTHER_HARDWARE;
}

/* Starts a run. Hardware with checksums reads the whole stream and compares it before it executes
 * any of it. With `interrupt`, done and failed raise the interrupt until the next start. */
static inline enum tessera_result tessera_start(void *base, size_t run, int interrupt) {
  if (run >= TESSERA_RUNS) {
    return TESSERA_NO_SUCH_RUN;
  }
  if ((TESSERA_READ32(base, TESSERA_REG_STATUS) & TESSERA_STATUS_BUSY) != 0u) {
    return TESSERA_BUSY;
  }
  TESSERA_WRITE32(base, TESSERA_REG_IRQ_ENABLE, interrupt ? 1u : 0u);
  TESSERA_WRITE32(base, TESSERA_REG_CBUF_LIMIT, TESSERA_CBUF_LIMIT);
  TESSERA_WRITE32(base, TESSERA_REG_WATCHDOG, TESSERA_WATCHDOG_CYCLES);
  TESSERA_WRITE32(base, TESSERA_REG_COMMAND_ADDRESS, tessera_runs[run].address);
  TESSERA_WRITE32(base, TESSERA_REG_COMMAND_BYTES, tessera_runs[run].bytes);
  if (TESSERA_CONTROL_CHECK != 0u) {
    TESSERA_WRITE32(base, TESSERA_REG_COMMAND_CHECKSUM, tessera_runs[run].crc32);
  }
  TESSERA_WRITE32(base, TESSERA_REG_CONTROL,
                  TESSERA_CONTROL_START | TESSERA_CONTROL_CLEAR | TESSERA_CONTROL_CHECK);
  return TESSERA_DONE;
}

static inline enum tessera_result tessera_poll(void *base) {
  const uint32_t status = TESSERA_READ32(base, TESSERA_REG_STATUS);
  if ((status & TESSERA_STATUS_BUSY) != 0u) {
    return TESSERA_BUSY;
  }
  if ((status & TESSERA_STATUS_ERROR) != 0u) {
    return TESSERA_FAILED;
  }
  return (status & TESSERA_STATUS_DONE) != 0u ? TESSERA_DONE : TESSERA_BUSY;
}

/* Looks at most `polls` times. */
static inline enum tessera_result tessera_wait(void *base, uint32_t polls) {
  enum tessera_result result = TESSERA_BUSY;
  while (result == TESSERA_BUSY && polls-- > 0u) {
    result = tessera_poll(base);
  }
  return result;
}

static inline uint32_t tessera_cause(void *base) {
  return TESSERA_READ32(base, TESSERA_REG_ERROR_CAUSE);
}

static inline uint32_t tessera_info(void *base) {
  return TESSERA_READ32(base, TESSERA_REG_ERROR_INFO);
}

/* Since the run's start; see the TESSERA_COUNTER constants. */
static inline uint64_t tessera_counter(void *base, uint32_t counter) {
  const uint32_t offset = TESSERA_REG_COUNTERS + 8u * counter;
  const uint64_t low = TESSERA_READ32(base, offset);
  return (uint64_t)TESSERA_READ32(base, offset + 4u) << 32 | low;
}

#endif
)";

// For macro names: letters, digits and underscores.
std::string upper(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    text += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return text;
}

using runtime::commented;

std::string define(const std::string& name, std::uint64_t value) {
  return fmt::format("#define TESSERA_{} {:#x}u\n", name, value);
}

std::string tensors(const Image& image, const std::vector<Slot>& slots, const char* kind) {
  std::string text = fmt::format("#define TESSERA_{}S {}u\n", kind, slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    text += define(fmt::format("{}{}_ADDRESS", kind, i), image.on_bus(slots[i].address));
    text += define(fmt::format("{}{}_BYTES", kind, i), slots[i].bytes);
    if (slots[i].segment_bytes != 0) {
      text += define(fmt::format("{}{}_SEGMENT_BYTES", kind, i), slots[i].segment_bytes);
      text += define(fmt::format("{}{}_STRIDE", kind, i), slots[i].stride);
    }
  }
  return text;
}

std::string runs(const Image& image) {
  const bool resets = image.runs.front().reset;
  std::string text = fmt::format("#define TESSERA_RUNS {}u\n", image.runs.size());
  text += fmt::format(
      "/* So many of them, in front, give states their first values: before the first inference, "
      "and\n * whenever they are to begin anew. An inference is the others. */\n"
      "#define TESSERA_RESET_RUNS {}u\n\n",
      resets ? 1 : 0);
  text +=
      "/* Command streams, to be run in order. */\n"
      "static const struct {\n"
      "  uint32_t address;\n"
      "  uint32_t bytes;\n"
      "  uint32_t crc32;\n"
      "  uint32_t host_works_after; /* operators that the processor computes before the next "
      "run */\n"
      "} tessera_runs[TESSERA_RUNS] = {\n";
  for (const Run& run : image.runs) {
    std::string work;
    const std::vector<std::size_t> layers = host_layers_after(image, run);
    for (const std::size_t index : layers) {
      const LayerRecord& layer = image.program.layers[index];
      work += fmt::format("{}{} `{}`", work.empty() ? "" : ", ", commented(layer.op),
                          commented(layer.name));
    }
    text +=
        fmt::format("    {{{:#x}u, {:#x}u, {:#x}u, {}u}},{}\n", run.address, run.bytes,
                    run.checksum, layers.size(), work.empty() ? "" : " /* then: " + work + " */");
  }
  return text + "};\n";
}

}  // namespace

std::string driver_header(const Image& image) {
  const Hardware& hw = image.program.hardware;
  std::string text =
      fmt::format("/* {}: registers, memory and runs of its program on the accelerator. */\n",
                  commented(image.program.network)) +
      kHead;
  text += "/* Registers, as offsets in bytes. */\n";
  for (const isa::RegisterInfo& reg : isa::kRegisters) {
    text += define("REG_" + upper(reg.name), reg.offset);
  }
  text += "#define TESSERA_ID 0x54535241u\n";
  text += define("COMMAND_SET_VERSION", isa::kCommandSetVersion);
  text += define("CONTROL_START", 1) + define("CONTROL_CLEAR", 2) +
          define("CONTROL_CHECK", hw.has(isa::Feature::Checksums) ? 4 : 0);
  text += define("STATUS_BUSY", 1) + define("STATUS_DONE", 2) + define("STATUS_ERROR", 4);
  text += "\n/* Performance counters. */\n";
  for (std::size_t i = 0; i < isa::kNumCounters; ++i) {
    text += fmt::format("#define TESSERA_COUNTER_{} {}u\n", upper(isa::kCounters[i].name), i);
  }
  text += "\n/* Causes of errors. */\n";
  for (std::size_t i = 0; i < isa::kErrors.size(); ++i) {
    text += fmt::format("#define TESSERA_ERROR_{} {}u\n", upper(isa::kErrors[i].name), i);
  }
  text += "\n/* The accelerator that the program is for. */\n";
  text += define("ATOMIC_C", hw.atomic_c) + define("ATOMIC_K", hw.atomic_k) +
          define("BUS_BYTES", hw.bus_bytes) + define("ACC_WORDS", hw.acc_words) +
          define("PARAM_GROUPS", hw.param_groups) + define("FEATURES", hw.features) +
          define("CBUF_LIMIT", hw.cbuf_end()) + define("WATCHDOG_CYCLES", image.watchdog);
  text +=
      "\n/* Memory on the accelerator's bus. Constants and commands lie in tessera_rom.bin from "
      "the\n * offsets given; the arena holds activations. */\n";
  const auto section = [&](const char* name, const Section& s) {
    return define(fmt::format("{}_ADDRESS", name), s.address) +
           define(fmt::format("{}_BYTES", name), s.bytes) +
           define(fmt::format("{}_ROM_OFFSET", name), s.rom_offset);
  };
  text += section("CONSTANTS", image.constants) + section("COMMANDS", image.commands);
  text += define("ARENA_ADDRESS", image.arena.address) + define("ARENA_BYTES", image.arena.bytes);
  text += "\n/* Inputs and outputs, in the arena. */\n";
  text += tensors(image, image.program.inputs, "INPUT");
  text += tensors(image, image.program.outputs, "OUTPUT");
  if (!image.program.states.empty()) {
    std::vector<Slot> places;
    places.reserve(image.program.states.size());
    for (const StateRecord& state : image.program.states) {
      places.push_back(state.place);
    }
    text += "\n/* What one inference leaves for the next, in the arena. */\n";
    text += tensors(image, places, "STATE");
  }
  text += "\n" + runs(image);
  return text + kFunctions;
}

}  // namespace tessera::rom
