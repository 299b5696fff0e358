#include "timing/machine/machine.hpp"

#include <algorithm>

namespace tessera::timing {
namespace {

constexpr Cycle kPipelineDelay = 7;  // from a convolution's last step to its token
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
  if ((isa::features_of(word) & ~hw_.features) != 0) {
    fail(isa::Error::NotBuilt, static_cast<std::uint32_t>(8 * next_word_));
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
  const bool is_blind = load.coded != 0 && data == nullptr;
  data_.load(operation, data, is_blind ? observer_.load_codes(operation) : nullptr, now);
  poke(data_wake_, now + 1);
  pop(kLoad, now);
  wakes_[kLoad] = kNever;
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
    const isa::Load& load = transfers_.front().operation.load;
    fail(isa::Error::LoadLength, load.fold != 0 ? 2 : load.coded != 0 ? 3 : 1);
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

}  // namespace tessera::timing
