// The accelerator's time: front end, queues, tokens and units, from the first command to done.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tessera/engine.hpp"
#include "timing/data_path/data_path.hpp"
#include "timing/data_path/operations.hpp"
#include "timing/machine/accelerator.hpp"
#include "timing/machine/array_timing.hpp"

namespace tessera::timing {

/// The one with load, compute and store units.
class Machine final : public Accelerator {
 public:
  Machine(const Hardware& hardware, MemoryPort& port, MachineObserver& observer);

  /// Nothing of its time depends on it.
  void limit_cbuf(std::uint32_t /*atoms*/) override {}
  void start(std::uint64_t address, std::uint64_t bytes, const std::uint8_t* stream,
             Cycle now) override;
  bool run(Cycle until) override;
  [[nodiscard]] Cycle now() const override { return now_; }
  [[nodiscard]] Counters counters() const override { return counters_at(now_); }

 private:
  enum Unit : std::size_t { kLoad = 0, kCompute = 1, kStore = 2 };
  enum Token : std::size_t {
    kLoadToCompute = 0,
    kComputeToLoad = 1,
    kComputeToStore = 2,
    kStoreToCompute = 3,
    kStoreToLoad = 4
  };
  struct Queued {
    isa::Command command;
    Cycle visible = 0;
  };

  void step(Cycle now);
  void front(Cycle now);
  void load_unit(Cycle now);
  void compute_unit(Cycle now);
  void store_unit(Cycle now);
  void data(Cycle now);
  void array(Cycle now);
  [[nodiscard]] bool is_finished(Cycle now) const;

  [[nodiscard]] const isa::Command* head(std::size_t unit, Cycle now) const;
  void pop(std::size_t unit, Cycle now);
  [[nodiscard]] bool has(std::size_t token, Cycle now) const;
  bool waits_for(std::size_t token, std::uint32_t wanted, std::size_t unit, Cycle now);
  void give(std::size_t token, Cycle visible);
  void take(std::size_t token);
  static void poke(Cycle& wake, Cycle at) { wake = std::min(wake, at); }
  [[noreturn]] static void fail(isa::Error cause, std::uint32_t info);
  [[noreturn]] void fail_stuck() const;
  void check_load(const LoadOperation& load) const;
  void check_conv(const ConvOperation& conv) const;
  void check_store(const StoreOperation& store) const;
  void settle_waits(Cycle now);
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> waits(Cycle now) const;
  [[nodiscard]] Counters counters_at(Cycle now) const;

  Hardware hw_;
  MachineObserver& observer_;
  DataPath data_;
  ArrayTiming array_;
  Cycle now_ = 0;
  Cycle limit_ = kNever;  ///< nothing is known of the memory from that cycle on
  bool running_ = false;
  Cycle started_ = 0;         ///< CONTROL was written
  std::uint64_t cycles_ = 0;  ///< of earlier runs

  // Front end.
  std::vector<std::uint8_t> stream_;
  std::deque<Cycle> words_;  ///< buffered, by the cycle from which they can be given out
  std::size_t next_word_ = 0;
  bool ended_ = false;
  Cycle ended_at_ = kNever;
  Cycle end_wake_ = kNever;
  Cycle front_wake_ = kNever;

  std::array<std::deque<Queued>, 3> queues_;
  std::array<Cycle, 3> wakes_{kNever, kNever, kNever};
  std::array<std::deque<Cycle>, 5> tokens_;  ///< by the cycle from which they can be taken
  Cycle data_wake_ = kNever;

  LoadWords load_words_;
  struct Transfer {
    LoadOperation operation;
    std::uint8_t* data = nullptr;
    Cycle begin = 0;
  };
  std::deque<Transfer> transfers_;

  ConvWords conv_words_;
  struct Convolution {
    ConvOperation operation;
    Cycle begin = 0;
  };
  std::deque<Convolution> convs_;  ///< handed to the array, not yet done
  std::uint32_t first_conv_ = 0;   ///< number of the oldest
  // Why the compute unit's head waits, and since when.
  enum class Wait : std::uint8_t { None, Load, Store };
  Wait wait_ = Wait::None;
  Cycle wait_from_ = 0;
  std::uint64_t wait_load_ = 0, wait_store_ = 0;

  StoreWords store_words_;
  StoreOperation store_;
  bool storing_ = false;
  Cycle store_from_ = 0;  ///< cycle of the STORE
  Cycle store_free_ = 0;  ///< first cycle in which the next command can be looked at
  bool barrier_ = false;  ///< the token to the load unit waits for the write responses
};

}  // namespace tessera::timing
