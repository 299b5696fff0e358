#include "fit/search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>
#include <tuple>

#include "console/interrupts.hpp"
#include "sweep/pool.hpp"
#include "tessera/error.hpp"

namespace tessera::fit {
namespace {

constexpr std::size_t kBeam = 8;            // arrays whose surroundings are looked at next
constexpr std::size_t kNarrowBeam = 2;      // behind a beginning
constexpr std::size_t kBegun = 12;          // arrays of one
constexpr std::size_t kDrawn = 96;          // at the beginning
constexpr std::size_t kDrawnLater = 32;     // when there is nothing better around
constexpr std::size_t kJumps = 64;          // several changes at once
constexpr std::size_t kPatience = 4;        // times of that without anything better
constexpr std::size_t kPatienceBehind = 2;  // the same behind a beginning
constexpr double kNever = std::numeric_limits<double>::infinity();

constexpr std::array<const char*, 3> kGoals = {"latency", "throughput-per-lut", "smallest"};

}  // namespace

Goal goal_of(const std::string& name) {
  const auto* const found = std::find(kGoals.begin(), kGoals.end(), name);
  if (found == kGoals.end()) {
    throw InputError(fmt::format("--objective {}: no such objective; there are {}", name,
                                 fmt::join(kGoals, ", ")));
  }
  return static_cast<Goal>(found - kGoals.begin());
}

const char* name_of(Goal goal) {
  return kGoals[static_cast<std::size_t>(goal)];
}

Search::Search(const Evaluator& evaluator, const SearchRequest& request, Points& points,
               Beginning beginning)
    : evaluator_(evaluator),
      request_(request),
      points_(points),
      beginning_(std::move(beginning)),
      control_(evaluator.control()) {}

Beginning Search::best_arrays(std::size_t count) const {
  Beginning best;
  const std::vector<std::size_t> order = ranking();
  best.examined = candidates_.size();
  best.good = order.size();
  std::set<std::pair<std::uint32_t, std::uint32_t>> arrays;
  for (const std::size_t i : order) {
    const Hardware& hardware = candidates_[i].hardware;
    if (arrays.size() < count && arrays.emplace(hardware.atomic_c, hardware.atomic_k).second) {
      best.hardware.push_back(hardware);
    }
  }
  return best;
}

double Search::mhz_of(const Candidate& candidate) const {
  return evaluator_.clock_of(candidate.placed && candidate.placed->problem.empty()
                                 ? candidate.placed->mhz
                                 : candidate.outcome.estimate.mhz * clock_factor_);
}

std::uint32_t Search::luts_of(const Candidate& candidate) const {
  return candidate.placed && candidate.placed->problem.empty() ? candidate.placed->luts
                                                               : candidate.outcome.estimate.luts;
}

double Search::milliseconds(const Candidate& candidate) const {
  double sum = 0;
  for (const Speed& speed : candidate.outcome.speeds) {
    sum += evaluator_.milliseconds(speed, mhz_of(candidate));
  }
  return sum;
}

double Search::fps_of(const Candidate& candidate) const {
  double fps = std::numeric_limits<double>::max();
  for (const Speed& speed : candidate.outcome.speeds) {
    fps = std::min(fps, 1000 / evaluator_.milliseconds(speed, mhz_of(candidate)));
  }
  return fps;
}

double Search::score(const Candidate& candidate) const {
  if (!candidate.outcome.problem.empty() || candidate.outcome.speeds.empty() ||
      (candidate.placed && !candidate.placed->problem.empty())) {
    return kNever;
  }
  const double ms = milliseconds(candidate);
  const double luts = luts_of(candidate);
  switch (request_.objective.goal) {
    case Goal::Latency:
      return ms;
    case Goal::ThroughputPerLut:
      return ms * luts;
    case Goal::Smallest:
      break;
  }
  const double short_by = request_.objective.fps - fps_of(candidate);
  // Too slow is worse than any size; less so, the less it is.
  return short_by > 0 ? 1e9 * (1 + short_by / request_.objective.fps) : luts;
}

std::vector<std::size_t> Search::ranking() const {
  std::vector<std::size_t> order;
  std::vector<double> scores(evaluated_);
  for (std::size_t i = 0; i < evaluated_; ++i) {
    const Candidate& candidate = candidates_[i];
    // Of those that were not placed, what would not fit if the estimate were as far off as it was.
    const bool fits = candidate.placed ||
                      candidate.outcome.estimate.luts * lut_factor_ <= evaluator_.question().luts();
    scores[i] = candidate.outcome.good() && fits ? score(candidate) : kNever;
    if (scores[i] < kNever) {
      order.push_back(i);
    }
  }
  // Of equals the smallest.
  const auto key = [&](std::size_t i) {
    return std::make_tuple(scores[i], luts_of(candidates_[i]),
                           candidates_[i].outcome.estimate.brams, i);
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

void Search::want(const Hardware& hardware) {
  if (candidates_.size() >= request_.points) {
    return;
  }
  std::string text = text_of(hardware);
  if (index_.emplace(text, candidates_.size()).second) {
    candidates_.push_back({hardware, std::move(text), {}, {}});
    looked_around_.push_back(false);
  }
}

// What policy `best` makes most of, and first-fit nothing: stores into the cbuf, and room for what
// is kept there. Neither helps without the other.
void Search::want_kept(Hardware hardware) {
  if (control_ != Control::Units) {
    return;
  }
  hardware.features |= 1U << static_cast<unsigned>(isa::Feature::Keep);
  const std::uint32_t there = evaluator_.question().part->brams;
  for (Hardware larger = hardware; evaluator_.estimate(larger).brams <= there;) {
    hardware = larger;
    larger.cbuf_capacity += larger.cbuf_capacity / 2;
    larger.cbuf_capacity -=
        larger.cbuf_capacity % (std::uint64_t{8} * larger.cbuf_banks * larger.atomic_c);
    larger.cbuf_size = larger.cbuf_capacity;
    if (!hardware_problem(larger).empty() || larger.cbuf_capacity <= hardware.cbuf_capacity) {
      break;
    }
  }
  want(hardware);
  // Leaves the lookup tables for it.
  hardware.read_outstanding = 2;
  want(hardware);
  hardware.post_lanes = std::max(1U, hardware.post_lanes / 2);
  want(hardware);
}

void Search::start() {
  for (const Hardware& hardware : beginning_.hardware) {
    want(hardware);
    want_kept(hardware);
  }
  if (!beginning_.hardware.empty()) {
    return;
  }
  for (const std::string& file : preset_files()) {
    const std::filesystem::path path(file);
    if (path.parent_path().filename() != "hardware") {
      continue;
    }
    const Hardware preset = hardware_preset(path.stem().string());
    if (preset.control == control_) {
      want(preset);
    }
  }
  for (std::size_t i = 0; i < kDrawn; ++i) {
    want(drawn(random_, control_));
  }
}

// Of each array the best one only: what differs in nothing that counts would crowd out the others.
void Search::look_around() {
  std::set<std::pair<std::uint32_t, std::uint32_t>> arrays;
  for (const std::size_t i : ranking()) {
    const Hardware& hardware = candidates_[i].hardware;
    if (!arrays.emplace(hardware.atomic_c, hardware.atomic_k).second) {
      continue;
    }
    if (arrays.size() > (beginning_.hardware.empty() ? kBeam : kNarrowBeam)) {
      break;
    }
    if (!looked_around_[i]) {
      looked_around_[i] = true;
      for (const Move& move : moves_of(Hardware(hardware))) {
        want(move.hardware);
      }
    }
  }
}

// As little as runs the networks: where all that was drawn is too large, or lacks a feature.
void Search::want_least() {
  if (control_ != Control::Units) {
    return;
  }
  Hardware least = hardware_preset("nano");
  least.features = evaluator_.needed_features();
  for (const std::uint32_t atomic_c : {2U, 4U, 8U}) {
    for (const std::uint32_t atomic_k : {2U, 4U, 8U}) {
      least.atomic_c = atomic_c;
      least.atomic_k = atomic_k;
      want(least);
    }
  }
}

void Search::look_elsewhere() {
  const std::vector<std::size_t> order = ranking();
  if (order.empty()) {
    want_least();
  }
  for (std::size_t j = 0; j < kJumps && !order.empty(); ++j) {
    Hardware hardware = candidates_[order[random_.below(std::min(order.size(), kBeam))]].hardware;
    for (std::size_t changes = 2 + random_.below(3); changes > 0; --changes) {
      const std::vector<Move> moves = moves_of(hardware);
      hardware = Hardware(moves[random_.below(moves.size())].hardware);
    }
    want(hardware);
  }
  for (std::size_t i = 0; beginning_.hardware.empty() && i < kDrawnLater; ++i) {
    want(drawn(random_, control_));
  }
}

bool Search::evaluate_wanted(Progress& progress) {
  std::vector<std::size_t> items;
  for (std::size_t i = evaluated_; i < candidates_.size(); ++i) {
    if (const Outcome* known = points_.find(evaluator_.key_of(candidates_[i].text));
        known != nullptr) {
      candidates_[i].outcome = *known;
    } else {
      items.push_back(i);
    }
  }
  sweep::Work work;
  const auto keep = [&](std::size_t item, const Outcome& outcome) {
    candidates_[item].outcome = outcome;
    points_.put(evaluator_.key_of(candidates_[item].text), outcome);
  };
  std::size_t done = candidates_.size() - items.size();
  work.run = [&](std::size_t item) { return to_text(evaluator_.run(candidates_[item].hardware)); };
  work.done = [&](std::size_t item, const std::string& text) {
    keep(item, outcome_from(text));
    ++done;
  };
  work.failed = [&](std::size_t item, const std::string& why) {
    Outcome outcome;
    outcome.problem = why;
    keep(item, outcome);
    ++done;
  };
  work.goes_on = [&] {
    progress.update(fmt::format("{} of at most {} candidates", done, request_.points), done,
                    request_.points);
    return !Interrupts::noted();
  };
  const bool complete = sweep::run_all(items, request_.jobs, work);
  points_.commit();
  if (complete) {
    evaluated_ = candidates_.size();
  }
  return complete;
}

bool Search::run(Progress& progress) {
  const Interrupts interrupts;
  start();
  double least = kNever;
  const std::size_t most_patience = beginning_.hardware.empty() ? kPatience : kPatienceBehind;
  for (std::size_t patience = most_patience; patience > 0;) {
    if (!evaluate_wanted(progress)) {
      progress.clear();
      return false;
    }
    const std::vector<std::size_t> order = ranking();
    const double now = order.empty() ? kNever : score(candidates_[order.front()]);
    if (now < least) {
      least = now;
      patience = most_patience;
    }
    look_around();
    if (candidates_.size() == evaluated_) {
      --patience;
      look_elsewhere();
    }
    if (candidates_.size() == evaluated_) {
      break;  // as many as were asked for
    }
  }
  const bool complete = evaluate_wanted(progress);
  progress.clear();
  return complete;
}

std::optional<std::size_t> Search::best() const {
  const std::vector<std::size_t> order = ranking();
  for (const std::size_t i : order) {
    if (candidates_[i].placed) {
      return i;
    }
  }
  return order.empty() ? std::nullopt : std::optional(order.front());
}

std::vector<bool> Search::front() const {
  const std::vector<std::size_t> good = ranking();
  std::vector<bool> front(candidates_.size(), false);
  const auto brams = [&](std::size_t i) { return candidates_[i].outcome.estimate.brams; };
  std::vector<double> ms(candidates_.size());
  for (const std::size_t i : good) {
    ms[i] = milliseconds(candidates_[i]);
  }
  for (const std::size_t i : good) {
    front[i] = std::none_of(good.begin(), good.end(), [&](std::size_t j) {
      const bool as_good = ms[j] <= ms[i] && luts_of(candidates_[j]) <= luts_of(candidates_[i]) &&
                           brams(j) <= brams(i);
      const bool better =
          ms[j] < ms[i] || luts_of(candidates_[j]) < luts_of(candidates_[i]) || brams(j) < brams(i);
      return as_good && (better || j < i);
    });
  }
  return front;
}

std::vector<Limit> Search::limits(std::size_t best) const {
  std::vector<Limit> found;
  const double now = score(candidates_[best]);
  for (const Move& move : moves_of(candidates_[best].hardware)) {
    Candidate other{move.hardware, "", evaluator_.run(move.hardware, true), {}};
    if (other.outcome.lacks.empty()) {
      continue;
    }
    const double then = score(other);
    if (then < now) {
      found.push_back({move.what, 100 * (1 - then / now), other.outcome.lacks});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Limit& a, const Limit& b) { return a.gain > b.gain; });
  return found;
}

std::unique_ptr<Search> searched(const Evaluator& evaluator, const SearchRequest& request,
                                 Points& points, Progress& progress) {
  Beginning beginning;
  if (evaluator.question().config.policy.name == PolicyName::Best) {
    Question quick = evaluator.question();
    quick.config.policy.name = PolicyName::FirstFit;
    const Evaluator first_fit(std::move(quick));
    Search first(first_fit, request, points);
    if (!first.run(progress)) {
      return nullptr;
    }
    beginning = first.best_arrays(kBegun);
  }
  auto search = std::make_unique<Search>(evaluator, request, points, std::move(beginning));
  return search->run(progress) ? std::move(search) : nullptr;
}

}  // namespace tessera::fit
