#include "tessera/hardware.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

bool power_of_two(std::uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace

std::vector<std::pair<std::string, std::uint64_t>> Hardware::rtl_parameters() const {
  return {
      {"AtomicC", atomic_c},      {"AtomicK", atomic_k},     {"CbufBytes", cbuf_capacity},
      {"CbufBanks", cbuf_banks},  {"AccWords", acc_words},   {"ParamGroups", param_groups},
      {"BusBytes", bus_bytes},    {"PostLanes", post_lanes}, {"ReadOutstanding", read_outstanding},
      {"QueueDepth", queue_depth}};
}

std::string hardware_problem(const Hardware& hw) {
  struct Limit {
    const char* field;
    std::uint64_t value;
    std::uint64_t low;
    std::uint64_t high;
  };
  const std::uint64_t max_cbuf = std::uint64_t{hw.atomic_c} << 20;
  const Limit limits[] = {
      {"array.atomic_c", hw.atomic_c, 2, 64},
      {"array.atomic_k", hw.atomic_k, 2, 64},
      {"cbuf.banks", hw.cbuf_banks, 1, 64},
      {"cbuf.capacity", hw.cbuf_capacity, std::uint64_t{hw.cbuf_banks} * hw.atomic_c * 2, max_cbuf},
      {"accumulators", hw.acc_words, 4, 4096},
      {"param_groups", hw.param_groups, 2, 1024},
      {"bus_bytes", hw.bus_bytes, 4, 64},
      {"post_lanes", hw.post_lanes, 1, hw.atomic_k},
      {"read_outstanding", hw.read_outstanding, 2, 64},
      {"queue_depth", hw.queue_depth, 16, 256},
  };
  for (const Limit& limit : limits) {
    if (limit.value < limit.low || limit.value > limit.high || !power_of_two(limit.value)) {
      return fmt::format("hardware.{} is {}; allowed is a power of two from {} to {}", limit.field,
                         limit.value, limit.low, limit.high);
    }
  }
  if (hw.cbuf_size > hw.cbuf_capacity || hw.cbuf_size < hw.atomic_c ||
      hw.cbuf_size % hw.atomic_c != 0) {
    return fmt::format(
        "hardware.cbuf.size is {} bytes; allowed is a multiple of atomic_c ({}) up "
        "to {}",
        hw.cbuf_size, hw.atomic_c, hw.cbuf_capacity);
  }
  return "";
}

}  // namespace tessera
