#include "cli/hardware/fit_placer.hpp"

#include "board/simulation.hpp"
#include "fpga/parts/area_dataset.hpp"

namespace tessera {

FitPlacer::FitPlacer(const fit::Evaluator& evaluator, const board::Board* board, Progress& progress,
                     bool route)
    : evaluator_(evaluator), board_(board), progress_(progress), route_(route) {}

fpga::FlowRequest FitPlacer::request_for(const Hardware& hardware, std::uint32_t seeds) const {
  fpga::FlowRequest request;
  request.part = evaluator_.question().part;
  request.hardware = hardware;
  request.route = route_;
  request.seeds = seeds;
  if (board_ != nullptr) {
    // The PLL's constraint is the placer's aim.
    const double aim = evaluator_.clock_of(evaluator_.estimate(hardware).mhz);
    request.part = &board_->part;
    request.design = fpga::WholeDesign{"top", board_sources(*board_, hardware, aim, false), {}};
  }
  return request;
}

fit::Placed FitPlacer::place(const Hardware& hardware, std::uint32_t seeds) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::size_t own = begun_++;
  running_.insert(own);
  lock.unlock();
  const ProgressListener listener{
      [&](const std::string& text) {
        const std::scoped_lock guard(mutex_);
        progress_.say(text);
      },
      [&](const std::string& what, std::uint64_t done, std::uint64_t whole) {
        const std::scoped_lock guard(mutex_);
        if (*running_.begin() == own) {
          progress_.update(what, done, whole);
        }
      }};
  const auto finished = [&](fit::Placed placed) {
    const std::scoped_lock guard(mutex_);
    running_.erase(own);
    return placed;
  };
  const fpga::FlowRequest request = request_for(hardware, seeds);
  try {
    const fpga::Design design = run_flow(request, listener);
    const fpga::Placement& fastest = design.fastest();
    const fpga::Usage& usage = design.usage;
    const double promised =
        fastest.promised_mhz * fpga::routed_over_promised(request.part->family->name);
    return finished({"", usage.luts, usage.ffs, usage.brams, usage.dsps,
                     route_ ? fastest.mhz : promised, route_, fastest.seed});
  } catch (const fpga::DoesNotFit& refused) {
    const fpga::Usage& needed = refused.usage;
    return finished(
        {refused.what(), needed.luts, needed.ffs, needed.brams, needed.dsps, 0, false, 0});
  }
}

fpga::FlowRequest FitPlacer::delivery(const fit::Candidate& candidate,
                                      const std::filesystem::path& folder) const {
  fpga::FlowRequest request = request_for(candidate.hardware, 1);
  request.first_seed = candidate.placed->seed;
  request.folder = folder;
  return request;
}

void FitPlacer::deliver(const fit::Candidate& candidate, const std::filesystem::path& folder) {
  static_cast<void>(run_flow(delivery(candidate, folder), progress_.listener()));
}

}  // namespace tessera
