#include <fmt/format.h>

#include <cmath>

#include "app/config/presets.hpp"
#include "app/config/sections.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

constexpr double kLeastBytes = 0.01, kMostBytes = 1024;  // per cycle

// Bytes per second in the place of bytes per cycle.
void read_bandwidth(YamlFields& fields, const YAML::Node& node, const std::string& file, double mhz,
                    ExternalMemory& memory) {
  if (fields.has("bytes_per_cycle")) {
    fields.fail(node, "`memory.bandwidth` stands beside `bytes_per_cycle`; allowed is one of them");
  }
  if (mhz == 0) {
    fields.fail(node, "`memory.bandwidth` needs `hardware.clock`, such as 500 MHz");
  }
  const double megabytes =
      parse_quantity(node.IsScalar() ? node.Scalar() : "", {{"MB/s", 1}, {"GB/s", 1000}},
                     place_of(node, file) + "`memory.bandwidth`: ");
  memory.bytes_per_cycle = megabytes / mhz;
  if (memory.bytes_per_cycle < kLeastBytes || memory.bytes_per_cycle > kMostBytes) {
    fields.fail(node, fmt::format("`memory.bandwidth` is {:g} bytes per cycle at {:g} MHz; allowed "
                                  "is {} to {}",
                                  memory.bytes_per_cycle, mhz, kLeastBytes, kMostBytes));
  }
}

// Overrides the values of `memory` that the map gives.
void read_memory_fields(YamlFields& fields, const std::string& file, double mhz,
                        ExternalMemory& memory) {
  const auto cycles = [](YamlFields& from, const char* key, std::uint32_t fallback) {
    return u32(from.integer(key, 0, 100000, fallback));
  };
  memory.bytes_per_cycle =
      fields.number("bytes_per_cycle", kLeastBytes, kMostBytes, memory.bytes_per_cycle);
  if (const YAML::Node bandwidth = fields.get("bandwidth"); bandwidth.IsDefined()) {
    read_bandwidth(fields, bandwidth, file, mhz, memory);
  }
  memory.latency = cycles(fields, "latency", memory.latency);
  memory.turnaround = cycles(fields, "turnaround", memory.turnaround);
  memory.partial_beat = cycles(fields, "partial_beat", memory.partial_beat);
  if (const YAML::Node rom = fields.get("rom"); rom.IsDefined()) {
    YamlFields part(rom, file, "memory.rom");
    part.need("cycles_per_beat");
    memory.rom.latency = cycles(part, "latency", 0);
    memory.rom.cycles_per_beat = u32(part.integer("cycles_per_beat", 1, 100000));
    part.finish();
  }
  const YAML::Node dram = fields.get("dram");
  if (!dram.IsDefined()) {
    return;
  }
  YamlFields part(dram, file, "memory.dram");
  DramTiming& timing = memory.dram;
  timing.banks = u32(part.integer("banks", 0, 256, timing.banks));
  timing.row_bytes = u32(part.integer("row_bytes", 4096, 65536, timing.row_bytes));
  timing.activate = cycles(part, "activate", timing.activate);
  timing.precharge = cycles(part, "precharge", timing.precharge);
  timing.refresh_interval = cycles(part, "refresh_interval", timing.refresh_interval);
  timing.refresh_cycles = cycles(part, "refresh_cycles", timing.refresh_cycles);
  part.finish();
  if (timing.row_bytes % 4096 != 0) {
    fields.fail(dram, fmt::format("`memory.dram.row_bytes` is {}; allowed is a multiple of 4096, "
                                  "which bursts do not cross",
                                  timing.row_bytes));
  }
  if (timing.refresh_interval != 0 && timing.refresh_cycles >= timing.refresh_interval) {
    fields.fail(dram, fmt::format("`memory.dram.refresh_cycles` is {}; allowed is less than "
                                  "refresh_interval, {}",
                                  timing.refresh_cycles, timing.refresh_interval));
  }
}

// A memory has a time of its own: with `factor` times the clock it takes so many more cycles.
void set_clock(double factor, ExternalMemory& memory) {
  const auto scale = [&](std::uint32_t& cycles) {
    cycles = u32(std::llround(std::ceil(cycles * factor - 1e-9)));
  };
  memory.bytes_per_cycle /= factor;
  for (std::uint32_t* const cycles :
       {&memory.latency, &memory.turnaround, &memory.partial_beat, &memory.dram.activate,
        &memory.dram.precharge, &memory.dram.refresh_interval, &memory.dram.refresh_cycles}) {
    scale(*cycles);
  }
}

