// A network's C, compiled, on a device that a test gives.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/input_steps.hpp"
#include "app/simulate.hpp"
#include "rom/driver.hpp"
#include "rom/host_runtime.hpp"
#include "tessera/config.hpp"
#include "tessera/reference.hpp"
#include "tests/app/cli.hpp"
#include "tests/rom/runtime/compiled.hpp"

namespace tessera::test {

/// What the C code's registers are.
class Registers {
 public:
  Registers() = default;
  virtual ~Registers() = default;
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;
  Registers(Registers&&) = delete;
  Registers& operator=(Registers&&) = delete;
  virtual std::uint32_t read(std::uint32_t offset) = 0;
  virtual void write(std::uint32_t offset, std::uint32_t value) = 0;
};

class NetworkInC : public Cli {
 protected:
  static constexpr std::uint32_t kPolls = 20'000'000;

  /// Reads the configuration, compiles network and C. `change` sees the program in between. False,
  /// with a failure, when that fails.
  bool prepare(const std::vector<std::string>& sets,
               const std::function<void(Program&)>& change = {});
  /// The network's steps twice, with a reset before, or once where it has no states: every output
  /// must be the reference kernels'. `begins` is told the inputs and states of each.
  void expect_reference_bytes(
      Registers& registers, std::size_t steps,
      const std::function<void(const std::vector<Bytes>& inputs, const std::vector<Bytes>& states)>&
          begins = {});

  Config config_;
  Network network_;
  rom::Image image_;
  std::vector<std::uint8_t> memory_;
  std::unique_ptr<Compiled> compiled_;

 private:
  int infer(const std::vector<Bytes>& inputs, std::vector<Bytes>& outputs, std::uint32_t polls);
};

}  // namespace tessera::test
