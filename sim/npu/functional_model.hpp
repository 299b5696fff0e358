// Functional model of the accelerator: what its commands compute, byte for byte.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "sim/npu/npu_state.hpp"
#include "timing/machine/accelerator.hpp"

namespace tessera::npu {

/// 0: load, 1: compute, 2: store.
using MarkListener = std::function<void(unsigned unit, std::uint32_t id, const Counters& counters)>;

/// Executes each command when the hardware would be through with it.
class Function final : public timing::MachineObserver {
 public:
  explicit Function(const Hardware& hardware) : memories_(hardware) {}

  void limit_cbuf(std::uint32_t atoms) { memories_.cbuf_limit = atoms; }
  void on_mark(MarkListener listener) { mark_ = std::move(listener); }

  std::uint8_t* load_begins(const timing::LoadOperation& load) override;
  void load_ends(const timing::LoadOperation& load, std::uint8_t* data) override;
  void conv_begins(const timing::ConvOperation& conv) override;
  void conv_ends(const timing::ConvOperation& conv) override;
  const std::uint8_t* store_begins(const timing::StoreOperation& store) override;
  void mark(unsigned unit, std::uint32_t id, const Counters& counters) override;

 private:
  Memories memories_;
  std::deque<std::vector<std::uint8_t>> loading_;
  std::vector<std::uint8_t> storing_;
  MarkListener mark_;
};

}  // namespace tessera::npu
