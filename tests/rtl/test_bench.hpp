// An accelerator with memory and hand-written programs, for tests that look at it from close by.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/platform/platform.hpp"
#include "sim/rtl/device.hpp"
#include "sim/rtl/variant.hpp"
#include "tessera/config.hpp"
#include "tessera/isa.hpp"

namespace tessera::test {

class TestBench {
 public:
  static constexpr std::size_t kMemoryBytes = 65536;
  static constexpr std::uint64_t kStream = 0x8000;
  static constexpr std::uint32_t kWatchdog = 20000;

  explicit TestBench(const std::string& preset, const MemoryDisturbance& disturbance = {})
      : TestBench(hardware_preset(preset), disturbance) {}

  explicit TestBench(Hardware built, const MemoryDisturbance& disturbance = {})
      : hardware(std::move(built)),
        memory(kMemoryBytes),
        device(rtl::build_variant(hardware, {}), hardware, memory, ExternalMemory{}, disturbance),
        disturbance_(disturbance) {}

  static void place(const std::vector<std::uint64_t>& words, std::uint64_t address,
                    std::vector<std::uint8_t>& bytes) {
    for (std::size_t i = 0; i < 8 * words.size(); ++i) {
      bytes.at(address + i) = static_cast<std::uint8_t>(words[i / 8] >> (8 * (i % 8)));
    }
  }

  /// Places the words and runs them. Throws EngineError.
  void run(const std::vector<std::uint64_t>& words, std::uint32_t watchdog = kWatchdog,
           std::uint64_t address = kStream) {
    place(words, address, memory);
    device.run({address, 8 * words.size()}, hardware.cbuf_atoms(), watchdog,
               [this](const rtl::Device::Mark& mark) { marks.push_back(mark); });
  }

  /// Runs words that must fail and returns the cause; the device is idle again afterwards.
  isa::Error failure(const std::vector<std::uint64_t>& words, std::uint32_t* info = nullptr) {
    std::vector<std::uint8_t> modelled = memory;
    std::uint32_t found = 0;
    isa::Error cause = isa::Error::None;
    try {
      run(words);
    } catch (const EngineError& error) {
      found = error.info();
      text = error.what();
      cause = error.cause();
    }
    device.clear();
    if (info != nullptr) {
      *info = found;
    }
    expect_modelled(words, cause, found, modelled);
    return cause;
  }

  /// The TLM model stops for the same reason; without one it leaves the same memory.
  void expect_modelled(const std::vector<std::uint64_t>& words, isa::Error cause,
                       std::uint32_t info, std::vector<std::uint8_t>& bytes) const {
    place(words, kStream, bytes);
    auto& platform = platform::Platform::instance();
    platform::Platform::Setup setup;
    setup.hardware = hardware;
    setup.disturbance = disturbance_;
    platform.set_up(setup, bytes);
    isa::Error found = isa::Error::None;
    std::uint32_t found_info = 0;
    try {
      platform.run({kStream, 8 * words.size()}, hardware.cbuf_atoms(), kWatchdog);
    } catch (const EngineError& error) {
      found = error.cause();
      found_info = error.info();
    }
    platform.take_down();
    EXPECT_EQ(found, cause) << describe(found, found_info);
    if (cause == isa::Error::None) {
      EXPECT_EQ(bytes, memory);
    } else {
      EXPECT_EQ(found_info, info) << describe(found, found_info);
    }
  }

  Hardware hardware;
  std::vector<std::uint8_t> memory;
  rtl::Device device;
  std::vector<rtl::Device::Mark> marks;
  std::string text;  ///< what the last failure said

 private:
  MemoryDisturbance disturbance_;
};

inline std::vector<std::uint64_t> encode_all(const std::vector<isa::Command>& commands) {
  std::vector<std::uint64_t> words;
  words.reserve(commands.size());
  for (const isa::Command& command : commands) {
    words.push_back(isa::encode(command));
  }
  return words;
}

}  // namespace tessera::test
