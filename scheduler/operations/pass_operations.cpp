#include "scheduler/operations/pass_operations.hpp"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::uint32_t kAddressMask = (1U << 20) - 1;

}  // namespace

std::uint32_t weight_unit_bytes(const ConvShape& shape, const Hardware& hardware) {
  // Bytes that are filled up with zeros are zero points, not nothing.
  return shape.depthwise || shape.weight_zero != 0
             ? hardware.atomic_c
             : std::min(hardware.atomic_c, static_cast<std::uint32_t>(shape.in_c));
}

std::uint32_t PassOperations::weight_atoms(Range groups, Range atoms) const {
  return u32(kernel_atoms(shape_, hw_, u32(atoms.size()))) * kernels_stored(groups);
}

std::uint32_t PassOperations::kernels_stored(Range groups) const {
  return std::min(kernels_of(shape_, hw_, groups), stored_kernels(shape_, hw_));
}

std::uint32_t PassOperations::weight_offset(Range groups, Range atoms) const {
  return shape_.same_kernels ? 0 : weight_atoms(groups, atoms);
}

Transfer PassOperations::tile_transfer(const View& view, const PixelTile& tile,
                                       Range groups) const {
  Transfer transfer;
  transfer.address = view.offset + static_cast<std::uint64_t>(tile.rows.begin) * view.row_stride +
                     static_cast<std::uint64_t>(tile.cols.begin) * view.pixel_stride +
                     static_cast<std::uint64_t>(groups.begin) * hw_.atomic_k * view.channel_stride;
  const std::uint64_t kernels = kernels_of(shape_, hw_, groups);
  if (view.channel_stride == 1) {
    transfer.segment_bytes = kernels;
    transfer.inner = u32(tile.cols.size());
    transfer.inner_stride = view.pixel_stride;
    transfer.outer = u32(tile.rows.size());
    transfer.outer_stride = view.row_stride;
  } else {
    transfer.inner = kernels;
    transfer.inner_stride = view.channel_stride;
    transfer.outer = u32(tile.cols.size());
    transfer.outer_stride = view.pixel_stride;
  }
  return transfer;
}

std::vector<Access> PassOperations::post_accesses(std::uint32_t acc_base, std::uint32_t words,
                                                  std::uint32_t groups) const {
  std::vector<Access> accesses;
  if (binding_.operand) {
    accesses.push_back(
        {Resource::Operand, false, acc_base,
         std::uint64_t{acc_base} + (binding_.has_operand_per_channel() ? groups : words)});
  }
  if (binding_.table) {
    accesses.push_back({Resource::Table, false, table_, std::uint64_t{table_} + 1});
  }
  return accesses;
}

void PassOperations::load_table() {
  constexpr std::uint64_t kTableBytes = 1024;
  if (!binding_.table) {
    return;
  }
  for (std::uint32_t t = 0; t < state_.tables.size(); ++t) {
    if (state_.tables[t] == binding_.table) {
      table_ = t;
      state_.table_next = 1 - t;
      return;
    }
  }
  table_ = state_.table_next;
  state_.table_next = 1 - table_;
  state_.tables[table_] = binding_.table;
  LoadOperation load;
  load.kind = isa::LoadKind::Table;
  load.pixel_bytes = 4;
  load.source.address = *binding_.table;
  load.source.segment_bytes = kTableBytes;
  add_load(load, Resource::Table, table_, 1);
}

void PassOperations::load_operand(const PixelTile& tile, Range groups, std::uint32_t acc_base) {
  if (!binding_.operand) {
    return;
  }
  StreamState::HeldOperand& held = state_.operands[acc_base < hw_.acc_second() ? 0 : 1];
  if (binding_.has_operand_per_channel()) {
    const StreamState::HeldOperand wanted{&shape_, binding_.operand->offset, groups.begin,
                                          groups.end};
    if (held == wanted) {
      return;
    }
    if (u32(groups.size()) > hw_.acc_half()) {
      state_.operands = {};
    }
    held = wanted;
  } else {
    state_.operands = {};
  }
  LoadOperation load;
  load.kind = isa::LoadKind::Operand;
  load.pixel_bytes = kernels_of(shape_, hw_, groups);
  const PixelTile first{{tile.rows.begin, tile.rows.begin + 1},
                        {tile.cols.begin, tile.cols.begin + 1}};
  const PixelTile& loaded = binding_.has_operand_per_channel() ? first : tile;
  load.source = tile_transfer(*binding_.operand, loaded, groups);
  add_load(load, Resource::Operand, acc_base, loaded.pixels() * u32(groups.size()));
}

