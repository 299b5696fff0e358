#include "timing/machine/machine.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::timing {
namespace {

constexpr std::size_t kMostTokens = 255;
constexpr Cycle kFetchDelay = 3;  // from CONTROL to the first request

}  // namespace

Machine::Machine(const Hardware& hardware, MemoryPort& port, MachineObserver& observer)
    : hw_(hardware), observer_(observer), data_(hardware, port), array_(hardware) {}

void Machine::start(std::uint64_t address, std::uint64_t bytes, const std::uint8_t* stream,
                    Cycle now) {
  now_ = now + 1;
  started_ = now;
  running_ = true;
  ended_ = false;
  next_word_ = 0;
  words_.clear();
  stream_.assign(bytes, 0);
  if (stream != nullptr) {
    std::memcpy(stream_.data(), stream, bytes);
  }
  load_words_ = {};
  conv_words_ = {};
  store_words_ = {};
  for (std::deque<Cycle>& tokens : tokens_) {
    tokens.clear();
  }
  data_.fetch(address, bytes, stream == nullptr ? stream_.data() : nullptr, now + kFetchDelay);
  data_wake_ = now + kFetchDelay;
}

bool Machine::run(Cycle until) {
  limit_ = until;
  while (running_) {
    const Cycle next = std::min({front_wake_, wakes_[kLoad], wakes_[kCompute], wakes_[kStore],
                                 array_.wake(), data_wake_, end_wake_});
    if (next == kNever) {
      fail_stuck();
    }
    if (next >= until) {
      now_ = until;
      return false;
    }
    step(next);
  }
  return true;
}

// What a unit sees in a cycle is what the others left before it: readers go before writers, and
// whatever is handed over can be seen from the next cycle on.
void Machine::step(Cycle now) {
  now_ = now;
  if (ended_ && is_finished(now)) {
    cycles_ += now - started_;
    running_ = false;
    end_wake_ = kNever;
    data_wake_ = kNever;
    now_ = now + 1;
    return;
  }
  if (front_wake_ <= now) {
    front(now);
  }
  if (wakes_[kLoad] <= now) {
    load_unit(now);
  }
  if (wakes_[kCompute] <= now) {
    compute_unit(now);
  }
  if (wakes_[kStore] <= now) {
    store_unit(now);
  }
  if (array_.wake() <= now) {
    array(now);
  }
  const bool draining =
      ended_ && queues_[kLoad].empty() && queues_[kCompute].empty() && queues_[kStore].empty();
  end_wake_ = draining ? now + 1 : kNever;
  if (data_wake_ <= now) {
    data(now);
  }
}

bool Machine::is_finished(Cycle now) const {
  return now >= ended_at_ && queues_[kLoad].empty() && queues_[kCompute].empty() &&
         queues_[kStore].empty() && data_.loads_quiet() && array_.quiet(now) && !storing_ &&
         !barrier_ && now >= store_free_ && data_.settled() && data_.bus_idle();
}

// Queues and tokens -------------------------------------------------------------------------------

const isa::Command* Machine::head(std::size_t unit, Cycle now) const {
  const std::deque<Queued>& queue = queues_[unit];
  return queue.empty() || queue.front().visible > now ? nullptr : &queue.front().command;
}

void Machine::pop(std::size_t unit, Cycle now) {
  std::deque<Queued>& queue = queues_[unit];
  if (queue.size() == hw_.queue_depth) {
    poke(front_wake_, now + 1);
  }
  queue.pop_front();
  wakes_[unit] = queue.empty() ? kNever : std::max(now + 1, queue.front().visible);
}

bool Machine::has(std::size_t token, Cycle now) const {
  return !tokens_[token].empty() && tokens_[token].front() <= now;
}

// A token that is on its way wakes the unit when it can be seen.
bool Machine::waits_for(std::size_t token, std::uint32_t wanted, std::size_t unit, Cycle now) {
  if (wanted == 0 || has(token, now)) {
    return false;
  }
  if (!tokens_[token].empty()) {
    poke(wakes_[unit], tokens_[token].front());
  }
  return true;
}

void Machine::give(std::size_t token, Cycle visible) {
  static constexpr std::size_t kTakers[] = {kCompute, kLoad, kStore, kCompute, kLoad};
  if (tokens_[token].size() == kMostTokens) {
    fail(isa::Error::TokenOverflow, 1U << token);
  }
  tokens_[token].push_back(visible);
  poke(wakes_[kTakers[token]], visible);
}

void Machine::take(std::size_t token) {
  tokens_[token].pop_front();
}

void Machine::fail(isa::Error cause, std::uint32_t info) {
  throw EngineError(cause, info, describe(cause, info));
}

// Nothing will ever move again: a memory that does not answer, or units that wait for each other.
void Machine::fail_stuck() const {
  std::uint32_t units = 0;
  for (std::size_t u = 0; u < queues_.size(); ++u) {
    units |= queues_[u].empty() ? 0U : 1U << u;
  }
  if (!data_.bus_idle()) {
    fail(isa::Error::Watchdog,
         units | (data_.loads_quiet() ? 0U : 1U) | (data_.settled() && !storing_ ? 0U : 4U));
  }
  if (units == 0 && !ended_) {
    fail(isa::Error::StreamEnd, static_cast<std::uint32_t>(8 * next_word_));
  }
  fail(isa::Error::Deadlock, units);
}

}  // namespace tessera::timing
