#include "rom/host_driver.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/reference.hpp"

namespace tessera::rom {
namespace {

using Data = std::vector<std::uint8_t>;

class Player {
 public:
  Player(Device& device, const Image& image, const std::vector<Data>& inputs)
      : device_(device), image_(image), program_(image.program), inputs_(inputs) {
    played_.outputs.resize(program_.outputs.size());
  }

  Played run() {
    auto next = image_.runs.begin();
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      exchange(s);
      if (const auto* call = std::get_if<HostCall>(&program_.steps[s]); call != nullptr) {
        compute(*call);
      } else if (std::holds_alternative<CommandRun>(program_.steps[s])) {
        played_.problem = device_.run(*next++);
        if (!played_.problem.empty()) {
          return std::move(played_);
        }
      }
    }
    exchange(program_.steps.size());
    return std::move(played_);
  }

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
        played_.outputs[i] = read(program_.outputs[i]);
      }
    }
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      if (program_.input_steps[i] == step) {
        device_.write(image_.on_bus(program_.inputs[i].address), inputs_[i]);
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
  const std::vector<Data>& inputs_;
  Played played_;
};

}  // namespace

Played play(Device& device, const Image& image, const std::vector<Data>& inputs) {
  return Player(device, image, inputs).run();
}

std::string difference(const Network& network, const std::vector<Data>& inputs,
                       const std::vector<Data>& outputs) {
  const std::vector<Data> expected = run_reference(network, inputs);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (outputs[i] != expected[i]) {
      const auto at = std::mismatch(expected[i].begin(), expected[i].end(), outputs[i].begin(),
                                    outputs[i].end());
      return fmt::format("output {} differs from the reference kernels at byte {}", i,
                         at.first - expected[i].begin());
    }
  }
  return "";
}

}  // namespace tessera::rom