void PassOperations::add_load(LoadOperation load, Resource target, std::uint32_t begin,
                              std::uint32_t size) {
  if (!load.fold) {
    load.source.merge();
  }
  load.dest = begin;
  Operation operation;
  operation.unit = isa::Unit::Load;
  operation.accesses.push_back({Resource::External, false, load.source.address, load.source.end()});
  operation.accesses.push_back({target, true, begin, std::uint64_t{begin} + size});
  operation.body = load;
  operations_.push_back(std::move(operation));
}

LoadOperation PassOperations::folded_load(const Slab& slab) const {
  const ConvShape& plain = fold_->plain;
  const std::int32_t first = slab.cols.begin * plain.stride_w - plain.pad_left;
  const std::int32_t end = (slab.cols.end - 1) * plain.stride_w - plain.pad_left + plain.kernel_w;
  const std::int32_t from = std::max(first, 0);
  const std::int32_t to = std::min(end, plain.in_w);
  LoadOperation load;
  load.kind = isa::LoadKind::Feature;
  load.pixel_bytes = u32(fold_->unit_bytes());
  load.source.address = binding_.ifmap.offset + u32(from) * binding_.ifmap.pixel_stride;
  load.source.segment_bytes = std::uint64_t{u32(to - from)} * u32(plain.in_c);
  load.source.outer_stride = binding_.ifmap.row_stride;
  isa::LdFold fold;
  fold.advance = u32(plain.stride_w * plain.in_c);
  fold.units = u32(slab.cols.size());
  fold.pad_before = u32((from - first) * plain.in_c);
  fold.pad_after = u32((end - to) * plain.in_c);
  fold.value = binding_.padding_value;
  fold.unit_step = u32(slab.atoms.size());
  load.fold = fold;
  return load;
}

// Slab rows are input rows.
void PassOperations::load_folded_rows(const Slab& slab, Range rows) {
  LoadOperation load = folded_load(slab);
  load.source.address += u32(rows.begin) * binding_.ifmap.row_stride;
  load.source.outer = u32(rows.size());
  add_load(load, Resource::Cbuf, slab.base + u32(rows.begin - slab.rows.begin) * slab.row_pitch(),
           u32(rows.size()) * slab.row_pitch());
}

// Each kernel row comes for all slab rows at once, to its place in the atoms; where it lies outside
// the picture, padding does.
void PassOperations::load_folded_parts(const Slab& slab, Range outputs) {
  const Fold& fold = *fold_;
  const ConvShape& plain = fold.plain;
  for (std::int32_t ky = 0; ky < fold.rows; ++ky) {
    const std::uint32_t first_byte = u32(ky * fold.unit_bytes());
    const auto input_row = [&](std::int32_t o) { return o * plain.stride_h - plain.pad_top + ky; };
    const auto load_outputs = [&](Range range, bool blank) {
      if (range.size() <= 0) {
        return;
      }
      LoadOperation load = folded_load(slab);
      load.fold->offset = first_byte % hw_.atomic_c;
      load.fold->blank = blank ? 1 : 0;
      load.source.outer = u32(range.size());
      load.source.outer_stride = blank ? 0 : u32(plain.stride_h) * binding_.ifmap.row_stride;
      load.source.address += blank ? 0 : u32(input_row(range.begin)) * binding_.ifmap.row_stride;
      const std::uint32_t row = u32(range.begin - slab.rows.begin);
      // The last unit's other atoms are not touched.
      const std::uint32_t before = first_byte / hw_.atomic_c;
      add_load(load, Resource::Cbuf, slab.base + row * slab.row_pitch() + before,
               u32(range.size()) * slab.row_pitch() - before);
    };
    Range inside = outputs;
    while (inside.begin < inside.end && input_row(inside.begin) < 0) {
      ++inside.begin;
    }
    while (inside.end > inside.begin && input_row(inside.end - 1) >= plain.in_h) {
      --inside.end;
    }
    load_outputs({outputs.begin, inside.begin}, true);
    load_outputs(inside, false);
    load_outputs({inside.end, outputs.end}, true);
  }
}

