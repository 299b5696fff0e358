#include "sim/memory/external_memory.hpp"

#include <algorithm>
#include <cstring>

namespace tessera {
namespace {

constexpr std::uint8_t kSlvErr = 2;
constexpr std::uint8_t kDecErr = 3;

}  // namespace

ExternalMemoryModel::ExternalMemoryModel(std::vector<std::uint8_t>& bytes,
                                         const ExternalMemory& timing, std::uint32_t bus_bytes,
                                         const MemoryDisturbance& disturbance, std::size_t ports,
                                         std::uint64_t base)
    : bytes_(bytes),
      bus_bytes_(bus_bytes),
      base_(base),
      disturbance_(disturbance),
      controller_(timing, bus_bytes, ports,
                  {disturbance.seed, disturbance.extra_latency, disturbance.stall_percent,
                   disturbance.mute}) {
  controller_.listen(this);
  for (std::size_t p = 0; p < ports; ++p) {
    ports_.push_back(std::make_unique<Port>(*this, p));
  }
}

std::uint8_t ExternalMemoryModel::response_for(const timing::Burst& burst,
                                               const std::optional<std::uint32_t>& error_at) const {
  const std::uint64_t begin = burst.address / bus_bytes_ * bus_bytes_;
  const std::uint64_t end = begin + std::uint64_t{burst.beats} * bus_bytes_;
  // The last beat may reach beyond the last byte, as far as the beat is wide.
  const std::uint64_t mapped = (bytes_.size() + bus_bytes_ - 1) / bus_bytes_ * bus_bytes_;
  if (begin > mapped || end > mapped) {
    return kDecErr;
  }
  return error_at && *error_at >= begin && *error_at < end ? kSlvErr : 0;
}

timing::Burst ExternalMemoryModel::answered(const timing::Burst& burst,
                                            const std::optional<std::uint32_t>& error_at) const {
  timing::Burst result = burst;
  // Below the base it wraps to far behind the last byte.
  result.address -= base_;
  result.response = response_for(result, error_at);
  return result;
}

void ExternalMemoryModel::read(const timing::Burst& burst, std::uint32_t first,
                               std::uint32_t count) {
  if (burst.response != 0) {
    return;
  }
  const std::uint64_t aligned = burst.address / bus_bytes_ * bus_bytes_;
  const std::uint64_t from = aligned + std::uint64_t{first} * bus_bytes_;
  for (std::uint32_t b = 0; checker_ != nullptr && b < count; ++b) {
    checker_->read_beat(from + std::uint64_t{b} * bus_bytes_, bus_bytes_);
  }
  if (burst.data == nullptr) {
    return;
  }
  const std::uint64_t begin = std::max(from, burst.address);
  const std::uint64_t end =
      std::min({from + std::uint64_t{count} * bus_bytes_, burst.address + burst.bytes,
                static_cast<std::uint64_t>(bytes_.size())});
  if (end > begin) {
    std::memcpy(burst.data + (begin - burst.address), bytes_.data() + begin, end - begin);
  }
}

void ExternalMemoryModel::write(const timing::Burst& burst, std::uint32_t index,
                                const timing::WriteBeat& beat) {
  if (burst.response != 0 || beat.data == nullptr) {
    return;
  }
  const std::uint64_t at = (burst.address / bus_bytes_ + index) * bus_bytes_;
  for (std::uint32_t b = 0; b < bus_bytes_; ++b) {
    if (((beat.strobe >> b) & 1U) != 0 && at + b < bytes_.size()) {
      bytes_[at + b] = beat.data[b];
      if (checker_ != nullptr) {
        checker_->write(at + b);
      }
    }
  }
}

bool ExternalMemoryModel::Port::takes_read(timing::Cycle /*now*/) {
  return memory_.controller_.takes_read(index_);
}

bool ExternalMemoryModel::Port::takes_write(timing::Cycle /*now*/) {
  return memory_.controller_.takes_write(index_);
}

void ExternalMemoryModel::Port::read(const timing::Burst& burst, timing::Cycle now) {
  memory_.controller_.read(index_, memory_.answered(burst, memory_.disturbance_.read_error_at),
                           now);
}

void ExternalMemoryModel::Port::write(const timing::Burst& burst, timing::Cycle now) {
  memory_.controller_.write(index_, memory_.answered(burst, memory_.disturbance_.write_error_at),
                            now);
}

void ExternalMemoryModel::Port::step(timing::Cycle now, bool read_ready,
                                     const timing::WriteBeat& beat, timing::Moves& moves) {
  memory_.controller_.step(index_, now, read_ready, beat, moves);
}

std::uint32_t ExternalMemoryModel::Port::run(timing::Cycle now, std::uint32_t most) {
  return memory_.controller_.run(index_, now, most);
}

std::uint64_t ExternalMemoryModel::Port::phase(timing::Cycle now) {
  return memory_.controller_.phase(index_, now);
}

bool ExternalMemoryModel::Port::may_leap(timing::Cycle now, timing::Cycle cycles,
                                         std::uint32_t reads, std::uint32_t writes) {
  return memory_.controller_.may_leap(index_, now, cycles, reads, writes);
}

void ExternalMemoryModel::Port::leap(timing::Cycle now, timing::Cycle cycles, std::uint32_t reads,
                                     std::uint32_t writes, const timing::WriteBeat& beat) {
  memory_.controller_.leap(index_, now, cycles, reads, writes, beat);
}

timing::Cycle ExternalMemoryModel::Port::next(timing::Cycle now, bool write_offered) {
  return memory_.controller_.next(index_, now, write_offered);
}

}  // namespace tessera
