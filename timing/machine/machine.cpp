#include "timing/machine/machine.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::timing {
namespace {

constexpr std::size_t kMostTokens = 255;
constexpr Cycle kFetchDelay = 3;     // from CONTROL to the first request
constexpr Cycle kPipelineDelay = 4;  // from a convolution's last step to its token
constexpr std::uint32_t kNotConfiguredCompute = 1;
constexpr std::uint32_t kNotConfiguredStore = 2;

std::uint32_t mark_of(const isa::Command& command) {
  if (const auto* load = std::get_if<isa::LdMark>(&command); load != nullptr) {
    return load->id;
  }
  if (const auto* compute = std::get_if<isa::CvMark>(&command); compute != nullptr) {
    return compute->id;
  }
  return std::get<isa::StMark>(command).id;
}

}  // namespace

std::uint8_t* MachineObserver::load_begins(const LoadOperation& /*load*/) {
  return nullptr;
}
void MachineObserver::load_ends(const LoadOperation& /*load*/, std::uint8_t* /*data*/) {}
void MachineObserver::conv_begins(const ConvOperation& /*conv*/) {}
void MachineObserver::conv_ends(const ConvOperation& /*conv*/) {}
const std::uint8_t* MachineObserver::store_begins(const StoreOperation& /*store*/) {
  return nullptr;
}
void MachineObserver::worked(unsigned /*unit*/, Cycle /*begin*/, Cycle /*end*/) {}
void MachineObserver::mark(unsigned /*unit*/, std::uint32_t /*id*/, const Counters& /*counters*/) {}

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

// Units -------------------------------------------------------------------------------------------

void Machine::front(Cycle now) {
  front_wake_ = kNever;
  if (words_.empty() || ended_) {
    return;
  }
  if (words_.front() > now) {
    front_wake_ = words_.front();
    return;
  }
  std::uint64_t word = 0;
  for (unsigned b = 0; b < 8; ++b) {
    word |= std::uint64_t{stream_[8 * next_word_ + b]} << (8 * b);
  }
  const isa::Decoded decoded = isa::decode(word);
  if (!decoded.command) {
    fail(isa::Error::IllegalCommand, static_cast<std::uint32_t>(8 * next_word_));
  }
  const isa::Unit unit = isa::info_of(*decoded.command).unit;
  if (unit == isa::Unit::Front) {
    ended_ = true;
    ended_at_ = now + 1;
  } else {
    const std::size_t u = static_cast<std::size_t>(unit) - 1;
    if (queues_[u].size() >= hw_.queue_depth) {
      return;  // woken when a word leaves it
    }
    queues_[u].push_back({*decoded.command, now + 1});
    poke(wakes_[u], now + 1);
  }
  words_.pop_front();
  data_.word_given(now);
  poke(data_wake_, now + 1);
  ++next_word_;
  if (!words_.empty() && !ended_) {
    front_wake_ = std::max(now + 1, words_.front());
  }
}

void Machine::load_unit(Cycle now) {
  wakes_[kLoad] = kNever;
  const isa::Command* command = head(kLoad, now);
  if (command == nullptr) {
    wakes_[kLoad] = queues_[kLoad].empty() ? kNever : queues_[kLoad].front().visible;
    return;
  }
  if (data_.requesting()) {
    return;
  }
  if (std::holds_alternative<isa::LdMark>(*command)) {
    observer_.mark(kLoad, mark_of(*command), counters_at(now));
    pop(kLoad, now);
    return;
  }
  if (load_words_.configure(*command)) {
    pop(kLoad, now);
    return;
  }
  if (!load_words_.configured()) {
    fail(isa::Error::NotConfigured, 0);
  }
  const LoadOperation& operation = load_words_.operation();
  const isa::Load& load = operation.load;
  if (!data_.takes_load()) {
    return;
  }
  if (waits_for(kComputeToLoad, load.wait_compute, kLoad, now) ||
      waits_for(kStoreToLoad, load.wait_store, kLoad, now)) {
    return;
  }
  check_load(operation);
  if (load.wait_compute != 0) {
    take(kComputeToLoad);
  }
  if (load.wait_store != 0) {
    take(kStoreToLoad);
  }
  std::uint8_t* data = observer_.load_begins(operation);
  transfers_.push_back({operation, data, now});
  data_.load(operation, data, now);
  poke(data_wake_, now + 1);
  pop(kLoad, now);
  wakes_[kLoad] = kNever;
}

