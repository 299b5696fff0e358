// Functions of one value or of a pixel's channels and arithmetic of two, alone or behind another
// operator.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "network/numerics.hpp"
#include "scheduler/lower/loop_nest.hpp"
#include "scheduler/lower/lowering_parts.hpp"
#include "scheduler/lower/tiling.hpp"
#include "tessera/reference.hpp"

namespace tessera::lowering {
namespace {

constexpr std::int32_t kValues = 256;

// The operator's outputs for all values of one input; others are constants of a single value.
std::vector<std::int32_t> tabulate(const Network& network, const Operator& op, std::int32_t main) {
  Network alone;
  Operator copy{
      op.name, op.attributes, {}, static_cast<std::int32_t>(op.inputs.size()), op.rounding};
  std::vector<std::uint8_t> values(kValues);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::uint8_t>(i);
  }
  std::vector<const std::uint8_t*> data;
  for (const std::int32_t input : op.inputs) {
    Tensor tensor = tensor_of(network, input);
    tensor.shape = {input == main ? kValues : 1};
    data.push_back(input == main ? values.data() : tensor_of(network, input).constant.data());
    copy.inputs.push_back(static_cast<std::int32_t>(alone.tensors.size()));
    alone.tensors.push_back(std::move(tensor));
  }
  Tensor out = tensor_of(network, op.output);
  out.shape = {kValues};
  alone.tensors.push_back(std::move(out));
  alone.operators.push_back(copy);
  std::vector<std::uint8_t> result(kValues);
  run_operator(alone, copy, data, result.data());
  const auto* first = reinterpret_cast<const std::int8_t*>(result.data());
  return {first, first + result.size()};
}

isa::StPost command(isa::StPostOperation operation) {
  isa::StPost post;
  post.operation = static_cast<std::uint32_t>(operation);
  return post;
}

PostOperation table_operation(const Network& network, const Operator& op, std::int32_t main) {
  PostOperation post;
  post.command = command(isa::StPostOperation::Table);
  post.table = tabulate(network, op, main);
  return post;
}

void set_factor(isa::StPost& post, FixedPoint factor) {
  post.multiplier = static_cast<std::uint32_t>(factor.multiplier);
  post.shift = factor.shift;
}

// As the table has them: by x as an unsigned byte.
std::vector<std::int32_t> by_byte(const std::vector<std::int32_t>& values) {
  std::vector<std::int32_t> table(values.begin() + kValues / 2, values.end());
  table.insert(table.end(), values.begin(), values.begin() + kValues / 2);
  return table;
}

bool squares_difference(const Operator& op) {
  const auto* host = std::get_if<HostOperator>(&op.attributes);
  return host != nullptr && host->kind == HostKind::SquaredDifference;
}

// Whichever is subtracted from the other: the square is the same.
PostOperation squared_difference(const Network& network, const Operator& op, std::size_t main) {
  const Quantisation& y = tensor_of(network, op.inputs[main]).quantisation;
  const Quantisation& r = tensor_of(network, op.inputs[1 - main]).quantisation;
  const Quantisation& out = tensor_of(network, op.output).quantisation;
  const SquareFactors factors = square_factors(y, r, out);
  PostOperation post;
  post.operand = op.inputs[1 - main];
  post.command = command(isa::StPostOperation::Add);
  set_factor(post.command, factors.output);
  const bool map_operand = y.scales[0] >= r.scales[0];
  post.command.table_operand = map_operand ? 1 : 0;
  post.command.negate = 1;
  post.command.zero_y = y.zero_point;
  post.command.zero_r = r.zero_point;
  post.table = by_byte(values_to_square(map_operand ? factors.second : factors.first,
                                        map_operand ? r.zero_point : y.zero_point));
  post.result.zero_point = out.zero_point;
  post.result.low = -128;
  post.result.high = 127;
  post.result.square = 1;
  return post;
}

// `main` is the input that comes through the array.
PostOperation binary_operation(const Network& network, const Operator& op, std::size_t main) {
  if (squares_difference(op)) {
    return squared_difference(network, op, main);
  }
  const auto& binary = std::get<Binary>(op.attributes);
  const std::size_t other = 1 - main;
  const Quantisation& y = tensor_of(network, op.inputs[main]).quantisation;
  const Quantisation& r = tensor_of(network, op.inputs[other]).quantisation;
  const Quantisation& out = tensor_of(network, op.output).quantisation;
  PostOperation post;
  post.operand = op.inputs[other];
  if (binary.kind == BinaryKind::Mul) {
    post.command = command(isa::StPostOperation::Multiply);
    const FixedPoint factor = multiply_factor(y, r, out);
    set_factor(post.command, op.rounding == Rounding::Twice ? factor : without_excess(factor));
  } else {
    post.command = command(isa::StPostOperation::Add);
    AddFactors factors = add_factors(y, r, out, op.rounding);
    set_factor(post.command, factors.output);
    const bool negative_y = binary.kind == BinaryKind::Sub && main == 1;
    const bool negative_r = binary.kind == BinaryKind::Sub && main == 0;
    // The factor is what is negative, not the product: ties round the other way then.
    factors.first.multiplier *= negative_y ? -1 : 1;
    factors.second.multiplier *= negative_r ? -1 : 1;
    // The one of the larger scale is halved, which the hardware does without a table.
    const bool map_operand = y.scales[0] >= r.scales[0];
    post.command.table_operand = map_operand ? 1 : 0;
    post.command.negate = (map_operand ? negative_y : negative_r) ? 1 : 0;
    post.table = by_byte(scaled_operands(factors, map_operand,
                                         map_operand ? r.zero_point : y.zero_point, op.rounding));
  }
  post.command.zero_y = y.zero_point;
  post.command.zero_r = r.zero_point;
  const ClampRange range = activation_range(binary.activation, out);
  post.result.zero_point = out.zero_point;
  post.result.low = range.low;
  post.result.high = range.high;
  return post;
}

PostOperation softmax_operation(const Tensor& in, float beta, bool same_params) {
  PostOperation post;
  post.softmax = isa::StSoftmax{-128, -128, 127, 0, same_params ? 1U : 0U};
  post.table = softmax_exponentials(in.quantisation, beta);
  return post;
}

// Whether a tile can have all channels of at least one pixel, with the weights of all of them.
bool fits_whole_pixels(const ConvShape& shape, const Hardware& hardware, bool same_params) {
  constexpr std::uint32_t kMostGroups = 255;  // CV_WEIGHTS
  const std::uint32_t groups = groups_of(shape, hardware);
  const std::uint32_t atoms = atoms_of(shape, hardware);
  const std::uint64_t weights =
      kernel_atoms(shape, hardware, atoms) * stored_kernels(shape, hardware);
  const std::uint64_t slab = std::uint64_t{u32(input_rows(shape, {0, 1}).size())} *
                             u32(std::max(input_cols(shape, {0, 1}).size(), shape.kernel_w)) *
                             atoms;
  return groups <= std::min(hardware.acc_half(), kMostGroups) &&
         (same_params || groups <= hardware.param_groups) &&
         weights + slab <= hardware.cbuf_atoms();
}

// Rows of a tensor's last dimension lie in whole pixels of the pass's output.
bool has_rows_as_pixels(const ArrayPass& pass, std::int32_t depth) {
  const View& view = pass.output_view;
  const auto is_whole = [&](std::uint64_t stride) { return stride % u32(depth) == 0; };
  return pass.shape.out_c == depth && view.channel_stride == 1 && is_whole(view.offset) &&
         (pass.shape.out_w == 1 || is_whole(view.pixel_stride)) &&
         (pass.shape.out_h == 1 || is_whole(view.row_stride));
}

// Strides of an input for the output's dimensions, 0 where it is repeated.
std::vector<std::int64_t> strides_for(const Tensor& in, const Tensor& out) {
  const std::size_t rank = out.shape.size();
  const std::vector<std::int64_t> own = row_major_strides(in.shape);
  std::vector<std::int64_t> strides(rank, 0);
  for (std::size_t d = 0; d < in.shape.size(); ++d) {
    const std::size_t from_end = in.shape.size() - 1 - d;
    strides[rank - 1 - from_end] = in.shape[d] == 1 ? 0 : own[d];
  }
  return strides;
}

// Whether neighbours in the output are neighbours in the input.
bool has_channels(const Tensor& in, const Tensor& out) {
  const auto strides = strides_for(in, out);
  for (std::size_t d = out.shape.size(); d-- > 0;) {
    if (out.shape[d] > 1) {
      return strides[d] == 1;
    }
  }
  return true;
}

bool is_constant(const Tensor& tensor) {
  return !tensor.constant.empty();
}

Lowering from_nests(const Context& c, const std::vector<Axis>& axes, std::int32_t feature,
                    PostOperation post) {
  const auto nests = loop_nests(axes, c.hardware);
  if (!nests) {
    return refuse("its shape takes too many passes");
  }
  Lowering lowering;
  for (const LoopNest& nest : *nests) {
    ArrayPass piece = piece_of(nest, feature, c.op.name);
    if (post.operand >= 0) {
      piece.operand_view = nest.operand;
    }
    lowering.passes.push_back(std::move(piece));
  }
  lowering.post = std::move(post);
  return lowering;
}

std::vector<Axis> axes_of(const Tensor& in, const Tensor* operand, const Tensor& out) {
  const auto own = row_major_strides(out.shape);
  const auto from = strides_for(in, out);
  const auto second = operand != nullptr ? strides_for(*operand, out)
                                         : std::vector<std::int64_t>(out.shape.size(), 0);
  std::vector<Axis> axes;
  axes.reserve(out.shape.size());
  for (std::size_t d = 0; d < out.shape.size(); ++d) {
    axes.push_back({out.shape[d], from[d], operand != nullptr ? second[d] : from[d], own[d]});
  }
  return axes;
}

// One value for all channels of a pixel, each pixel in the output's order.
bool is_value_per_pixel(const Tensor& in, const Tensor& out) {
  if (is_constant(in) || out.shape.empty() || out.shape.back() < 2 ||
      in.elements() * out.shape.back() != out.elements()) {
    return false;
  }
  const auto strides = strides_for(in, out);
  const auto own = row_major_strides(out.shape);
  for (std::size_t d = 0; d + 1 < out.shape.size(); ++d) {
    if (out.shape[d] > 1 && strides[d] * out.shape.back() != own[d]) {
      return false;
    }
  }
  return strides.back() == 0;
}

// A value per pixel comes through the array by as many kernels as there are channels, each of which
// is a one: as an operand it would be read byte by byte. What it meets is read in whole pixels.
std::optional<ArrayPass> spread_over_channels(const Context& c, std::size_t main) {
  const Tensor& in = c.input(main);
  const Tensor& other = c.input(1 - main);
  const Tensor& out = c.output();
  const std::int32_t channels = last_extent(out);
  const bool is_full = other.elements() == out.elements();
  const bool is_per_channel = other.elements() == channels && last_extent(other) == channels;
  if (!is_value_per_pixel(in, out) || (!is_full && !is_per_channel)) {
    return std::nullopt;
  }
  ArrayPass piece;
  ConvShape& shape = piece.shape;
  shape.name = c.op.name;
  shape.in_w = shape.out_w = static_cast<std::int32_t>(in.elements());
  shape.out_c = channels;
  piece.feature = c.op.inputs[main];
  piece.feature_view = packed_view(shape.in_w, 1);
  piece.output_view = packed_view(shape.out_w, channels);
  piece.operand_view = is_full ? piece.output_view : View{};
  piece.own_weights = true;
  piece.kernel = [channels](Contents /*contents*/) { return identity_kernel(channels); };
  return accelerator_problem(shape, c.hardware).empty() ? std::optional(std::move(piece))
                                                        : std::nullopt;
}

// Lets all passes have whole pixels; false, and nothing, where one cannot.
bool takes_whole_pixels(Lowering& lowering, const Tensor& out, const Hardware& hardware) {
  if (!std::all_of(lowering.passes.begin(), lowering.passes.end(), [&](const ArrayPass& pass) {
        return has_rows_as_pixels(pass, last_extent(out)) &&
               fits_whole_pixels(pass.shape, hardware, false);
      })) {
    return false;
  }
  for (ArrayPass& pass : lowering.passes) {
    pass.shape.whole_pixels = true;
    pass.folded.reset();
    pass.folded_columns.reset();
  }
  return true;
}

}  // namespace

