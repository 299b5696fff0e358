#include "timing/memory/dram_rows.hpp"

#include <algorithm>
#include <limits>

namespace tessera {

DramRows::DramRows(const DramTiming& timing) : timing_(timing), banks_(timing.banks) {}

bool DramRows::is_refreshing(std::uint64_t now) const {
  return timing_.refresh_interval != 0 && now >= timing_.refresh_interval &&
         now % timing_.refresh_interval < timing_.refresh_cycles;
}

std::uint64_t DramRows::next_refresh(std::uint64_t now) const {
  return timing_.refresh_interval == 0
             ? std::numeric_limits<std::uint64_t>::max()
             : (now / timing_.refresh_interval + 1) * timing_.refresh_interval;
}

std::uint64_t DramRows::open(std::uint64_t address, std::uint64_t now) {
  if (banks_.empty()) {
    return 0;
  }
  const std::uint64_t page = address / timing_.row_bytes;
  Bank& bank = banks_[page % banks_.size()];
  const std::uint64_t row = page / banks_.size();
  std::uint64_t start = std::max(now, bank.ready);
  if (timing_.refresh_interval != 0) {
    const std::uint64_t refreshes = start / timing_.refresh_interval;
    if (refreshes > bank.refreshes) {
      bank.refreshes = refreshes;
      bank.is_open = false;
    }
    if (is_refreshing(start)) {
      start += timing_.refresh_cycles - start % timing_.refresh_interval;
    }
  }
  if (!bank.is_open) {
    start += timing_.activate;
  } else if (bank.row != row) {
    start += timing_.precharge + timing_.activate;
  }
  bank.is_open = true;
  bank.row = row;
  bank.ready = start;
  return start - now;
}

}  // namespace tessera
