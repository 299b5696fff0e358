#include "timing/machine/micro_bus.hpp"

namespace tessera::timing {

MicroBus::Fault MicroBus::step(Cycle now) {
  Fault fault = Fault::None;
  const bool take = takes_read_byte();
  const bool last = left_ == 1;
  const bool beat_ends = offset_ == bus_bytes_ - 1;
  const bool ready = left_ != 0 && !requested_ && (!held_ || (take && beat_ends && !last));
  const bool takes_read = requested_ && port_.takes_read(now);
  const bool takes_write = address_valid_ && port_.takes_write(now);
  Moves moves;
  port_.step(now, ready, beat_, moves);
  if (takes_read) {
    port_.read(burst_, now);
    requested_ = false;
  }
  if (takes_write) {
    port_.write(write_burst_, now);
    address_valid_ = false;
  }
  if (moves.write_taken) {
    beat_.valid = false;
    ++counts_.write_beats;
  }
  if (moves.write_done) {
    --waiting_;
    if (moves.write_response != 0) {
      fault = Fault::Write;
      response_ = moves.write_response;
    }
  }
  const bool beat = moves.read_valid && ready;
  if (beat) {
    ++counts_.read_beats;
    if (moves.read_response != 0) {
      fault = Fault::Read;
      response_ = moves.read_response;
    }
  }
  if (take) {
    --left_;
    want_ -= to_cbuf_ ? 0 : 1;
    offset_ = beat_ends ? 0 : offset_ + 1;
  }
  held_ = beat || (held_ && !(take && (last || beat_ends)));
  return fault;
}

Cycle MicroBus::next(Cycle now) {
  if (requested_ || address_valid_ || takes_read_byte()) {
    return now;
  }
  return port_.next(now, beat_.valid);
}

void MicroBus::read(bool data, std::uint32_t bytes, std::uint8_t* to) {
  requested_ = true;
  left_ = bytes;
  offset_ = lane(read_address_);
  burst_ = {};
  burst_.address = read_address_;
  burst_.bytes = bytes;
  burst_.beats = (offset_ + bytes + bus_bytes_ - 1) / bus_bytes_;
  burst_.id = data ? 1 : 0;
  burst_.data = to;
}

void MicroBus::put(const std::uint8_t* byte) {
  const std::uint32_t offset = lane(write_address_);
  if (fresh_) {
    beat_.data = byte == nullptr ? nullptr : byte - offset;
    beat_.strobe = 0;
  }
  beat_.strobe |= std::uint64_t{1} << offset;
  const bool last = offset == bus_bytes_ - 1 || segment_left_ == 1;
  if (last) {
    address_valid_ = true;
    beat_.valid = true;
    write_burst_ = {};
    write_burst_.address = write_address_ - offset;
    write_burst_.bytes = bus_bytes_;
    write_burst_.beats = 1;
    ++waiting_;
  }
  fresh_ = last;
  ++write_address_;
  --segment_left_;
}

}  // namespace tessera::timing
