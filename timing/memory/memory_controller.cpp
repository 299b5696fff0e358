#include "timing/memory/memory_controller.hpp"

#include <cstring>

#include "timing/memory/digest.hpp"

namespace tessera::timing {

MemoryController::MemoryController(const ExternalMemory& timing, std::uint32_t bus_bytes,
                                   std::size_t ports, const Jitter& jitter)
    : timing_(timing),
      beat_(bus_bytes),
      rows_(timing.dram),
      jitter_(jitter),
      rng_(jitter.seed),
      ports_(ports),
      most_credit_(std::max(timing.bytes_per_cycle, beat_) + beat_),
      whole_(bus_bytes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bus_bytes) - 1) {}

bool MemoryController::stalls() {
  return jitter_.stall_percent != 0 && rng_.below(100) < jitter_.stall_percent;
}

std::size_t MemoryController::reads(std::size_t port) const {
  return ports_[port].reads[0].size() + ports_[port].reads[1].size();
}

void MemoryController::offer(std::size_t port, bool write, const Burst& burst, Cycle at) {
  ports_[port].offers.push_back({burst, write, at});
}

void MemoryController::accept_offers(std::size_t p, Cycle now) {
  Port& port = ports_[p];
  if (port.offers.empty() || port.offers.front().at > now) {
    return;
  }
  const Port::Offer& offer = port.offers.front();
  if (offer.write ? port.writes.size() == kMaxBursts : reads(p) == kMaxBursts) {
    return;
  }
  offer.write ? write(p, offer.burst, now) : read(p, offer.burst, now);
  port.offers.pop_front();
}

// Cycles in which the asking port had nothing to do.
void MemoryController::catch_up(std::size_t own, Cycle now) {
  Moves none;
  for (; !alone() && seen_until_ < now; ++seen_until_) {
    grant(own, seen_until_, {}, none);
  }
}

bool MemoryController::takes_read(std::size_t port) {
  return reads(port) < kMaxBursts && !stalls();
}

bool MemoryController::takes_write(std::size_t port) {
  return ports_[port].writes.size() < kMaxBursts && !stalls();
}

void MemoryController::read(std::size_t port, const Burst& burst, Cycle now) {
  const std::uint64_t jitter =
      jitter_.extra_latency != 0 ? rng_.below(jitter_.extra_latency + 1) : 0;
  auto& reads = ports_[port].reads[burst.id & 1U];
  if (port == 0 && in_rom(burst)) {
    reads.push_back({burst, 0, now + timing_.rom.latency + jitter, true});
  } else {
    reads.push_back({burst, 0, now + timing_.latency + jitter + rows_.open(burst.address, now)});
  }
}

// What waits for it begins then.
void MemoryController::rom_is_free(Cycle from) {
  for (Port& port : ports_) {
    for (auto& reads : port.reads) {
      if (!reads.empty() && reads.front().in_rom) {
        reads.front().ready = std::max(reads.front().ready, from + timing_.rom.latency);
      }
    }
  }
}

void MemoryController::write(std::size_t port, const Burst& burst, Cycle now) {
  ports_[port].writes.push_back({burst, 0, now + rows_.open(burst.address, now)});
}

bool MemoryController::give_read(Port& port, Cycle now) {
  if (port.presented || (port.reads[0].empty() && port.reads[1].empty()) || jitter_.mute ||
      !may_move(false, now) || stalls() || !choose_read(port, now)) {
    return false;
  }
  moved(false, now);
  port.presented = true;
  if (listener_ != nullptr) {
    const Under& under = port.reads[port.serving].front();
    listener_->read(under.burst, under.done, 1);
  }
  return true;
}

bool MemoryController::give_write(Port& port, bool own, Cycle now, const WriteBeat& beat) {
  if ((own && !beat.valid) || port.writes.empty() || port.writes.front().ready > now ||
      !may_move(true, now) || stalls()) {
    return false;
  }
  moved(true, now);
  wrote_part(own && beat.strobe != whole_, now);
  Under& under = port.writes.front();
  if (listener_ != nullptr) {
    listener_->write(under.burst, under.done, own ? beat : WriteBeat{});
  }
  if (++under.done == under.burst.beats) {
    if (own) {
      port.responses.push_back({now + timing_.latency, under.burst.response});
    }
    port.writes.pop_front();
  }
  return true;
}

