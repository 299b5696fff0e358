#include "timing/data_path/data_path.hpp"

namespace tessera::timing {
namespace {

constexpr std::uint32_t kParamWord = 4;

constexpr std::uint32_t kTwice = 18;   // delay of what goes through the requantiser twice
constexpr std::uint32_t kSquared = 2;  // cycles more of what is squared in between

// Of a softmax: cycles from the read of a pixel's last values to its greatest value and to its sum,
// and from there to its reciprocal, one pixel after the other.
constexpr Cycle kToGreatest = 10, kToSum = 13, kReciprocal = 26;
constexpr Cycle kNextWalk = 2;  // from a walk's last read to the first of the next one

// Cycles from an accumulator's read to its bytes at the writer, by what follows the requantiser.
std::uint32_t delay_of(const StoreOperation& store) {
  if (store.softmax) {
    return kTwice;
  }
  switch (static_cast<isa::StPostOperation>(store.post.operation)) {
    case isa::StPostOperation::None:
      return 9;
    case isa::StPostOperation::Table:
      return 11;
    default:
      return kTwice + (store.squares() ? kSquared : 0);
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
      bank_atoms_(hardware.bank_atoms()),
      most_read_bursts_(hardware.read_outstanding),
      fetch_packer_(8),
      load_splitter_(hardware.bus_bytes),
      loads_ahead_(hardware.loads_ahead()),
      whole_records_(hardware.whole_records()),
      packer_(whole_records_ ? std::max({kCompactRecord, hardware.atomic_c, hardware.atomic_k})
                             : kParamWord),
      folder_(hardware.bus_bytes, std::max(hardware.atomic_c, hardware.bus_bytes),
              hardware.fold_bytes()),
      decoder_(hardware.bus_bytes, hardware.atomic_c),
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
  return !load_splitter_.busy() && transfers_.size() < loads_ahead_;
}

void DataPath::load(const LoadOperation& load, std::uint8_t* data, const std::uint8_t* codes,
                    Cycle now) {
  load_splitter_.start(load.segments(), now);
  load_kind_ = static_cast<isa::LoadKind>(load.load.kind);
  load_data_ = data;
  transfers_.push_back({load, data, codes});
  if (transfers_.size() == 1) {
    begin_sink();
    staged_from_ = now + 1;
  }
}

void DataPath::begin_sink() {
  const auto& [load, data, codes] = transfers_.front();
  const auto kind = static_cast<isa::LoadKind>(load.load.kind);
  folding_ = load.load.fold != 0;
  if (folding_) {
    folder_.start(load);
  }
  decoding_ = load.load.coded != 0;
  if (decoding_) {
    decoder_.start(load, codes, data);
  }
  atoms_written_ = 0;
  writes_atoms_ = kind == isa::LoadKind::Feature || kind == isa::LoadKind::Weight;
  if (kind == isa::LoadKind::Param) {
    const std::uint32_t record = load.source.pixel_bytes;
    !whole_records_ || record == kFullRecord ? packer_.set(record, kParamWord)
    : record == kUniformRecord               ? packer_.set(2 * record, 2 * record)
                                             : packer_.set(record, record);
  } else if (kind == isa::LoadKind::Table) {
    packer_.set(4, 4);
  } else {
    const std::uint32_t word = kind == isa::LoadKind::Operand ? atomic_k_ : atomic_c_;
    packer_.set(load.source.pixel_bytes, word, folding_ ? word - load.fold.offset : word);
  }
}

bool DataPath::loads_quiet() const {
  return transfers_.empty() && !load_splitter_.busy() && read_bursts_.empty();
}

bool DataPath::reads_ready(Cycle now) const {
  const bool takes = folds(now)     ? folder_.ready()
                     : decodes(now) ? decoder_.ready()
                                    : packer_.ready();
  return fetch_packer_.ready() && takes;
}

// The cbuf ----------------------------------------------------------------------------------------

void DataPath::take_atom() {
  const LoadOperation& load = transfers_.front().load;
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

DataPath::KeptPlace DataPath::kept_place() const {
  const std::uint64_t full = (atomic_k_ + lanes_ - 1) / lanes_;
  const std::uint64_t last = (last_kernels_ + lanes_ - 1) / lanes_;
  const std::uint64_t per_pixel = (groups_ - 1) * full + last;
  const std::uint64_t pixel = kept_ / per_pixel;
  const std::uint64_t chunk = kept_ % per_pixel;
  const std::uint64_t byte =
      storing_.store.dest_byte + chunk / full * atomic_k_ + chunk % full * lanes_ + kept_part_;
  return {storing_.store.dest + pixel / storing_.keep.cols * storing_.keep.row_step +
              pixel % storing_.keep.cols * storing_.keep.pixel_step + byte / atomic_c_,
          static_cast<std::uint32_t>(atomic_c_ - byte % atomic_c_)};
}

bool DataPath::keep_chunk() {
  const KeptPlace place = kept_place();
  // In the cycle before a load has written to the bank that the tile wants.
  if (atom_before_ && bank_of(*atom_before_) == bank_of(place.atom)) {
    return false;
  }
  if (chunks_.front() - kept_part_ <= place.room) {
    return true;
  }
  kept_part_ += place.room;
  return false;
}

// Whether that can happen before either is done.
bool DataPath::may_refuse() const {
  if (keeps_ && atom_was_last_) {
    return true;  // by an atom whose load has ended
  }
  if (!keeps_ || !writes_atoms_ || transfers_.empty() || kept_ == to_keep_) {
    return false;
  }
  const LoadOperation& load = transfers_.front().load;
  const std::uint64_t atoms =
      folding_ ? std::uint64_t{load.fold.units} * load.fold.unit_step * load.shape.outer
      : decoding_
          ? load.code.atoms
          : load.segments().bytes() / load.source.pixel_bytes * load.atoms_per_unit(atomic_c_);
  const std::uint64_t rows = (storing_.tile.pixels - 1) / storing_.keep.cols;
  const std::uint64_t kept_end = storing_.store.dest + rows * storing_.keep.row_step +
                                 std::uint64_t{storing_.keep.cols} * storing_.keep.pixel_step +
                                 std::uint64_t{groups_} * atomic_k_ / atomic_c_ + 2;
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
  drain_every_ = store.has_operand() || store.softmax ? 2 : 1;
  pixels_left_ = store.tile.pixels;
  groups_ = store.tile.groups;
  last_kernels_ = store.tile.last_kernels;
  group_ = 0;
  group_left_ = groups_ == 1 ? last_kernels_ : atomic_k_;
  even_chunks_ = atomic_k_ % lanes_ == 0 && last_kernels_ % lanes_ == 0;
  if (keeps_) {
    const std::uint32_t least = std::min(atomic_c_, lanes_);
    even_chunks_ = even_chunks_ && std::max(atomic_c_, lanes_) % least == 0 &&
                   store.store.dest_byte % least == 0;
  }
  kept_part_ = 0;
  to_keep_ = pixels_left_ * ((groups_ - 1) * ((std::uint64_t{atomic_k_} + lanes_ - 1) / lanes_) +
                             (last_kernels_ + lanes_ - 1) / lanes_);
  store_data_ = data;
  rows_ready_ = kNever;
  if (store.softmax) {
    begin_results(now);
  }
}

// The first two walks over a tile of a softmax wait for nothing from outside: where the third one
// begins, and when its pixels' reciprocals are there, is known.
void DataPath::begin_results(Cycle now) {
  const std::uint64_t chunks = to_keep_ / pixels_left_;  // of a pixel
  const Cycle sums =
      now + std::max<Cycle>(to_keep_ + kNextWalk, chunks + kToGreatest);  // their first read
  drain_from_ = sums + to_keep_ - 1 + kNextWalk;
  rows_ready_ = sums + chunks - 1 + kToSum + kReciprocal;
  rows_every_ = std::max<Cycle>(chunks, kReciprocal);
  // Where reciprocals take longer than results, pixels wait for theirs; else only the first does.
  if (rows_every_ <= 2 * chunks) {
    const Cycle wait = rows_ready_ > drain_from_ ? rows_ready_ - drain_from_ : 0;
    drain_from_ += (wait + 1) / 2 * 2;
    rows_ready_ = kNever;
  } else {
    even_chunks_ = false;
  }
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

}  // namespace tessera::timing
