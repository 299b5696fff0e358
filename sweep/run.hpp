// Running a sweep, and joining the shares of one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "console/progress.hpp"
#include "sweep/analysis.hpp"
#include "sweep/store.hpp"

namespace tessera::sweep {

struct RunRequest {
  Definition definition;
  std::string folder;
  std::size_t jobs = 1;
  bool fresh = false;         ///< forget what the folder has
  bool retry_failed = false;  ///< run points again that failed
};

/// The file with the points of a share, in the folder; all points: points.sqlite.
std::string points_file(const std::string& folder, const Shard& shard);

/// Runs the points that the folder does not have yet. All there: true, and the file is in its final
/// form. False when it was interrupted (SIGINT, SIGTERM). Throws InputError when the folder has
/// points of another sweep.
bool run_points(const RunRequest& request, Progress& progress);

/// Joins the shares, given as files or all of the folder, into the folder's points.sqlite. False
/// when it was interrupted. Throws InputError when shares are missing, are of different sweeps, or
/// one is there twice.
bool merge(const std::string& folder, std::vector<std::string> files, std::size_t jobs,
           Progress& progress);

/// Reads points.sqlite, and writes results.csv and results.json beside it.
Results finish(const std::string& folder);

}  // namespace tessera::sweep