Lowering unary(const Context& c) {
  if (c.input(0).type != DataType::Int8) {
    return refuse("its input is float32");
  }
  return from_nests(c, axes_of(c.input(0), nullptr, c.output()), c.op.inputs[0],
                    table_operation(c.network, c.op, c.op.inputs[0]));
}

Lowering softmax(const Context& c, const Softmax& op) {
  const Tensor& in = c.input(0);
  const std::int32_t depth = last_extent(in);
  const std::size_t rank = in.shape.size();
  const std::int64_t rows = in.elements() / depth;
  ArrayPass piece;
  ConvShape& shape = piece.shape;
  shape.name = c.op.name;
  shape.in_w = shape.out_w = static_cast<std::int32_t>(rank > 2 ? in.shape[rank - 2] : rows);
  shape.in_h = shape.out_h = static_cast<std::int32_t>(rows / shape.in_w);
  shape.in_c = shape.out_c = depth;
  shape.whole_pixels = true;
  // Without the window each channel has a kernel of zeros beside its one.
  shape.depthwise = c.hardware.has(isa::Feature::Depthwise);
  if (!fits_whole_pixels(shape, c.hardware, true)) {
    return refuse(fmt::format(
        "{} channels of a pixel are more than the accumulators, or the buffer, have room for",
        depth));
  }
  piece.feature = c.op.inputs[0];
  piece.feature_view = piece.output_view = packed_view(shape.in_w, depth);
  piece.own_weights = true;
  piece.kernel = [depth, is_full = !shape.depthwise](Contents /*contents*/) {
    LayerKernel kernel = identity_kernel(depth);
    if (is_full) {
      const auto size = static_cast<std::size_t>(depth);
      kernel.weights.assign(size * size, 0);
      for (std::size_t i = 0; i < size; ++i) {
        kernel.weights[i * size + i] = 1;
      }
    }
    return kernel;
  };
  Lowering lowering;
  lowering.passes.push_back(std::move(piece));
  lowering.post = softmax_operation(in, op.beta, true);
  return lowering;
}

