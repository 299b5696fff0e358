// Work on all cores, in processes: one that dies takes nothing with it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tessera::sweep {

struct Work {
  /// In a process of its own: the item's result. What it throws, and its death, is a failure.
  std::function<std::string(std::size_t item)> run;
  /// In this process, as items are finished, in any order.
  std::function<void(std::size_t item, const std::string& result)> done;
  std::function<void(std::size_t item, const std::string& why)> failed;
  /// At least every tenth of a second. False: stop, leaving what is not finished.
  std::function<bool()> goes_on;
};

/// Gives the items to `jobs` processes, in order. True when all are done or failed. Throws
/// std::system_error when processes cannot be started.
bool run_all(const std::vector<std::size_t>& items, std::size_t jobs, const Work& work);

}  // namespace tessera::sweep
