#include "sim/npu/functional_model.hpp"

#include "isa/checksum.hpp"
#include "sim/npu/units.hpp"

namespace tessera::npu {

std::uint8_t* Function::load_begins(const timing::LoadOperation& load) {
  loading_.emplace_back(load.segments().bytes());
  return loading_.back().data();
}

void Function::load_ends(const timing::LoadOperation& load, std::uint8_t* /*data*/) {
  if (load.load.check != 0 &&
      isa::load_checksum(load.source, load.shape, load.stride, loading_.front().data(),
                         memories_.hw.bus_bytes) != load.load.checksum) {
    fail(isa::Error::LoadChecksum, load.source.address);
  }
  place_load(load, loading_.front(), memories_);
  loading_.pop_front();
}

void Function::conv_begins(const timing::ConvOperation& conv) {
  check_convolution(conv, memories_);
}

void Function::conv_ends(const timing::ConvOperation& conv) {
  convolve(conv, memories_);
}

const std::uint8_t* Function::store_begins(const timing::StoreOperation& store) {
  storing_ = drain_tile(store, memories_);
  if (store.store.keep != 0) {
    keep_tile(store, storing_, memories_);
  }
  return storing_.data();
}

void Function::mark(unsigned unit, std::uint32_t id, const Counters& counters) {
  if (mark_) {
    mark_(unit, id, counters);
  }
}

}  // namespace tessera::npu
