#include "timing/memory_controller.hpp"

#include <algorithm>

namespace tessera::timing {

MemoryController::MemoryController(const ExternalMemory& timing, std::uint32_t bus_bytes,
                                   std::size_t ports, const Jitter& jitter)
    : timing_(timing),
      beat_(bus_bytes),
      rows_(timing.dram),
      jitter_(jitter),
      rng_(jitter.seed),
      ports_(ports),
      most_credit_(std::max(timing.bytes_per_cycle, beat_) + beat_) {}

bool MemoryController::stalls() {
  return jitter_.stall_percent != 0 && rng_.below(100) < jitter_.stall_percent;
}

std::size_t MemoryController::reads(std::size_t port) const {
  return ports_[port].reads[0].size() + ports_[port].reads[1].size();
}

bool MemoryController::alone(std::size_t port) const {
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    if (p != port && (reads(p) != 0 || !ports_[p].writes.empty() || !ports_[p].responses.empty())) {
      return false;
    }
  }
  return true;
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
  ports_[port].reads[burst.id & 1U].push_back(
      {burst, 0,
       now + timing_.latency + burst.extra_latency + jitter + rows_.open(burst.address, now)});
}

void MemoryController::write(std::size_t port, const Burst& burst, Cycle now) {
  ports_[port].writes.push_back({burst, 0, now + rows_.open(burst.address, now)});
}

void MemoryController::refill(Cycle now) {
  // Once full it stays full: cycle by cycle, because sums of fractions depend on their order.
  for (; credit_until_ <= now && credit_ < most_credit_; ++credit_until_) {
    credit_ = std::min(credit_ + timing_.bytes_per_cycle, most_credit_);
  }
  credit_until_ = std::max(credit_until_, now + 1);
}

// A beat in the other direction waits until the bus has turned around, any beat for a refresh.
bool MemoryController::may_move(bool write, Cycle now) const {
  return !rows_.is_refreshing(now) && (write == wrote_last_ || now >= quiet_until_);
}

void MemoryController::moved(bool write, Cycle now) {
  credit_ -= beat_;
  wrote_last_ = write;
  quiet_until_ = timing_.turnaround == 0 ? 0 : now + 1 + timing_.turnaround;
}

// Of IDs that are ready the one that was not served last, but bursts are not interrupted.
bool MemoryController::choose_read(Port& port, Cycle now) {
  if (port.reads[port.serving].empty() || port.reads[port.serving].front().done == 0) {
    const unsigned other = port.serving ^ 1U;
    const auto ready = [&](unsigned id) {
      return !port.reads[id].empty() && port.reads[id].front().ready <= now;
    };
    port.serving = ready(other) ? other : port.serving;
    if (!ready(port.serving)) {
      return false;
    }
  }
  return true;
}

void MemoryController::take_read(Port& port) {
  port.presented = false;
  std::deque<Under>& bursts = port.reads[port.serving];
  if (++bursts.front().done == bursts.front().burst.beats) {
    bursts.pop_front();
  }
}

Moves MemoryController::step(std::size_t own, Cycle now, bool read_ready, const WriteBeat& beat) {
  refill(now);
  Moves moves;
  Port& asking = ports_[own];
  if (!asking.responses.empty() && asking.responses.front().ready <= now && !jitter_.mute) {
    moves.write_done = true;
    moves.write_response = asking.responses.front().burst.response;
    asking.responses.pop_front();
  }
  const auto give_read = [&](std::size_t p) {
    Port& port = ports_[p];
    if (port.presented || reads(p) == 0 || jitter_.mute || !may_move(false, now) || stalls() ||
        !choose_read(port, now)) {
      return false;
    }
    moved(false, now);
    port.presented = true;
    const Under& under = port.reads[port.serving].front();
    if (listener_ != nullptr) {
      listener_->read(under.burst, under.done, 1);
    }
    return true;
  };
  const auto give_write = [&](std::size_t p) {
    Port& port = ports_[p];
    if ((p == own && !beat.valid) || port.writes.empty() || port.writes.front().ready > now ||
        !may_move(true, now) || stalls()) {
      return false;
    }
    moved(true, now);
    moves.write_taken = moves.write_taken || p == own;
    return true;
  };
  const std::size_t channels = 2 * ports_.size();
  for (std::size_t i = 0, c = turn_; i < channels; ++i, c = c + 1 == channels ? 0 : c + 1) {
    if (credit_ < beat_) {
      break;
    }
    const std::size_t p = c / 2;
    const bool is_write = (c & 1U) != 0;
    if (is_write ? give_write(p) : give_read(p)) {
      turn_ = c + 1 == channels ? 0 : c + 1;
      if (is_write) {
        std::deque<Under>& writes = ports_[p].writes;
        Under& under = writes.front();
        if (listener_ != nullptr) {
          listener_->write(under.burst, under.done, p == own ? beat : WriteBeat{});
        }
        if (++under.done == under.burst.beats) {
          under.ready = now + timing_.latency;
          if (p == own) {
            ports_[p].responses.push_back(under);
          }
          writes.pop_front();
        }
      } else if (p != own) {
        take_read(ports_[p]);
      }
    }
  }
  if (asking.presented) {
    const Under& under = asking.reads[asking.serving].front();
    moves.read_valid = true;
    moves.read_id = static_cast<std::uint8_t>(asking.serving);
    moves.read_last = under.done + 1 == under.burst.beats;
    moves.read_response = under.burst.response;
    moves.read_index = under.done;
    if (read_ready) {
      take_read(asking);
    }
  }
  return moves;
}

std::uint32_t MemoryController::run(std::size_t own, Cycle now, std::uint32_t most) {
  Port& port = ports_[own];
  if (port.presented || port.reads[port.serving].empty() || timing_.bytes_per_cycle < beat_ ||
      jitter_.stall_percent != 0 || !alone(own)) {
    return 0;
  }
  Under& under = port.reads[port.serving].front();
  if (under.done == 0 || under.burst.beats - under.done <= 1 || !may_move(false, now)) {
    return 0;
  }
  std::uint32_t beats = std::min(most, under.burst.beats - under.done - 1);
  beats = static_cast<std::uint32_t>(std::min<Cycle>(beats, rows_.next_refresh(now) - now));
  for (const Under& response : port.responses) {
    beats = static_cast<std::uint32_t>(
        std::min<Cycle>(beats, std::max(response.ready, now) - now));
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

Cycle MemoryController::next(std::size_t own, Cycle now, bool write_offered) const {
  const Port& port = ports_[own];
  if (port.presented || !alone(own)) {
    return now;
  }
  Cycle first = kNever;
  for (unsigned id = 0; id < 2; ++id) {
    if (!port.reads[id].empty()) {
      const Under& under = port.reads[id].front();
      first = std::min(first, under.done != 0 ? now : under.ready);
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
