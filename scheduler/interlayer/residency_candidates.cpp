#include "scheduler/interlayer/residency_candidates.hpp"

#include <algorithm>

#include "scheduler/lower/tiling.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kMostPixelAtoms = 4095;  // ST_KEEP

bool is_packed(const View& view, std::int32_t cols, std::int32_t channels) {
  const View packed = packed_view(cols, channels);
  return view.offset == 0 && view.channel_stride == 1 && view.row_stride == packed.row_stride &&
         view.pixel_stride == packed.pixel_stride;
}

class Finder {
 public:
  explicit Finder(const PlannedUnits& units)
      : units_(units),
        plan_(units.plan),
        activations_(units.activations),
        order_(units.order),
        hw_(units.hardware) {}

  std::vector<ResidencyCandidate> run() {
    find_candidates();
    return std::move(found_);
  }

 private:
  [[nodiscard]] const FusedOperator& unit_at(std::size_t place) const {
    return units_.unit_at(place);
  }
  [[nodiscard]] const std::vector<ScheduledPass>& passes_at(std::size_t place) const {
    return units_.passes_at(place);
  }

  void find_candidates() {
    std::vector<std::vector<std::size_t>> writers(activations_.buffers());
    for (std::size_t p = 0; p < order_.size(); ++p) {
      if (unit_at(p).kind != OperatorPlace::NoCopy) {
        if (const std::size_t b = activations_.buffer_of(unit_at(p).written());
            b != Activations::kNone) {
          writers[b].push_back(p);
        }
      }
    }
    for (std::size_t b = 0; b < writers.size(); ++b) {
      if (writers[b].size() == 1 && !activations_.is_state(b)) {
        consider(b, writers[b][0]);
      }
    }
    std::sort(found_.begin(), found_.end(),
              [](const ResidencyCandidate& a, const ResidencyCandidate& b) {
                return a.writer < b.writer;
              });
  }

  void consider(std::size_t buffer, std::size_t writer) {
    const FusedOperator& unit = unit_at(writer);
    if (unit.kind != OperatorPlace::Accelerator || passes_at(writer).size() != 1 || unit.place ||
        plan_.aliases.of(unit.written()).offset != 0) {
      return;
    }
    const ConvShape& made = passes_at(writer)[0].shape.conv;
    const std::uint32_t per_pixel = output_atoms(made, hw_);
    if (!is_packed(unit.lowering.passes[0].output_view, made.out_w, made.out_c) ||
        per_pixel > kMostPixelAtoms) {
      return;
    }
    ResidencyCandidate candidate;
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
      if (unit_at(p).kind == OperatorPlace::NoCopy) {
        continue;
      }
      const bool reads_feature = p > writer && can_read(p, buffer, made);
      if (reads_feature && same_run(writer, p)) {
        candidate.readers.push_back(p);
        candidate.saved_bytes += bytes * passes_at(p).size();
      } else {
        candidate.external = true;
      }
      if (loads(unit_at(p).lowering, buffer)) {
        candidate.external = true;
      }
    }
    candidate.saved_bytes += candidate.external ? 0 : bytes;
    if (!candidate.readers.empty()) {
      found_.push_back(std::move(candidate));
    }
  }

  // Operands and weights come from external memory.
  [[nodiscard]] bool loads(const Lowering& lowering, std::size_t buffer) const {
    return (lowering.post && touches(lowering.post->operand, buffer)) ||
           std::any_of(lowering.passes.begin(), lowering.passes.end(), [&](const ArrayPass& pass) {
             return pass.weights && touches(pass.weights->tensor, buffer);
           });
  }

  [[nodiscard]] bool touches(std::int32_t tensor, std::size_t buffer) const {
    return tensor >= 0 && activations_.buffer_of(tensor) == buffer;
  }

  // Whether all passes of the unit read the whole buffer as it lies in the cbuf.
  [[nodiscard]] bool can_read(std::size_t place, std::size_t buffer, const ConvShape& made) const {
    const FusedOperator& unit = unit_at(place);
    if (unit.kind != OperatorPlace::Accelerator) {
      return false;
    }
    for (std::size_t i = 0; i < passes_at(place).size(); ++i) {
      const ArrayPass& piece = unit.lowering.passes[i];
      const ScheduledPass& planned = passes_at(place)[i];
      const ConvShape& read = planned.shape.conv;
      if (!touches(piece.feature, buffer) || planned.shape.fold ||
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
      if (unit_at(p).kind == OperatorPlace::Host ||
          activations_.model_of(order_[p]) != activations_.model_of(order_[from])) {
        return false;
      }
    }
    return true;
  }

  const PlannedUnits& units_;
  const Partition& plan_;
  const Activations& activations_;
  const std::vector<std::uint32_t>& order_;
  const Hardware& hw_;
  std::vector<ResidencyCandidate> found_;
};

}  // namespace

std::vector<ResidencyCandidate> find_residency_candidates(const PlannedUnits& units) {
  if (!units.hardware.has(isa::Feature::Keep)) {
    return {};
  }
  return Finder(units).run();
}

}  // namespace tessera
