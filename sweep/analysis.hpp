// What a sweep's points say.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sweep/point.hpp"
#include "sweep/space.hpp"

namespace tessera::sweep {

/// Percent above the fewest cycles for which the smallest cbuf is sought.
inline constexpr std::array<std::uint32_t, 3> kTolerances = {1, 5, 10};

struct ModeAt {
  std::uint64_t cbuf_bytes = 0;  ///< the smallest with that mode, until the next entry
  std::string mode;
};

struct LayerModes {
  std::string layer;
  std::vector<ModeAt> modes;  ///< by size
};

/// Points that differ in the size of the cbuf only.
struct Curve {
  std::string label;                ///< network and the other swept values
  std::vector<std::size_t> points;  ///< as indices into Results::points, by size; good ones only
  std::size_t fewest = 0;           ///< the fastest point, the smallest of several
  /// By tolerance: the point with the smallest cbuf.
  std::array<std::size_t, kTolerances.size()> within{};
  std::vector<LayerModes> changes;  ///< layers whose mode is not the same at all sizes
};

struct Results {
  Space space;
  std::vector<PointResult> points;
  bool by_time = false;        ///< points have several clocks: milliseconds for cycles
  std::vector<bool> competes;  ///< by point
  std::vector<bool> on_front;  ///< by point: nothing is as good in everything and better in one
  std::vector<std::size_t> fewest;  ///< by point: the fastest one of its group
  std::vector<Curve> curves;        ///< with at least one good point

  /// Cycles, or milliseconds where there are several clocks.
  [[nodiscard]] double time_of(std::size_t point) const;
};

/// By point: it ran, and no other of its group leaves less to the host without a time for it. Where
/// a design leaves layers to the host, its cycles are those of less work.
std::vector<bool> that_compete(const Space& space, const std::vector<PointResult>& points);

/// Points of the front: cycles, external bytes, cbuf bytes and MACs per cycle, each the fewer the
/// better, among points of one group that compete; milliseconds for cycles
/// where clocks differ. With a part: time per inference, external bytes, lookup
/// tables, block RAMs and multipliers, among points that fit.
std::vector<bool> pareto_front(const Space& space, const std::vector<PointResult>& points);

/// As in `space`, but networks by their names.
std::string label_of(const Space& space, const Axis& axis, const std::string& value);

/// Points as they were run, in order.
Results evaluate(const Space& space, std::vector<PointResult> points);

}  // namespace tessera::sweep
