// Between the units and the bus: bursts out, beats in, chunks to their place, tiles on their way
// out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "tessera/hardware.hpp"
#include "timing/data_path/decoder.hpp"
#include "timing/data_path/folder.hpp"
#include "timing/data_path/packer.hpp"
#include "timing/data_path/splitter.hpp"
#include "timing/data_path/timed_queue.hpp"
#include "timing/memory/memory_controller.hpp"
#include "timing/memory/ring.hpp"

namespace tessera::timing {

/// What a cycle of the data path tells the units.
struct DataEvents {
  bool any = false;           ///< one of these, or the last beat or response of the stores
  bool word = false;          ///< of commands, that can be given out from the next cycle on
  bool load_done = false;     ///< the oldest transfer is in its place
  bool ragged = false;        ///< and was not a whole number of pixels, or rows of units
  bool request_done = false;  ///< the load unit can take its next command
  bool drained = false;       ///< the tile's accumulators have been read, or it is in the cbuf
  bool read_error = false;    ///< of a beat
  bool fetch_beat = false;    ///< which was one of commands
  bool write_error = false;
  std::uint8_t response = 0;
};

class DataPath {
 public:
  DataPath(const Hardware& hardware, MemoryPort& port);

  // Commands --------------------------------------------------------------------------------------
  /// Begins a stream; its first request can be made in the cycle `from`.
  void fetch(std::uint64_t address, std::uint64_t bytes, std::uint8_t* words, Cycle from);
  /// A word has left the buffer.
  void word_given(Cycle now);

  // Loads -----------------------------------------------------------------------------------------
  [[nodiscard]] bool takes_load() const;
  [[nodiscard]] bool requesting() const { return load_splitter_.busy(); }
  /// `codes`: those of compressed weights, atom by atom, where `data` does not bring them.
  void load(const LoadOperation& load, std::uint8_t* data, const std::uint8_t* codes, Cycle now);
  [[nodiscard]] bool loads_quiet() const;

  // Stores ----------------------------------------------------------------------------------------
  void store(const StoreOperation& store, const std::uint8_t* data, Cycle now);
  /// The tile's beats have all been taken.
  [[nodiscard]] bool stored() const;
  /// Every write has been acknowledged.
  [[nodiscard]] bool settled() const { return write_bursts_ == 0; }

  /// Nothing is under way on the bus.
  [[nodiscard]] bool bus_idle() const;

  /// One cycle, or as many as nothing outside happens in, up to `until`; `now` moves behind them.
  DataEvents advance(Cycle& now, Cycle until);
  /// The next cycle in which something moves by itself.
  [[nodiscard]] Cycle wake(Cycle now) const;

  struct Counts {
    std::uint64_t command_bytes = 0, write_bytes = 0;
    std::array<std::uint64_t, 8> load_bytes{};  ///< by kind
    std::uint64_t read_beats = 0, write_beats = 0;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  struct ReadBurst {
    std::uint32_t bytes = 0;
    std::uint32_t offset = 0;
    bool last = false;
  };
  struct WriteBurst {
    std::uint32_t bytes = 0;
    std::uint32_t offset = 0;
  };

  /// What the coming cycles depend on while nothing is requested, but for the progress of bursts
  /// and of the tile.
  struct Phase {
    std::uint64_t memory = 0, packer = 0, chunks = 0;
    std::uint32_t held = 0, kept_part = 0;
    bool beat_valid = false, draining = false;
    [[nodiscard]] bool operator==(const Phase& other) const {
      return memory == other.memory && packer == other.packer && chunks == other.chunks &&
             held == other.held && kept_part == other.kept_part && beat_valid == other.beat_valid &&
             draining == other.draining;
    }
  };
  [[nodiscard]] Phase phase(Cycle now) const;
  [[nodiscard]] bool is_even(Cycle now) const;
  [[nodiscard]] std::uint64_t chunks_left() const;
  void skip_chunks(std::uint64_t chunks);
  std::uint32_t leap(Cycle now, Cycle until, DataEvents& events);
  /// The data path when a write burst has been filled.
  struct BurstEnd {
    std::uint64_t state = 0;  ///< all that the coming cycles depend on but for progress; 0: unknown
    Cycle at = 0;
    std::uint64_t read_beats = 0, write_beats = 0, loaded = 0, chunks = 0, requests = 0;
    std::uint64_t atoms = 0;
  };
  [[nodiscard]] BurstEnd burst_end(Cycle now) const;
  std::uint32_t leap_bursts(Cycle now, Cycle until);
  std::uint32_t run_beats(Cycle now, Cycle until);
  void cycle(Cycle now, DataEvents& events);
  void move_reads(Cycle now, const Moves& moves, bool took, DataEvents& events);
  void move_writes(Cycle now, const Moves& moves, DataEvents& events);
  void begin_results(Cycle now);
  void drain(Cycle now, bool full, DataEvents& events);
  /// Cycles since one in which the tile could be read.
  [[nodiscard]] std::uint64_t drain_turn(Cycle now) const {
    return draining_ ? (now - drain_from_) % drain_every_ : 0;
  }
  void request(Cycle now, bool reader_full, bool writer_full, bool fetch_wants, DataEvents& events);
  void begin_sink();
  [[nodiscard]] bool fetch_wants(Cycle now) const;
  void take_atom();
  [[nodiscard]] std::uint32_t bank_of(std::uint64_t atom) const;
  /// Where the next part of a kept tile goes.
  struct KeptPlace {
    std::uint64_t atom = 0;
    std::uint32_t room = 0;  ///< bytes to the atom's end
  };
  [[nodiscard]] KeptPlace kept_place() const;
  /// Keeps what it can of the oldest chunk; false: more of it is to come.
  bool keep_chunk();
  [[nodiscard]] bool may_refuse() const;
  [[nodiscard]] bool folds(Cycle now) const { return folding_ && now >= staged_from_; }
  [[nodiscard]] bool decodes(Cycle now) const { return decoding_ && now >= staged_from_; }
  [[nodiscard]] bool reads_ready(Cycle now) const;
  [[nodiscard]] bool store_busy() const;
  [[nodiscard]] static std::uint64_t strobe_of(std::uint32_t bytes) {
    return bytes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
  }
  [[nodiscard]] std::uint32_t beat_bytes(std::uint32_t left, std::uint32_t offset) const {
    return std::min(left, bus_ - offset);
  }

