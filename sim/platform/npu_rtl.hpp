// The accelerator's RTL as a module: pins inside, sockets outside.
#pragma once

#include <memory>
#include <string>

#include "sim/platform/npu.hpp"
#include "sim/rtl/core.hpp"

namespace tessera::platform {

/// Its clock stands still while it does nothing: cycles pass in runs and register accesses.
class NpuRtl final : public Npu {
 public:
  explicit NpuRtl(const sc_core::sc_module_name& name) : Npu(name) {}

  /// Another accelerator, just out of reset; `library` as made by build_variant.
  void reset(const std::string& library, const Hardware& hardware, const std::string& waves);
  /// Takes the model down, so that its waves are complete.
  void release() { core_.reset(); }

 private:
  void access(Access& access) override;
  bool run(timing::Cycle until) override;
  [[nodiscard]] timing::Cycle end() const override { return core_->cycles(); }
  void catch_up();

  std::unique_ptr<rtl::Core> core_;
};

}  // namespace tessera::platform
