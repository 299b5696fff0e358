#include "timing/machine/machine.hpp"

#include <algorithm>

namespace tessera::timing {

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