Lowering binary(const Context& c) {
  for (const std::size_t main : {0U, 1U}) {
    if (std::optional<ArrayPass> piece = spread_over_channels(c, main)) {
      Lowering lowering;
      lowering.passes.push_back(std::move(*piece));
      lowering.post = binary_operation(c.network, c.op, main);
      return lowering;
    }
  }
  const auto can_be_main = [&](std::size_t i) {
    return !is_constant(c.input(i)) && has_channels(c.input(i), c.output());
  };
  // The larger one comes through the array, so that what is repeated is the operand.
  const std::size_t larger = c.input(1).elements() > c.input(0).elements() ? 1 : 0;
  const std::size_t main = can_be_main(larger) ? larger : 1 - larger;
  if (!can_be_main(main)) {
    return refuse("no input comes in the output's order, or both are constant");
  }
  const Tensor& other = c.input(1 - main);
  if (is_constant(other) && other.elements() == 1) {
    return from_nests(c, axes_of(c.input(main), nullptr, c.output()), c.op.inputs[main],
                      table_operation(c.network, c.op, c.op.inputs[main]));
  }
  return from_nests(c, axes_of(c.input(main), &other, c.output()), c.op.inputs[main],
                    binary_operation(c.network, c.op, main));
}

}  // namespace tessera::lowering

