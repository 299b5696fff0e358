#include "scheduler/lower/strided_view.hpp"

#include <algorithm>

#include "scheduler/lower/partition.hpp"

namespace tessera {
namespace {

// Bytes of a tensor from one step along dimension `axis - 1` to the next.
std::uint64_t block_of(const Tensor& tensor, std::size_t axis) {
  std::uint64_t bytes = 1;
  for (std::size_t d = axis; d < tensor.shape.size(); ++d) {
    bytes *= static_cast<std::uint64_t>(tensor.shape[d]);
  }
  return bytes;
}

class Embedder {
 public:
  Embedder(const Network& network, Partition& plan) : network_(network), plan_(plan) {}

  void run() {
    std::vector<std::vector<std::int32_t>> read(plan_.units.size());
    for (std::size_t u = 0; u < read.size(); ++u) {
      for (const ArrayPass& piece : plan_.units[u].lowering.passes) {
        read[u].push_back(piece.feature);
      }
    }
    // Slices of slices first, so that they move along with these.
    for (auto unit = plan_.units.rbegin(); unit != plan_.units.rend(); ++unit) {
      const Operator& op = network_.operators[unit->op];
      if (const auto* slice = std::get_if<StridedSlice>(&op.attributes); slice != nullptr) {
        view(*unit, op, *slice);
      }
    }
    for (std::size_t u = 0; u < read.size(); ++u) {
      const Operator& op = network_.operators[plan_.units[u].op];
      if (const auto* concat = std::get_if<Concatenation>(&op.attributes); concat != nullptr) {
        write_in_place(plan_.units[u], *concat, std::move(read[u]));
      }
    }
  }

 private:
  [[nodiscard]] const Tensor& tensor(std::int32_t index) const {
    return network_.tensors[static_cast<std::size_t>(index)];
  }

  // One range of one axis, or all of it, is read where it lies.
  void view(FusedOperator& unit, const Operator& op, const StridedSlice& slice) {
    const Tensor& in = tensor(op.inputs[0]);
    const Tensor& out = tensor(op.output);
    std::size_t axis = in.shape.size();
    for (std::size_t d = 0; d < in.shape.size(); ++d) {
      if (out.shape[d] != in.shape[d]) {
        if (axis != in.shape.size() || slice.stride[d] != 1) {
          return;
        }
        axis = d;
      }
    }
    axis = axis == in.shape.size() ? 0 : axis;
    if (unit.kind != OperatorPlace::Accelerator || unit.lowering.post || in.shape.empty() ||
        slice.stride[axis] != 1 || !same_quantisation(in, out)) {
      return;
    }
    const std::uint64_t inner = block_of(in, axis + 1);
    StridedView place{op.inputs[0], static_cast<std::uint64_t>(slice.begin[axis]) * inner,
                      block_of(out, axis), block_of(in, axis)};
    if (place.pitch == block_of(in, 0)) {
      // Without gaps: as its smallest parts, which may get some where the input lies in another.
      place.block = place.pitch = static_cast<std::uint64_t>(in.shape.back());
    }
    if (is_shared(op.output) || !readers_follow(op.output, place)) {
      return;
    }
    move(op.output, place);
    unit.kind = OperatorPlace::NoCopy;
    unit.place = place;
    unit.lowering = {};
  }

  // What computes the inputs writes them where they belong. `inputs`: what each pass copies, which
  // may lie in another tensor by now.
  void write_in_place(FusedOperator& concat, const Concatenation& attributes,
                      std::vector<std::int32_t> inputs) {
    const Operator& op = network_.operators[concat.op];
    if (concat.kind != OperatorPlace::Accelerator || concat.lowering.post || is_state(op.output)) {
      return;
    }
    const auto axis = static_cast<std::size_t>(attributes.axis);
    const Tensor& out = tensor(op.output);
    std::uint64_t offset = 0;
    for (const std::int32_t input : op.inputs) {
      const StridedView place{op.output, offset, block_of(tensor(input), axis),
                              block_of(out, axis)};
      offset += place.block;
      const auto writer =
          std::find_if(plan_.units.begin(), plan_.units.end(),
                       [&](const FusedOperator& unit) { return unit.output == input; });
      const bool once = std::count(op.inputs.begin(), op.inputs.end(), input) == 1;
      if (!once || writer == plan_.units.end() || !same_quantisation(tensor(input), out) ||
          is_shared(input) || !writer_follows(*writer, place)) {
        continue;
      }
      std::vector<ArrayPass> kept;
      std::vector<std::int32_t> kept_inputs;
      for (std::size_t p = 0; p < inputs.size(); ++p) {
        if (inputs[p] != input || concat.lowering.passes[p].of_constants) {
          kept.push_back(concat.lowering.passes[p]);
          kept_inputs.push_back(inputs[p]);
        }
      }
      kept.swap(concat.lowering.passes);
      if (!readers_follow(input, place)) {
        kept.swap(concat.lowering.passes);
        continue;
      }
      inputs = std::move(kept_inputs);
      writer->place = place;
      move(input, place);
    }
    if (concat.lowering.passes.empty()) {
      concat.kind = OperatorPlace::NoCopy;
    }
  }

