// Sizes in the cbuf, transfers of tiles, and stores of one pass.
#include "scheduler/operations/pass_operations.hpp"

#include <algorithm>

namespace tessera {

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

std::uint32_t PassOperations::last_kernels(Range groups) const {
  return kernels_of(shape_, hw_, {groups.end - 1, groups.end});
}

void PassOperations::store(const PixelTile& tile, Range groups, std::uint32_t acc_base,
                           std::uint32_t params) {
  StoreOperation store;
  store.dest = tile_transfer(binding_.ofmap, tile, groups);
  store.dest.merge();
  store.quant = binding_.quant;
  store.post = binding_.post;
  store.post.table_select = binding_.table ? table_ : 0;
  store.softmax = binding_.softmax;
  if (store.softmax) {
    store.softmax->table_select = table_;
    store.post = {};
  }
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
      {Resource::Parameter, false, params, std::uint64_t{params} + u32(params_of(groups).size())});
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
