#include "rom/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rom/system.hpp"
#include "tessera/reference.hpp"

namespace tessera::rom {
namespace {

using Data = std::vector<std::uint8_t>;

constexpr std::uint64_t kMostCycles = 2'000'000'000;

/// Plays the host: gives inputs, computes its operators, starts the hardware in between.
class Booted {
 public:
  Booted(System& system, const Image& image, const std::vector<Data>& inputs)
      : system_(system), image_(image), program_(image.program), inputs_(inputs) {
    outputs_.resize(program_.outputs.size());
  }

  /// Empty: it ran to the end.
  std::string run() {
    bool started = false;  // the runs up to the host's next work are done
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      if (exchange(s)) {
        started = false;
      }
      if (const auto* call = std::get_if<HostCall>(&program_.steps[s]); call != nullptr) {
        compute(*call);
        started = false;
      } else if (std::holds_alternative<CommandRun>(program_.steps[s]) && !started) {
        const std::uint64_t before = system_.cycles();
        system_.start(kMostCycles);
        cycles_ += system_.cycles() - before;
        if (system_.failed()) {
          return system_.error_text();
        }
        started = true;
      }
    }
    exchange(program_.steps.size());
    return system_.runs_done() == 0 ? "" : "the hardware has runs left that it did not make";
  }

  [[nodiscard]] const std::vector<Data>& outputs() const { return outputs_; }
  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }

 private:
  [[nodiscard]] std::uint64_t in_arena(std::uint64_t address) const {
    return image_.base + address - image_.arena.address;
  }

  Data read(const Slot& slot) {
    if (slot.segment_bytes == 0) {
      return system_.read(in_arena(slot.address), slot.bytes);
    }
    Data bytes;
    for (std::uint64_t from = slot.address; bytes.size() < slot.bytes; from += slot.stride) {
      const Data part = system_.read(in_arena(from), slot.segment_bytes);
      bytes.insert(bytes.end(), part.begin(), part.end());
    }
    return bytes;
  }

  bool exchange(std::size_t step) {
    bool any = false;
    for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
      if (program_.output_steps[i] == step) {
        outputs_[i] = read(program_.outputs[i]);
        any = true;
      }
    }
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      if (program_.input_steps[i] == step) {
        system_.write(in_arena(program_.inputs[i].address), inputs_[i]);
        any = true;
      }
    }
    return any;
  }

  void compute(const HostCall& call) {
    const Operator& op = call.kernel.operators[0];
    std::vector<Data> data(op.inputs.size());
    std::vector<const std::uint8_t*> pointers;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const std::uint8_t* at = nullptr;
      if (call.inputs[i]) {
        data[i] = read(*call.inputs[i]);
        at = data[i].data();
      } else if (op.inputs[i] >= 0) {
        at = call.kernel.tensors[static_cast<std::size_t>(op.inputs[i])].constant.data();
      }
      pointers.push_back(at);
    }
    Data output(call.output.bytes);
    run_operator(call.kernel, op, pointers, output.data());
    system_.write(in_arena(call.output.address), output);
  }

  System& system_;
  const Image& image_;
  const Program& program_;
  const std::vector<Data>& inputs_;
  std::vector<Data> outputs_;
  std::uint64_t cycles_ = 0;
};

}  // namespace

Verification verify(const std::string& folder, const Image& image, const Network& network,
                    const std::vector<Data>& inputs,
                    const std::function<void(const std::string&)>& announce) {
  System system(folder, image.program.hardware.bus_bytes, announce);
  Booted booted(system, image, inputs);
  Verification result;
  result.problem = booted.run();
  result.cycles = booted.cycles();
  if (!result.problem.empty()) {
    return result;
  }
  const std::vector<Data> expected = run_reference(network, inputs);
  for (std::size_t i = 0; i < expected.size() && result.problem.empty(); ++i) {
    if (booted.outputs()[i] != expected[i]) {
      const auto at = std::mismatch(expected[i].begin(), expected[i].end(),
                                    booted.outputs()[i].begin(), booted.outputs()[i].end());
      result.problem = fmt::format("output {} differs from the reference kernels at byte {}", i,
                                   at.first - expected[i].begin());
    }
  }
  return result;
}

}  // namespace tessera::rom
