// Candidates of `cosim fit`, placed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>

#include "board/spec.hpp"
#include "console/progress.hpp"
#include "fit/evaluate.hpp"
#include "fit/search.hpp"
#include "fpga/flow.hpp"

namespace tessera {

class FitPlacer {
 public:
  /// `board`: what is placed is its whole design. All live as long as this does.
  FitPlacer(const fit::Evaluator& evaluator, const board::Board* board, Progress& progress,
            bool route);

  /// From any thread: the design goes into the cache only. Progress is the first one's that runs.
  fit::Placed place(const Hardware& hardware, std::uint32_t seeds);

  /// A placed one, with the seed that was the fastest, from the cache into the folder.
  void deliver(const fit::Candidate& candidate, const std::filesystem::path& folder);
  [[nodiscard]] fpga::FlowRequest delivery(const fit::Candidate& candidate,
                                           const std::filesystem::path& folder) const;

 private:
  [[nodiscard]] fpga::FlowRequest request_for(const Hardware& hardware, std::uint32_t seeds) const;

  const fit::Evaluator& evaluator_;
  const board::Board* board_;
  Progress& progress_;
  bool route_;
  std::mutex mutex_;               ///< of progress and of what follows
  std::size_t begun_ = 0;          ///< placements
  std::set<std::size_t> running_;  ///< of them
};

}  // namespace tessera
