// The accelerator as a model: its timing command by command, its arithmetic in host vectors.
#pragma once

#include <memory>

#include "sim/npu/registers.hpp"
#include "sim/platform/npu.hpp"

namespace tessera::platform {

class NpuTlm final : public Npu {
 public:
  explicit NpuTlm(const sc_core::sc_module_name& name) : Npu(name) {}

  /// Another accelerator, just out of reset.
  void reset(const Hardware& hardware);

 private:
  void access(Access& access) override;
  bool run(timing::Cycle until) override;
  [[nodiscard]] timing::Cycle end() const override { return end_; }
  void begin(timing::Cycle written);

  std::unique_ptr<npu::Registers> registers_;
  std::unique_ptr<npu::Function> function_;
  std::unique_ptr<timing::Accelerator> machine_;
  timing::Cycle end_ = 0;
};

}  // namespace tessera::platform
