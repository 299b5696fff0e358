// What a run costs in picojoules, by a table of accesses.
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// Picojoules.
struct EnergyTable {
  double mac = 0.3;                ///< of the network, idle lanes cost nothing
  double cbuf_byte = 1.9;          ///< read or written
  double accumulator_byte = 1.25;  ///< read or written
  double external_byte = 240;      ///< read or written
  double cycle = 0;
  std::string name = "45nm";  ///< of the preset
};

/// Bytes that go in and out of the accelerator's memories, as its commands say. Parameters,
/// operands and tables are left out; pixels of padding count as if they were read.
struct Accesses {
  std::uint64_t cbuf_bytes = 0;         ///< read and written
  std::uint64_t accumulator_bytes = 0;  ///< read and written

  Accesses& operator+=(const Accesses& other) {
    cbuf_bytes += other.cbuf_bytes;
    accumulator_bytes += other.accumulator_bytes;
    return *this;
  }
};

struct Effort {
  std::uint64_t macs = 0;
  Accesses accesses;
  std::uint64_t external_bytes = 0;
  std::uint64_t cycles = 0;
};

inline double energy_pj(const EnergyTable& table, const Effort& effort) {
  return table.mac * static_cast<double>(effort.macs) +
         table.cbuf_byte * static_cast<double>(effort.accesses.cbuf_bytes) +
         table.accumulator_byte * static_cast<double>(effort.accesses.accumulator_bytes) +
         table.external_byte * static_cast<double>(effort.external_bytes) +
         table.cycle * static_cast<double>(effort.cycles);
}

}  // namespace tessera
