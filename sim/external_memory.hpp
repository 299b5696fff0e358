// External memory behind the accelerator's AXI4 master: latency, shared bandwidth, errors.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/axi_rules.hpp"
#include "sim/dram_rows.hpp"
#include "sim/memory_checker.hpp"
#include "sim/rtl/ports.hpp"
#include "tessera/engine.hpp"
#include "tessera/rng.hpp"

namespace tessera {

/// Bursts of one ID are answered in order, IDs in turn, burst by burst. Addresses outside the
/// memory answer DECERR.
class ExternalMemoryModel {
 public:
  ExternalMemoryModel(std::vector<std::uint8_t>& bytes, const ExternalMemory& timing,
                      std::uint32_t bus_bytes, const MemoryDisturbance& disturbance = {});

  /// One cycle: looks at the accelerator's outputs, sets its inputs for the coming edge and takes
  /// what that edge hands over.
  void cycle(rtl::Ports& ports);
  [[nodiscard]] const AxiRules& rules() const { return rules_; }
  /// Is told of all reads and writes from now on; may be null.
  void watch(MemoryChecker* checker) { checker_ = checker; }

 private:
  struct Burst {
    std::uint64_t address = 0;
    std::uint32_t beats = 0;
    std::uint32_t done = 0;
    std::uint64_t ready = 0;  ///< cycle of the first data, or of the response
    std::uint8_t response = 0;
  };

  void drive(rtl::Ports& ports);
  void choose_read(rtl::Ports& ports);
  [[nodiscard]] bool may_move(bool write) const;
  void moved(bool write);
  bool stalls();
  [[nodiscard]] std::uint8_t response_for(const Burst& burst,
                                          const std::optional<std::uint32_t>& error_at) const;
  void accept_read(const rtl::Ports& ports);
  void accept_write(const rtl::Ports& ports);

  std::vector<std::uint8_t>& bytes_;
  ExternalMemory timing_;
  std::uint32_t bus_bytes_;
  MemoryDisturbance disturbance_;
  AxiRules rules_;
  DramRows rows_;
  bool wrote_last_ = false;        ///< direction of the last beat
  std::uint64_t quiet_until_ = 0;  ///< turn-around: no beat in the other direction before
  MemoryChecker* checker_ = nullptr;
  SplitMix64 rng_;
  std::uint64_t now_ = 0;
  double credit_ = 0;                       ///< bytes that may still move
  bool write_turn_ = false;                 ///< who goes first when only one beat fits
  std::array<std::deque<Burst>, 2> reads_;  ///< by ID
  unsigned serving_ = 0;                    ///< ID whose burst is under way
  bool presented_ = false;                  ///< a read beat is on the bus
  std::deque<Burst> writes_;                ///< addresses accepted, data to come
  std::deque<Burst> responses_;             ///< write responses to give
};

}  // namespace tessera