  MemoryPort& port_;
  MemoryController* memory_;  ///< behind the port, when it can be asked directly
  std::uint32_t bus_, atomic_c_, atomic_k_, lanes_, bank_atoms_;
  std::size_t most_read_bursts_;
  Counts counts_;
  std::uint64_t drained_ = 0;  ///< chunks read from the accumulators, ever
  Cycle no_leap_before_ = 0;
  bool burst_ended_ = false;  ///< a write burst, in the cycle before
  BurstEnd last_end_;
  std::uint64_t requested_writes_ = 0;  ///< bursts, ever
  Moves moves_;                         ///< of the last cycle

  // Fetch.
  static constexpr std::size_t kWriteBursts = 4;        ///< addresses ahead of their data
  static constexpr std::uint32_t kMostResponses = 511;  ///< write bursts without one
  static constexpr std::uint32_t kChunks = 16;          ///< between accumulators and writer
  static constexpr std::uint32_t kFetchWords = 64, kFetchBytes = 256;
  std::uint64_t fetch_address_ = 0, fetch_left_ = 0;
  std::uint8_t* fetch_data_ = nullptr;
  Cycle fetch_from_ = kNever;
  bool fetch_pending_ = false;
  std::uint32_t fetch_words_ = 0;  ///< requested or buffered
  Cycle last_given_ = kNever;
  ReadBurst fetch_burst_;
  Packer fetch_packer_;

  // Read addresses: one waits for the memory at most.
  bool address_valid_ = false;
  Burst address_;

  // Loads.
  Splitter load_splitter_;
  isa::LoadKind load_kind_ = isa::LoadKind::Feature;  ///< of the requests
  std::uint8_t* load_data_ = nullptr;
  struct Transfer {
    LoadOperation load;
    const std::uint8_t* data = nullptr;   ///< where its bytes go
    const std::uint8_t* codes = nullptr;  ///< of compressed weights
  };
  Ring<Transfer, 4> transfers_;
  Ring<ReadBurst, 64> read_bursts_;
  bool at_first_beat_ = true;
  std::uint32_t burst_left_ = 0;
  bool folding_ = false, decoding_ = false;
  Cycle staged_from_ = 0;                     ///< a load is handed over in the cycle before
  bool writes_atoms_ = false;                 ///< the oldest transfer's chunks go to the cbuf
  bool atom_written_ = false;                 ///< in this cycle
  bool atom_was_last_ = false;                ///< of its load
  std::uint64_t atom_ = 0;                    ///< its address
  std::optional<std::uint64_t> atom_before_;  ///< that of the cycle before, if one was written
  std::uint64_t atoms_written_ = 0;           ///< chunks of the oldest transfer
  std::size_t loads_ahead_;
  bool whole_records_;
  Packer packer_;
  Folder folder_;
  Decoder decoder_;

  // Stores.
  bool draining_ = false;
  Cycle drain_from_ = 0;
  std::uint32_t drain_delay_ = 9;  ///< from reading an accumulator to bytes in the queue
  std::uint32_t drain_every_ = 1;  ///< cycles between chunks: the requantiser takes some twice
  bool even_chunks_ = false;       ///< all of the tile's chunks take as long
  /// When the next pixel of a softmax can be read, and cycles from one to the next; kNever: at
  /// once.
  Cycle rows_ready_ = kNever, rows_every_ = 0;
  std::uint32_t pixels_left_ = 0, groups_ = 1, group_ = 0, group_left_ = 0, last_kernels_ = 1;
  TimedQueue<std::uint32_t, 32> chunks_;  ///< bytes on their way or queued
  std::uint32_t held_ = 0;                ///< bytes in the writer
  StoreOperation storing_;
  bool keeps_ = false, keeps_only_ = false;
  std::uint64_t kept_ = 0, to_keep_ = 0;  ///< chunks of the tile in the cbuf, and in all
  std::uint32_t kept_part_ = 0;           ///< bytes of the next one that are there
  Splitter store_splitter_;
  TimedQueue<WriteBurst, 8> write_queue_;
  std::uint32_t write_left_ = 0;  ///< of the burst under way, 0: at its first beat
  bool beat_valid_ = false;
  WriteBeat beat_;
  const std::uint8_t* store_data_ = nullptr;
  bool write_address_valid_ = false;
  Burst write_address_;
  std::uint32_t write_bursts_ = 0;
  std::uint32_t reads_under_way_ = 0;
};

}  // namespace tessera::timing
