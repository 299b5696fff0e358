#include "scheduler/interlayer/residency.hpp"

#include <algorithm>

#include "scheduler/lower/tiling.hpp"
#include "scheduler/tile_loops/pass_planner.hpp"
#include "scheduler/tiling/decide_pass.hpp"
#include "tessera/allocation.hpp"

namespace tessera {
namespace {

std::uint64_t bytes_of(const Traffic& traffic) {
  return traffic.read_bytes + traffic.write_bytes;
}

struct Candidate : ResidencyCandidate {
  std::size_t begin = 0;  // places at which it lies in the buffer
  std::size_t end = 0;    // the last of them
  bool kept = true;
  std::uint64_t at = 0;

  [[nodiscard]] bool alive(std::size_t place) const {
    return kept && begin <= place && place <= end;
  }
  /// What it takes from the others for what it gives.
  [[nodiscard]] bool is_dearer_than(const Candidate& other) const {
    return atoms * (end - begin + 1) * other.saved_bytes >
           other.atoms * (other.end - other.begin + 1) * saved_bytes;
  }
};

class ResidencyPlanner {
 public:
  ResidencyPlanner(const PlannedUnits& units, std::vector<FusedGroup> groups, double part)
      : units_(units),
        groups_(std::move(groups)),
        order_(units.order),
        hw_(units.hardware),
        most_atoms_(static_cast<std::uint64_t>(units.hardware.cbuf_atoms() * part)) {}

  Residency run() {
    find_candidates();
    do {
      place();
    } while (drop_one());
    return result();
  }

 private:
  [[nodiscard]] const FusedOperator& unit_at(std::size_t place) const {
    return units_.unit_at(place);
  }
  [[nodiscard]] const std::vector<ScheduledPass>& passes_at(std::size_t place) const {
    return units_.passes_at(place);
  }

  [[nodiscard]] const FusedGroup* group_at(std::size_t place) const {
    for (const FusedGroup& group : groups_) {
      if (group.holds(place)) {
        return &group;
      }
    }
    return nullptr;
  }
  // The places at which what a place needs is needed: all of its group's.
  [[nodiscard]] FusedGroup span(std::size_t place) const {
    const FusedGroup* group = group_at(place);
    return group != nullptr ? *group : FusedGroup{place, place};
  }

  void find_candidates() {
    for (ResidencyCandidate& candidate : find_residency_candidates(units_)) {
      const FusedGroup writers = span(candidate.writer);
      if (candidate.writer != writers.last && candidate.readers.front() == candidate.writer + 1) {
        fused_buffers_.emplace_back(candidate.buffer,
                                    candidate.external || candidate.readers.size() > 1);
      } else if (candidate.atoms <= most_atoms_ && whole(candidate)) {
        Candidate alive;
        static_cast<ResidencyCandidate&>(alive) = std::move(candidate);
        alive.begin = writers.first;
        alive.end = span(alive.readers.back()).last;
        candidates_.push_back(std::move(alive));
      }
    }
  }

  // In a group only the first layer reads, and only the last one writes what others see.
  [[nodiscard]] bool whole(const ResidencyCandidate& candidate) const {
    return span(candidate.writer).last == candidate.writer &&
           std::all_of(candidate.readers.begin(), candidate.readers.end(),
                       [&](std::size_t reader) { return span(reader).first == reader; });
  }

  // Places ----------------------------------------------------------------------------------------

  void place() {
    AllocationProblem problem;
    std::vector<Candidate*> kept;
    for (Candidate& candidate : candidates_) {
      if (candidate.kept) {
        kept.push_back(&candidate);
        problem.buffers.push_back({"", static_cast<std::int64_t>(candidate.begin),
                                   static_cast<std::int64_t>(candidate.end) + 1, candidate.atoms});
      }
    }
    if (!kept.empty()) {
      const Allocation allocation = allocate_greedy_size(problem);
      for (std::size_t i = 0; i < kept.size(); ++i) {
        kept[i]->at = hw_.cbuf_begin() + allocation.offsets[i];
      }
    }
    windows_.clear();
    for (std::size_t p = 0; p < order_.size(); ++p) {
      windows_.push_back(in_banks(window_for(p)));
    }
  }

