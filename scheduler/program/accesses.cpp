#include "scheduler/program/accesses.hpp"

#include <algorithm>

#include "scheduler/lower/tiling.hpp"
#include "timing/data_path/channel_pieces.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kSumBytes = 4;

class Counter {
 public:
  explicit Counter(const Hardware& hardware) : hw_(hardware) {}

  Accesses operator()(const MarkOperation& /*mark*/) const { return {}; }

  Accesses operator()(const LoadOperation& load) const {
    if (load.code) {
      return {std::uint64_t{load.code->atoms} * hw_.atomic_c, 0};
    }
    const bool to_cbuf = load.kind == isa::LoadKind::Feature || load.kind == isa::LoadKind::Weight;
    return {to_cbuf ? load.source.bytes() : 0, 0};
  }

  // Each step reads an atom of features and adds to one word; each weight tile is read once.
  Accesses operator()(const ConvOperation& conv) const {
    const std::uint64_t kernels =
        std::uint64_t{conv.weights.groups - 1} * hw_.atomic_k + conv.weights.last_kernels;
    const std::uint64_t outputs = std::uint64_t{conv.tile.rows} * conv.tile.cols;
    std::uint64_t steps = 0;
    std::uint64_t sums = 0;
    std::uint64_t tiles = 0;
    if (conv.window) {
      const std::uint64_t windows = std::uint64_t{conv.window->chunks_y} * conv.window->chunks_x;
      tiles = windows;
      const std::uint64_t pieces =
          timing::channel_pieces(conv.weights, conv.first_byte, hw_).size();
      const bool spaced = conv.window->spaced != 0;
      steps = std::uint64_t{walked(conv.tile.rows, spaced ? 1 : conv.kernel.stride_y,
                                   conv.window->window_h)} *
              walked(conv.tile.cols, spaced ? 1 : conv.kernel.stride_x, conv.window->window_w) *
              windows * pieces;
      sums = outputs * windows * pieces;
    } else {
      tiles = std::uint64_t{conv.kernel.kernel_h} * conv.kernel.kernel_w * conv.input.atoms;
      steps = outputs * tiles * conv.weights.groups;
      sums = steps;
    }
    return {(steps + tiles * kernels) * hw_.atomic_c, sums * 2 * kSumBytes * hw_.atomic_k};
  }

  Accesses operator()(const StoreOperation& store) const {
    const std::uint64_t words = std::uint64_t{store.tile.pixels} * store.tile.groups;
    return {store.keep ? words * hw_.atomic_k : 0, words * kSumBytes * hw_.atomic_k};
  }

 private:
  const Hardware& hw_;
};

}  // namespace

Accesses accesses_of(const std::vector<Operation>& operations, const Hardware& hardware) {
  Accesses sum;
  for (const Operation& operation : operations) {
    sum += std::visit(Counter(hardware), operation.body);
  }
  return sum;
}

void AtomsUsed::add(const std::vector<Operation>& operations) {
  for (const Operation& operation : operations) {
    for (const Access& access : operation.accesses) {
      if (access.resource == Resource::Cbuf && access.write) {
        ranges_.emplace_back(access.begin, access.end);
      }
    }
  }
}

std::uint64_t AtomsUsed::count() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges = ranges_;
  std::sort(ranges.begin(), ranges.end());
  std::uint64_t sum = 0;
  std::uint64_t covered = 0;
  for (const auto& [begin, end] : ranges) {
    const std::uint64_t from = std::max(begin, covered);
    sum += end > from ? end - from : 0;
    covered = std::max(covered, end);
  }
  return sum;
}

}  // namespace tessera
