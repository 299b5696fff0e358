// Loads of one pass: ifmaps, weights, parameters, tables, operands.
#include <algorithm>

#include "scheduler/operations/pass_operations.hpp"

namespace tessera {

std::uint32_t weight_unit_bytes(const ConvShape& shape, const Hardware& hardware) {
  // Bytes that are filled up with zeros are zero points, not nothing.
  return shape.depthwise || shape.weight_zero != 0
             ? hardware.atomic_c
             : std::min(hardware.atomic_c, static_cast<std::uint32_t>(shape.in_c));
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

// Kernel by kernel as a row-major matrix has them, atom by atom as the array reads them. What a
// load fills atoms up with are zeros.
void PassOperations::load_computed_weights(Range groups, Range atoms, std::uint32_t base) {
  const View& view = *binding_.computed_weights;
  const auto load_atoms = [&](Range kernels, Range range, std::uint32_t at) {
    const std::uint32_t first = u32(range.begin) * hw_.atomic_c;
    const std::uint32_t bytes = std::min(hw_.atomic_c, u32(shape_.in_c) - first);
    LoadOperation load;
    load.kind = isa::LoadKind::Weight;
    load.is_computed = true;
    load.pixel_bytes = bytes;
    load.source.address = view.offset + u32(kernels.begin) * view.pixel_stride +
                          std::uint64_t{first} * view.channel_stride;
    if (view.channel_stride == 1) {
      load.source.segment_bytes = bytes;
      load.source.inner = u32(kernels.size());
      load.source.inner_stride = view.pixel_stride;
      load.source.outer = u32(range.size());
      load.source.outer_stride = hw_.atomic_c;
    } else {
      load.source.inner = bytes;
      load.source.inner_stride = view.channel_stride;
      load.source.outer = u32(kernels.size());
      load.source.outer_stride = view.pixel_stride;
    }
    add_load(load, Resource::Cbuf, at, u32(range.size()) * u32(kernels.size()));
  };
  const auto kernels_in = [&](Range range) {
    const std::int32_t begin = range.begin * static_cast<std::int32_t>(hw_.atomic_k);
    return Range{begin, begin + static_cast<std::int32_t>(kernels_of(shape_, hw_, range))};
  };
  if (atoms.size() == 1) {
    load_atoms(kernels_in(groups), atoms, base);
    return;
  }
  // Bytes that lie apart are read atom by atom; the last atom is filled up.
  const std::int32_t whole = shape_.in_c / static_cast<std::int32_t>(hw_.atomic_c);
  const std::int32_t at_once = view.channel_stride == 1 ? std::min(atoms.end, whole) : atoms.begin;
  for (std::int32_t group = groups.begin; group < groups.end; ++group) {
    const Range kernels = kernels_in({group, group + 1});
    if (at_once > atoms.begin) {
      load_atoms(kernels, {atoms.begin, at_once}, base);
      base += u32(at_once - atoms.begin) * u32(kernels.size());
    }
    for (std::int32_t atom = std::max(at_once, atoms.begin); atom < atoms.end; ++atom) {
      load_atoms(kernels, {atom, atom + 1}, base);
      base += u32(kernels.size());
    }
  }
}

void PassOperations::load_coded_weights(Range groups, Range atoms, std::uint32_t base) {
  const CodedWeights& coded = *binding_.coded;
  const auto part = std::find(coded.parts.begin(), coded.parts.end(),
                              shape_.depthwise ? coded.parts.front() : atoms.begin);
  const std::size_t first =
      static_cast<std::size_t>(part - coded.parts.begin()) * groups_of(shape_, hw_) +
      u32(groups.begin);
  const CodedWeights::Unit& from = coded.units[first];
  const CodedWeights::Unit& to = coded.units[first + u32(groups.size())];
  LoadOperation load;
  load.kind = isa::LoadKind::Weight;
  load.pixel_bytes = hw_.atomic_c;
  load.source.address = binding_.weights + from.offset;
  load.source.segment_bytes = to.offset - from.offset;
  load.code = isa::LdCode{to.first_atom - from.first_atom,
                          coded.units[first + 1].first_atom - from.first_atom, coded.zero};
  add_load(load, Resource::Cbuf, base, to.first_atom - from.first_atom);
}

void PassOperations::load_weights(Range groups, Range atoms, std::uint32_t base) {
  if (binding_.computed_weights) {
    load_computed_weights(groups, atoms, base);
    return;
  }
  if (binding_.coded) {
    load_coded_weights(groups, atoms, base);
    return;
  }
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

Range PassOperations::params_of(Range groups) const {
  const bool same = binding_.softmax && binding_.softmax->same_params != 0;
  return same ? Range{groups.begin, groups.begin + 1} : groups;
}

std::uint32_t PassOperations::load_params(Range groups) {
  groups = params_of(groups);
  if (shape_.same_kernels && same_params_.size() >= groups.size()) {
    return u32(same_params_.begin);
  }
  const std::uint32_t base = state_.reserve_params(u32(groups.size()), hw_);
  same_params_ = {static_cast<std::int32_t>(base), static_cast<std::int32_t>(base) + groups.size()};
  load_params(groups, base);
  return base;
}

void PassOperations::load_params(Range groups, std::uint32_t base) {
  groups = params_of(groups);
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

}  // namespace tessera
