// An accelerator with memory and hand-written programs, for tests that look at it from close by.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/rtl/device.hpp"
#include "sim/rtl/variant.hpp"
#include "tessera/config.hpp"
#include "tessera/isa.hpp"

namespace tessera::test {

class Rig {
 public:
  static constexpr std::size_t kMemoryBytes = 65536;
  static constexpr std::uint64_t kStream = 0x8000;

  explicit Rig(const std::string& preset, const MemoryDisturbance& disturbance = {})
      : hardware(hardware_preset(preset)),
        memory(kMemoryBytes),
        device(rtl::build_variant(hardware, {}), hardware, memory, ExternalMemory{}, disturbance) {}

  /// Places the words and runs them. Throws EngineError.
  void run(const std::vector<std::uint64_t>& words, std::uint32_t watchdog = 20000,
           std::uint64_t address = kStream) {
    for (std::size_t i = 0; i < 8 * words.size(); ++i) {
      memory.at(address + i) = static_cast<std::uint8_t>(words[i / 8] >> (8 * (i % 8)));
    }
    device.run({address, 8 * words.size()}, hardware.cbuf_atoms(), watchdog,
               [this](const rtl::Device::Mark& mark) { marks.push_back(mark); });
  }

  /// Runs words that must fail and returns the cause; the device is idle again afterwards.
  isa::Error failure(const std::vector<std::uint64_t>& words, std::uint32_t* info = nullptr) {
    try {
      run(words);
    } catch (const EngineError& error) {
      if (info != nullptr) {
        *info = error.info();
      }
      text = error.what();
      device.clear();
      return error.cause();
    }
    device.clear();
    return isa::Error::None;
  }

  Hardware hardware;
  std::vector<std::uint8_t> memory;
  rtl::Device device;
  std::vector<rtl::Device::Mark> marks;
  std::string text;  ///< what the last failure said
};

inline std::vector<std::uint64_t> encode_all(const std::vector<isa::Command>& commands) {
  std::vector<std::uint64_t> words;
  for (const isa::Command& command : commands) {
    words.push_back(isa::encode(command));
  }
  return words;
}

}  // namespace tessera::test
