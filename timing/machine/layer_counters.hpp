// Counters of a run, divided among the layers by the marks in the stream.
#pragma once

#include <vector>

#include "tessera/engine.hpp"

namespace tessera::timing {

class LayerCounters {
 public:
  explicit LayerCounters(std::vector<LayerResult>& layers) : layers_(layers) {}

  /// What no layer did, such as a reset of states. Returns it.
  Counters skip(const Counters& now);
  /// Everything that the unit's mark settles belongs to the layer. 0: load, 1: compute, 2: store.
  void mark(unsigned unit, std::size_t layer, const Counters& now);
  /// What comes after the last mark belongs to the last layer, so that layers sum to the total.
  void end_run(std::size_t layer, const Counters& now);
  [[nodiscard]] static Counters totals(const std::vector<LayerResult>& layers);

 private:
  std::vector<LayerResult>& layers_;
  Counters settled_{};
};

}  // namespace tessera::timing
