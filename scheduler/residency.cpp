#include "scheduler/residency.hpp"

#include <algorithm>

#include "scheduler/layer_planner.hpp"
#include "scheduler/tiling.hpp"
#include "tessera/allocation.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kMostPixelAtoms = 4095;  // ST_KEEP

bool is_packed(const View& view, std::int32_t cols, std::int32_t channels) {
  const View packed = packed_view(cols, channels);
  return view.offset == 0 && view.channel_stride == 1 && view.row_stride == packed.row_stride &&
         view.pixel_stride == packed.pixel_stride;
}

std::uint64_t bytes_of(const Traffic& traffic) {
  return traffic.read_bytes + traffic.write_bytes;
}

struct Candidate {
  std::size_t buffer = 0;
  std::size_t writer = 0;            // place in the order
  std::vector<std::size_t> readers;  // places
  bool external = false;             // others need it in memory
  std::uint64_t atoms = 0;
  std::uint64_t saved_bytes = 0;
  bool kept = true;
  std::uint64_t at = 0;

  [[nodiscard]] std::size_t last() const { return readers.back(); }
  [[nodiscard]] bool alive(std::size_t place) const {
    return kept && writer <= place && place <= last();
  }
  /// What it takes from the others for what it gives.
  [[nodiscard]] bool is_dearer_than(const Candidate& other) const {
    return atoms * (last() - writer + 1) * other.saved_bytes >
           other.atoms * (other.last() - other.writer + 1) * saved_bytes;
  }
};

class ResidencyPlanner {
 public:
  ResidencyPlanner(const UnitPlan& plan, const std::vector<std::vector<PlannedPiece>>& pieces,
                   const Activations& activations, const std::vector<std::uint32_t>& order,
                   const Hardware& hardware, const Policy& policy, double part)
      : plan_(plan),
        pieces_(pieces),
        activations_(activations),
        order_(order),
        hw_(hardware),
        policy_(policy),
        most_atoms_(static_cast<std::uint64_t>(hardware.cbuf_atoms() * part)) {}

  Residency run() {
    find_candidates();
    do {
      place();
    } while (drop_one());
    return result();
  }

 private:
  [[nodiscard]] const WorkUnit& unit_at(std::size_t place) const {
    return plan_.units[order_[place]];
  }
  [[nodiscard]] const std::vector<PlannedPiece>& pieces_at(std::size_t place) const {
    return pieces_[order_[place]];
  }

  // Candidates ------------------------------------------------------------------------------------