  // What is free already while the place before runs can be loaded by then, if it is enough.
  [[nodiscard]] Region window_for(std::size_t place) const {
    const Region most = largest_gap(place, place);
    if (place == 0 || is_whole(most) || unit_at(place).kind != OperatorPlace::Accelerator) {
      return most;
    }
    const Region early = largest_gap(place - 1, place);
    std::uint64_t wanted = 0;
    for (const ScheduledPass& pass : passes_at(place)) {
      const std::uint64_t weights =
          packed_bytes(pass.shape.conv, hw_) / weight_unit_bytes(pass.shape.conv, hw_);
      const std::uint64_t feature = std::uint64_t{u32(pass.shape.conv.in_h)} *
                                    u32(pass.shape.conv.in_w) * atoms_of(pass.shape.conv, hw_);
      wanted = std::max(wanted, weights + (reads_kept(place) ? 0 : feature));
    }
    return early.size() >= wanted || early.size() >= most.size() / 4 * 3 ? early : most;
  }

  // What kept tensors leave from one place to another, the larger one of equals higher up. Empty:
  // nothing.
  [[nodiscard]] Region largest_gap(std::size_t from, std::size_t to) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (const Candidate& candidate : candidates_) {
      if (candidate.alive(from) || candidate.alive(to)) {
        taken.emplace_back(candidate.at, candidate.at + candidate.atoms);
      }
    }
    taken.emplace_back(hw_.cbuf_end(), hw_.cbuf_end());
    std::sort(taken.begin(), taken.end());
    Region gap;
    std::uint64_t free = hw_.cbuf_begin();
    for (const auto& [begin, end] : taken) {
      const std::uint64_t most = std::min<std::uint64_t>(begin, hw_.cbuf_end());
      if (most > free && most - free >= gap.size()) {
        gap = {u32(free), u32(most)};
      }
      free = std::max(free, end);
    }
    return gap;
  }

  [[nodiscard]] bool is_whole(const Region& window) const {
    return window.size() == hw_.cbuf_atoms();
  }

  // Weights in banks of their own never meet features there; not where that takes much of the rest.
  [[nodiscard]] Region in_banks(Region window) const {
    const auto bank = hw_.bank_atoms();
    const std::uint32_t begin = u32(ceil_div(window.begin, bank)) * bank;
    if (window.begin != hw_.cbuf_begin() && begin < window.end &&
        (begin - window.begin) * 4 <= window.size()) {
      window.begin = begin;
    }
    const std::uint32_t end = window.end / bank * bank;
    if (window.end != hw_.cbuf_end() && end > window.begin &&
        (window.end - end) * 4 <= window.size()) {
      window.end = end;
    }
    return window;
  }

  // Gives up what is dearest where a layer has too little left; false when all have enough.
  bool drop_one() {
    for (std::size_t p = 0; p < order_.size(); ++p) {
      if (unit_at(p).kind != OperatorPlace::Accelerator || span(p).first != p || has_enough(p)) {
        continue;
      }
      Candidate* dearest = nullptr;
      for (Candidate& candidate : candidates_) {
        if (candidate.alive(p) && (dearest == nullptr || candidate.is_dearer_than(*dearest))) {
          dearest = &candidate;
        }
      }
      if (dearest != nullptr) {
        dearest->kept = false;
      } else if (!dissolve(p)) {
        // Nothing stays here: what is free early, or in whole banks, is too little.
        windows_[p] = largest_gap(p, p);
        continue;
      }
      return true;
    }
    return false;
  }

  // A group that does not fit even alone, since its feature does not stay.
  bool dissolve(std::size_t place) {
    const auto group = std::find_if(groups_.begin(), groups_.end(),
                                    [&](const FusedGroup& g) { return g.holds(place); });
    if (group == groups_.end()) {
      return false;
    }
    groups_.erase(group);
    candidates_.clear();
    fused_buffers_.clear();
    find_candidates();
    return true;
  }

  [[nodiscard]] bool reads_kept(std::size_t place) const {
    return std::any_of(candidates_.begin(), candidates_.end(), [&](const Candidate& c) {
      return c.kept && std::find(c.readers.begin(), c.readers.end(), place) != c.readers.end();
    });
  }

