#include "sim/external_memory.hpp"

#include <algorithm>
#include <cstring>

namespace tessera {
namespace {

constexpr std::size_t kMaxBursts = 32;
constexpr std::uint8_t kSlvErr = 2;
constexpr std::uint8_t kDecErr = 3;

}  // namespace

ExternalMemoryModel::ExternalMemoryModel(std::vector<std::uint8_t>& bytes,
                                         const ExternalMemory& timing, std::uint32_t bus_bytes,
                                         const MemoryDisturbance& disturbance)
    : bytes_(bytes),
      timing_(timing),
      bus_bytes_(bus_bytes),
      disturbance_(disturbance),
      rules_(bus_bytes),
      rows_(timing.dram),
      rng_(disturbance.seed) {}

bool ExternalMemoryModel::stalls() {
  return disturbance_.stall_percent != 0 && rng_.below(100) < disturbance_.stall_percent;
}

std::uint8_t ExternalMemoryModel::response_for(const Burst& burst,
                                               const std::optional<std::uint32_t>& error_at) const {
  const std::uint64_t begin = burst.address / bus_bytes_ * bus_bytes_;
  const std::uint64_t end = begin + std::uint64_t{burst.beats} * bus_bytes_;
  // The last beat may reach beyond the last byte, as far as the beat is wide.
  const std::uint64_t mapped = (bytes_.size() + bus_bytes_ - 1) / bus_bytes_ * bus_bytes_;
  if (end > mapped) {
    return kDecErr;
  }
  return error_at && *error_at >= begin && *error_at < end ? kSlvErr : 0;
}

void ExternalMemoryModel::choose_read(rtl::Ports& ports) {
  if (reads_[serving_].empty() || reads_[serving_].front().done == 0) {
    const unsigned other = serving_ ^ 1U;
    const auto ready = [&](unsigned id) {
      return !reads_[id].empty() && reads_[id].front().ready <= now_;
    };
    serving_ = ready(other) ? other : serving_;
    if (!ready(serving_)) {
      return;
    }
  }
  const Burst& burst = reads_[serving_].front();
  ports.m_rvalid = 1;
  ports.m_rid = static_cast<std::uint8_t>(serving_);
  ports.m_rresp = burst.response;
  ports.m_rlast = burst.done + 1 == burst.beats ? 1 : 0;
  const std::uint64_t at = (burst.address / bus_bytes_ + burst.done) * bus_bytes_;
  const std::uint64_t have = at < bytes_.size() ? bytes_.size() - at : 0;
  std::memset(ports.m_rdata, 0, bus_bytes_);
  std::memcpy(ports.m_rdata, bytes_.data() + (have > 0 ? at : 0),
              std::min<std::uint64_t>(have, bus_bytes_));
  presented_ = true;
  if (checker_ != nullptr && burst.response == 0) {
    checker_->read_beat(at, bus_bytes_);
  }
}

// A beat in the other direction waits until the bus has turned around, any beat for a refresh.
bool ExternalMemoryModel::may_move(bool write) const {
  return !rows_.is_refreshing(now_) && (write == wrote_last_ || now_ >= quiet_until_);
}

void ExternalMemoryModel::moved(bool write) {
  wrote_last_ = write;
  quiet_until_ = timing_.turnaround == 0 ? 0 : now_ + 1 + timing_.turnaround;
}

void ExternalMemoryModel::drive(rtl::Ports& ports) {
  const double beat = bus_bytes_;
  credit_ =
      std::min(credit_ + timing_.bytes_per_cycle, std::max(timing_.bytes_per_cycle, beat) + beat);
  ports.m_arready = reads_[0].size() + reads_[1].size() < kMaxBursts && !stalls() ? 1 : 0;
  ports.m_awready = writes_.size() < kMaxBursts && !stalls() ? 1 : 0;
  ports.m_bvalid =
      !responses_.empty() && responses_.front().ready <= now_ && !disturbance_.mute ? 1 : 0;
  ports.m_bresp = ports.m_bvalid != 0 ? responses_.front().response : std::uint8_t{0};
  ports.m_wready = 0;

  const bool can_write =
      ports.m_wvalid != 0 && !writes_.empty() && writes_.front().ready <= now_ && !stalls();
  const auto give_write = [&] {
    if (can_write && ports.m_wready == 0 && credit_ >= beat && may_move(true)) {
      ports.m_wready = 1;
      credit_ -= beat;
      moved(true);
      write_turn_ = false;
    }
  };
  if (write_turn_) {
    give_write();
  }
  if (!presented_) {
    ports.m_rvalid = 0;
    if (credit_ >= beat && !disturbance_.mute && !stalls() && may_move(false)) {
      choose_read(ports);
      if (presented_) {
        credit_ -= beat;
        moved(false);
        write_turn_ = true;
      }
    }
  }
  give_write();
}

void ExternalMemoryModel::accept_read(const rtl::Ports& ports) {
  if (ports.m_arvalid != 0 && ports.m_arready != 0) {
    Burst burst;
    burst.address = ports.m_araddr;
    burst.beats = std::uint32_t{ports.m_arlen} + 1;
    const std::uint64_t extra =
        disturbance_.extra_latency != 0 ? rng_.below(disturbance_.extra_latency + 1) : 0;
    burst.ready = now_ + timing_.latency + extra + rows_.open(burst.address, now_);
    burst.response = response_for(burst, disturbance_.read_error_at);
    reads_[ports.m_arid & 1U].push_back(burst);
  }
  if (presented_ && ports.m_rready != 0) {
    presented_ = false;
    Burst& burst = reads_[serving_].front();
    if (++burst.done == burst.beats) {
      reads_[serving_].pop_front();
    }
  }
}

void ExternalMemoryModel::accept_write(const rtl::Ports& ports) {
  if (ports.m_bvalid != 0 && ports.m_bready != 0) {
    responses_.pop_front();
  }
  if (ports.m_wvalid != 0 && ports.m_wready != 0) {
    Burst& burst = writes_.front();
    const std::uint64_t at = (burst.address / bus_bytes_ + burst.done) * bus_bytes_;
    for (std::uint32_t b = 0; b < bus_bytes_ && burst.response == 0; ++b) {
      if (((ports.m_wstrb >> b) & 1U) != 0 && at + b < bytes_.size()) {
        bytes_[at + b] = ports.m_wdata[b];
        if (checker_ != nullptr) {
          checker_->write(at + b);
        }
      }
    }
    if (++burst.done == burst.beats) {
      burst.ready = now_ + timing_.latency;
      responses_.push_back(burst);
      writes_.pop_front();
    }
  }
  if (ports.m_awvalid != 0 && ports.m_awready != 0) {
    Burst burst;
    burst.address = ports.m_awaddr;
    burst.beats = std::uint32_t{ports.m_awlen} + 1;
    burst.response = response_for(burst, disturbance_.write_error_at);
    burst.ready = now_ + rows_.open(burst.address, now_);
    writes_.push_back(burst);
  }
}

void ExternalMemoryModel::cycle(rtl::Ports& ports) {
  drive(ports);
  rules_.check(ports);
  accept_read(ports);
  accept_write(ports);
  ++now_;
}

}  // namespace tessera
