// Everything on one bus: host, external memory, other masters, and the accelerator as a model or as
// RTL.
#pragma once

#include "sim/platform/bus.hpp"
#include "sim/platform/host.hpp"
#include "sim/platform/memory_target.hpp"
#include "sim/platform/npu_rtl.hpp"
#include "sim/platform/npu_tlm.hpp"
#include "sim/platform/traffic_generator.hpp"

namespace tessera::platform {

enum class NpuKind : std::uint8_t { Tlm, Rtl };

/// SystemC builds modules once per process: there is one platform, and runs follow each other.
class Platform {
 public:
  static constexpr std::size_t kGenerators = 4;
  static Platform& instance();
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;
  Platform(Platform&&) = delete;
  Platform& operator=(Platform&&) = delete;
  ~Platform() = default;

  /// What the next runs are about; `bytes` must live as long.
  struct Setup {
    NpuKind kind = NpuKind::Tlm;
    Hardware hardware;
    ExternalMemory memory;
    Slot activations;  ///< where there is a ROM, all else is read there
    MemoryDisturbance disturbance;
    std::vector<TrafficPattern> traffic;
    std::string library;  ///< of the RTL
    std::string waves;
    MemoryChecker* checker = nullptr;
    NpuListener listener;
  };
  /// The accelerator is out of reset and has been identified. Throws std::runtime_error.
  void set_up(const Setup& setup, std::vector<std::uint8_t>& bytes);
  /// Runs a stream up to the interrupt. Throws EngineError, and what the listener throws.
  void run(const Slot& stream, std::uint32_t cbuf_limit, std::uint32_t watchdog);
  Counters read_counters();
  /// Cycles since the set-up.
  [[nodiscard]] timing::Cycle cycles() const;
  /// Forgets the set-up.
  void take_down();

 private:
  Platform();
  void perform(HostJob& job);

  Host host_;
  Bus bus_;
  MemoryTarget memory_;
  NpuTlm tlm_;
  NpuRtl rtl_;
  sc_core::sc_vector<TrafficGenerator> generators_;
  sc_core::sc_vector<sc_core::sc_signal<bool>> irqs_;
  NpuKind kind_ = NpuKind::Tlm;
  Hardware hardware_;
  sc_core::sc_time epoch_;
};

}  // namespace tessera::platform