  bool has_enough(std::size_t place) const {
    const FusedGroup* group = group_at(place);
    if (is_whole(windows_[place]) && group == nullptr) {
      return true;
    }
    const std::uint32_t left = windows_[place].size();
    if (left == 0) {
      return false;
    }
    const bool kept = reads_kept(place);
    const std::uint64_t saved = saved_at(place);
    if (group != nullptr) {
      return group_has_enough(*group, left, kept, saved);
    }
    std::uint64_t more = 0;
    for (const ScheduledPass& pass : passes_at(place)) {
      const auto decision = decide_within(pass, hw_, units_.policy, {left}, kept);
      if (!decision) {
        return false;
      }
      if (!kept) {
        const std::uint64_t now = bytes_of(traffic_of(pass.shape.conv, hw_, decision->strategy));
        const std::uint64_t alone = bytes_of(traffic_of(pass.shape.conv, hw_, pass.strategy));
        more += now - std::min(now, alone);
      }
    }
    return more <= saved;
  }

  [[nodiscard]] std::uint64_t saved_at(std::size_t place) const {
    std::uint64_t saved = 0;
    for (const Candidate& candidate : candidates_) {
      saved += candidate.alive(place) ? candidate.saved_bytes : 0;
    }
    return saved;
  }

  // Smaller bands, whose windows walk more rows, against bytes that do not move.
  [[nodiscard]] bool group_has_enough(const FusedGroup& group, std::uint32_t left, bool kept,
                                      std::uint64_t saved) const {
    const auto now = fused_layout(fused_shapes(units_, group, kept), hw_, left);
    const auto alone = fused_layout(fused_shapes(units_, group, false), hw_, hw_.cbuf_atoms());
    if (!now || !alone) {
      return now.has_value();
    }
    if (units_.policy.objective != Objective::Cycles) {
      return now->bytes <= alone->bytes + saved;
    }
    // While rows pass from layer to layer, the bus is idle most of the time.
    constexpr double kIdle = 3;
    const std::uint64_t more = now->cycles - std::min(now->cycles, alone->cycles);
    return static_cast<double>(more) * units_.policy.memory.bytes_per_cycle * kIdle <=
           static_cast<double>(saved);
  }

  [[nodiscard]] Residency result() const {
    Residency residency = no_residency(units_.plan, units_.activations, hw_);
    for (const Candidate& candidate : candidates_) {
      if (!candidate.kept) {
        continue;
      }
      UnitResidency& writer = residency.units[order_[candidate.writer]];
      writer.output = static_cast<std::uint32_t>(candidate.at);
      writer.stored = candidate.external;
      residency.external[candidate.buffer] = candidate.external;
      for (const std::size_t reader : candidate.readers) {
        residency.units[order_[reader]].feature = static_cast<std::uint32_t>(candidate.at);
      }
    }
    for (std::size_t p = 0; p < order_.size(); ++p) {
      residency.units[order_[p]].window = windows_[p];
    }
    for (const auto& [buffer, external] : fused_buffers_) {
      residency.external[buffer] = external;
    }
    residency.groups = groups_;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const FusedGroup& group = groups_[g];
      const std::uint32_t left = windows_[group.first].size();
      residency.layouts.push_back(
          fused_layout(fused_shapes(units_, group, reads_kept(group.first)), hw_, left).value());
      for (std::size_t p = group.first; p <= group.last; ++p) {
        residency.units[order_[p]].group = g;
      }
    }
    return residency;
  }

  const PlannedUnits& units_;
  std::vector<FusedGroup> groups_;
  const std::vector<std::uint32_t>& order_;
  const Hardware& hw_;
  std::uint64_t most_atoms_;
  std::vector<std::pair<std::size_t, bool>> fused_buffers_;  // and whether others need them
  std::vector<Candidate> candidates_;
  std::vector<Region> windows_;  // by place
};

}  // namespace

Residency no_residency(const Partition& plan, const Activations& activations,
                       const Hardware& hardware) {
  UnitResidency unit;
  unit.window = {hardware.cbuf_begin(), hardware.cbuf_end()};
  return {std::vector<UnitResidency>(plan.units.size(), unit),
          std::vector<bool>(activations.buffers(), true),
          {},
          {}};
}

Residency plan_residency(const PlannedUnits& units, const std::vector<FusedGroup>& groups,
                         double part) {
  return ResidencyPlanner(units, groups, part).run();
}

}  // namespace tessera
