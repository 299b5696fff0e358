// What an accelerator sees of the external memory, cycle by cycle: bursts in, beats out.
#pragma once

#include <cstdint>
#include <limits>

namespace tessera::timing {

using Cycle = std::uint64_t;
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// Full-width beats; the first one may begin, the last one end within a beat.
struct Burst {
  std::uint64_t address = 0;  ///< of the first byte
  std::uint32_t bytes = 1;
  std::uint32_t beats = 1;
  std::uint8_t id = 0;           ///< reads: 0 commands, 1 data
  std::uint8_t* data = nullptr;  ///< reads: where its bytes go as they move; may be null
  std::uint8_t response = 0;     ///< 0 OKAY, 2 SLVERR, 3 DECERR
};

/// A write beat on offer. Byte b is written when bit b of `strobe` is set.
struct WriteBeat {
  bool valid = false;
  const std::uint8_t* data = nullptr;  ///< null: timing only
  std::uint64_t strobe = 0;
};

/// What a cycle hands over.
struct Moves {
  bool read_valid = false;  ///< a read beat is on the bus; it moves when the reader is ready
  bool read_last = false;
  std::uint8_t read_id = 0;
  std::uint8_t read_response = 0;
  std::uint32_t read_index = 0;  ///< of the beat in its burst
  bool write_taken = false;
  bool write_done = false;  ///< a write response
  std::uint8_t write_response = 0;
};

class MemoryController;

/// Cycles are given in rising order; some may be left out when nothing moves in them.
class MemoryPort {
 public:
  MemoryPort() = default;
  MemoryPort(const MemoryPort&) = delete;
  MemoryPort& operator=(const MemoryPort&) = delete;
  MemoryPort(MemoryPort&&) = delete;
  MemoryPort& operator=(MemoryPort&&) = delete;
  virtual ~MemoryPort() = default;

  /// The memory itself, when there is nothing in between and nobody else has a part in it.
  virtual MemoryController* direct() { return nullptr; }

  /// Whether an address given in this cycle is taken.
  virtual bool takes_read(Cycle now) = 0;
  virtual bool takes_write(Cycle now) = 0;
  /// Gives an address that is taken, after this cycle's step.
  virtual void read(const Burst& burst, Cycle now) = 0;
  virtual void write(const Burst& burst, Cycle now) = 0;

  virtual void step(Cycle now, bool read_ready, const WriteBeat& beat, Moves& moves) = 0;

  /// Beats of the read burst under way that move in the cycles from `now` on, one in each, when the
  /// reader is ready and nothing is written: at most `most`, never the burst's last. They have
  /// moved then.
  virtual std::uint32_t run(Cycle now, std::uint32_t most) = 0;

  /// What the coming cycles depend on, but for the progress of bursts: when it is the same in two
  /// cycles and nothing new is given, the same beats move from there on. 0 when that cannot be
  /// said.
  virtual std::uint64_t phase(Cycle now) = 0;
  /// Whether the bursts under way have more than so many beats left, and nothing else happens in
  /// the cycles from `now` on.
  virtual bool may_leap(Cycle now, Cycle cycles, std::uint32_t reads, std::uint32_t writes) = 0;
  /// Moves so many beats at once; `beat` is the first one written, the others follow its data.
  virtual void leap(Cycle now, Cycle cycles, std::uint32_t reads, std::uint32_t writes,
                    const WriteBeat& beat) = 0;

  /// The first cycle from `now` on in which something can move without a new address; with a write
  /// beat on offer or without. kNever when nothing can.
  virtual Cycle next(Cycle now, bool write_offered) = 0;
};

}  // namespace tessera::timing
