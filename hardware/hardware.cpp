#include "tessera/hardware.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

bool power_of_two(std::uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

std::string cbuf_problem(const Hardware& hw) {
  if (hw.cbuf_banks < 1 || hw.cbuf_banks > 64) {
    return fmt::format("hardware.cbuf.banks is {}; allowed is a number from 1 to 64",
                       hw.cbuf_banks);
  }
  const std::uint64_t step = std::uint64_t{hw.cbuf_banks} * hw.atomic_c;
  const std::uint64_t most = (std::uint64_t{hw.atomic_c} << 20) / step * step;
  if (hw.cbuf_capacity % step != 0 || hw.cbuf_capacity < 2 * step || hw.cbuf_capacity > most) {
    return fmt::format(
        "hardware.cbuf.capacity is {} bytes; allowed is a multiple of banks x atomic_c ({} x {} = "
        "{}) from {} to {}",
        hw.cbuf_capacity, hw.cbuf_banks, hw.atomic_c, step, 2 * step, most);
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

}  // namespace

// 3x3 kernels are the usual ones: a window of three rows where the array has room for it, and of
// five columns, for 5x5 in two tiles, where it has room for more.
Hardware::Window Hardware::depthwise_window() const {
  if (!has(isa::Feature::Depthwise)) {
    return {0, 0};
  }
  if (atomic_c >= 25) {
    return {5, 5};
  }
  if (atomic_c >= 15) {
    return {atomic_c / 5, 5};
  }
  if (atomic_c >= 9) {
    return {3, atomic_c / 3};
  }
  return atomic_c >= 8 ? Window{2, 4} : Window{1, atomic_c};
}

std::uint32_t Hardware::cbuf_begin() const {
  const std::uint32_t atoms = cbuf_atoms();
  if (cbuf_size == cbuf_capacity) {
    return 0;
  }
  const std::uint32_t bank = bank_atoms();
  const std::uint32_t at_both_ends = (atoms - 1) % bank + 1;
  const auto built = static_cast<std::uint32_t>(cbuf_capacity / atomic_c);
  return std::min(bank - at_both_ends / 2, built - atoms);
}

// 11 taps of 3 channels, the widest usual first layer, have 33 bytes.
std::uint32_t Hardware::fold_bytes() const {
  return has(isa::Feature::Folding) ? std::max<std::uint32_t>(atomic_c >= 8 ? 64 : 32, bus_bytes)
                                    : 0;
}

std::string Hardware::rtl_sources() const {
  return control == Control::Microcode ? "micro/files.f" : "files.f";
}

std::vector<std::pair<std::string, std::uint64_t>> Hardware::rtl_parameters() const {
  const Window window = depthwise_window();
  return {{"AtomicC", atomic_c},
          {"AtomicK", atomic_k},
          {"CbufBytes", cbuf_capacity},
          {"CbufBanks", cbuf_banks},
          {"AccWords", acc_words},
          {"ParamGroups", param_groups},
          {"BusBytes", bus_bytes},
          {"PostLanes", post_lanes},
          {"ReadOutstanding", read_outstanding},
          {"QueueDepth", queue_depth},
          {"WindowRows", std::max(window.rows, 1U)},
          {"WindowCols", std::max(window.cols, 1U)},
          {"LineAtoms", line_atoms},
          {"FoldBytes", std::max(fold_bytes(), bus_bytes)},
          {"Features", features},
          {"LutMultipliers", multipliers == Multipliers::Luts ? shared_multipliers() : 0}};
}

std::string cbuf_text(const Hardware& hw) {
  constexpr double kKiB = 1024;
  const double size = static_cast<double>(hw.cbuf_size) / kKiB;
  return hw.cbuf_size == hw.cbuf_capacity
             ? fmt::format("{:g} KiB", size)
             : fmt::format("{:g} of {:g} KiB", size, static_cast<double>(hw.cbuf_capacity) / kKiB);
}

Hardware part_of(const Hardware& built, Hardware lesser) {
  const std::uint32_t words = std::max(built.acc_words, built.acc_built);
  lesser.acc_built = lesser.acc_words < words ? words : 0;
  return lesser;
}

std::string hardware_problem(const Hardware& hw) {
  struct Limit {
    const char* field;
    std::uint64_t value;
    std::uint64_t low;
    std::uint64_t high;
  };
  for (const auto& [field, value] :
       {std::pair{"array.atomic_c", hw.atomic_c}, {"array.atomic_k", hw.atomic_k}}) {
    if (value < 2 || value > 64 || value % 2 != 0) {
      return fmt::format("hardware.{} is {}; allowed is an even number from 2 to 64", field, value);
    }
  }
  const Limit limits[] = {
      {"accumulators", hw.acc_words, 4, 4096},
      {"param_groups", hw.param_groups, 2, 1024},
      {"bus_bytes", hw.bus_bytes, 4, 64},
      {"post_lanes", hw.post_lanes, 1, hw.atomic_k},
      {"read_outstanding", hw.read_outstanding, 2, 64},
      {"queue_depth", hw.queue_depth, 16, 256},
      {"line_atoms", hw.line_atoms, 16, 2048},
  };
  for (const Limit& limit : limits) {
    if (limit.value < limit.low || limit.value > limit.high || !power_of_two(limit.value)) {
      return fmt::format("hardware.{} is {}; allowed is a power of two from {} to {}", limit.field,
                         limit.value, limit.low, limit.high);
    }
  }
  if (hw.features > Hardware::kAllFeatures) {
    return fmt::format("hardware.features is {:#x}; there are {} features", hw.features,
                       isa::kFeatures.size());
  }
  if (hw.control == Control::Microcode && hw.features != 0) {
    return "hardware.features is not `none`, which `control: microcode` needs";
  }
  if (hw.control == Control::Microcode && hw.multipliers == Multipliers::Luts) {
    return "hardware.array.multipliers is `luts`; allowed is `auto` or `dsp` with `control: "
           "microcode`";
  }
  return cbuf_problem(hw);
}

}  // namespace tessera