void MemoryController::step(std::size_t own, Cycle now, bool read_ready, const WriteBeat& beat,
                            Moves& moves) {
  catch_up(own, now);
  moves.write_done = false;
  Port& asking = ports_[own];
  if (!asking.responses.empty() && asking.responses.front().ready <= now && !jitter_.mute) {
    moves.write_done = true;
    moves.write_response = asking.responses.front().code;
    asking.responses.pop_front();
  }
  grant(own, now, beat, moves);
  seen_until_ = now + 1;
  moves.read_valid = asking.presented;
  if (asking.presented) {
    const Under& under = asking.reads[asking.serving].front();
    moves.read_id = static_cast<std::uint8_t>(asking.serving);
    moves.read_last = under.done + 1 == under.burst.beats;
    moves.read_response = under.burst.response;
    moves.read_index = under.done;
    if (read_ready) {
      take_read(asking, now);
    }
  }
}

// Channels that have something to move, in turn, as far as the bytes go.
void MemoryController::grant(std::size_t own, Cycle now, const WriteBeat& beat, Moves& moves) {
  refill(now);
  moves.write_taken = false;
  const std::size_t channels = 2 * ports_.size();
  std::size_t c = turn_;
  for (std::size_t i = 0; i < channels && credit_ >= beat_; ++i) {
    const std::size_t p = c / 2;
    const bool is_write = (c & 1U) != 0;
    c = c + 1 == channels ? 0 : c + 1;
    if (is_write) {
      if (give_write(ports_[p], p == own, now, beat)) {
        turn_ = c;
        moves.write_taken = moves.write_taken || p == own;
      }
    } else if (give_read(ports_[p], now)) {
      turn_ = c;
      if (p != own) {
        take_read(ports_[p], now);
      }
    }
  }
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    if (p != own) {
      accept_offers(p, now);
    }
  }
}

std::uint32_t MemoryController::run(std::size_t own, Cycle now, std::uint32_t most) {
  Port& port = ports_[own];
  if (port.presented || port.reads[port.serving].empty() || timing_.bytes_per_cycle < beat_ ||
      jitter_.stall_percent != 0 || !alone()) {
    return 0;
  }
  Under& under = port.reads[port.serving].front();
  if (under.done == 0 || under.in_rom || under.burst.beats - under.done <= 1 ||
      !may_move(false, now)) {
    return 0;
  }
  std::uint32_t beats = std::min(most, under.burst.beats - under.done - 1);
  beats = static_cast<std::uint32_t>(std::min<Cycle>(beats, rows_.next_refresh(now) - now));
  if (!port.responses.empty()) {
    beats = static_cast<std::uint32_t>(
        std::min<Cycle>(beats, std::max(port.responses.front().ready, now) - now));
  }
  if (beats == 0) {
    return 0;
  }
  if (listener_ != nullptr) {
    listener_->read(under.burst, under.done, beats);
  }
  // As many steps would: what comes in each cycle covers what moves in it.
  for (std::uint32_t i = 0; i < beats; ++i) {
    const double before = credit_;
    refill(now + i);
    credit_ -= beat_;
    if (credit_ == before) {
      credit_until_ = now + beats;
      break;
    }
  }
  under.done += beats;
  wrote_last_ = false;
  turn_ = 2 * own + 1;
  quiet_until_ = timing_.turnaround == 0 ? 0 : now + beats + timing_.turnaround;
  return beats;
}

std::uint64_t MemoryController::phase(std::size_t own, Cycle now) const {
  const Port& port = ports_[own];
  if (jitter_.stall_percent != 0 || !alone() || rows_.is_refreshing(now) || serves_rom(port)) {
    return 0;
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, &credit_, sizeof(bits));
  const Cycle quiet = quiet_until_ > now ? quiet_until_ - now : 0;
  const Cycle busy = busy_until_ > now ? busy_until_ - now : 0;
  const auto under_way = [&](unsigned id) -> std::uint64_t {
    return port.reads[id].empty()                ? 0
           : port.reads[id].front().done != 0    ? 1
           : port.reads[id].front().ready <= now ? 2
                                                 : 3;
  };
  std::uint64_t state =
      1 | (port.presented ? 2U : 0U) | (wrote_last_ ? 4U : 0U) | port.serving << 3;
  state |= under_way(0) << 4 | under_way(1) << 6 | turn_ << 8 | quiet << 16;
  state |= (credit_until_ < now && credit_ < most_credit_) ? std::uint64_t{1} << 40 : 0;
  return (bits * 0x9E3779B97F4A7C15ULL ^ state) + busy * 0xD1B54A32D192ED03ULL;
}

