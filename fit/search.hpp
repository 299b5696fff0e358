// The hardware that runs networks best on a part.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "console/progress.hpp"
#include "fit/candidate.hpp"
#include "fit/evaluate.hpp"
#include "fit/points.hpp"

namespace tessera::fit {

enum class Goal : std::uint8_t {
  Latency,           ///< the fewest milliseconds of all networks together
  ThroughputPerLut,  ///< the most inferences per second and lookup table
  Smallest           ///< the fewest lookup tables that keep the inferences per second
};

/// By their names, as the command line has them. Throws InputError that lists all.
Goal goal_of(const std::string& name);
const char* name_of(Goal goal);

struct Objective {
  Goal goal = Goal::Latency;
  double fps = 0;  ///< of each network, for Smallest
};

/// What placement made of a candidate.
struct Placed {
  std::string problem;  ///< why there is none; empty: it is there. The figures are what it needs
  std::uint32_t luts = 0, ffs = 0, brams = 0, dsps = 0;
  double mhz = 0;          ///< of the routed design; where it was only placed, as such ones are
  bool routed = false;     ///< false: only placed
  std::uint32_t seed = 1;  ///< the placer's, of several the one with the fastest clock
};

struct Candidate {
  Hardware hardware;
  std::string text;
  Outcome outcome;
  std::optional<Placed> placed;
};

/// "estimated", "placed" or "routed": where its figures come from.
const char* how(const Candidate& candidate);

/// A change of the best that would be better, and why it is not made.
struct Limit {
  std::string change;
  double gain = 0;    ///< percent of the objective
  std::string lacks;  ///< what the part has too little of
};

struct SearchRequest {
  Objective objective;
  std::size_t points = 6000;  ///< candidates looked at, at most, by each search
  std::size_t jobs = 1;
  std::size_t placements = 0;  ///< at most
  std::uint32_t seeds = 1;     ///< of the three best that were placed; the others have one
  /// What by estimate is at most so much worse than the best by estimate (0.05: 5 %) is placed as
  /// well: clocks of hardware that hardly differs do, by the placer's chance.
  double chance = 0;
};

/// Places hardware with the seeds from 1 on, as many as said; the fastest counts. Where it does not
/// fit after all, says so, with what it takes. Called by several threads at a time.
using Place = std::function<Placed(const Hardware&, std::uint32_t seeds)>;

/// What an earlier search found.
struct Beginning {
  std::vector<Hardware> hardware;
  std::size_t examined = 0;  ///< candidates that it looked at
  std::size_t good = 0;      ///< of them run the networks and fit
};

/// Looks around the best candidates, change by change, and around what chance draws, or around a
/// beginning only; the same candidates every time, however many processes look. Then places the
/// best by estimate, corrects the estimated clock by what was placed, and goes on until none that
/// was not placed promises more than the best that was. The best of those get the other seeds.
class Search {
 public:
  Search(const Evaluator& evaluator, const SearchRequest& request, Points& points,
         Beginning beginning = {});

  /// False when it was interrupted.
  bool run(Progress& progress);
  void place(const Place& place, Progress& progress);

  [[nodiscard]] const std::vector<Candidate>& candidates() const { return candidates_; }
  [[nodiscard]] const Beginning& beginning() const { return beginning_; }
  /// The best of each of the best arrays, to begin another search with.
  [[nodiscard]] Beginning best_arrays(std::size_t count) const;
  /// Of candidates that run the networks and fit, the best first.
  [[nodiscard]] std::vector<std::size_t> ranking() const;
  /// Index of the best: of those that were placed where any was. Nothing: none runs the networks.
  [[nodiscard]] std::optional<std::size_t> best() const;
  /// By candidate: none has as few milliseconds, lookup tables and block RAMs.
  [[nodiscard]] std::vector<bool> front() const;
  /// What is in the way of something better, the greatest gain first.
  [[nodiscard]] std::vector<Limit> limits(std::size_t best) const;
  /// Clock as it is thought to be: as placed, or the estimate, corrected.
  [[nodiscard]] double mhz_of(const Candidate& candidate) const;
  [[nodiscard]] std::uint32_t luts_of(const Candidate& candidate) const;
  /// Inferences per second of the network that has the fewest.
  [[nodiscard]] double fps_of(const Candidate& candidate) const;
  /// Of all networks together.
  [[nodiscard]] double milliseconds(const Candidate& candidate) const;
  /// Factor of the estimated clock that placements have shown.
  [[nodiscard]] double clock_factor() const { return clock_factor_; }

 private:
  [[nodiscard]] double score(const Candidate& candidate) const;  ///< the less the better
  void want(const Hardware& hardware);
  void want_kept(Hardware hardware);
  void start();
  void look_around();
  [[nodiscard]] double least_expected(const std::vector<std::size_t>& order) const;
  [[nodiscard]] std::vector<std::size_t> worth_placing(std::size_t most) const;
  void place_these(const std::vector<std::size_t>& these, std::uint32_t seeds, const Place& place,
                   Progress& progress);
  void place_again(const Place& place, Progress& progress);
  void want_least();
  void look_elsewhere();
  bool evaluate_wanted(Progress& progress);
  void learn();

  const Evaluator& evaluator_;
  const SearchRequest& request_;
  Points& points_;
  Beginning beginning_;
  Control control_;
  SplitMix64 random_{1};
  std::vector<Candidate> candidates_;
  std::map<std::string, std::size_t> index_;
  std::vector<bool> looked_around_;
  std::size_t evaluated_ = 0;  ///< the first so many of candidates_
  double clock_factor_ = 1;
  double lut_factor_ = 1;  ///< the most that a placed one took of its estimate
};

/// The whole search. Policy `best` takes a hundred times as long as `first-fit`: where the question
/// has it, that one says where to look. Nothing when it was interrupted.
std::unique_ptr<Search> searched(const Evaluator& evaluator, const SearchRequest& request,
                                 Points& points, Progress& progress);

}  // namespace tessera::fit
