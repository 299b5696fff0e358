// Fast forward: many cycles at once, where what happens in them repeats.
#include "timing/data_path/data_path.hpp"
#include "timing/memory/digest.hpp"

namespace tessera::timing {
namespace {

constexpr std::uint32_t kLeapBeats = 8;  // that a burst must have left to be worth a leap

}  // namespace

// Whole beats from the middle of a burst, when nothing else goes on.
std::uint32_t DataPath::run_beats(Cycle now, Cycle until) {
  if (until <= now + 1 || read_bursts_.empty() || at_first_beat_ || address_valid_ ||
      fetch_wants(now) || store_busy() || folding_ || decoding_ || !fetch_packer_.empty() ||
      !packer_.ready() || !packer_.keeps_up(bus_) ||
      (load_splitter_.busy() && read_bursts_.size() < most_read_bursts_)) {
    return 0;
  }
  const std::uint32_t whole = (burst_left_ - 1) / bus_;
  const auto most = static_cast<std::uint32_t>(std::min<Cycle>(whole, until - now));
  const std::uint32_t beats = most == 0 ? 0 : port_.run(now, most);
  if (beats != 0) {
    const std::uint32_t chunks = packer_.run(beats, bus_);
    atoms_written_ += writes_atoms_ ? chunks : 0;
    burst_left_ -= beats * bus_;
    counts_.read_beats += beats;
  }
  return beats;
}

// Nothing is requested, nothing begins or ends soon: beats and chunks move at an even pace.
bool DataPath::is_even(Cycle now) const {
  const bool reads_wait = load_splitter_.busy() && read_bursts_.size() < most_read_bursts_;
  const bool writes_wait = store_splitter_.busy() && write_queue_.size() < kWriteBursts;
  const bool reading = read_bursts_.empty() || (!at_first_beat_ && burst_left_ > kLeapBeats * bus_);
  const bool writing = write_left_ > kLeapBeats * bus_ || (write_queue_.empty() && !beat_valid_);
  const bool whole = !beat_valid_ || beat_.strobe == strobe_of(bus_);
  const bool draining = !draining_ || (even_chunks_ && now >= drain_from_);
  return !reads_wait && !writes_wait && reading && writing && whole && draining &&
         !address_valid_ && !write_address_valid_ && !folding_ && !decoding_ &&
         fetch_packer_.empty() && !fetch_wants(now) && !may_refuse();
}

DataPath::Phase DataPath::phase(Cycle now) const {
  return {port_.phase(now), packer_.phase(), chunks_.phase(now), held_,
          kept_part_,       beat_valid_,     draining_};
}

std::uint64_t DataPath::chunks_left() const {
  const std::uint64_t full = atomic_k_ / lanes_;
  const std::uint64_t last = last_kernels_ / lanes_;
  std::uint64_t left = (pixels_left_ - 1) * ((groups_ - 1) * full + last);
  left += group_left_ / lanes_;
  left += group_ + 1 == groups_ ? 0 : (groups_ - group_ - 2) * full + last;
  return left;
}

void DataPath::skip_chunks(std::uint64_t chunks) {
  while (chunks != 0) {
    const std::uint64_t here = group_left_ / lanes_;
    if (chunks < here) {
      group_left_ -= static_cast<std::uint32_t>(chunks) * lanes_;
      return;
    }
    chunks -= here;
    if (++group_ == groups_) {
      group_ = 0;
      --pixels_left_;
    }
    group_left_ = group_ + 1 == groups_ ? last_kernels_ : atomic_k_;
  }
}

// When a few cycles bring the data path back to where it was, the next ones do the same.
std::uint32_t DataPath::leap(Cycle now, Cycle until, DataEvents& events) {
  constexpr Cycle kPeriod = 4;  // a multiple of what a tile's chunks take at least
  if (now < no_leap_before_ || until - now < 4 * kPeriod || !store_busy() || !is_even(now)) {
    return 0;
  }
  no_leap_before_ = now + 2 * kPeriod;
  const Phase before = phase(now);
  if (before.memory == 0) {
    return 0;
  }
  const Counts counts = counts_;
  const std::uint64_t drained = drained_;
  const std::uint64_t atoms = atoms_written_;
  for (std::uint32_t i = 0; i < kPeriod; ++i) {
    cycle(now + i, events);
    if (events.any) {
      return i + 1;
    }
  }
  const Cycle from = now + kPeriod;
  if (!is_even(from) || !(phase(from) == before)) {
    return kPeriod;
  }
  const auto reads = static_cast<std::uint32_t>(counts_.read_beats - counts.read_beats);
  const auto writes = static_cast<std::uint32_t>(counts_.write_beats - counts.write_beats);
  const std::uint64_t chunks = drained_ - drained;
  if (reads == 0 && writes == 0 && chunks == 0) {
    return kPeriod;
  }
  Cycle periods = (until - from) / kPeriod;
  const auto limit = [&](std::uint64_t left, std::uint64_t each) {
    periods = each == 0 ? periods : std::min(periods, left / each);
  };
  limit((burst_left_ - 1) / bus_, reads);
  limit((write_left_ - 1) / bus_, writes);
  limit(draining_ ? chunks_left() - 1 : 0, chunks);
  const auto times = [&](std::uint64_t each) { return static_cast<std::uint32_t>(each * periods); };
  WriteBeat offered = beat_;
  if (!beat_valid_) {
    offered.data = store_data_;  // the first one written is still to be filled
    offered.strobe = strobe_of(bus_);
  }
  while (periods != 0 && !port_.may_leap(from, periods * kPeriod, times(reads), times(writes))) {
    periods /= 2;
  }
  if (periods == 0) {
    return kPeriod;
  }
  port_.leap(from, periods * kPeriod, times(reads), times(writes), offered);
  counts_.read_beats += times(reads);
  counts_.write_beats += times(writes);
  burst_left_ -= times(reads) * bus_;
  atoms_written_ += (atoms_written_ - atoms) * periods;
  kept_ += chunks * periods;
  if (writes != 0) {
    write_left_ -= times(writes) * bus_;
    if (store_data_ != nullptr) {
      store_data_ += std::size_t{times(writes)} * bus_;
      beat_.data += std::size_t{times(writes)} * bus_;
    }
  }
  skip_chunks(times(static_cast<std::uint32_t>(chunks)));
  drained_ += times(static_cast<std::uint32_t>(chunks));
  chunks_.delay(periods * kPeriod);
  no_leap_before_ = 0;
  return static_cast<std::uint32_t>(kPeriod + periods * kPeriod);
}

DataPath::BurstEnd DataPath::burst_end(Cycle now) const {
  BurstEnd end;
  const bool loads_wait = load_splitter_.busy() && read_bursts_.size() < most_read_bursts_;
  const bool reading = read_bursts_.empty() || !at_first_beat_;
  if (loads_wait || !reading || folding_ || decoding_ || !fetch_packer_.empty() ||
      fetch_wants(now) || !even_chunks_ || may_refuse() || (draining_ && now < drain_from_)) {
    return end;
  }
  const std::uint64_t memory = memory_->phase_of_bursts(now);
  if (memory == 0) {
    return end;
  }
  Digest digest;
  digest.add(memory).add(packer_.phase()).add(chunks_.phase(now)).add(write_queue_.phase(now));
  write_queue_.each([&](const WriteBurst& burst) {
    digest.add(std::uint64_t{burst.bytes} << 32 | burst.offset);
  });
  digest.add(held_)
      .add(kept_part_)
      .add(write_bursts_)
      .add(write_left_)
      .add(drain_turn(now))
      .add(beat_.strobe)
      .add(read_bursts_.size());
  digest.add((beat_valid_ ? 1U : 0U) | (draining_ ? 2U : 0U) | (address_valid_ ? 4U : 0U) |
             (write_address_valid_ ? 8U : 0U));
  end.state = digest.value();
  end.at = now;
  end.read_beats = counts_.read_beats;
  end.write_beats = counts_.write_beats;
  for (const std::uint64_t bytes : counts_.load_bytes) {
    end.loaded += bytes;
  }
  end.chunks = drained_;
  end.atoms = atoms_written_;
  end.requests = requested_writes_;
  return end;
}

// Short bursts follow each other alike: as long as segments, beats of the read burst under way and
// chunks of the tile last.
std::uint32_t DataPath::leap_bursts(Cycle now, Cycle until) {
  burst_ended_ = false;
  const std::uint32_t segments = store_splitter_.even_segments();
  if (memory_ == nullptr || segments < 2) {
    return 0;
  }
  const BurstEnd before = std::exchange(last_end_, burst_end(now));
  if (last_end_.state == 0 || last_end_.state != before.state ||
      last_end_.loaded != before.loaded) {
    return 0;
  }
  const Cycle period = now - before.at;
  const std::uint64_t reads = last_end_.read_beats - before.read_beats;
  const std::uint64_t chunks = last_end_.chunks - before.chunks;
  const std::uint64_t requests = last_end_.requests - before.requests;
  Cycle periods = (until - now) / period;
  const auto limit = [&](std::uint64_t left, std::uint64_t each) {
    periods = each == 0 ? periods : std::min(periods, left == 0 ? 0 : (left - 1) / each);
  };
  limit(segments, requests);
  limit(reads == 0 ? 0 : std::min((burst_left_ - 1) / bus_, memory_->read_beats_left()), reads);
  limit(draining_ ? chunks_left() : 0, chunks);
  if (periods == 0 || requests == 0) {
    return 0;
  }
  const Cycle cycles = periods * period;
  const auto times = [&](std::uint64_t each) { return static_cast<std::uint32_t>(each * periods); };
  memory_->leap_bursts(now, cycles, times(reads));
  counts_.read_beats += times(reads);
  counts_.write_beats += times(last_end_.write_beats - before.write_beats);
  counts_.write_bytes += times(requests) * std::uint64_t{store_splitter_.bytes()};
  requested_writes_ += times(requests);
  burst_left_ -= times(reads) * bus_;
  store_splitter_.skip(times(requests));
  skip_chunks(times(chunks));
  drained_ += times(chunks);
  kept_ += times(chunks);
  atoms_written_ += times(last_end_.atoms - before.atoms);
  chunks_.delay(cycles);
  write_queue_.delay(cycles);
  last_end_ = {};
  return static_cast<std::uint32_t>(cycles);
}

}  // namespace tessera::timing