namespace tessera {
namespace {

using lowering::tensor_of;

// The operand's view beside each piece's output; false when the shapes do not allow it.
bool add_operand(Lowering& lowering, const Tensor& operand, const Tensor& out) {
  if (operand.elements() == out.elements()) {
    for (ArrayPass& piece : lowering.passes) {
      piece.operand_view = piece.output_view;
    }
    return true;
  }
  // One value per channel, for all pixels.
  if (operand.elements() == lowering::last_extent(out) &&
      lowering::last_extent(operand) == lowering::last_extent(out)) {
    for (ArrayPass& piece : lowering.passes) {
      if (piece.shape.out_c != lowering::last_extent(out) ||
          piece.output_view.channel_stride != 1) {
        return false;
      }
      piece.operand_view = View{};
    }
    return true;
  }
  return false;
}

}  // namespace

bool absorb(Lowering& lowering, const Network& network, const Hardware& hardware,
            const Operator& next, std::int32_t main) {
  if (std::holds_alternative<Transpose>(next.attributes)) {
    return lowering::absorb_transposition(lowering, network, next);
  }
  if (lowering.post || lowering.passes.empty()) {
    return false;
  }
  const auto take = [&](PostOperation post) {
    lowering.post = std::move(post);
    if (lowering::missing_features(lowering.post, hardware) != 0) {
      lowering.post.reset();
    }
    return lowering.post.has_value();
  };
  if (std::holds_alternative<Unary>(next.attributes)) {
    return take(lowering::table_operation(network, next, main));
  }
  if (const auto* softmax = std::get_if<Softmax>(&next.attributes); softmax != nullptr) {
    const Tensor& in = tensor_of(network, main);
    PostOperation post = lowering::softmax_operation(in, softmax->beta, false);
    return lowering.rounding == Rounding::Twice &&
           lowering::missing_features(post, hardware) == 0 &&
           lowering::takes_whole_pixels(lowering, in, hardware) && take(std::move(post));
  }
  if (!std::holds_alternative<Binary>(next.attributes) && !lowering::squares_difference(next)) {
    return false;
  }
  const std::size_t place = next.inputs[0] == main ? 0 : 1;
  const Tensor& other = tensor_of(network, next.inputs[1 - place]);
  const Tensor& out = tensor_of(network, next.output);
  if (tensor_of(network, main).elements() != out.elements()) {
    return false;
  }
  if (lowering::is_constant(other) && other.elements() == 1) {
    return take(lowering::table_operation(network, next, main));
  }
  // Both results go through the same requantiser.
  if (rounding_of(network, next) != lowering.rounding) {
    return false;
  }
  PostOperation post = lowering::binary_operation(network, next, place);
  return lowering::missing_features(post, hardware) == 0 && add_operand(lowering, other, out) &&
         take(std::move(post));
}

}  // namespace tessera
