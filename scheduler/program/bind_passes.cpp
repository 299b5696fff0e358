#include "scheduler/program/bind_passes.hpp"

#include <algorithm>

#include "scheduler/operations/constants.hpp"
#include "scheduler/program/alignment.hpp"
#include "scheduler/program/shared_bytes.hpp"
#include "scheduler/tiling/column_packing.hpp"

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
  for (const std::vector<ScheduledPass>& passes : decided.passes) {
    for (const ScheduledPass& pass : passes) {
      bytes += align(packed_bytes(pass.shape.conv, prepared.hardware)) +
               align(std::uint64_t{kParamBytes} * u32(pass.shape.conv.out_c));
    }
  }
  for (const Tensor& tensor : prepared.network.tensors) {
    bytes += tensor.constant.empty() ? tensor.bytes() : 0;
  }
  return bytes;
}

/// Of a pass in the network: operator, and which of its passes.
struct PassNumber {
  std::size_t unit = 0;
  std::size_t pass = 0;
};

View at(View view, std::uint64_t address) {
  view.offset += address;
  return view;
}

class Binder {
 public:
  Binder(const Prepared& prepared, Contents contents, Constants& constants)
      : prepared_(prepared),
        hardware_(prepared.hardware),
        contents_(contents),
        constants_(constants) {}

  /// `number`: of the pass in the network, by operator and pass.
  void bind(const FusedOperator& unit, const ArrayPass& piece, PassNumber number,
            ScheduledPass& pass) {
    bind_kernel(piece, number, pass);
    if (piece.weights) {
      bind_computed_weights(*piece.weights, pass.binding);
    }
    bind_feature_maps(unit, piece, pass);
    if (unit.lowering.post) {
      bind_epilogue(*unit.lowering.post, piece, pass);
    }
  }

 private:
  // As the array has it: columns side by side, taps folded.
  static LayerKernel arranged(const ArrayPass& piece, const PassShape& shape, Contents contents) {
    LayerKernel kernel = piece.kernel(contents);
    if (shape.columns > 1) {
      kernel = pack_columns(kernel, piece.shape, shape.columns);
    }
    if (shape.fold && !kernel.weights.empty()) {
      kernel.weights = fold_weights(kernel.weights, *shape.fold, shape.conv.weight_zero);
    }
    return kernel;
  }

  void bind_kernel(const ArrayPass& piece, PassNumber number, ScheduledPass& pass) {
    Binding& binding = pass.binding;
    const bool left_out = contents_ == Contents::Commands &&
                          packed_bytes(pass.shape.conv, hardware_) > kSmallKernel &&
                          !piece.own_weights && !piece.weights;
    const LayerKernel kernel =
        arranged(piece, pass.shape, left_out ? Contents::Commands : Contents::All);
    binding.quant = kernel.quant;
    const std::uint64_t taps = std::uint64_t{u32(piece.shape.kernel_h)} *
                               u32(piece.shape.kernel_w) *
                               (piece.shape.depthwise ? 1 : u32(piece.shape.in_c));
    binding.param_bytes = param_bytes(kernel, taps);
    if (binding.param_bytes == sizeof(std::uint32_t)) {
      binding.factor = isa::LdFactor{static_cast<std::uint32_t>(kernel.factors[0].multiplier),
                                     kernel.factors[0].shift};
    }
    binding.padding_value = kernel.padding_value;
    if (!piece.weights) {
      bind_weights(piece, number, left_out ? nullptr : &kernel, pass);
    }
    binding.params =
        left_out ? shared_.reserve(packed_params_bytes(kernel.biases.size(), binding.param_bytes),
                                   constants_.image)
                 : add(pack_params(kernel, binding.param_bytes, pass.shape.conv.weight_zero));
  }

  // `kernel`: with its weights, where they are not left out.
  void bind_weights(const ArrayPass& piece, PassNumber number, const LayerKernel* kernel,
                    ScheduledPass& pass) {
    const ConvShape& shape = pass.shape.conv;
    Binding& binding = pass.binding;
    const std::uint32_t parts = channel_parts(pass.strategy);
    std::vector<std::uint8_t> packed;
    if (kernel != nullptr) {
      packed = pack_weights(*kernel, shape, hardware_, parts);
    }
    if (can_compress(shape, hardware_)) {
      binding.coded = prepared_.codes->get(
          {number.unit, number.pass, parts, pass.shape.columns, shape.kernel_h, shape.kernel_w,
           shape.in_c, shape.out_c},
          [&] {
            return code_weights(kernel != nullptr
                                    ? packed
                                    : pack_weights(arranged(piece, pass.shape, Contents::All),
                                                   shape, hardware_, parts),
                                shape, hardware_, parts);
          });
    }
    if (kernel == nullptr) {
      binding.weights =
          shared_.reserve(binding.coded ? binding.coded->bytes() : packed_bytes(shape, hardware_),
                          constants_.image);
    } else {
      binding.weights = binding.coded ? add_coded(packed, *binding.coded) : add(packed);
    }
    if (binding.coded) {
      constants_.coded[binding.weights] = binding.coded;
    }
  }