  void find_candidates() {
    if (hw_.atomic_c != hw_.atomic_k) {
      return;
    }
    std::vector<std::vector<std::size_t>> writers(activations_.buffers());
    for (std::size_t p = 0; p < order_.size(); ++p) {
      if (unit_at(p).kind != UnitKind::NoCopy) {
        if (const std::size_t b = activations_.buffer_of(unit_at(p).written());
            b != Activations::kNone) {
          writers[b].push_back(p);
        }
      }
    }
    for (std::size_t b = 0; b < writers.size(); ++b) {
      if (writers[b].size() == 1) {
        consider(b, writers[b][0]);
      }
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.writer < b.writer; });
  }

  void consider(std::size_t buffer, std::size_t writer) {
    const WorkUnit& unit = unit_at(writer);
    if (unit.kind != UnitKind::Accelerator || pieces_at(writer).size() != 1 || unit.place ||
        plan_.aliases.of(unit.written()).offset != 0) {
      return;
    }
    const ConvShape& made = pieces_at(writer)[0].shape;
    const std::uint32_t per_pixel = groups_of(made, hw_);
    if (!is_packed(unit.lowering.pieces[0].output_view, made.out_w, made.out_c) ||
        per_pixel > kMostPixelAtoms) {
      return;
    }
    Candidate candidate;
    candidate.buffer = buffer;
    candidate.writer = writer;
    candidate.atoms = std::uint64_t{u32(made.out_h)} * u32(made.out_w) * per_pixel;
    const OrderItem& item = activations_.order_problem().items[buffer];
    candidate.external = item.to_end || activations_.is_output(buffer);
    const std::uint64_t bytes = item.size;
    for (std::size_t p = 0; p < order_.size(); ++p) {
      if (p == writer || std::find(item.touched_by.begin(), item.touched_by.end(), order_[p]) ==
                             item.touched_by.end()) {
        continue;
      }
      if (unit_at(p).kind == UnitKind::NoCopy) {
        continue;
      }
      const bool reads_feature = p > writer && can_read(p, buffer, made);
      if (reads_feature && same_run(writer, p)) {
        candidate.readers.push_back(p);
        candidate.saved_bytes += bytes * pieces_at(p).size();
      } else {
        candidate.external = true;
      }
      if (unit_at(p).lowering.post && touches(unit_at(p).lowering.post->operand, buffer)) {
        candidate.external = true;
      }
    }
    candidate.saved_bytes += candidate.external ? 0 : bytes;
    if (!candidate.readers.empty() && candidate.atoms <= most_atoms_) {
      candidates_.push_back(std::move(candidate));
    }
  }

  [[nodiscard]] bool touches(std::int32_t tensor, std::size_t buffer) const {
    return tensor >= 0 && activations_.buffer_of(tensor) == buffer;
  }

  // Whether all passes of the unit read the whole buffer as it lies in the cbuf.
  [[nodiscard]] bool can_read(std::size_t place, std::size_t buffer, const ConvShape& made) const {
    const WorkUnit& unit = unit_at(place);
    if (unit.kind != UnitKind::Accelerator) {
      return false;
    }
    for (std::size_t i = 0; i < pieces_at(place).size(); ++i) {
      const Piece& piece = unit.lowering.pieces[i];
      const PlannedPiece& planned = pieces_at(place)[i];
      const ConvShape& read = planned.shape;
      if (!touches(piece.feature, buffer) || planned.data.fold ||
          plan_.aliases.of(piece.feature).offset != 0 ||
          !is_packed(piece.feature_view, read.in_w, read.in_c)) {
        return false;
      }
      const bool same_pixels = read.in_c == made.out_c;
      const bool whole_atoms =
          u32(read.in_c) % hw_.atomic_c == 0 && u32(made.out_c) % hw_.atomic_c == 0;
      const std::uint64_t elements =
          std::uint64_t{u32(read.in_h)} * u32(read.in_w) * u32(read.in_c);
      const std::uint64_t wanted =
          std::uint64_t{u32(made.out_h)} * u32(made.out_w) * u32(made.out_c);
      if (elements != wanted || !(same_pixels || whole_atoms)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool same_run(std::size_t from, std::size_t to) const {
    for (std::size_t p = from; p <= to; ++p) {
      if (unit_at(p).kind == UnitKind::Host ||
          activations_.model_of(order_[p]) != activations_.model_of(order_[from])) {
        return false;
      }
    }
    return true;
  }

  // Places ----------------------------------------------------------------------------------------

  void place() {
    AllocationProblem problem;
    std::vector<Candidate*> kept;
    for (Candidate& candidate : candidates_) {
      if (candidate.kept) {
        kept.push_back(&candidate);
        problem.buffers.push_back({"", static_cast<std::int64_t>(candidate.writer),
                                   static_cast<std::int64_t>(candidate.last()) + 1,
                                   candidate.atoms});
      }
    }
    top_.assign(order_.size(), 0);
    if (kept.empty()) {
      return;
    }
    const Allocation allocation = allocate_greedy_size(problem);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      kept[i]->at = allocation.offsets[i];
      for (std::size_t p = kept[i]->writer; p <= kept[i]->last(); ++p) {
        top_[p] = std::max(top_[p], kept[i]->at + kept[i]->atoms);
      }
    }
    for (std::uint64_t& top : top_) {
      top = past_bank(top);
    }
  }

  // Weights in banks of their own never meet features there; not where that takes much of the rest.
  [[nodiscard]] std::uint64_t past_bank(std::uint64_t atom) const {
    const std::uint64_t bank = hw_.cbuf_capacity / hw_.atomic_c / hw_.cbuf_banks;
    const std::uint64_t next = ceil_div(atom, bank) * bank;
    const std::uint64_t all = hw_.cbuf_atoms();
    return next < all && (next - atom) * 4 <= all - atom ? next : atom;
  }

  // Gives up what is dearest where a layer has too little left; false when all have enough.
  bool drop_one() {
    for (std::size_t p = 0; p < order_.size(); ++p) {
      if (unit_at(p).kind != UnitKind::Accelerator || has_enough(p)) {
        continue;
      }
      Candidate* dearest = nullptr;
      for (Candidate& candidate : candidates_) {
        if (candidate.alive(p) && (dearest == nullptr || candidate.is_dearer_than(*dearest))) {
          dearest = &candidate;
        }
      }
      dearest->kept = false;
      return true;
    }
    return false;
  }

  [[nodiscard]] bool reads_kept(std::size_t place) const {
    return std::any_of(candidates_.begin(), candidates_.end(), [&](const Candidate& c) {
      return c.kept && std::find(c.readers.begin(), c.readers.end(), place) != c.readers.end();
    });
  }

  bool has_enough(std::size_t place) const {
    if (top_[place] == 0) {
      return true;
    }
    if (top_[place] >= hw_.cbuf_atoms()) {
      return false;
    }
    const auto left = static_cast<std::uint32_t>(hw_.cbuf_atoms() - top_[place]);
    const bool kept = reads_kept(place);
    std::uint64_t more = 0;
    for (const PlannedPiece& piece : pieces_at(place)) {
      const auto decision = decide_within(piece, hw_, policy_, left, kept);
      if (!decision) {
        return false;
      }
      if (!kept) {
        const std::uint64_t now = bytes_of(traffic_of(piece.shape, hw_, *decision));
        const std::uint64_t alone = bytes_of(traffic_of(piece.shape, hw_, piece.decision));
        more += now - std::min(now, alone);
      }
    }
    std::uint64_t saved = 0;
    for (const Candidate& candidate : candidates_) {
      saved += candidate.alive(place) ? candidate.saved_bytes : 0;
    }
    return more <= saved;
  }

  [[nodiscard]] Residency result() const {
    Residency residency = no_residency(plan_, activations_);
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
      residency.units[order_[p]].window = static_cast<std::uint32_t>(top_[p]);
    }
    return residency;
  }

  const UnitPlan& plan_;
  const std::vector<std::vector<PlannedPiece>>& pieces_;
  const Activations& activations_;
  const std::vector<std::uint32_t>& order_;
  const Hardware& hw_;
  const Policy& policy_;
  std::uint64_t most_atoms_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint64_t> top_;  // by place: atoms that kept tensors have, from the first on
};

}  // namespace