void PassOperations::load_slab(const Slab& slab, std::uint32_t bands) {
  if (residency_.ifmap) {
    return;
  }
  if (fold_) {
    const Range& rows = slab.rows;
    for (const Range& band : split_evenly(rows, std::min(bands, u32(rows.size())))) {
      fold_->rows > 1 ? load_folded_parts(slab, band) : load_folded_rows(slab, band);
    }
    return;
  }
  const std::int64_t c0 = std::int64_t{slab.atoms.begin} * hw_.atomic_c;
  const std::int64_t c1 =
      std::min<std::int64_t>(std::int64_t{slab.atoms.end} * hw_.atomic_c, shape_.in_c);
  const auto pixel_bytes = static_cast<std::uint64_t>(c1 - c0);
  const View& view = binding_.ifmap;
  for (const Range& rows : split_evenly(slab.rows, std::min(bands, u32(slab.rows.size())))) {
    LoadOperation load;
    load.kind = isa::LoadKind::Feature;
    load.pixel_bytes = static_cast<std::uint32_t>(pixel_bytes);
    load.source.address = view.offset + static_cast<std::uint64_t>(rows.begin) * view.row_stride +
                          static_cast<std::uint64_t>(slab.cols.begin) * view.pixel_stride +
                          static_cast<std::uint64_t>(c0);
    load.source.segment_bytes = pixel_bytes;
    load.source.inner = static_cast<std::uint64_t>(slab.cols.size());
    load.source.inner_stride = view.pixel_stride;
    load.source.outer = static_cast<std::uint64_t>(rows.size());
    load.source.outer_stride = view.row_stride;
    const std::uint32_t offset = u32(rows.begin - slab.rows.begin) * slab.row_pitch();
    add_load(load, Resource::Cbuf, slab.base + offset, u32(rows.size()) * slab.row_pitch());
  }
}

void PassOperations::load_weights(Range groups, Range atoms, std::uint32_t base) {
  const std::uint64_t unit = weight_unit_bytes(shape_, hw_);
  const std::uint64_t kernels_before =
      shape_.same_kernels ? 0 : static_cast<std::uint64_t>(groups.begin) * hw_.atomic_k;
  LoadOperation load;
  load.kind = isa::LoadKind::Weight;
  load.pixel_bytes = static_cast<std::uint32_t>(unit);
  // Depthwise: kernels one after the other, whatever the part.
  const std::uint64_t parts_before =
      shape_.depthwise
          ? 0
          : kernel_atoms(shape_, hw_, u32(atoms.begin)) * static_cast<std::uint64_t>(shape_.out_c);
  load.source.address =
      binding_.weights +
      unit * (parts_before + kernel_atoms(shape_, hw_, u32(atoms.size())) * kernels_before);
  load.source.segment_bytes = weight_atoms(groups, atoms) * unit;
  add_load(load, Resource::Cbuf, base, weight_atoms(groups, atoms));
}

std::uint32_t StreamState::reserve_params(std::uint32_t groups, const Hardware& hardware) {
  if (param_next + groups > hardware.param_groups) {
    param_next = 0;
  }
  const std::uint32_t base = param_next;
  param_next += groups;
  return base;
}

std::uint32_t PassOperations::load_params(Range groups) {
  if (shape_.same_kernels && same_params_.size() >= groups.size()) {
    return u32(same_params_.begin);
  }
  const std::uint32_t base = state_.reserve_params(u32(groups.size()), hw_);
  same_params_ = {static_cast<std::int32_t>(base), static_cast<std::int32_t>(base) + groups.size()};
  load_params(groups, base);
  return base;
}

void PassOperations::load_params(Range groups, std::uint32_t base) {
  LoadOperation load;
  load.kind = isa::LoadKind::Param;
  load.pixel_bytes = binding_.param_bytes;
  load.factor = binding_.factor;
  load.source.address = binding_.params + static_cast<std::uint64_t>(groups.begin) * hw_.atomic_k *
                                              binding_.param_bytes;
  load.source.segment_bytes =
      packed_params_bytes(kernels_of(shape_, hw_, groups), binding_.param_bytes);
  add_load(load, Resource::Parameter, base, u32(groups.size()));
}

std::uint32_t PassOperations::last_kernels(Range groups) const {
  return kernels_of(shape_, hw_, {groups.end - 1, groups.end});
}

