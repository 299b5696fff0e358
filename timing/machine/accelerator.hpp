// An accelerator's time, whoever controls it: from the first command to done.
#pragma once

#include <cstdint>
#include <memory>

#include "tessera/engine.hpp"
#include "timing/data_path/operations.hpp"
#include "timing/memory/memory_port.hpp"

namespace tessera::timing {

/// What else happens when a unit works; the defaults do nothing.
class MachineObserver {
 public:
  MachineObserver() = default;
  MachineObserver(const MachineObserver&) = delete;
  MachineObserver& operator=(const MachineObserver&) = delete;
  MachineObserver(MachineObserver&&) = delete;
  MachineObserver& operator=(MachineObserver&&) = delete;
  virtual ~MachineObserver() = default;

  /// A load begins: where its bytes go, in the order of its segments; null: nowhere.
  virtual std::uint8_t* load_begins(const LoadOperation& load);
  /// Codes of the atoms of a load of compressed weights, whose bytes go nowhere.
  virtual const std::uint8_t* load_codes(const LoadOperation& load);
  /// All of its bytes have come.
  virtual void load_ends(const LoadOperation& load, std::uint8_t* data);
  virtual void conv_begins(const ConvOperation& conv);
  /// Its last sum is in the accumulators.
  virtual void conv_ends(const ConvOperation& conv);
  /// A store begins: its bytes in the order of its segments; null: timing only.
  virtual const std::uint8_t* store_begins(const StoreOperation& store);
  /// The unit's oldest work is done: taken in the cycle `begin`, in its place in `end`.
  virtual void worked(unsigned unit, Cycle begin, Cycle end);
  /// 0: load, 1: compute, 2: store. Counters as the hardware's stand in this cycle.
  virtual void mark(unsigned unit, std::uint32_t id, const Counters& counters);
};

/// Moves as the RTL does, cycle by cycle where anything happens and in leaps where nothing does.
class Accelerator {
 public:
  Accelerator() = default;
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;
  Accelerator(Accelerator&&) = delete;
  Accelerator& operator=(Accelerator&&) = delete;
  virtual ~Accelerator() = default;

  /// Usable cbuf atoms; the hardware's unless told.
  virtual void limit_cbuf(std::uint32_t atoms) = 0;
  /// Runs a stream; CONTROL was written in the cycle `now`. `stream`: its bytes, or null when the
  /// port brings them.
  virtual void start(std::uint64_t address, std::uint64_t bytes, const std::uint8_t* stream,
                     Cycle now) = 0;
  /// Goes on up to the cycle `until`; true when the run is done. Throws EngineError.
  virtual bool run(Cycle until) = 0;
  /// The cycle that comes next: the first one after the run when it is done.
  [[nodiscard]] virtual Cycle now() const = 0;
  /// As the registers give them in that cycle.
  [[nodiscard]] virtual Counters counters() const = 0;
};

/// The one that the hardware's control asks for. All three must outlive it.
std::unique_ptr<Accelerator> make_accelerator(const Hardware& hardware, MemoryPort& port,
                                              MachineObserver& observer);

}  // namespace tessera::timing
