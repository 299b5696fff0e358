#include "rom/host_driver.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/reference.hpp"

namespace tessera::rom {
namespace {

using Data = std::vector<std::uint8_t>;

class Player {
 public:
  Player(Device& device, const Image& image)
      : device_(device), image_(image), program_(image.program) {}

  // All of these: empty, or why it stopped.
  std::string reset() { return image_.runs.front().reset ? device_.run(image_.runs.front()) : ""; }

  std::string run(const Values& inputs) {
    inputs_ = &inputs;
    outputs_.assign(program_.outputs.size(), {});
    auto next = image_.runs.begin() + (image_.runs.front().reset ? 1 : 0);
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      exchange(s);
      if (const auto* call = std::get_if<HostCall>(&program_.steps[s]); call != nullptr) {
        compute(*call);
      } else if (std::holds_alternative<CommandRun>(program_.steps[s])) {
        if (std::string problem = device_.run(*next++); !problem.empty()) {
          return problem;
        }
      }
    }
    exchange(program_.steps.size());
    return "";
  }

  [[nodiscard]] const Values& outputs() const { return outputs_; }

 private:
  Data read(const Slot& slot) {
    if (slot.segment_bytes == 0) {
      return device_.read(image_.on_bus(slot.address), slot.bytes);
    }
    Data bytes;
    for (std::uint64_t from = slot.address; bytes.size() < slot.bytes; from += slot.stride) {
      const Data part = device_.read(image_.on_bus(from), slot.segment_bytes);
      bytes.insert(bytes.end(), part.begin(), part.end());
    }
    return bytes;
  }

  void exchange(std::size_t step) {
    for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
      if (program_.output_steps[i] == step) {
        outputs_[i] = read(program_.outputs[i]);
      }
    }
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      if (program_.input_steps[i] == step) {
        device_.write(image_.on_bus(program_.inputs[i].address), (*inputs_)[i]);
      }
    }
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
    device_.write(image_.on_bus(call.output.address), output);
  }

  Device& device_;
  const Image& image_;
  const Program& program_;
  const Values* inputs_ = nullptr;
  Values outputs_;
};

}  // namespace

Played play(Device& device, const Image& image, const std::vector<Values>& steps,
            const std::function<void(std::size_t step)>& begins) {
  Player player(device, image);
  Played played;
  played.problem = player.reset();
  for (std::size_t s = 0; played.problem.empty() && s < steps.size(); ++s) {
    if (begins) {
      begins(s);
    }
    played.problem = player.run(steps[s]);
    played.outputs.push_back(player.outputs());
  }
  return played;
}

std::string difference(const Network& network, const std::vector<Values>& inputs,
                       const std::vector<Values>& outputs) {
  Values states = initial_states(network);
  for (std::size_t s = 0; s < inputs.size(); ++s) {
    const Values expected = run_reference(network, inputs[s], {}, &states);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (outputs[s][i] != expected[i]) {
        const auto at = std::mismatch(expected[i].begin(), expected[i].end(), outputs[s][i].begin(),
                                      outputs[s][i].end());
        return fmt::format("{}output {} differs from the reference kernels at byte {}",
                           inputs.size() > 1 ? fmt::format("step {}: ", s + 1) : "", i,
                           at.first - expected[i].begin());
      }
    }
  }
  return "";
}

}  // namespace tessera::rom
