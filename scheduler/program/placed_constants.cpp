#include "scheduler/program/placed_constants.hpp"

#include <algorithm>

#include "scheduler/actions/constants.hpp"
#include "scheduler/decide/side_by_side.hpp"
#include "scheduler/program/alignment.hpp"
#include "scheduler/program/shared_bytes.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kSmallKernel = 4096;  // bytes; such are often shared, and cheap to make

std::vector<std::uint8_t> bytes_of(const std::vector<std::int32_t>& values) {
  std::vector<std::uint8_t> bytes;
  for (const std::int32_t value : values) {
    for (int b = 0; b < 4; ++b) {
      bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(value) >> (8 * b)));
    }
  }
  return bytes;
}

/// Bytes of the whole program, about, but for its commands.
std::uint64_t image_bytes(const Prepared& prepared, const DecidedNetwork& decided) {
  std::uint64_t bytes = 0;
  for (const std::vector<PlannedPiece>& pieces : decided.pieces) {
    for (const PlannedPiece& piece : pieces) {
      bytes += align(packed_bytes(piece.shape, prepared.hardware)) +
               align(std::uint64_t{kParamBytes} * u32(piece.shape.out_c));
    }
  }
  for (const Tensor& tensor : prepared.network.tensors) {
    bytes += tensor.constant.empty() ? tensor.bytes() : 0;
  }
  return bytes;
}

class ConstantWriter {
 public:
  ConstantWriter(const Prepared& prepared, Contents contents, PlacedConstants& placed)
      : network_(prepared.network),
        hardware_(prepared.hardware),
        contents_(contents),
        placed_(placed) {}

  void add_kernel(const Piece& piece, const PlannedPiece& planned, LayerData& data) {
    const std::uint64_t bytes = packed_bytes(planned.shape, hardware_);
    const bool left_out =
        contents_ == Contents::Commands && bytes > kSmallKernel && !piece.own_weights;
    LayerKernel kernel = piece.kernel(left_out ? Contents::Commands : Contents::All);
    data.quant = kernel.quant;
    const std::uint64_t taps = std::uint64_t{u32(piece.shape.kernel_h)} *
                               u32(piece.shape.kernel_w) *
                               (piece.shape.depthwise ? 1 : u32(piece.shape.in_c));
    data.param_bytes = param_bytes(kernel, taps);
    if (data.param_bytes == sizeof(std::uint32_t)) {
      data.factor = isa::LdFactor{static_cast<std::uint32_t>(kernel.factors[0].multiplier),
                                  kernel.factors[0].shift};
    }
    data.padding_value = kernel.padding_value;
    if (planned.columns > 1) {
      kernel = side_by_side(kernel, piece.shape, planned.columns);
    }
    if (left_out) {
      data.weights = shared_.reserve(bytes, placed_.image);
      data.params = shared_.reserve(packed_params_bytes(kernel.biases.size(), data.param_bytes),
                                    placed_.image);
      return;
    }
    if (data.fold) {
      kernel.weights = fold_weights(kernel.weights, *data.fold, planned.shape.weight_zero);
    }
    data.weights =
        add(pack_weights(kernel, planned.shape, hardware_, planned.decision.channel_parts));
    data.params = add(pack_params(kernel, data.param_bytes, planned.shape.weight_zero));
  }

  void add_post(const PostOperation& post, LayerData& data) {
    data.post = post.command;
    data.result = post.result;
    if (!post.table.empty()) {
      data.table = add(bytes_of(post.table));
    }
    if (post.operand < 0) {
      return;
    }
    const Tensor& operand = network_.tensors[static_cast<std::size_t>(post.operand)];
    if (!operand.constant.empty()) {
      placed_.operands[post.operand] = add(operand.constant);
    }
  }

 private:
  std::uint64_t add(const std::vector<std::uint8_t>& bytes) {
    const auto [address, fresh] = shared_.add(bytes, placed_.image);
    placed_.saved_bytes += fresh ? 0 : bytes.size();
    return address;
  }

  const Network& network_;
  const Hardware& hardware_;
  Contents contents_;
  PlacedConstants& placed_;
  SharedBytes shared_{kAlignment};
};

}  // namespace

PlacedConstants place_constants(const Prepared& prepared, const DecidedNetwork& decided,
                                Contents contents) {
  PlacedConstants placed;
  // Images grow to tens of megabytes: moving them again and again would take longest of all.
  const std::uint64_t bytes = image_bytes(prepared, decided);
  placed.image.reserve(std::min(bytes + bytes / 8, kAddressSpace / 2));
  ConstantWriter writer(prepared, contents, placed);
  for (std::size_t u = 0; u < decided.pieces.size(); ++u) {
    const Lowering& lowering = prepared.plan.units[u].lowering;
    std::vector<LayerData>& data = placed.data.emplace_back();
    for (std::size_t p = 0; p < decided.pieces[u].size(); ++p) {
      data.push_back(decided.pieces[u][p].data);
      writer.add_kernel(lowering.pieces[p], decided.pieces[u][p], data.back());
      if (lowering.post) {
        writer.add_post(*lowering.post, data.back());
      }
    }
  }
  return placed;
}

}  // namespace tessera
