// What whole networks cost on a preset, with both policies, as a table in Markdown: cycles against
// their bound, bytes on the bus against what must move at least once, and how long scheduling takes
// (on this machine; the only figure that differs from run to run).
#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "scheduler/autotune/best.hpp"
#include "scheduler/tiling/best_tiling.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "timing/machine/cost_model.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// Inputs, outputs and constants, each once.
std::uint64_t compulsory_bytes(const Network& network) {
  std::uint64_t bytes = 0;
  for (const Tensor& tensor : network.tensors) {
    bytes += tensor.constant.size();
  }
  for (const auto* ends : {&network.inputs, &network.outputs}) {
    for (const std::int32_t tensor : *ends) {
      bytes += network.tensors[static_cast<std::size_t>(tensor)].bytes();
    }
  }
  return bytes;
}

// Each convolution by the best tiling, its features from external memory and back.
std::uint64_t optimum_bytes(const Network& network, const Hardware& hardware) {
  const Policy policy;
  const Prepared prepared = prepare(network, hardware, policy);
  std::uint64_t bytes = 0;
  for (const FusedOperator& unit : prepared.plan.units) {
    for (const ArrayPass& piece : unit.lowering.passes) {
      bytes += best_tiling_bytes(piece.shape, hardware);
      if (piece.operand_view) {
        const ConvShape& shape = piece.shape;
        bytes += static_cast<std::uint64_t>(shape.out_h) * static_cast<std::uint64_t>(shape.out_w) *
                 static_cast<std::uint64_t>(shape.out_c);
      }
    }
  }
  return bytes;
}

// Of each layer the larger of its multiplications on a full array and its bytes on a full bus.
std::uint64_t bound_of(const Program& program, const RunResult& result,
                       const ExternalMemory& memory) {
  double sum = 0;
  for (std::size_t i = 0; i < program.layers.size(); ++i) {
    if (program.layers[i].pass) {
      const double array = static_cast<double>(program.layers[i].macs) /
                           static_cast<double>(program.hardware.macs_per_cycle());
      const double bus =
          static_cast<double>(external_bytes(result.layers[i].counters)) / memory.bytes_per_cycle;
      sum += std::max(array, bus);
    }
  }
  return static_cast<std::uint64_t>(sum);
}

void print_row(const std::string& name, const Network& network, const Hardware& hardware,
               PolicyName policy_name) {
  Policy policy;
  policy.name = policy_name;
  const auto start = std::chrono::steady_clock::now();
  const Program program = compile(network, hardware, policy, Contents::Commands);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const RunResult result = timing::estimate(program, policy.memory);
  const std::uint64_t cycles = counter(result.totals, isa::Counter::Cycles);
  const std::uint64_t bound = bound_of(program, result, policy.memory);
  const auto percent = [&](isa::Counter which) {
    return 100.0 * static_cast<double>(counter(result.totals, which)) / static_cast<double>(cycles);
  };
  fmt::print(
      "| {} | {} | {} | {} | {:.2f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {} | {} | {} | {} | "
      "{:.2f} |\n",
      name, policy_names()[static_cast<std::size_t>(policy_name)], cycles, bound,
      static_cast<double>(cycles) / static_cast<double>(bound), percent(isa::Counter::ArrayBusy),
      percent(isa::Counter::WaitLoad), percent(isa::Counter::WaitStore),
      percent(isa::Counter::StallWeights), external_bytes(result.totals),
      optimum_bytes(network, hardware), compulsory_bytes(network), program.arena_bytes(), seconds);
}

int run(const std::string& preset, int count, char** files) {
  const Hardware hardware = hardware_preset(preset);
  fmt::print(
      "| network | policy | cycles | bound | ratio | array % | wait load % | wait store % | "
      "weights % | bytes | best tiling | compulsory | arena | schedule s |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: "
      "| ---: |\n");
  for (int i = 0; i < count; ++i) {
    const fs::path path = files[i];
    const bool is_model = path.filename() == "model.tflite";
    const std::string name =
        is_model ? path.parent_path().filename().string() : path.stem().string();
    const Network network = load_network(path.string(), 1);
    for (const PolicyName policy : {PolicyName::FirstFit, PolicyName::Best}) {
      try {
        print_row(name, network, hardware, policy);
      } catch (const InputError& error) {
        fmt::print("| {} | {} | {} |\n", name, policy_names()[static_cast<std::size_t>(policy)],
                   error.what());
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: bench_networks PRESET NETWORK...\n");
    return 1;
  }
  try {
    return tessera::run(argv[1], argc - 2, argv + 2);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_networks: {}\n", error.what());
    return 1;
  }
}
