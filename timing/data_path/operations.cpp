#include "timing/data_path/operations.hpp"

namespace tessera::timing {
namespace {

template <class Command>
std::uint64_t bit() {
  return std::uint64_t{1} << static_cast<unsigned>(Command::kOpcode);
}

template <class Command>
bool take(const isa::Command& command, Command& into, std::uint64_t& seen) {
  const auto* word = std::get_if<Command>(&command);
  if (word == nullptr) {
    return false;
  }
  into = *word;
  seen |= bit<Command>();
  return true;
}

template <class Shape, class Stride>
Segments segments_of(std::uint32_t address, const Shape& shape, const Stride& stride) {
  return {address,     shape.segment_bytes, shape.inner,
          shape.outer, stride.inner_stride, stride.outer_stride};
}

bool has(std::uint64_t seen, std::uint64_t needed) {
  return (seen & needed) == needed;
}

// Rows or columns that a window walks over for `outputs` outputs.
std::uint32_t walked(std::uint32_t outputs, std::uint32_t stride, std::uint32_t window,
                     bool resume) {
  if (window == 1) {
    return outputs;
  }
  return (resume ? stride : window) + (outputs - 1) * stride;
}

}  // namespace

Segments LoadOperation::segments() const {
  return segments_of(source.address, shape, stride);
}

Segments StoreOperation::segments() const {
  return segments_of(address.address, shape, stride);
}

bool StoreOperation::has_operand() const {
  const auto operation = static_cast<isa::StPostOperation>(post.operation);
  return operation == isa::StPostOperation::Add || operation == isa::StPostOperation::Multiply;
}

bool StoreOperation::squares() const {
  return result.square != 0 &&
         static_cast<isa::StPostOperation>(post.operation) == isa::StPostOperation::Add;
}

Walk walk_of(const ConvOperation& op) {
  Walk walk;
  walk.groups = op.weights.groups;
  walk.last_kernels = op.weights.last_kernels;
  walk.y0 = op.tile.y0;
  walk.x0 = op.tile.x0;
  walk.row_pitch = op.kernel.row_pitch;
  walk.pixel_pitch = op.input.atoms;
  walk.ring_row = op.ring.row;
  walk.ring_atoms = op.ring.atoms;
  if (!op.depthwise) {
    walk.tiles_y = op.kernel.kernel_h;
    walk.tiles_x = op.kernel.kernel_w;
    walk.atoms = op.input.atoms;
    walk.rows = op.tile.rows;
    walk.cols = op.tile.cols;
    walk.move_y = static_cast<std::int32_t>(op.kernel.stride_y);
    walk.move_x = static_cast<std::int32_t>(op.kernel.stride_x);
    walk.tile_move_y = static_cast<std::int32_t>(op.kernel.dilation_y);
    walk.tile_move_x = static_cast<std::int32_t>(op.kernel.dilation_x);
    return walk;
  }
  const std::uint32_t h = op.window.window_h;
  const std::uint32_t w = op.window.window_w;
  walk.tiles_y = op.window.chunks_y;
  walk.tiles_x = op.window.chunks_x;
  const bool spaced = op.window.spaced != 0;
  walk.rows = walked(op.tile.rows, spaced ? 1 : op.kernel.stride_y, h, op.conv.resume != 0);
  walk.cols = walked(op.tile.cols, spaced ? 1 : op.kernel.stride_x, w, false);
  // A window of one row has an output in each row that it visits.
  walk.move_y = h == 1 || spaced ? static_cast<std::int32_t>(op.kernel.stride_y) : 1;
  walk.move_x = w == 1 || spaced ? static_cast<std::int32_t>(op.kernel.stride_x) : 1;
  walk.tile_move_y = static_cast<std::int32_t>(h * op.kernel.dilation_y);
  walk.tile_move_x = static_cast<std::int32_t>(w * op.kernel.dilation_x);
  return walk;
}

bool LoadWords::configure(const isa::Command& command) {
  if (const auto* load = std::get_if<isa::Load>(&command); load != nullptr) {
    operation_.load = *load;
    return false;
  }
  return take(command, operation_.source, seen_) || take(command, operation_.shape, seen_) ||
         take(command, operation_.stride, seen_) || take(command, operation_.fold, seen_) ||
         take(command, operation_.factor, seen_) || take(command, operation_.code, seen_);
}

bool LoadWords::configured() const {
  const bool flat = operation_.shape.inner == 1 && operation_.shape.outer == 1;
  const bool uniform = static_cast<isa::LoadKind>(operation_.load.kind) == isa::LoadKind::Param &&
                       operation_.source.pixel_bytes == kUniformRecord;
  return has(seen_, bit<isa::LdSource>() | bit<isa::LdShape>() | (flat ? 0 : bit<isa::LdStride>()) |
                        (operation_.load.fold != 0 ? bit<isa::LdFold>() : 0) |
                        (uniform ? bit<isa::LdFactor>() : 0) |
                        (operation_.load.coded != 0 ? bit<isa::LdCode>() : 0));
}

bool ConvWords::configure(const isa::Command& command) {
  if (const auto* conv = std::get_if<isa::Conv>(&command); conv != nullptr) {
    operation_.conv = {conv->origin,
                       conv->acc_base,
                       conv->accumulate,
                       conv->wait_load,
                       conv->wait_store,
                       conv->post_load,
                       conv->post_store,
                       0,
                       0,
                       0};
    operation_.depthwise = false;
    return false;
  }
  if (const auto* depthwise = std::get_if<isa::Depthwise>(&command); depthwise != nullptr) {
    operation_.conv = *depthwise;
    operation_.depthwise = true;
    return false;
  }
  return take(command, operation_.input, seen_) || take(command, operation_.kernel, seen_) ||
         take(command, operation_.tile, seen_) || take(command, operation_.weights, seen_) ||
         take(command, operation_.window, seen_) || take(command, operation_.ring, seen_);
}

bool ConvWords::configured() const {
  return has(seen_, bit<isa::CvInput>() | bit<isa::CvKernel>() | bit<isa::CvTile>() |
                        bit<isa::CvWeights>() | (operation_.depthwise ? bit<isa::CvWindow>() : 0));
}

bool StoreWords::configure(const isa::Command& command) {
  if (const auto* store = std::get_if<isa::Store>(&command); store != nullptr) {
    operation_.store = *store;
    return false;
  }
  if (const auto* softmax = std::get_if<isa::StSoftmax>(&command); softmax != nullptr) {
    operation_.softmax = *softmax;
    operation_.post = {};
    return true;
  }
  if (std::holds_alternative<isa::StPost>(command)) {
    operation_.softmax.reset();
  }
  return take(command, operation_.address, seen_) || take(command, operation_.shape, seen_) ||
         take(command, operation_.stride, seen_) || take(command, operation_.quant, seen_) ||
         take(command, operation_.post, seen_) || take(command, operation_.result, seen_) ||
         take(command, operation_.tile, seen_) || take(command, operation_.keep, seen_);
}

bool StoreWords::configured() const {
  const bool flat = operation_.shape.inner == 1 && operation_.shape.outer == 1;
  const std::uint64_t place =
      bit<isa::StAddress>() | bit<isa::StShape>() | (flat ? 0 : bit<isa::StStride>());
  return has(seen_, bit<isa::StQuant>() | bit<isa::StTile>() |
                        (operation_.store.keep_only != 0 ? 0 : place) |
                        (operation_.store.keep != 0 ? bit<isa::StKeep>() : 0) |
                        (operation_.has_operand() ? bit<isa::StResult>() : 0));
}

}  // namespace tessera::timing