Residency no_residency(const UnitPlan& plan, const Activations& activations) {
  return {std::vector<UnitResidency>(plan.units.size()),
          std::vector<bool>(activations.buffers(), true)};
}

Residency plan_residency(const UnitPlan& plan, const std::vector<std::vector<PlannedPiece>>& pieces,
                         const Activations& activations, const std::vector<std::uint32_t>& order,
                         const Hardware& hardware, const Policy& policy, double part) {
  return ResidencyPlanner(plan, pieces, activations, order, hardware, policy, part).run();
}

std::optional<LayerDecision> decide_within(const PlannedPiece& piece, const Hardware& hardware,
                                           const Policy& policy, std::uint32_t atoms,
                                           bool feature_kept) {
  if (!feature_kept && atoms == hardware.cbuf_atoms()) {
    return piece.decision;
  }
  Hardware left = hardware;
  left.cbuf_size = std::uint64_t{atoms} * hardware.atomic_c;
  if (feature_kept) {
    return decide_kept(piece.shape, left);
  }
  Policy own = policy;
  if (piece.data.fold) {
    own.split = SplitChoice::Spatial;  // taps that were made channels cannot be split as channels
  }
  try {
    LayerDecision decision = decide_layer(piece.shape, left, own);
    return piece.data.fold && decision.channel_parts > 1 ? std::nullopt
                                                         : std::optional(std::move(decision));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace tessera
