// What a program costs, without its data.
#pragma once

#include <memory>

#include "tessera/engine.hpp"

namespace tessera::timing {

/// Cycles of the register accesses that the host makes around a run (AXI4-Lite, one at a time).
struct HostTiming {
  static constexpr std::uint32_t kWrite = 3;  ///< a register write, up to its response
  static constexpr std::uint32_t kRead = 2;
  static constexpr std::uint32_t kStart = 2;      ///< from the write's first cycle to the start
  static constexpr std::uint32_t kIdentify = 9;   ///< registers read once, before all runs
  static constexpr std::uint32_t kConfigure = 5;  ///< registers written before CONTROL
};

/// Counters of all layers and in total; no outputs. The accelerator's timing over the encoded
/// commands, with the same memory timing as behind the RTL.
RunResult estimate(const Program& program, const ExternalMemory& memory,
                   const std::vector<TrafficPattern>& traffic = {});

/// The same of runs that follow each other.
class CostModel {
 public:
  /// All must live as long.
  CostModel(const Program& program, const ExternalMemory& memory,
            const std::vector<TrafficPattern>& traffic);
  ~CostModel();
  CostModel(const CostModel&) = delete;
  CostModel& operator=(const CostModel&) = delete;
  CostModel(CostModel&&) = delete;
  CostModel& operator=(CostModel&&) = delete;

  /// Cycles of Program::reset; 0 without one.
  std::uint64_t reset();
  RunResult run();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tessera::timing