// What a kernel group sees of a pixel is a pixel of its own: of a row as many times as wide.
void PassOperations::see_diagonal(const Convolution& c, ConvOperation& conv) const {
  const std::uint32_t atoms = diagonal_atoms(hw_);
  const std::uint32_t wider = conv.input.atoms / atoms;
  conv.input.atoms = atoms;
  conv.input.cols *= wider;
  conv.kernel.stride_x = c.tile.cols.size() == 1 ? 1 : conv.kernel.stride_x * wider;
  conv.kernel.dilation_x = conv.kernel.kernel_w == 1 ? 1 : conv.kernel.dilation_x * wider;
  conv.tile.x0 *= static_cast<std::int32_t>(wider);
}

void PassOperations::convolve(const Convolution& c) {
  const bool diagonal = is_diagonal(shape_, hw_);
  const bool windowed = shape_.depthwise && !diagonal;
  ConvOperation conv;
  conv.input.rows = u32(c.slab.rows.size());
  conv.input.cols = u32(c.slab.cols.size());
  conv.input.atoms = u32(c.slab.atoms.size());
  conv.input.zero_point = binding_.padding_value;
  // DEPTHWISE has its size from the window.
  conv.kernel = {windowed ? 1 : u32(shape_.kernel_h),
                 windowed ? 1 : u32(shape_.kernel_w),
                 u32(shape_.stride_h),
                 u32(shape_.stride_w),
                 u32(shape_.dilation_h),
                 u32(shape_.dilation_w),
                 c.slab.row_pitch()};
  WindowTiling window;
  if (windowed) {
    window = Windows(shape_, hw_)[c.phase];
    if (window.spaced) {
      // The next window of the same phase begins behind this one's spaced taps.
      conv.kernel.dilation_y = u32(shape_.stride_h);
      conv.kernel.dilation_x = u32(shape_.stride_w);
    }
  }
  conv.tile.y0 =
      c.tile.rows.begin * shape_.stride_h - shape_.pad_top - c.slab.rows.begin + window.tap_y;
  if (c.resume) {
    conv.resume = true;
    conv.tile.y0 += static_cast<std::int32_t>(window.window_h) - shape_.stride_h;
  }
  conv.tile.x0 =
      c.tile.cols.begin * shape_.stride_w - shape_.pad_left - c.slab.cols.begin + window.tap_x;
  conv.tile.rows = u32(c.tile.rows.size());
  conv.tile.cols = u32(c.tile.cols.size());
  conv.weights = {c.weights, u32(c.groups.size()), last_kernels(c.groups), shape_.weight_zero};
  std::int64_t first_atom = 0;
  if (shape_.depthwise) {
    const std::uint32_t channel = u32(c.groups.begin) * hw_.atomic_k;
    first_atom = std::int64_t{channel / hw_.atomic_c} - c.slab.atoms.begin;
    conv.first_byte = windowed ? channel % hw_.atomic_c : 0;
  }
  conv.origin = u32(std::int64_t{c.slab.base} + std::int64_t{conv.tile.y0} * c.slab.row_pitch() +
                    std::int64_t{conv.tile.x0} * c.slab.atoms.size() + first_atom) &
                kAddressMask;
  if (diagonal) {
    see_diagonal(c, conv);
  }
  if (c.slab.rows.begin < c.slab.ring.wrap && c.slab.ring.wrap < c.slab.rows.end) {
    conv.ring = {u32(c.slab.ring.wrap - c.slab.rows.begin), c.slab.ring.atoms};
  }
  conv.acc_base = c.acc_base;
  conv.accumulate = c.accumulate;

  Range rows = input_rows(shape_, c.tile.rows);
  if (windowed) {
    conv.maximum = shape_.maximum;
    conv.window = {window.window_h, window.window_w, window.chunks_y, window.chunks_x,
                   window.spaced ? 1U : 0U};
    // The last window may reach below the kernel.
    const std::int32_t below =
        static_cast<std::int32_t>(window.window_h * window.chunks_y) - window.taps_h;
    rows.end = std::min(rows.end + below * window.step_h, c.slab.rows.end);
    // Strides larger than the window walk rows that no output needs.
    rows.begin = std::clamp(conv.tile.y0 + c.slab.rows.begin, c.slab.rows.begin, rows.begin);
  }
  const std::uint32_t pitch = c.slab.row_pitch();
  Operation operation;
  operation.unit = isa::Unit::Compute;
  for (const Range& piece : c.slab.ring.pieces(rows)) {
    const std::uint64_t first =
        c.slab.base + c.slab.ring.distance(c.slab.rows.begin, piece.begin, pitch);
    operation.accesses.push_back(
        {Resource::Cbuf, false, first, first + std::uint64_t{u32(piece.size())} * pitch});
  }
  operation.accesses.push_back({Resource::Cbuf, false, c.weights,
                                std::uint64_t{c.weights} + weight_atoms(c.groups, c.slab.atoms)});
  operation.accesses.push_back(
      {Resource::Accumulator, true, c.acc_base, std::uint64_t{c.acc_base} + c.acc_words});
  // Loads cannot hand tokens to stores: the convolution before the store waits for its
  // parameters.
  operation.accesses.push_back(
      {Resource::Parameter, false, c.params, std::uint64_t{c.params} + c.param_groups});
  for (const Access& access : post_accesses(c.acc_base, c.acc_words, u32(c.groups.size()))) {
    operation.accesses.push_back(access);
  }
  // Loads cannot hand tokens to stores: the first convolution makes sure that what was loaded where
  // the output will be kept is there.
  if (residency_.ofmap && !reserved_) {
    reserved_ = true;
    const std::uint32_t row = u32(shape_.out_w) * output_atoms(shape_, hw_);
    for (const Range& piece : residency_.ofmap->ring.pieces(residency_.ofmap->rows)) {
      const std::uint64_t first = residency_.ofmap->atom_of(piece.begin, row);
      operation.accesses.push_back(
          {Resource::Cbuf, true, first, first + std::uint64_t{u32(piece.size())} * row});
    }
  }
  operation.body = conv;
  operations_.push_back(std::move(operation));
}

