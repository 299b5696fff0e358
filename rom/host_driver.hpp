// The host's part of running an image: inputs, operators between the runs, outputs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rom/image.hpp"

namespace tessera::rom {

/// What holds the image's activations and runs its command streams.
class Device {
 public:
  Device() = default;
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  Device(Device&&) = delete;
  Device& operator=(Device&&) = delete;

  /// Activations, at their address on the accelerator's bus; while nothing runs.
  virtual void write(std::uint64_t address, const std::vector<std::uint8_t>& bytes) = 0;
  virtual std::vector<std::uint8_t> read(std::uint64_t address, std::uint64_t bytes) = 0;
  /// One stream, to its end. Empty, or why it stopped.
  virtual std::string run(const Run& run) = 0;
};

/// Inputs or outputs of one inference, in the order of the network's.
using Values = std::vector<std::vector<std::uint8_t>>;

struct Played {
  std::vector<Values> outputs;  ///< by step
  std::string problem;          ///< empty: it ran to the end
};

/// States begin anew, and the whole image runs once for each step's inputs. `begins` is told which
/// step does.
Played play(Device& device, const Image& image, const std::vector<Values>& steps,
            const std::function<void(std::size_t step)>& begins = {});

/// Empty when the outputs are those of the reference kernels, else the first difference. Both by
/// step.
std::string difference(const Network& network, const std::vector<Values>& inputs,
                       const std::vector<Values>& outputs);

}  // namespace tessera::rom
