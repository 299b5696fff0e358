#include <cstddef>
#include <cstdint>

#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/memory_plan.hpp"
#include "tessera/operator_graph.hpp"

namespace {

constexpr std::size_t kMostPlanned = 64;  // more only take longer

template <class Action>
void attempt(Action action) {
  try {
    action();
  } catch (const tessera::InputError&) {
    // A readable refusal is as good as a network.
  }
}

void require_sound(const tessera::AllocationProblem& problem) {
  if (problem.buffers.size() <= kMostPlanned &&
      !violation(problem, allocate_best(problem, 0, {500}).offsets).empty()) {
    __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  attempt([&] { tessera::import_csv(text, "fuzz.csv", 1); });
  attempt([&] { require_sound(tessera::read_problem_csv(text, "fuzz.csv")); });
  attempt([&] {
    const tessera::OperatorGraph graph = tessera::read_graph_csv(text, "fuzz.csv", 4);
    if (graph.nodes.size() <= kMostPlanned) {
      plan_removal(graph);
      const tessera::Order order = order_exact(order_problem(graph, true), 200);
      require_sound(allocation_problem(graph, order.nodes, true).problem);
    }
  });
  return 0;
}
