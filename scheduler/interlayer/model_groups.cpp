#include "scheduler/interlayer/model_groups.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>

namespace tessera {
namespace {

class GroupAllocator {
 public:
  GroupAllocator(const AllocationProblem& problem, const std::vector<BufferOwner>& owners,
                 PlannerName planner, const SearchBudget& budget)
      : problem_(problem), owners_(owners), planner_(planner), budget_(budget) {
    outer_.alignment = problem.alignment;
    for (const BufferOwner& owner : owners) {
      models_of_[owner.group].insert(owner.model);
    }
  }

  Allocation run() {
    std::map<std::uint32_t, std::vector<std::size_t>> together;  // by model
    for (std::size_t b = 0; b < owners_.size(); ++b) {
      if (models_of_[owners_[b].group].size() > 1 && !owners_[b].kept) {
        together[owners_[b].model].push_back(b);
      } else {
        add_single(b);
      }
    }
    for (const auto& [model, buffers] : together) {
      add_block(buffers);
    }
    stretch_kept();
    add_overlaps();
    return placed();
  }

 private:
  struct Inside {
    std::size_t block = 0;
    std::uint64_t offset = 0;
  };

  void add_single(std::size_t b) {
    inside_[b] = {outer_.buffers.size(), 0};
    outer_.buffers.push_back(problem_.buffers[b]);
    inner_bounds_.push_back(problem_.buffers[b].size);
  }

  // All of the group's time, however its models take turns.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> time_of(std::uint32_t group) const {
    std::int64_t lower = std::numeric_limits<std::int64_t>::max();
    std::int64_t upper = std::numeric_limits<std::int64_t>::min();
    for (std::size_t b = 0; b < owners_.size(); ++b) {
      if (owners_[b].group == group) {
        lower = std::min(lower, problem_.buffers[b].lower);
        if (!owners_[b].kept) {
          upper = std::max(upper, problem_.buffers[b].upper);
        }
      }
    }
    return {lower, upper};
  }

  void add_block(const std::vector<std::size_t>& buffers) {
    AllocationProblem inner;
    inner.alignment = problem_.alignment;
    std::map<std::size_t, std::size_t> index;
    for (const std::size_t b : buffers) {
      index[b] = inner.buffers.size();
      inner.buffers.push_back(problem_.buffers[b]);
    }
    for (const Overlap& overlap : problem_.overlaps) {
      if (index.count(overlap.below) > 0 && index.count(overlap.above) > 0) {
        inner.overlaps.push_back({index[overlap.below], index[overlap.above], overlap.distance});
      }
    }
    const Allocation allocation = allocate(inner, planner_, budget_);
    for (const std::size_t b : buffers) {
      inside_[b] = {outer_.buffers.size(), allocation.offsets[index[b]]};
    }
    const auto [lower, upper] = time_of(owners_[buffers[0]].group);
    const std::uint64_t unit = problem_.alignment;
    outer_.buffers.push_back({"model", lower, upper, (allocation.height + unit - 1) / unit * unit});
    inner_bounds_.push_back(allocation.lower_bound);
  }

  // A kept output of a model that runs beside others is written at any time of the group.
  void stretch_kept() {
    for (std::size_t b = 0; b < owners_.size(); ++b) {
      if (owners_[b].kept && models_of_[owners_[b].group].size() > 1) {
        outer_.buffers[inside_[b].block].lower = time_of(owners_[b].group).first;
      }
    }
  }

  void add_overlaps() {
    for (const Overlap& overlap : problem_.overlaps) {
      const bool alone = models_of_[owners_[overlap.below].group].size() == 1;
      if (alone) {
        outer_.overlaps.push_back(
            {inside_[overlap.below].block, inside_[overlap.above].block, overlap.distance});
      }
    }
  }

  Allocation placed() {
    const Allocation outer = allocate(outer_, planner_, budget_);
    Allocation result;
    result.height = outer.height;
    result.steps = outer.steps;
    AllocationProblem least = outer_;
    for (std::size_t i = 0; i < least.buffers.size(); ++i) {
      least.buffers[i].size = inner_bounds_[i];
    }
    const bool exact =
        std::equal(inner_bounds_.begin(), inner_bounds_.end(), outer_.buffers.begin(),
                   [](std::uint64_t bound, const Buffer& buffer) { return bound == buffer.size; });
    result.lower_bound = exact ? outer.lower_bound : live_bound(least);
    result.offsets.resize(owners_.size());
    for (const auto& [b, inside] : inside_) {
      result.offsets[b] = outer.offsets[inside.block] + inside.offset;
    }
    return result;
  }

  const AllocationProblem& problem_;
  const std::vector<BufferOwner>& owners_;
  PlannerName planner_;
  const SearchBudget& budget_;
  std::map<std::uint32_t, std::set<std::uint32_t>> models_of_;  // by group
  std::map<std::size_t, Inside> inside_;                        // by buffer
  AllocationProblem outer_;
  std::vector<std::uint64_t> inner_bounds_;  // by buffer of outer_
};

// Programs of one network, as policy `best` and sweeps make them, mostly have the same activations.
Allocation allocate_once(const AllocationProblem& problem, PlannerName planner,
                         const SearchBudget& budget) {
  struct Known {
    std::vector<std::uint64_t> key;
    Allocation allocation;
  };
  constexpr std::size_t kMostKnown = 8;
  static thread_local std::deque<Known> all_known;
  std::vector<std::uint64_t> key = {static_cast<std::uint64_t>(planner), budget.steps,
                                    problem.alignment, problem.buffers.size()};
  for (const Buffer& buffer : problem.buffers) {
    key.insert(key.end(), {static_cast<std::uint64_t>(buffer.lower),
                           static_cast<std::uint64_t>(buffer.upper), buffer.size});
  }
  for (const Overlap& overlap : problem.overlaps) {
    key.insert(key.end(), {overlap.below, overlap.above, overlap.distance});
  }
  for (const Known& known : all_known) {
    if (known.key == key) {
      return known.allocation;
    }
  }
  if (all_known.size() == kMostKnown) {
    all_known.pop_front();
  }
  all_known.push_back({std::move(key), allocate(problem, planner, budget)});
  return all_known.back().allocation;
}

}  // namespace

Allocation allocate_models(const AllocationProblem& problem, const std::vector<BufferOwner>& owners,
                           PlannerName planner, const SearchBudget& budget) {
  std::map<std::uint32_t, std::uint32_t> model_of_group;
  const bool alone = std::all_of(owners.begin(), owners.end(), [&](const BufferOwner& owner) {
    return model_of_group.emplace(owner.group, owner.model).first->second == owner.model;
  });
  return alone ? allocate_once(problem, planner, budget)
               : GroupAllocator(problem, owners, planner, budget).run();
}

}  // namespace tessera
