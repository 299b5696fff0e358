// Programs of points with less of something, tried on points with more of it.
#pragma once

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "sweep/point.hpp"
#include "sweep/space.hpp"

namespace tessera::sweep {

/// A point, and the one whose program it shall run.
struct Trial {
  std::size_t point;
  std::size_t program_of;
};

/// With policy `best` more of anything (buffer, banks, accumulators, lanes, requests under way,
/// bytes per cycle; fewer cycles of latency) must not take more of the objective: the program for
/// less of it runs there, too. Looks at the next value below along each axis, again and again, so
/// that a good program goes as far as it is the best. Points are by index, all of them.
class Neighbours {
 public:
  Neighbours(const Space& space, std::vector<PointResult>& points);

  /// What is worth a run now; none: finished. Each is there once.
  std::vector<Trial> next();
  /// What came of it: taken when it is better. One that failed is forgotten.
  void done(PointResult result);

 private:
  std::vector<PointResult>& points_;
  std::vector<std::vector<std::size_t>> below_;  ///< by point, its neighbours with less
  std::set<std::pair<std::size_t, std::size_t>> tried_;
};

/// Whether more of that key is more of a resource (1), less of it is (-1), or neither (0).
int direction_of(const std::string& key);

}  // namespace tessera::sweep