// A preset that says at which clock its cycles are meant follows the clock that there is.
ExternalMemory memory_preset_at(const std::string& name, const std::string& where, double mhz) {
  const std::string path = preset_path("memory", name, where);
  ExternalMemory memory;
  memory.name = name;
  YamlFields fields(parse_file(path), path, "memory");
  const double meant_at = fields.number("at_mhz", 0, 1e6, 0);
  read_memory_fields(fields, path, 0, memory);
  fields.finish();
  if (mhz > 0 && meant_at > 0 && mhz != meant_at) {
    set_clock(mhz / meant_at, memory);
    if (memory.bytes_per_cycle < kLeastBytes || memory.bytes_per_cycle > kMostBytes) {
      throw InputError(
          fmt::format("{}`{}` is {:g} bytes per cycle at {:g} MHz; allowed is {} to {}", where,
                      name, memory.bytes_per_cycle, mhz, kLeastBytes, kMostBytes));
    }
  }
  return memory;
}

}  // namespace

void read_memory(const YAML::Node& node, const std::string& file, Config& config) {
  if (node.IsScalar()) {
    config.memory = memory_preset_at(node.Scalar(), place_of(node, file), config.hardware.mhz);
    return;
  }
  YamlFields fields(node, file, "memory");
  ExternalMemory& memory = config.memory;
  if (const YAML::Node preset = fields.get("preset"); preset.IsDefined()) {
    memory = memory_preset_at(fields.text("preset"), place_of(preset, file), config.hardware.mhz);
  }
  read_memory_fields(fields, file, config.hardware.mhz, memory);
  if (const YAML::Node jitter = fields.get("jitter"); jitter.IsDefined()) {
    YamlFields part(jitter, file, "memory.jitter");
    config.jitter.extra_latency = u32(part.integer("latency", 0, 10000, 0));
    config.jitter.stall_percent = u32(part.integer("stall_percent", 0, 90, 0));
    config.jitter.seed = static_cast<std::uint64_t>(part.integer("seed", 0, INT64_MAX, 1));
    part.finish();
  }
  fields.finish();
}

ExternalMemory memory_preset(const std::string& name) {
  return memory_preset_at(name, "", 0);
}

std::vector<TrafficPattern> read_traffic(const YAML::Node& node, const std::string& file,
                                         const Hardware& hardware) {
  constexpr std::size_t kMost = 4;
  constexpr std::uint64_t kFirstAddress = std::uint64_t{1} << 31;
  if (!node.IsSequence() || node.size() > kMost) {
    throw InputError(place_of(node, file) +
                     fmt::format("`traffic` must be a list of at most {} maps with a "
                                 "`bytes_per_cycle` each",
                                 kMost));
  }
  std::vector<TrafficPattern> traffic;
  for (std::size_t i = 0; i < node.size(); ++i) {
    YamlFields fields(node[i], file, fmt::format("traffic[{}]", i));
    fields.need("bytes_per_cycle");
    TrafficPattern pattern;
    pattern.bytes_per_cycle = fields.number("bytes_per_cycle", 0.001, 1024, 1);
    const std::int64_t most = std::min<std::int64_t>(4096, std::int64_t{256} * hardware.bus_bytes);
    pattern.burst_bytes = u32(fields.integer("burst_bytes", hardware.bus_bytes, most, 64));
    pattern.writes = fields.choice("direction", {"read", "write"}, 0) == 1;
    pattern.random = fields.choice("addresses", {"linear", "random"}, 0) == 1;
    pattern.window_bytes = fields.size("window", pattern.window_bytes);
    pattern.seed = static_cast<std::uint64_t>(fields.integer("seed", 0, INT64_MAX, 1));
    pattern.address = kFirstAddress + (std::uint64_t{i} << 26);
    if (pattern.burst_bytes % hardware.bus_bytes != 0) {
      fields.fail("burst_bytes", fmt::format("is {}; allowed is a multiple of the bus, {} bytes",
                                             pattern.burst_bytes, hardware.bus_bytes));
    }
    fields.finish();
    traffic.push_back(pattern);
  }
  return traffic;
}

}  // namespace tessera