void Machine::settle_waits(Cycle now) {
  const auto [load, store] = waits(now);
  wait_load_ = load;
  wait_store_ = store;
  wait_ = Wait::None;
}

std::pair<std::uint64_t, std::uint64_t> Machine::waits(Cycle now) const {
  const Cycle from = std::max(wait_from_, array_.idle_from());
  const std::uint64_t cycles = wait_ != Wait::None && from < now ? now - from : 0;
  return {wait_load_ + (wait_ == Wait::Load ? cycles : 0),
          wait_store_ + (wait_ == Wait::Store ? cycles : 0)};
}

void Machine::compute_unit(Cycle now) {
  wakes_[kCompute] = kNever;
  const isa::Command* command = head(kCompute, now);
  if (command == nullptr) {
    wakes_[kCompute] = queues_[kCompute].empty() ? kNever : queues_[kCompute].front().visible;
    return;
  }
  if (std::holds_alternative<isa::CvMark>(*command)) {
    if (array_.takes_mark()) {
      array_.push_mark(mark_of(*command), now);
      pop(kCompute, now);
    }
    return;
  }
  if (conv_words_.configure(*command)) {
    pop(kCompute, now);
    return;
  }
  if (!conv_words_.configured()) {
    fail(isa::Error::NotConfigured, kNotConfiguredCompute);
  }
  const ConvOperation& operation = conv_words_.operation();
  const bool wants_load = waits_for(kLoadToCompute, operation.conv.wait_load, kCompute, now);
  const bool wants_store = waits_for(kStoreToCompute, operation.conv.wait_store, kCompute, now);
  const Wait wait = wants_load ? Wait::Load : wants_store ? Wait::Store : Wait::None;
  if (wait != wait_) {
    settle_waits(now);
    wait_ = wait;
    wait_from_ = now;
  }
  if (wait != Wait::None) {
    return;
  }
  if (!array_.takes_conv(now)) {
    wakes_[kCompute] = array_.takes_conv_from(now);
    return;
  }
  check_conv(operation);
  if (operation.conv.wait_load != 0) {
    take(kLoadToCompute);
  }
  if (operation.conv.wait_store != 0) {
    take(kStoreToCompute);
  }
  observer_.conv_begins(operation);
  array_.push_conv(operation, first_conv_ + static_cast<std::uint32_t>(convs_.size()), now);
  convs_.push_back({operation, now});
  pop(kCompute, now);
}

void Machine::array(Cycle now) {
  for (const ArrayTiming::Event& event : array_.advance(now)) {
    if (event.is_mark) {
      observer_.mark(kCompute, event.id, counters_at(event.at));
      continue;
    }
    const ConvOperation& conv = convs_.front().operation;
    observer_.conv_ends(conv);
    observer_.worked(kCompute, convs_.front().begin, event.at);
    if (conv.conv.post_load != 0) {
      give(kComputeToLoad, event.at + kPipelineDelay);
    }
    if (conv.conv.post_store != 0) {
      give(kComputeToStore, event.at + kPipelineDelay);
    }
    convs_.pop_front();
    ++first_conv_;
  }
  // There may be room for the next convolution.
  if (!queues_[kCompute].empty()) {
    poke(wakes_[kCompute], now + 1);
  }
}

