// The external memory's timing: latency, shared bandwidth, rows, refresh, turn-around.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "tessera/hardware.hpp"
#include "tessera/rng.hpp"
#include "timing/memory/dram_rows.hpp"
#include "timing/memory/memory_port.hpp"
#include "timing/memory/ring.hpp"

namespace tessera::timing {

/// Random delays for tests.
struct Jitter {
  std::uint64_t seed = 0;
  std::uint32_t extra_latency = 0;  ///< up to so many cycles more, drawn per read burst
  std::uint32_t stall_percent = 0;  ///< chance per cycle and channel of not being ready or valid
  bool mute = false;                ///< takes addresses, never answers
};

/// Several ports, each with a read and a write channel of a beat per cycle at most; all share the
/// bytes per cycle, channel by channel in turn. Bursts of one port and ID are answered in order,
/// IDs in turn, burst by burst. Moves timing only: the data is its owner's.
class MemoryController {
 public:
  static constexpr std::size_t kMaxBursts = 32;       ///< per port and direction
  static constexpr std::size_t kMostResponses = 512;  ///< that wait for their time
  /// Told of beats as they move.
  class Listener {
   public:
    Listener() = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    Listener(Listener&&) = delete;
    Listener& operator=(Listener&&) = delete;
    virtual ~Listener() = default;
    /// `count` beats of the burst from its beat `first` on are on the bus.
    virtual void read(const Burst& burst, std::uint32_t first, std::uint32_t count) = 0;
    virtual void write(const Burst& burst, std::uint32_t index, const WriteBeat& beat) = 0;
  };

  MemoryController(const ExternalMemory& timing, std::uint32_t bus_bytes, std::size_t ports = 1,
                   const Jitter& jitter = {});
  void listen(Listener* listener) { listener_ = listener; }
  /// Where there is a ROM, all addresses but these are read there, by the first port.
  void set_activations(std::uint64_t address, std::uint64_t bytes) {
    activations_ = address;
    activation_bytes_ = bytes;
  }

  bool takes_read(std::size_t port);
  bool takes_write(std::size_t port);
  void read(std::size_t port, const Burst& burst, Cycle now);
  void write(std::size_t port, const Burst& burst, Cycle now);
  /// Another port's burst, whose address is given in the cycle `at` or later. In order by port. Its
  /// beats move whenever they can.
  void offer(std::size_t port, bool write, const Burst& burst, Cycle at);
  void step(std::size_t port, Cycle now, bool read_ready, const WriteBeat& beat, Moves& moves);
  /// The same for the only port of a memory without jitter or listener. `partial`: the offered beat
  /// leaves bytes as they are.
  void step_alone(Cycle now, bool read_ready, bool write_offered, bool partial, Moves& moves);
  /// As MemoryPort's functions of these names.
  std::uint32_t run(std::size_t port, Cycle now, std::uint32_t most);
  [[nodiscard]] std::uint64_t phase(std::size_t port, Cycle now) const;
  [[nodiscard]] bool may_leap(std::size_t port, Cycle now, Cycle cycles, std::uint32_t reads,
                              std::uint32_t writes) const;
  void leap(std::size_t port, Cycle now, Cycle cycles, std::uint32_t reads, std::uint32_t writes,
            const WriteBeat& beat);
  [[nodiscard]] Cycle next(std::size_t port, Cycle now, bool write_offered) const;
  /// As phase, with all writes under way and their responses: the same again means that whole
  /// bursts repeat. For the only port, of a memory without rows; 0 for others.
  [[nodiscard]] std::uint64_t phase_of_bursts(Cycle now) const;
  /// Moves so many read beats of the burst under way, and whole write bursts, at once.
  void leap_bursts(Cycle now, Cycle cycles, std::uint32_t reads);
  /// Beats that the read burst under way has left.
  [[nodiscard]] std::uint32_t read_beats_left() const;
  /// Reads that wait or move.
  [[nodiscard]] std::size_t reads(std::size_t port) const;

 private:
  struct Under {
    Burst burst;
    std::uint32_t done = 0;  ///< beats
    Cycle ready = 0;         ///< cycle of the next data at the earliest, or of the response
    bool in_rom = false;
  };
  struct Response {
    Cycle ready = 0;
    std::uint8_t code = 0;
  };
  struct Port {
    Ring<Under, kMaxBursts> reads[2];  ///< by ID
    unsigned serving = 0;              ///< ID whose burst is under way
    bool presented = false;            ///< a read beat is on the bus
    Ring<Under, kMaxBursts> writes;    ///< addresses accepted, data to come
    Ring<Response, kMostResponses> responses;
    struct Offer {
      Burst burst;
      bool write = false;
      Cycle at = 0;
    };
    std::deque<Offer> offers;
  };

  [[nodiscard]] bool alone() const { return ports_.size() == 1; }
  void accept_offers(std::size_t port, Cycle now);
  void catch_up(std::size_t own, Cycle now);
  void grant(std::size_t own, Cycle now, const WriteBeat& beat, Moves& moves);

