// External memory: bytes, their timing, errors. The same code behind every engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/memory/memory_checker.hpp"
#include "tessera/engine.hpp"
#include "timing/memory/memory_controller.hpp"

namespace tessera {

/// Several ports to the same bytes, the first of which has the address `base`, a multiple of 4096.
/// Addresses outside the memory answer DECERR.
class ExternalMemoryModel final : private timing::MemoryController::Listener {
 public:
  ExternalMemoryModel(std::vector<std::uint8_t>& bytes, const ExternalMemory& timing,
                      std::uint32_t bus_bytes, const MemoryDisturbance& disturbance = {},
                      std::size_t ports = 1, std::uint64_t base = 0);

  /// As the accelerator or another master sees it.
  [[nodiscard]] timing::MemoryPort& port(std::size_t index) { return *ports_[index]; }
  /// A burst of another master, whose address is given in the cycle `at` or later.
  void offer(std::size_t port, bool write, const timing::Burst& burst, timing::Cycle at) {
    controller_.offer(port, write, burst, at);
  }
  /// As the controller has it; the first port's addresses less `base`.
  void set_activations(std::uint64_t address, std::uint64_t bytes) {
    controller_.set_activations(address, bytes);
  }
  /// Is told of all reads and writes from now on; may be null.
  void watch(MemoryChecker* checker) { checker_ = checker; }

 private:
  class Port final : public timing::MemoryPort {
   public:
    Port(ExternalMemoryModel& memory, std::size_t index) : memory_(memory), index_(index) {}
    bool takes_read(timing::Cycle now) override;
    bool takes_write(timing::Cycle now) override;
    void read(const timing::Burst& burst, timing::Cycle now) override;
    void write(const timing::Burst& burst, timing::Cycle now) override;
    void step(timing::Cycle now, bool read_ready, const timing::WriteBeat& beat,
              timing::Moves& moves) override;
    std::uint32_t run(timing::Cycle now, std::uint32_t most) override;
    std::uint64_t phase(timing::Cycle now) override;
    bool may_leap(timing::Cycle now, timing::Cycle cycles, std::uint32_t reads,
                  std::uint32_t writes) override;
    void leap(timing::Cycle now, timing::Cycle cycles, std::uint32_t reads, std::uint32_t writes,
              const timing::WriteBeat& beat) override;
    timing::Cycle next(timing::Cycle now, bool write_offered) override;

   private:
    ExternalMemoryModel& memory_;
    std::size_t index_;
  };

  void read(const timing::Burst& burst, std::uint32_t first, std::uint32_t count) override;
  void write(const timing::Burst& burst, std::uint32_t index,
             const timing::WriteBeat& beat) override;
  [[nodiscard]] std::uint8_t response_for(const timing::Burst& burst,
                                          const std::optional<std::uint32_t>& error_at) const;
  /// The burst with addresses of the bytes and its response.
  [[nodiscard]] timing::Burst answered(const timing::Burst& burst,
                                       const std::optional<std::uint32_t>& error_at) const;

  std::vector<std::uint8_t>& bytes_;
  std::uint32_t bus_bytes_;
  std::uint64_t base_;
  MemoryDisturbance disturbance_;
  timing::MemoryController controller_;
  std::vector<std::unique_ptr<Port>> ports_;
  MemoryChecker* checker_ = nullptr;
};

}  // namespace tessera
