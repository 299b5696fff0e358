// When the array works: the sequencer's walk, weight tiles, meetings in a cbuf bank.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "tessera/hardware.hpp"
#include "timing/data_path/channel_pieces.hpp"
#include "timing/data_path/operations.hpp"

namespace tessera::timing {

/// A weight tile is read from the cbuf while the one before is at work: one kernel per cycle, from
/// the cycle after that one's first step on; a step can take it in the cycle after the last.
class ArrayTiming {
 public:
  explicit ArrayTiming(const Hardware& hardware);

  /// The convolution or mark at the head of the queue can be handed over in this cycle.
  [[nodiscard]] bool takes_conv(Cycle now) const;
  /// The next cycle after `now` in which that may be otherwise because weights have been read.
  [[nodiscard]] Cycle takes_conv_from(Cycle now) const;
  [[nodiscard]] bool takes_mark() const { return jobs_.size() < most_jobs_; }
  void push_conv(const ConvOperation& op, std::uint32_t id, Cycle now);
  void push_mark(std::uint32_t id, Cycle now);

  struct Event {
    bool is_mark = false;
    std::uint32_t id = 0;
    Cycle at = 0;  ///< of the last step, or of the mark
  };
  /// What happens up to and in this cycle, in order. The list holds until the next call.
  const std::vector<Event>& advance(Cycle now);
  /// The next cycle in which something happens by itself.
  [[nodiscard]] Cycle wake() const { return wake_; }

  /// Neither a convolution nor a mark waits or runs, from that cycle on; kNever while one does.
  [[nodiscard]] Cycle idle_from() const { return idle_from_; }
  /// Loader and pipeline are empty too.
  [[nodiscard]] bool quiet(Cycle now) const;

  // Cycles before `now`.
  [[nodiscard]] std::uint64_t busy(Cycle now) const;
  [[nodiscard]] std::uint64_t stalled_by_weights(Cycle now) const;
  [[nodiscard]] std::uint64_t stalled_by_banks(Cycle now) const;

 private:
  static constexpr Cycle kPipeline = 6;  ///< from a step to its sum in the accumulators

  struct Job {
    bool is_mark = false;
    std::uint32_t id = 0;
    Cycle visible = 0;
    Walk walk;
    std::uint64_t tiles = 1;           ///< weight tiles
    std::uint64_t group_tiles = 1;     ///< of a kernel group
    std::uint64_t origin = 0;          ///< atom of the first step
    std::uint64_t weights = 0;         ///< first atom
    std::uint32_t rows = 1, cols = 1;  ///< of the slab
    bool apart = true;                 ///< features and weights share no bank
    std::vector<ChannelPiece> pieces;  ///< of depthwise convolutions
    std::uint32_t even_kernels = 1;    ///< of every weight tile but those of the last group or
                                       ///< piece; 0: they differ
    std::uint32_t last_kernels = 1;    ///< of those
  };
  /// Weight tiles of one convolution, as the loader reads them.
  struct Reading {
    Job job;
    std::uint64_t tile = 0;  ///< next to be read
    std::uint64_t address = 0;
    Cycle freed = kNever;  ///< when its place in the loader's queue is free again
  };
  /// Steps that follow each other without a gap: `tiles` tiles, one every `period` cycles.
  struct Stretch {
    Cycle begin = 0;  ///< first step
    std::uint64_t tiles = 0;
    std::uint64_t period = 1;
    std::uint64_t steps = 1;    ///< of a tile
    std::uint64_t refused = 0;  ///< steps that came later, of the only tile
    [[nodiscard]] Cycle last() const { return begin + (tiles - 1) * period + steps + refused - 1; }
  };

  [[nodiscard]] std::uint32_t bank_of(std::uint64_t atom) const {
    return static_cast<std::uint32_t>(atom / bank_atoms_);
  }
  [[nodiscard]] std::uint32_t kernels_of(const Job& job, std::uint64_t tile) const;
  [[nodiscard]] bool apart(const Job& job) const;
  void read_tile();
  void begin_tiles(Cycle earliest);
  void refuse();
  void finish_stretch();
  void await_job(Cycle from);
  void take_job(Cycle now);

  Hardware hw_;
  std::uint64_t bank_atoms_;
  std::size_t most_jobs_;

  std::deque<Job> jobs_;
  bool active_ = false;
  Job job_;
  std::uint64_t tile_ = 0;  ///< next weight tile of job_
  Stretch stretch_;
  Cycle wake_ = kNever;
  Cycle idle_from_ = 0;

  std::deque<Reading> readings_;
  Cycle loader_from_ = 0;  ///< first cycle in which the head of readings_ can be read
  Cycle shadow_free_ = 0;  ///< the shadow registers can be written from this cycle on
  bool has_tile_ = false;  ///< being read, or read and not yet taken
  Cycle read_begin_ = 0, read_end_ = 0;
  std::uint64_t read_address_ = 0;

  Cycle last_step_ = kNever;                                      ///< of the stretch before
  std::uint64_t busy_ = 0, weight_stalls_ = 0, bank_stalls_ = 0;  ///< of finished stretches
  Cycle stall_begin_ = 0, stall_end_ = 0;                         ///< before the current stretch
  std::vector<Event> events_;
};

}  // namespace tessera::timing
