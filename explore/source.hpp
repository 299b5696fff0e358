// What is looked around in: the points of a sweep, or one run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "timing/machine/timeline.hpp"

namespace tessera::explore {

class Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  Source(Source&&) = delete;
  Source& operator=(Source&&) = delete;

  /// {"name", "kind": "sweep" or "run", "keys": [what was varied], "points": [{"point", "label",
  /// "network", "status", figures by name ...}]}
  [[nodiscard]] virtual std::string points() const = 0;
  /// [{"name", "op", "mode", "macs", "cycles", "external_bytes"}]. Throws InputError when there is
  /// no such point.
  [[nodiscard]] virtual std::string layers(std::size_t point) const = 0;
  /// What the units and the bus do while the layer runs: {"layer", "begin", "end", "lanes",
  /// "slices": [[lane, begin, end, bytes, what, layer]]}. Throws InputError when that cannot be
  /// known.
  [[nodiscard]] virtual std::string timeline(std::size_t point, const std::string& layer) = 0;
};

/// A slice of a lane, for people.
struct Stretch {
  std::size_t lane = 0;  ///< of kLanes
  std::uint64_t begin = 0, end = 0, bytes = 0;
  std::string what, layer;
};

/// What overlaps the layer's time, as Source::timeline says it. Throws InputError when the layer
/// has no part in it.
std::string window_of(const std::vector<Stretch>& stretches, const std::string& layer);

/// Files of sweeps (points.sqlite) and of runs (--json); a timeline (--trace) belongs to the run
/// before it. Throws InputError.
std::vector<std::unique_ptr<Source>> open_sources(const std::vector<std::string>& paths);

std::unique_ptr<Source> open_sweep(const std::string& path);
std::unique_ptr<Source> open_run(const std::string& path, const std::string& json,
                                 const std::string& trace);

}  // namespace tessera::explore
