// The time of an accelerator with `control: microcode`: its microcode, instruction by instruction,
// as rtl/micro executes it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/generated/microcode.hpp"
#include "timing/machine/accelerator.hpp"
#include "timing/machine/micro_bus.hpp"

namespace tessera::timing {

/// Does not know data: no instruction takes longer or goes elsewhere because of them. What they
/// compute is the observer's, command by command.
class MicroMachine final : public Accelerator {
 public:
  MicroMachine(const Hardware& hardware, MemoryPort& port, MachineObserver& observer);

  void limit_cbuf(std::uint32_t atoms) override { cbuf_limit_ = atoms; }
  void start(std::uint64_t address, std::uint64_t bytes, const std::uint8_t* stream,
             Cycle now) override;
  bool run(Cycle until) override;
  [[nodiscard]] Cycle now() const override { return now_; }
  [[nodiscard]] Counters counters() const override { return counters_at(now_); }

 private:
  struct Instruction {
    microcode::Op op;
    std::uint32_t operand;
    bool by_pointer;
    [[nodiscard]] microcode::Port port() const { return static_cast<microcode::Port>(operand); }
  };
  static const std::vector<Instruction>& program();

  // Of micro_runner.sv: when it makes the steps of the weight tile that was begun last.
  struct Runner {
    std::array<std::uint32_t, 32> ports{};  ///< by microcode::Port
    bool accumulates = false;
    std::uint32_t weights = 0;  ///< atom of the next weight tile
    Cycle first_step = 0;
    Cycle ready = 0;  ///< from that cycle on the next one can be begun
    Cycle idle = 0;   ///< from that cycle on every sum is written
  };

  [[nodiscard]] bool is_ready(const Instruction& instruction) const;
  [[nodiscard]] std::uint32_t extra_cycles(const Instruction& instruction) const;
  void execute(const Instruction& instruction);
  void compute(const Instruction& instruction);
  void jump(const Instruction& instruction);
  void out(microcode::Port port);
  [[nodiscard]] std::uint32_t in(microcode::In port) const;
  std::uint32_t& data_word(const Instruction& instruction);
  void multiply(std::uint32_t factor);
  void extract(std::uint32_t bits, bool is_signed);

  void advance(Cycle cycles);
  void step_bus();
  void wait(Cycle until);
  [[noreturn]] void fail(isa::Error cause, std::uint32_t info) const;

  void set_phase(std::uint32_t phase);
  void take_command();
  void begin_data(std::uint32_t bytes);
  void begin_store();
  void end_command();
  void go();
  void check_load() const;
  void check_features(std::uint32_t atom, std::uint32_t rows, std::uint32_t cols) const;
  void mark(std::uint32_t id);

  [[nodiscard]] std::uint32_t runner_port(microcode::Port port) const {
    return runner_.ports[static_cast<std::size_t>(port)];
  }
  [[nodiscard]] Counters counters_at(Cycle now) const;
  [[nodiscard]] std::uint64_t waited(Cycle now) const;

  Hardware hw_;
  std::uint32_t cbuf_limit_;
  MachineObserver& observer_;
  MicroBus bus_;
  Cycle now_ = 0;
  bool running_ = false;
  Cycle started_ = 0;         ///< CONTROL was written
  std::uint64_t cycles_ = 0;  ///< of earlier runs

  // The microcontroller.
  std::uint32_t pc_ = 0;
  std::uint32_t a_ = 0;
  std::vector<std::uint32_t> data_;
  std::uint32_t pointer_ = 0, rounds_ = 0;
  std::uint32_t left_places_ = 0, right_places_ = 0;
  bool negated_ = false, sign_ = false, carry_ = false;
  std::array<std::uint32_t, 2> links_{};
  std::uint64_t word_ = 0;
  bool word_comes_ = false;  ///< bytes were asked for since the last bit was taken
  Cycle pause_ = 0;          ///< cycles before the next instruction's last one
  bool paused_ = false;      ///< they are over

  // The stream.
  const std::uint8_t* stream_ = nullptr;
  std::uint64_t stream_address_ = 0, stream_bytes_ = 0;
  std::uint64_t stream_offset_ = 0;  ///< of the next word
  std::array<std::uint8_t, 8> command_{};

  Runner runner_;
  std::uint64_t steps_ = 0, loading_ = 0;  ///< of all weight tiles that were begun
  std::uint32_t last_steps_ = 0, last_kernels_ = 0;

  // Commands, as the observer is told of them.
  LoadWords load_words_;
  ConvWords conv_words_;
  StoreWords store_words_;
  std::uint32_t phase_ = 0;
  Cycle phase_from_ = 0, command_from_ = 0;
  std::uint32_t kind_ = 0;
  bool loading_now_ = false, convolving_ = false, storing_ = false;
  std::uint8_t* load_data_ = nullptr;
  std::uint64_t loaded_ = 0;
  const std::uint8_t* store_data_ = nullptr;

  std::uint64_t wait_load_ = 0, wait_store_ = 0;
  std::uint64_t command_bytes_ = 0, write_bytes_ = 0;
  std::array<std::uint64_t, 8> load_bytes_{};
};

}  // namespace tessera::timing