  // Equal bytes are other weights where their units are others.
  std::uint64_t add_coded(const std::vector<std::uint8_t>& packed, const CodedWeights& coded) {
    const std::vector<std::uint8_t> bytes = compress(packed, coded, hardware_);
    const std::uint64_t saved = constants_.saved_bytes;
    const std::uint64_t address = add(bytes);
    const auto known = constants_.coded.find(address);
    if (known == constants_.coded.end() || *known->second == coded) {
      return address;
    }
    constants_.saved_bytes = saved;
    const std::uint64_t own = shared_.reserve(bytes.size(), constants_.image);
    std::copy(bytes.begin(), bytes.end(),
              constants_.image.begin() + static_cast<std::ptrdiff_t>(own));
    return own;
  }

  void bind_computed_weights(const ComputedWeights& weights, Binding& binding) {
    const Tensor& tensor = prepared_.network.tensors[static_cast<std::size_t>(weights.tensor)];
    binding.computed_weights =
        at(weights.view,
           tensor.constant.empty() ? virtual_address(weights.tensor) : add(tensor.constant));
    if (hardware_.has(isa::Feature::CentredFeatures)) {
      binding.subtracted = weights.feature_zero_point;
      return;
    }
    // A pixel of its own holds a byte: 128 takes two.
    for (std::int32_t left = -weights.feature_zero_point; left != 0;) {
      const std::int32_t value = left > 127 ? left / 2 : left;
      binding.added_pixels.push_back(value);
      left -= value;
    }
  }

  void bind_feature_maps(const FusedOperator& unit, const ArrayPass& piece, ScheduledPass& pass) {
    View& ifmap = pass.binding.ifmap;
    ifmap = at(piece.feature_view,
               piece.constant.empty() ? virtual_address(piece.feature) : add(piece.constant));
    ifmap.row_stride *= u32(pass.shape.step_h);
    ifmap.pixel_stride *= u32(pass.shape.step_w);
    View& ofmap = pass.binding.ofmap;
    ofmap = at(unit.place ? unit.place->within(piece.output_view) : piece.output_view,
               virtual_address(unit.written()));
    ofmap.pixel_stride *= u32(pass.shape.columns);
  }

  void bind_epilogue(const PostOperation& post, const ArrayPass& piece, ScheduledPass& pass) {
    Binding& binding = pass.binding;
    binding.post = post.command;
    binding.softmax = post.softmax;
    binding.result = post.result;
    if (!post.table.empty()) {
      binding.table = add(bytes_of(post.table));
    }
    std::uint64_t address = 0;
    if (post.operand >= 0) {
      const Tensor& operand = prepared_.network.tensors[static_cast<std::size_t>(post.operand)];
      address = operand.constant.empty() ? virtual_address(post.operand) : add(operand.constant);
    }
    if (piece.operand_view) {
      binding.operand = at(*piece.operand_view, address);
      binding.operand->pixel_stride *= u32(pass.shape.columns);
    }
  }

  // Linked to real ones when the memory plan is there.
  [[nodiscard]] std::uint64_t virtual_address(std::int32_t tensor) const {
    return (prepared_.activations.buffer_of(tensor) + 1) * kVirtualBuffer +
           prepared_.plan.aliases.of(tensor).offset;
  }

  std::uint64_t add(const std::vector<std::uint8_t>& bytes) {
    const auto [address, fresh] = shared_.add(bytes, constants_.image);
    constants_.saved_bytes += fresh ? 0 : bytes.size();
    return address;
  }

  const Prepared& prepared_;
  const Hardware& hardware_;
  Contents contents_;
  Constants& constants_;
  SharedBytes shared_{kAlignment};
};

}  // namespace

void bind_passes(const Prepared& prepared, Contents contents, DecidedNetwork& decided,
                 Constants& constants) {
  // Images grow to tens of megabytes: moving them again and again would take longest of all.
  const std::uint64_t bytes = image_bytes(prepared, decided);
  constants.image.reserve(std::min(constants.image.size() + bytes + bytes / 8, kAddressSpace / 2));
  Binder binder(prepared, contents, constants);
  for (std::size_t u = 0; u < decided.passes.size(); ++u) {
    const FusedOperator& unit = prepared.plan.units[u];
    for (std::size_t p = 0; p < decided.passes[u].size(); ++p) {
      binder.bind(unit, unit.lowering.passes[p], {u, p}, decided.passes[u][p]);
    }
  }
}

}  // namespace tessera
