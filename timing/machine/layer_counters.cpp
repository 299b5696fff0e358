#include "timing/machine/layer_counters.hpp"

namespace tessera::timing {
namespace {

using isa::Counter;

// By the unit whose mark settles them.
const std::vector<Counter> kSettled[] = {
    {Counter::ReadFeatureBytes, Counter::ReadWeightBytes, Counter::ReadParamBytes},
    {Counter::ArrayBusy, Counter::StallWeights, Counter::StallBank},
    {Counter::Cycles, Counter::WaitLoad, Counter::WaitStore, Counter::ReadBeats,
     Counter::WriteBeats, Counter::ReadCommandBytes, Counter::WriteBytes, Counter::ComputeOther}};

}  // namespace

void LayerCounters::mark(unsigned unit, std::size_t layer, const Counters& now) {
  for (const Counter c : kSettled[unit]) {
    // What another unit does not settle at the same time may fall behind by a few cycles.
    counter(layers_[layer].counters, c) += counter(now, c) - counter(settled_, c);
    counter(settled_, c) = counter(now, c);
  }
}

void LayerCounters::end_run(std::size_t layer, const Counters& now) {
  for (unsigned unit = 0; unit < 3; ++unit) {
    mark(unit, layer, now);
  }
}

Counters LayerCounters::skip(const Counters& now) {
  Counters skipped{};
  for (std::size_t i = 0; i < now.size(); ++i) {
    skipped[i] = now[i] - settled_[i];
  }
  settled_ = now;
  return skipped;
}

Counters LayerCounters::totals(const std::vector<LayerResult>& layers) {
  Counters totals{};
  for (const LayerResult& layer : layers) {
    for (std::size_t i = 0; i < totals.size(); ++i) {
      totals[i] += layer.counters[i];
    }
  }
  return totals;
}

}  // namespace tessera::timing
