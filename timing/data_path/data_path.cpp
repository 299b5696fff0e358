#include "timing/data_path/data_path.hpp"

namespace tessera::timing {
namespace {

constexpr std::size_t kTransfers = 4;
constexpr std::uint32_t kMostResponses = 511;  // write bursts without a response
constexpr std::uint32_t kChunks = 16;          // between accumulators and writer
constexpr std::uint32_t kParamWord = 4;

// Cycles from an accumulator's read to its bytes at the writer, by what follows the requantiser.
std::uint32_t delay_of(const StoreOperation& store) {
  switch (static_cast<isa::StPostOperation>(store.post.operation)) {
    case isa::StPostOperation::None:
      return 6;
    case isa::StPostOperation::Table:
      return 7;
    default:
      return 11;
  }
}

}  // namespace

DataPath::DataPath(const Hardware& hardware, MemoryPort& port)
    : port_(port),
      memory_(port.direct()),
      bus_(hardware.bus_bytes),
      atomic_c_(hardware.atomic_c),
      atomic_k_(hardware.atomic_k),
      lanes_(hardware.post_lanes),
      bank_atoms_(static_cast<std::uint32_t>(hardware.cbuf_capacity / hardware.atomic_c /
                                             hardware.cbuf_banks)),
      most_read_bursts_(hardware.read_outstanding),
      fetch_packer_(8),
      load_splitter_(hardware.bus_bytes),
      packer_(std::max(kCompactRecord, hardware.atomic_c)),
      folder_(hardware.bus_bytes, std::max(hardware.atomic_c, hardware.bus_bytes),
              hardware.fold_bytes()),
      store_splitter_(hardware.bus_bytes) {
  fetch_packer_.set(8, 8);
}

// Commands ----------------------------------------------------------------------------------------

void DataPath::fetch(std::uint64_t address, std::uint64_t bytes, std::uint8_t* words, Cycle from) {
  fetch_address_ = address;
  fetch_left_ = bytes;
  fetch_data_ = words;
  fetch_from_ = from;
  fetch_words_ = 0;
}

void DataPath::word_given(Cycle now) {
  --fetch_words_;
  last_given_ = now;
}

bool DataPath::fetch_wants(Cycle now) const {
  return now >= fetch_from_ && !fetch_pending_ && fetch_left_ != 0 &&
         fetch_words_ + (last_given_ == now ? 1 : 0) <= kFetchWords / 2;
}

// Loads -------------------------------------------------------------------------------------------

bool DataPath::takes_load() const {
  return !load_splitter_.busy() && transfers_.size() < kTransfers;
}

void DataPath::load(const LoadOperation& load, std::uint8_t* data, Cycle now) {
  load_splitter_.start(load.segments(), now);
  load_kind_ = static_cast<isa::LoadKind>(load.load.kind);
  load_data_ = data;
  transfers_.push_back(load);
  if (transfers_.size() == 1) {
    begin_sink();
    folds_from_ = now + 1;
  }
}

void DataPath::begin_sink() {
  const LoadOperation& load = transfers_.front();
  const auto kind = static_cast<isa::LoadKind>(load.load.kind);
  folding_ = load.load.fold != 0;
  if (folding_) {
    folder_.start(load);
  }
  atoms_written_ = 0;
  writes_atoms_ = kind == isa::LoadKind::Feature || kind == isa::LoadKind::Weight;
  if (kind == isa::LoadKind::Param) {
    const std::uint32_t record = load.source.pixel_bytes;
    record == kUniformRecord   ? packer_.set(2 * record, 2 * record)
    : record == kCompactRecord ? packer_.set(record, record)
                               : packer_.set(record, kParamWord);
  } else if (kind == isa::LoadKind::Table) {
    packer_.set(4, 4);
  } else {
    packer_.set(load.source.pixel_bytes, atomic_c_,
                folding_ ? atomic_c_ - load.fold.offset : atomic_c_);
  }
}

bool DataPath::loads_quiet() const {
  return transfers_.empty() && !load_splitter_.busy() && read_bursts_.empty();
}

bool DataPath::reads_ready(Cycle now) const {
  return fetch_packer_.ready() && (folds(now) ? folder_.ready(packer_.ready()) : packer_.ready());
}

// The cbuf ----------------------------------------------------------------------------------------

void DataPath::take_atom() {
  const LoadOperation& load = transfers_.front();
  std::uint64_t offset = atoms_written_++;
  if (folding_) {
    const std::uint32_t chunks = load.atoms_per_unit(atomic_c_);
    offset = offset / chunks * load.fold.unit_step + offset % chunks;
  }
  atom_ = load.load.dest + offset;
}

std::uint32_t DataPath::bank_of(std::uint64_t atom) const {
  return static_cast<std::uint32_t>(atom / bank_atoms_);
}

// Where the next chunk of the tile goes.
std::uint64_t DataPath::kept_atom() const {
  const std::uint64_t full = (atomic_k_ + lanes_ - 1) / lanes_;
  const std::uint64_t last = (last_kernels_ + lanes_ - 1) / lanes_;
  const std::uint64_t per_pixel = (groups_ - 1) * full + last;
  const std::uint64_t pixel = kept_ / per_pixel;
  const std::uint64_t group = kept_ % per_pixel / full;
  return storing_.store.dest + pixel / storing_.keep.cols * storing_.keep.row_step +
         pixel % storing_.keep.cols * storing_.keep.pixel_step + group;
}

// A load writes to the bank that the tile wants.
bool DataPath::keep_refused() const {
  return keeps_ && atom_written_ && bank_of(atom_) == bank_of(kept_atom());
}

// Whether that can happen before either is done.
bool DataPath::may_refuse() const {
  if (!keeps_ || !writes_atoms_ || transfers_.empty() || kept_ == to_keep_) {
    return false;
  }
  const LoadOperation& load = transfers_.front();
  const std::uint64_t atoms =
      folding_ ? std::uint64_t{load.fold.units} * load.fold.unit_step * load.shape.outer
               : load.segments().bytes() / load.source.pixel_bytes * load.atoms_per_unit(atomic_c_);
  const std::uint64_t rows = (storing_.tile.pixels - 1) / storing_.keep.cols;
  const std::uint64_t kept_end = storing_.store.dest + rows * storing_.keep.row_step +
                                 std::uint64_t{storing_.keep.cols} * storing_.keep.pixel_step +
                                 groups_;
  return bank_of(load.load.dest) <= bank_of(kept_end) &&
         bank_of(storing_.store.dest) <= bank_of(load.load.dest + atoms);
}

// Stores ------------------------------------------------------------------------------------------

void DataPath::store(const StoreOperation& store, const std::uint8_t* data, Cycle now) {
  storing_ = store;
  keeps_ = store.store.keep != 0;
  keeps_only_ = store.store.keep_only != 0;
  if (!keeps_only_) {
    store_splitter_.start(store.segments(), now);
  }
  kept_ = 0;
  draining_ = true;
  drain_from_ = now + 1;
  drain_delay_ = delay_of(store);
  pixels_left_ = store.tile.pixels;
  groups_ = store.tile.groups;
  last_kernels_ = store.tile.last_kernels;
  group_ = 0;
  group_left_ = groups_ == 1 ? last_kernels_ : atomic_k_;
  even_chunks_ = atomic_k_ % lanes_ == 0 && last_kernels_ % lanes_ == 0;
  to_keep_ = pixels_left_ * ((groups_ - 1) * ((std::uint64_t{atomic_k_} + lanes_ - 1) / lanes_) +
                             (last_kernels_ + lanes_ - 1) / lanes_);
  store_data_ = data;
}

bool DataPath::stored() const {
  return !draining_ && chunks_.empty() && !store_splitter_.busy() && write_queue_.empty() &&
         !beat_valid_ && held_ == 0;
}

bool DataPath::store_busy() const {
  return draining_ || !chunks_.empty() || store_splitter_.busy() || beat_valid_ ||
         write_address_valid_ || (!write_queue_.empty() && held_ != 0);
}

bool DataPath::bus_idle() const {
  return reads_under_way_ == 0 && write_bursts_ == 0 && !write_address_valid_ && !beat_valid_;
}

// Cycles ------------------------------------------------------------------------------------------

Cycle DataPath::wake(Cycle now) const {
  if (address_valid_ || fetch_wants(now) || store_busy() || !fetch_packer_.empty() ||
      !packer_.empty() || folding_ ||
      (load_splitter_.busy() && read_bursts_.size() < most_read_bursts_)) {
    return now;
  }
  Cycle next = port_.next(now, false);
  if (fetch_left_ != 0 && !fetch_pending_ && fetch_from_ > now && fetch_from_ != kNever &&
      fetch_words_ <= kFetchWords / 2) {
    next = std::min(next, fetch_from_);
  }
  return next;
}

// Everything inside it is small and runs in every cycle: one function is an eighth faster.
[[gnu::flatten]] DataEvents DataPath::advance(Cycle& now, Cycle until) {
  DataEvents events;
  do {
    std::uint32_t run = run_beats(now, until);
    if (run == 0 && burst_ended_) {
      run = leap_bursts(now, until);
    }
    if (run == 0) {
      run = leap(now, until, events);
    }
    if (run == 0) {
      cycle(now, events);
      run = 1;
    }
    now += run;
  } while (!events.any && now < until && wake(now) == now);
  if (events.any) {
    last_end_.state = 0;  // something ended that is not part of what repeats
  }
  return events;
}

void DataPath::cycle(Cycle now, DataEvents& events) {
  const bool reader_full = read_bursts_.size() >= most_read_bursts_;
  const bool writer_full = write_queue_.size() >= kWriteBursts;
  const bool chunks_full = chunks_.size() >= kChunks;
  const bool wants = fetch_wants(now);
  const bool ready = reads_ready(now);
  const bool takes_read = address_valid_ && port_.takes_read(now);
  const bool takes_write = write_address_valid_ && port_.takes_write(now);
  if (memory_ != nullptr) {
    memory_->step_alone(now, ready, beat_valid_, moves_);
  } else {
    WriteBeat offered = beat_;
    offered.valid = beat_valid_;
    port_.step(now, ready, offered, moves_);
  }
  const Moves& moves = moves_;
  if (takes_read) {
    port_.read(address_, now);
    address_valid_ = false;
  }
  if (takes_write) {
    port_.write(write_address_, now);
    write_address_valid_ = false;
  }
  move_reads(now, moves, moves.read_valid && ready, events);
  move_writes(now, moves, events);
  drain(now, chunks_full, events);
  request(now, reader_full, writer_full, wants, events);
}

void DataPath::move_reads(Cycle now, const Moves& moves, bool took, DataEvents& events) {
  std::uint32_t load_bytes = 0;
  bool load_last = false;
  std::uint32_t fetch_bytes = 0;
  bool fetch_last = false;
  if (took) {
    ++counts_.read_beats;
    if ((moves.read_response & 2U) != 0) {
      events.read_error = events.any = true;
      events.fetch_beat = moves.read_id == 0;
      events.response = moves.read_response;
    }
    if (moves.read_last) {
      --reads_under_way_;
    }
    if (moves.read_id == 0) {
      fetch_bytes = beat_bytes(fetch_burst_.bytes, fetch_burst_.offset);
      fetch_burst_.bytes -= fetch_bytes;
      fetch_burst_.offset = 0;
      fetch_last = fetch_burst_.bytes == 0;
    } else {
      const ReadBurst& burst = read_bursts_.front();
      if (at_first_beat_) {
        burst_left_ = burst.bytes;
      }
      load_bytes = beat_bytes(burst_left_, at_first_beat_ ? burst.offset : 0);
      burst_left_ -= load_bytes;
      at_first_beat_ = burst_left_ == 0;
      if (at_first_beat_) {
        load_last = burst.last;
        read_bursts_.pop_front();
      }
    }
  }
  const Packer::Result fetched = fetch_packer_.step(fetch_bytes, fetch_last);
  if (fetched.chunk) {
    events.word = events.any = true;
  }
  if (fetched.done) {
    fetch_pending_ = false;
  }
  if (folds(now)) {
    const Folder::Result folded = folder_.step(load_bytes, load_last, packer_.ready());
    events.ragged = folded.ragged;
    events.any = events.any || folded.ragged;
    load_bytes = folded.bytes;
    load_last = folded.last;
  }
  const Packer::Result packed = packer_.step(load_bytes, load_last);
  atom_written_ = packed.chunk && writes_atoms_;
  if (atom_written_) {
    take_atom();
  }
  if (packed.done) {
    events.load_done = events.any = true;
    events.ragged = events.ragged || packed.ragged;
    folding_ = false;
    transfers_.pop_front();
    if (!transfers_.empty()) {
      begin_sink();
    }
  }
}

void DataPath::move_writes(Cycle now, const Moves& moves, DataEvents& events) {
  if (moves.write_done) {
    --write_bursts_;
    events.any = events.any || settled();
    if ((moves.write_response & 2U) != 0) {
      events.write_error = events.any = true;
      events.response = moves.write_response;
    }
  }
  const bool slot = !beat_valid_ || moves.write_taken;
  if (moves.write_taken) {
    ++counts_.write_beats;
    beat_valid_ = false;
    events.any = events.any || stored();
  }
  const bool take = chunks_.has(now) && (keeps_only_ || held_ <= 2 * bus_) && !keep_refused();
  if (slot && write_queue_.has(now)) {
    const WriteBurst& burst = write_queue_.front();
    const std::uint32_t offset = write_left_ == 0 ? burst.offset : 0;
    const std::uint32_t left = write_left_ == 0 ? burst.bytes : write_left_;
    const std::uint32_t bytes = beat_bytes(left, offset);
    if (held_ >= bytes) {
      held_ -= bytes;
      beat_valid_ = true;
      beat_.data = store_data_ == nullptr ? nullptr : store_data_ - offset;
      beat_.strobe = strobe_of(bytes) << offset;
      store_data_ = store_data_ == nullptr ? nullptr : store_data_ + bytes;
      write_left_ = left - bytes;
      if (write_left_ == 0) {
        write_queue_.pop();
        burst_ended_ = true;
      }
    }
  }
  if (take) {
    held_ += keeps_only_ ? 0 : chunks_.front();
    chunks_.pop();
    if (++kept_ == to_keep_ && (keeps_ || keeps_only_)) {
      events.drained = events.drained || keeps_;
      events.any = true;
    }
  }
}

void DataPath::drain(Cycle now, bool full, DataEvents& events) {
  if (!draining_ || now < drain_from_ || full) {
    return;
  }
  const std::uint32_t bytes = std::min(group_left_, lanes_);
  chunks_.push(bytes, now + drain_delay_);
  ++drained_;
  group_left_ -= bytes;
  if (group_left_ != 0) {
    return;
  }
  if (++group_ == groups_) {
    group_ = 0;
    if (--pixels_left_ == 0) {
      draining_ = false;
      events.drained = events.drained || !keeps_;
      events.any = true;
    }
  }
  group_left_ = group_ + 1 == groups_ ? last_kernels_ : atomic_k_;
}

void DataPath::request(Cycle now, bool reader_full, bool writer_full, bool wants,
                       DataEvents& events) {
  if (!address_valid_) {
    if (wants) {
      const auto room =
          kFetchBytes - static_cast<std::uint32_t>(fetch_address_ & (kFetchBytes - 1));
      const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(room, fetch_left_));
      const auto offset = static_cast<std::uint32_t>(fetch_address_ & (bus_ - 1));
      address_ = {fetch_address_, bytes, (offset + bytes + bus_ - 1) / bus_, 0, fetch_data_};
      address_valid_ = true;
      fetch_burst_ = {bytes, offset, true};
      fetch_pending_ = true;
      fetch_address_ += bytes;
      fetch_left_ -= bytes;
      fetch_data_ = fetch_data_ == nullptr ? nullptr : fetch_data_ + bytes;
      fetch_words_ += bytes / 8;
      counts_.command_bytes += bytes;
      ++reads_under_way_;
    } else if (load_splitter_.offers(now) && !reader_full) {
      const std::uint32_t bytes = load_splitter_.bytes();
      const auto offset = static_cast<std::uint32_t>(load_splitter_.address() & (bus_ - 1));
      address_ = {load_splitter_.address(), bytes, load_splitter_.beats(), 1, load_data_};
      address_valid_ = true;
      read_bursts_.push_back({bytes, offset, load_splitter_.last()});
      load_data_ = load_data_ == nullptr ? nullptr : load_data_ + bytes;
      counts_.load_bytes[static_cast<std::size_t>(load_kind_)] += bytes;
      ++reads_under_way_;
      load_splitter_.advance();
      if (!load_splitter_.busy()) {
        events.request_done = events.any = true;
      }
    }
  }
  if (!write_address_valid_ && store_splitter_.offers(now) && !writer_full &&
      write_bursts_ < kMostResponses) {
    const std::uint32_t bytes = store_splitter_.bytes();
    const auto offset = static_cast<std::uint32_t>(store_splitter_.address() & (bus_ - 1));
    write_address_ = {store_splitter_.address(), bytes, store_splitter_.beats()};
    write_address_valid_ = true;
    write_queue_.push({bytes, offset}, now + 1);
    counts_.write_bytes += bytes;
    ++write_bursts_;
    ++requested_writes_;
    store_splitter_.advance();
  }
}

}  // namespace tessera::timing
