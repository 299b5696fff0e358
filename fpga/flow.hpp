// Synthesis, placement, routing, bitstream.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "console/progress.hpp"
#include "fpga/design.hpp"
#include "tessera/error.hpp"

namespace tessera::fpga {

/// The part has too little of something.
class DoesNotFit : public InputError {
 public:
  DoesNotFit(const std::string& what, const Usage& needed) : InputError(what), usage(needed) {}
  Usage usage;  ///< that the design needs
};

/// A design with pins and a clock of its own.
struct WholeDesign {
  std::string top;  ///< module
  std::vector<std::filesystem::path> sources;
  std::vector<std::filesystem::path> memories;  ///< that the sources name: what they hold
};

inline constexpr std::uint32_t kMostSeeds = 100;

struct FlowRequest {
  const Part* part = nullptr;
  Hardware hardware;
  double mhz = 80;               ///< that the placer aims at
  std::uint32_t seeds = 1;       ///< placements; 0: only what it takes
  bool route = true;             ///< false: only placed: no bitstream, the clock as promised
  std::uint32_t first_seed = 1;  ///< of the first one; the others have the next ones
  /// For the netlist, the placed design, logs and bitstream. Empty: they stay in the cache.
  std::filesystem::path folder;
  /// In the place of the accelerator alone. Its parameters stand in its sources.
  std::optional<WholeDesign> design;
};

/// Runs it, or takes from the cache what was made of the same sources, parameters and tools.
/// `listener` is told what begins, and how far placement and routing are. Throws DoesNotFit when a
/// design is to be placed that does not fit, MissingTool, std::runtime_error when a tool fails.
Design run_flow(const FlowRequest& request, const ProgressListener& listener = {});

}  // namespace tessera::fpga