  void refill(Cycle now) {
    // Once full it stays full: cycle by cycle, because sums of fractions depend on their order.
    for (; credit_until_ <= now && credit_ < most_credit_; ++credit_until_) {
      credit_ = std::min(credit_ + timing_.bytes_per_cycle, most_credit_);
    }
    credit_until_ = now + 1;
  }
  // Of IDs that are ready the one that was not served last, but bursts are not interrupted.
  static bool choose_read(Port& port, Cycle now) {
    const auto& serving = port.reads[port.serving];
    if (!serving.empty() && serving.front().done != 0) {
      return serving.front().ready <= now;
    }
    const auto ready = [&](unsigned id) {
      return !port.reads[id].empty() && port.reads[id].front().ready <= now;
    };
    if (ready(port.serving ^ 1U)) {
      port.serving ^= 1U;
      return true;
    }
    return ready(port.serving);
  }
  void take_read(Port& port, Cycle now) {
    port.presented = false;
    auto& bursts = port.reads[port.serving];
    Under& under = bursts.front();
    const bool in_rom = under.in_rom;
    if (++under.done == under.burst.beats) {
      bursts.pop_front();
      if (in_rom) {
        rom_is_free(now + 1);
      }
    } else if (in_rom) {
      under.ready = now + timing_.rom.cycles_per_beat;
    }
  }
  void rom_is_free(Cycle from);
  [[nodiscard]] bool in_rom(const Burst& burst) const {
    return timing_.rom.is_there() && burst.address - activations_ >= activation_bytes_;
  }
  [[nodiscard]] static bool serves_rom(const Port& port) {
    const auto at_front = [](const auto& reads) { return !reads.empty() && reads.front().in_rom; };
    return at_front(port.reads[0]) || at_front(port.reads[1]);
  }
  bool give_read(Port& port, Cycle now);
  bool give_write(Port& port, bool own, Cycle now, const WriteBeat& beat);
  // A beat in the other direction waits until the bus has turned around, any beat for a refresh.
  [[nodiscard]] bool may_move(bool write, Cycle now) const {
    return (write == wrote_last_ || now >= quiet_until_) && now >= busy_until_ &&
           (timing_.dram.refresh_interval == 0 || !rows_.is_refreshing(now));
  }
  void moved(bool write, Cycle now) {
    credit_ -= beat_;
    wrote_last_ = write;
    quiet_until_ = timing_.turnaround == 0 ? 0 : now + 1 + timing_.turnaround;
  }
  void wrote_part(bool partial, Cycle now) {
    busy_until_ = partial && timing_.partial_beat != 0 ? now + 1 + timing_.partial_beat : 0;
  }
  bool stalls();

  ExternalMemory timing_;
  double beat_;
  DramRows rows_;
  Jitter jitter_;
  SplitMix64 rng_;
  Listener* listener_ = nullptr;
  std::vector<Port> ports_;
  double most_credit_;
  double credit_ = 0;       ///< bytes that may still move
  Cycle credit_until_ = 0;  ///< first cycle whose bytes are not in it
  Cycle seen_until_ = 0;    ///< first cycle that the other ports have not had
  std::size_t turn_ = 0;    ///< channel that goes first: 2 x port, + 1 for writes
  bool wrote_last_ = false;
  std::uint64_t activations_ = 0, activation_bytes_ = 0;
  Cycle quiet_until_ = 0;  ///< turn-around: no beat in the other direction before
  Cycle busy_until_ = 0;   ///< with a beat that was written in part: no other one before
  std::uint64_t whole_;    ///< strobe of a beat
};

inline void MemoryController::step_alone(Cycle now, bool read_ready, bool write_offered,
                                         bool partial, Moves& moves) {
  refill(now);
  Port& port = ports_.front();
  moves.write_taken = false;
  moves.write_done = !port.responses.empty() && port.responses.front().ready <= now;
  if (moves.write_done) {
    moves.write_response = port.responses.front().code;
    port.responses.pop_front();
  }
  const auto read = [&] {
    if (!port.presented && credit_ >= beat_ && (!port.reads[1].empty() || !port.reads[0].empty()) &&
        may_move(false, now) && choose_read(port, now)) {
      moved(false, now);
      port.presented = true;
      turn_ = 1;
    }
  };
  const auto write = [&] {
    if (write_offered && credit_ >= beat_ && !port.writes.empty() &&
        port.writes.front().ready <= now && may_move(true, now)) {
      moved(true, now);
      wrote_part(partial, now);
      moves.write_taken = true;
      turn_ = 0;
      Under& under = port.writes.front();
      if (++under.done == under.burst.beats) {
        port.responses.push_back({now + timing_.latency, under.burst.response});
        port.writes.pop_front();
      }
    }
  };
  if (turn_ == 0) {
    read();
    write();
  } else {
    write();
    read();
  }
  moves.read_valid = port.presented;
  if (port.presented) {
    const Under& under = port.reads[port.serving].front();
    moves.read_id = static_cast<std::uint8_t>(port.serving);
    moves.read_last = under.done + 1 == under.burst.beats;
    moves.read_response = under.burst.response;
    moves.read_index = under.done;
    if (read_ready) {
      take_read(port, now);
    }
  }
}

}  // namespace tessera::timing