void Machine::store_unit(Cycle now) {
  wakes_[kStore] = kNever;
  if (storing_) {
    if (data_.stored() && now > store_from_) {
      storing_ = false;
      observer_.worked(kStore, store_from_, now);
      store_free_ = now + 1;
      barrier_ = store_.store.post_load != 0;
      wakes_[kStore] = now + 1;
    }
    return;
  }
  if (barrier_) {
    if (data_.settled()) {
      barrier_ = false;
      store_free_ = now + 1;
      give(kStoreToLoad, now + 1);
      wakes_[kStore] = now + 1;
    }
    return;
  }
  const isa::Command* command = head(kStore, now);
  if (command == nullptr) {
    wakes_[kStore] = queues_[kStore].empty() ? kNever : queues_[kStore].front().visible;
    return;
  }
  if (std::holds_alternative<isa::StMark>(*command)) {
    if (data_.settled()) {
      observer_.mark(kStore, mark_of(*command), counters_at(now));
      store_free_ = now + 1;
      pop(kStore, now);
    }
    return;
  }
  if (store_words_.configure(*command)) {
    pop(kStore, now);
    return;
  }
  if (!store_words_.configured()) {
    fail(isa::Error::NotConfigured, kNotConfiguredStore);
  }
  const StoreOperation& operation = store_words_.operation();
  if (waits_for(kComputeToStore, operation.store.wait_compute, kStore, now)) {
    return;
  }
  check_store(operation);
  if (operation.store.wait_compute != 0) {
    take(kComputeToStore);
  }
  store_ = operation;
  storing_ = true;
  store_from_ = now;
  data_.store(operation, observer_.store_begins(operation), now);
  poke(data_wake_, now + 1);
  pop(kStore, now);
  wakes_[kStore] = kNever;
}

void Machine::data(Cycle now) {
  const Cycle until = std::min({front_wake_, wakes_[kLoad], wakes_[kCompute], wakes_[kStore],
                                array_.wake(), end_wake_, limit_});
  Cycle next = now;
  const DataEvents events = data_.advance(next, until);
  if (events.read_error) {
    fail(isa::Error::ReadBus, (events.fetch_beat ? 0x100U : 0U) | events.response);
  }
  if (events.write_error) {
    fail(isa::Error::WriteBus, events.response);
  }
  if (events.ragged) {
    fail(isa::Error::LoadLength, transfers_.front().operation.load.fold != 0 ? 2 : 1);
  }
  if (events.word) {
    words_.push_back(next);
    poke(front_wake_, next);
  }
  if (events.load_done) {
    Transfer& transfer = transfers_.front();
    observer_.load_ends(transfer.operation, transfer.data);
    observer_.worked(kLoad, transfer.begin, next);
    if (transfer.operation.load.post_compute != 0) {
      give(kLoadToCompute, next);
    }
    transfers_.pop_front();
  }
  if ((events.load_done || events.request_done) && !queues_[kLoad].empty()) {
    poke(wakes_[kLoad], next);
  }
  if (events.drained && store_.store.post_compute != 0) {
    give(kStoreToCompute, next);
  }
  if (events.any && (storing_ || barrier_ || !queues_[kStore].empty())) {
    poke(wakes_[kStore], next);
  }
  data_wake_ = data_.wake(next);
}

// Counters ----------------------------------------------------------------------------------------

Counters Machine::counters_at(Cycle now) const {
  using isa::Counter;
  Counters result{};
  const DataPath::Counts& counts = data_.counts();
  const auto loaded = [&](isa::LoadKind kind) {
    return counts.load_bytes[static_cast<std::size_t>(kind)];
  };
  const std::uint64_t cycles = cycles_ + (running_ ? now - (started_ + 1) : 0);
  const auto [wait_load, wait_store] = waits(now);
  counter(result, Counter::Cycles) = cycles;
  counter(result, Counter::ArrayBusy) = array_.busy(now);
  counter(result, Counter::StallWeights) = array_.stalled_by_weights(now);
  counter(result, Counter::StallBank) = array_.stalled_by_banks(now);
  counter(result, Counter::WaitLoad) = wait_load;
  counter(result, Counter::WaitStore) = wait_store;
  counter(result, Counter::ComputeOther) =
      cycles - counter(result, Counter::ArrayBusy) - counter(result, Counter::StallWeights) -
      counter(result, Counter::StallBank) - wait_load - wait_store;
  counter(result, Counter::ReadCommandBytes) = counts.command_bytes;
  counter(result, Counter::ReadFeatureBytes) =
      loaded(isa::LoadKind::Feature) + loaded(isa::LoadKind::Operand);
  counter(result, Counter::ReadWeightBytes) = loaded(isa::LoadKind::Weight);
  counter(result, Counter::ReadParamBytes) =
      loaded(isa::LoadKind::Param) + loaded(isa::LoadKind::Table);
  counter(result, Counter::WriteBytes) = counts.write_bytes;
  counter(result, Counter::ReadBeats) = counts.read_beats;
  counter(result, Counter::WriteBeats) = counts.write_beats;
  return result;
}

}  // namespace tessera::timing
