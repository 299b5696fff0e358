// What operations read and write inside the accelerator.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "scheduler/operations/operations.hpp"
#include "tessera/energy.hpp"
#include "tessera/hardware.hpp"

namespace tessera {

Accesses accesses_of(const std::vector<Operation>& operations, const Hardware& hardware);

/// Distinct cbuf atoms that operations write.
class AtomsUsed {
 public:
  void add(const std::vector<Operation>& operations);
  [[nodiscard]] std::uint64_t count() const;

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

}  // namespace tessera