  [[nodiscard]] bool is_state(std::int32_t index) const {
    return std::any_of(network_.states.begin(), network_.states.end(), [&](const State& state) {
      return state.input == index || state.output == index;
    });
  }

  // Seen from outside, or through another tensor that knows nothing of gaps.
  [[nodiscard]] bool is_shared(std::int32_t index) const {
    const auto& outputs = network_.outputs;
    const auto& inputs = network_.inputs;
    if (std::find(outputs.begin(), outputs.end(), index) != outputs.end() ||
        std::find(inputs.begin(), inputs.end(), index) != inputs.end() || is_state(index)) {
      return true;
    }
    for (std::size_t t = 0; t < network_.tensors.size(); ++t) {
      const auto other = static_cast<std::int32_t>(t);
      if ((other == index) != (plan_.aliases.of(other).tensor == index)) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool readers_follow(std::int32_t index, const StridedView& place) const {
    return std::all_of(plan_.units.begin(), plan_.units.end(), [&](const FusedOperator& unit) {
      if (unit.place && unit.place->tensor == index && !place.holds(*unit.place)) {
        return false;
      }
      if (unit.kind != OperatorPlace::Accelerator) {
        const auto& inputs = network_.operators[unit.op].inputs;
        return unit.place || std::find(inputs.begin(), inputs.end(), index) == inputs.end();
      }
      const auto& pieces = unit.lowering.passes;
      const bool operand = unit.lowering.post && unit.lowering.post->operand == index;
      return std::all_of(pieces.begin(), pieces.end(), [&](const ArrayPass& piece) {
        const ConvShape& shape = piece.shape;
        const bool reads = piece.feature == index;
        return (!reads || (!piece.folded &&
                           place.holds(piece.feature_view, shape.in_h, shape.in_w, shape.in_c))) &&
               (!piece.weights || piece.weights->tensor != index ||
                place.holds(piece.weights->view, 1, shape.out_c, shape.in_c)) &&
               (!operand || !piece.operand_view ||
                place.holds(*piece.operand_view, shape.out_h, shape.out_w, shape.out_c));
      });
    });
  }

  [[nodiscard]] static bool writer_follows(const FusedOperator& unit, const StridedView& place) {
    // A concatenation without copies is written by what writes its inputs.
    const auto& pieces = unit.lowering.passes;
    return unit.kind != OperatorPlace::Host && !unit.place &&
           std::all_of(pieces.begin(), pieces.end(), [&](const ArrayPass& piece) {
             const ConvShape& shape = piece.shape;
             return place.holds(piece.output_view, shape.out_h, shape.out_w, shape.out_c);
           });
  }

  // All that reads the tensor, or lies in it, finds it in the other one.
  void move(std::int32_t index, const StridedView& place) {
    for (FusedOperator& unit : plan_.units) {
      const bool operand = unit.lowering.post && unit.lowering.post->operand == index;
      for (ArrayPass& piece : unit.lowering.passes) {
        if (piece.feature == index) {
          piece.feature = place.tensor;
          piece.feature_view = place.within(piece.feature_view);
        }
        if (piece.weights && piece.weights->tensor == index) {
          piece.weights->tensor = place.tensor;
          piece.weights->view = place.within(piece.weights->view);
        }
        if (operand && piece.operand_view) {
          piece.operand_view = place.within(*piece.operand_view);
        }
      }
      if (operand) {
        unit.lowering.post->operand = place.tensor;
      }
      if (unit.place && unit.place->tensor == index) {
        const View own = place.within({unit.place->offset, unit.place->pitch, 0, 1});
        unit.place = StridedView{place.tensor, own.offset, unit.place->block, own.row_stride};
      }
    }
  }

  const Network& network_;
  Partition& plan_;
};

}  // namespace

bool StridedView::holds(const StridedView& inner) const {
  return inner.pitch % block == 0 && inner.offset % block + inner.block <= block;
}

bool StridedView::holds(const View& view, std::int32_t rows, std::int32_t cols,
                        std::int32_t channels) const {
  // Steps go from block to block, or stay inside one.
  std::uint64_t reach = view.offset % block;
  const auto stays = [&](std::uint64_t stride, std::int32_t extent) {
    if (extent > 1 && stride % block != 0) {
      reach += stride * static_cast<std::uint64_t>(extent - 1);
    }
  };
  stays(view.row_stride, rows);
  stays(view.pixel_stride, cols);
  stays(view.channel_stride, channels);
  return (channels == 1 || view.channel_stride % block != 0) && reach < block;
}

View StridedView::within(const View& view) const {
  const auto scaled = [this](std::uint64_t bytes) {
    return bytes % block == 0 ? bytes / block * pitch : bytes;
  };
  return {view.offset / block * pitch + view.offset % block + offset, scaled(view.row_stride),
          scaled(view.pixel_stride), view.channel_stride};
}

void embed_tensors(const Network& network, Partition& plan) {
  Embedder(network, plan).run();
}

}  // namespace tessera
