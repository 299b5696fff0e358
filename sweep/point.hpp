// One point of a sweep: a configuration, run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sweep/space.hpp"
#include "tessera/config.hpp"

namespace tessera::sweep {

struct LayerResult {
  std::string name;
  std::string op;
  std::string mode;  ///< with the parts of a split
  std::uint64_t macs = 0;
  std::uint64_t cycles = 0;
  std::uint64_t external_bytes = 0;  ///< read and written
};

enum class Status : std::uint8_t {
  Ok,
  Wrong,  ///< it ran, but its results differ from the reference kernels
  Failed  ///< see the error
};
const char* name_of(Status status);

struct PointResult {
  std::size_t index = 0;
  Status status = Status::Failed;
  std::string error;
  std::string network;                    ///< its name; empty when it cannot be read
  std::string objective;                  ///< of policy `best`; empty: another policy
  std::uint64_t cbuf_bytes = 0;           ///< usable; 0 when the configuration cannot be read
  std::uint64_t cbuf_capacity_bytes = 0;  ///< built
  std::size_t program_of = 0;             ///< point that the program was made for
  std::uint64_t macs_per_cycle = 0;       ///< of the array
  std::uint64_t macs = 0;
  std::uint64_t cycles = 0;       ///< of the accelerator and the host together
  std::uint64_t host_cycles = 0;  ///< of the host alone, in the accelerator's cycles
  std::uint64_t host_layers = 0;  ///< that the accelerator does not run
  /// What those do, in operations and bytes moved, where the configuration gives no time for it:
  /// then it is in no figure, and `cycles` of points that leave more to the host are those of less
  /// work.
  std::uint64_t uncounted_work = 0;
  std::uint64_t own_cycles = 0;  ///< with the program made for just this point
  std::uint64_t ideal_cycles = 0;
  std::uint64_t external_read_bytes = 0;
  std::uint64_t external_write_bytes = 0;
  std::uint64_t arena_bytes = 0;
  std::uint64_t command_bytes = 0;
  double energy_pj = 0;
  bool has_energy = false;  ///< the configuration names a table of energy
  double clock_mhz = 0;     ///< of the configuration; 0: none
  /// What the hardware takes of the sweep's part, with a buffer of just the point's size.
  struct Area {
    std::uint64_t luts = 0, ffs = 0, brams = 0, dsps = 0;
    double mhz = 0;
    bool fits = false;
  };
  std::optional<Area> area;      ///< with a part
  std::optional<bool> verified;  ///< nothing: the engine computes no data
  std::vector<LayerResult> layers;

  /// 0 without an estimate of the clock.
  [[nodiscard]] double inferences_per_second() const {
    return area && cycles > 0 ? area->mhz * 1e6 / static_cast<double>(cycles) : 0;
  }
  /// 0 without a clock.
  [[nodiscard]] double milliseconds() const {
    return clock_mhz > 0 ? static_cast<double>(cycles) / (clock_mhz * 1000) : 0;
  }
  [[nodiscard]] std::uint64_t external_bytes() const {
    return external_read_bytes + external_write_bytes;
  }
};

/// The hardware with a buffer that is no larger than its usable size needs.
Hardware with_buffer_of_its_size(Hardware hardware);

/// Runs points; keeps the network of the last one.
class PointRunner {
 public:
  explicit PointRunner(const Space& space) : space_(space) {}

  /// Never throws for what a point's configuration can cause: that is its error.
  PointResult run(std::size_t index) { return run(index, index); }
  /// With the program that is made for another point, which has no more of anything.
  PointResult run(std::size_t index, std::size_t program_of);
  /// Throws InputError.
  Config config_of(std::size_t index);

 private:
  std::shared_ptr<const Network> network_of(const Config& config);

  const Space& space_;
  std::optional<std::size_t> largest_;  ///< the point whose capacity is known
  std::uint64_t capacity_ = 0;
  std::string network_key_;
  std::shared_ptr<const Network> network_;
};

/// For pipes and files.
std::string to_text(const PointResult& result);
PointResult from_text(const std::string& text);

}  // namespace tessera::sweep