std::uint64_t MemoryController::phase_of_bursts(Cycle now) const {
  const std::uint64_t state = timing_.dram.banks == 0 && alone() ? phase(0, now) : 0;
  if (state == 0) {
    return 0;
  }
  const Port& port = ports_.front();
  const auto from_now = [now](Cycle cycle) { return cycle > now ? cycle - now : 0; };
  Digest digest;
  digest.add(state).add(port.writes.size()).add(port.responses.size());
  for (const auto& reads : port.reads) {
    // A burst that is not there yet comes nearer: that is never the same state.
    digest.add(reads.empty() || reads.front().done != 0 ? 0 : from_now(reads.front().ready));
  }
  port.writes.each([&](const Under& under) {
    digest.add(under.burst.beats).add(under.done).add(from_now(under.ready));
  });
  port.responses.each([&](const Response& response) { digest.add(from_now(response.ready)); });
  return digest.value();
}

void MemoryController::leap_bursts(Cycle now, Cycle cycles, std::uint32_t reads) {
  Port& port = ports_.front();
  if (reads != 0) {
    port.reads[port.serving].front().done += reads;
  }
  port.responses.each([&](Response& response) { response.ready += cycles; });
  credit_until_ += cycles;
  quiet_until_ += quiet_until_ > now ? cycles : 0;
  busy_until_ += busy_until_ > now ? cycles : 0;
}

std::uint32_t MemoryController::read_beats_left() const {
  const Port& port = ports_.front();
  const auto& reads = port.reads[port.serving];
  return reads.empty() ? 0 : reads.front().burst.beats - reads.front().done;
}

bool MemoryController::may_leap(std::size_t own, Cycle now, Cycle cycles, std::uint32_t reads,
                                std::uint32_t writes) const {
  const Port& port = ports_[own];
  const auto lasts = [](const auto& bursts, std::uint32_t beats) {
    return beats == 0 ||
           (!bursts.empty() && bursts.front().burst.beats - bursts.front().done > beats);
  };
  // Another ID's burst that becomes ready waits for the one under way, which lasts.
  const bool waits = reads == 0 && (!port.reads[0].empty() || !port.reads[1].empty());
  const bool opens = !port.writes.empty() && port.writes.front().ready > now &&
                     port.writes.front().ready < now + cycles;
  return !opens && lasts(port.reads[port.serving], reads) && lasts(port.writes, writes) && !waits &&
         (port.responses.empty() || port.responses.front().ready >= now + cycles) &&
         rows_.next_refresh(now) >= now + cycles;
}

void MemoryController::leap(std::size_t own, Cycle now, Cycle cycles, std::uint32_t reads,
                            std::uint32_t writes, const WriteBeat& beat) {
  Port& port = ports_[own];
  if (reads != 0) {
    Under& under = port.reads[port.serving].front();
    if (listener_ != nullptr) {
      // A beat on the bus has been told of.
      listener_->read(under.burst, under.done + (port.presented ? 1 : 0), reads);
    }
    under.done += reads;
  }
  if (writes != 0) {
    Under& under = port.writes.front();
    WriteBeat next = beat;
    for (std::uint32_t i = 0; listener_ != nullptr && i < writes; ++i) {
      listener_->write(under.burst, under.done + i, next);
      next.data = next.data == nullptr ? nullptr : next.data + static_cast<std::size_t>(beat_);
    }
    under.done += writes;
  }
  credit_until_ += cycles;
  quiet_until_ += quiet_until_ > now ? cycles : 0;
  busy_until_ += busy_until_ > now ? cycles : 0;
}

Cycle MemoryController::next(std::size_t own, Cycle now, bool write_offered) const {
  const Port& port = ports_[own];
  if (port.presented) {
    return now;
  }
  Cycle first = kNever;
  for (const auto& reads : port.reads) {
    if (!reads.empty()) {
      first = std::min(first, reads.front().ready);
    }
  }
  if (write_offered && !port.writes.empty()) {
    first = std::min(first, port.writes.front().ready);
  }
  if (!port.responses.empty()) {
    first = std::min(first, port.responses.front().ready);
  }
  return first == kNever ? kNever : std::max(first, now);
}

}  // namespace tessera::timing