void PassOperations::store(const PixelTile& tile, Range groups, std::uint32_t acc_base,
                           std::uint32_t params) {
  StoreOperation store;
  store.dest = tile_transfer(binding_.ofmap, tile, groups);
  store.dest.merge();
  store.quant = binding_.quant;
  store.post = binding_.post;
  store.post.table_select = binding_.table ? table_ : 0;
  store.result = binding_.result;
  store.result.per_channel = binding_.has_operand_per_channel() ? 1 : 0;
  store.tile = {tile.pixels(), u32(groups.size()), last_kernels(groups), params};
  store.acc_base = acc_base;
  Operation operation;
  operation.unit = isa::Unit::Store;
  operation.accesses.push_back(
      {Resource::Accumulator, false, acc_base,
       std::uint64_t{acc_base} + std::uint64_t{tile.pixels()} * u32(groups.size())});
  operation.accesses.push_back(
      {Resource::Parameter, false, params, std::uint64_t{params} + u32(groups.size())});
  for (const Access& access :
       post_accesses(acc_base, tile.pixels() * u32(groups.size()), u32(groups.size()))) {
    operation.accesses.push_back(access);
  }
  if (residency_.ofmap) {
    const std::uint32_t per_pixel = output_atoms(shape_, hw_);
    const std::uint32_t first = u32(groups.begin) * hw_.atomic_k;
    const std::uint32_t last = first + kernels_of(shape_, hw_, groups) - 1;
    const std::uint32_t per_row = u32(shape_.out_w) * per_pixel;
    store.keep = isa::StKeep{u32(tile.cols.size()), per_pixel, per_row};
    store.kept_at = residency_.ofmap->atom_of(tile.rows.begin, per_row) +
                    u32(tile.cols.begin) * per_pixel + first / hw_.atomic_c;
    store.kept_byte = first % hw_.atomic_c;
    const std::uint64_t end = store.kept_at + std::uint64_t{u32(tile.rows.size() - 1)} * per_row +
                              std::uint64_t{u32(tile.cols.size() - 1)} * per_pixel +
                              (last / hw_.atomic_c - first / hw_.atomic_c + 1);
    operation.accesses.push_back({Resource::Cbuf, true, store.kept_at, end});
  }
  store.keep_only = !residency_.is_stored;
  if (residency_.is_stored) {
    operation.accesses.push_back({Resource::External, true, store.dest.address, store.dest.end()});
  }
  operation.body = store;
  operations_.push_back(std::move(operation));
}

std::uint32_t PassOperations::next_acc_half() {
  const std::uint32_t base = state_.acc_half * hw_.acc_second();
  state_.acc_half ^= 1;
  return base;
}

}  // namespace tessera
