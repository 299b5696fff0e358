#include "timing/machine/accelerator.hpp"

#include "timing/machine/machine.hpp"
#include "timing/machine/micro_machine.hpp"

namespace tessera::timing {

std::uint8_t* MachineObserver::load_begins(const LoadOperation& /*load*/) {
  return nullptr;
}
const std::uint8_t* MachineObserver::load_codes(const LoadOperation& /*load*/) {
  return nullptr;
}
void MachineObserver::load_ends(const LoadOperation& /*load*/, std::uint8_t* /*data*/) {}
void MachineObserver::conv_begins(const ConvOperation& /*conv*/) {}
void MachineObserver::conv_ends(const ConvOperation& /*conv*/) {}
const std::uint8_t* MachineObserver::store_begins(const StoreOperation& /*store*/) {
  return nullptr;
}
void MachineObserver::worked(unsigned /*unit*/, Cycle /*begin*/, Cycle /*end*/) {}
void MachineObserver::mark(unsigned /*unit*/, std::uint32_t /*id*/, const Counters& /*counters*/) {}

std::unique_ptr<Accelerator> make_accelerator(const Hardware& hardware, MemoryPort& port,
                                              MachineObserver& observer) {
  if (hardware.control == Control::Microcode) {
    return std::make_unique<MicroMachine>(hardware, port, observer);
  }
  return std::make_unique<Machine>(hardware, port, observer);
}

}  // namespace tessera::timing
