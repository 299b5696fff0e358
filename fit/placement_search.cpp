// Placing the best of a search.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <thread>

#include "fit/search.hpp"

namespace tessera::fit {
namespace {

constexpr std::size_t kPlacedAtOnce = 4;  // before what they say counts for the next ones
constexpr std::size_t kLeaders = 3;       // that other seeds are tried of

std::string text_of_placed(const Candidate& candidate) {
  const Placed& placed = *candidate.placed;
  return placed.problem.empty()
             ? fmt::format("{} {} x {} MACs: {} LUTs ({} estimated), {:.1f} MHz ({:.1f})",
                           how(candidate), candidate.hardware.atomic_c, candidate.hardware.atomic_k,
                           placed.luts, candidate.outcome.estimate.luts, placed.mhz,
                           candidate.outcome.estimate.mhz)
             : placed.problem;
}

}  // namespace

const char* how(const Candidate& candidate) {
  const bool placed = candidate.placed && candidate.placed->problem.empty();
  return !placed ? "estimated" : candidate.placed->routed ? "routed" : "placed";
}

void Search::learn() {
  double sum = 0;
  std::size_t count = 0;
  for (const Candidate& candidate : candidates_) {
    if (candidate.placed && candidate.placed->problem.empty()) {
      sum += std::log(candidate.placed->mhz / candidate.outcome.estimate.mhz);
      ++count;
    }
  }
  for (const Candidate& candidate : candidates_) {
    if (candidate.placed) {
      lut_factor_ = std::max(lut_factor_, static_cast<double>(candidate.placed->luts) /
                                              candidate.outcome.estimate.luts);
    }
  }
  // As if one more had been as estimated: what one placement misses may be its own bad luck, and
  // others then promise more.
  clock_factor_ = std::exp(sum / static_cast<double>(count + 1));
}

// By estimate, also of what was placed: that one of many had luck says nothing of the others.
double Search::least_expected(const std::vector<std::size_t>& order) const {
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t i : order) {
    const Candidate& candidate = candidates_[i];
    least = std::min(least, score({candidate.hardware, candidate.text, candidate.outcome, {}}));
  }
  return least;
}

std::vector<std::size_t> Search::worth_placing(std::size_t most) const {
  const std::vector<std::size_t> order = ranking();
  std::vector<std::size_t> found;
  if (order.empty()) {
    return found;
  }
  const double enough = least_expected(order) * (1 + request_.chance);
  for (const std::size_t i : order) {
    const bool promises_more = i == order.front();
    const bool nearly_as_much =
        request_.chance > 0 && (candidates_[i].placed || score(candidates_[i]) <= enough);
    if (found.size() == most || (!promises_more && !nearly_as_much)) {
      break;
    }
    if (!candidates_[i].placed) {
      found.push_back(i);
    }
  }
  return found;
}

void Search::place_these(const std::vector<std::size_t>& these, std::uint32_t seeds,
                         const Place& place, Progress& progress) {
  std::vector<std::exception_ptr> errors(these.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < these.size(); i = next++) {
      try {
        candidates_[these[i]].placed = place(candidates_[these[i]].hardware, seeds);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads(std::min(these.size(), request_.jobs));
  for (std::thread& thread : threads) {
    thread = std::thread(work);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) {
      std::rethrow_exception(error);
    }
  }
  for (const std::size_t i : these) {
    progress.say(text_of_placed(candidates_[i]));
  }
}

// Once: which of them is first may change, who they are does not.
void Search::place_again(const Place& place, Progress& progress) {
  std::vector<std::size_t> leaders;
  for (const std::size_t i : ranking()) {
    if (candidates_[i].placed && leaders.size() < kLeaders) {
      leaders.push_back(i);
    }
  }
  place_these(leaders, request_.seeds, place, progress);
}

void Search::place(const Place& place, Progress& progress) {
  // The first one alone: it tells how far the estimates are off. However many jobs there are, the
  // same ones follow.
  std::size_t at_once = 1;
  for (std::size_t left = request_.placements; left > 0;) {
    const std::vector<std::size_t> these = worth_placing(std::min(left, at_once));
    if (these.empty()) {
      break;  // what was placed is as good as what the others promise
    }
    place_these(these, 1, place, progress);
    learn();
    left -= these.size();
    at_once = kPlacedAtOnce;
  }
  if (request_.seeds > 1) {
    place_again(place, progress);
  }
}

}  // namespace tessera::fit
