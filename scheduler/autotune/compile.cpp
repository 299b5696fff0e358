#include "scheduler/autotune/best.hpp"
#include "tessera/error.hpp"
#include "tessera/program.hpp"

namespace tessera {

Program compile(const Network& network, const Hardware& hardware, const Policy& policy,
                Contents contents, const SearchListener& listener) {
  if (const std::string problem = hardware_problem(hardware); !problem.empty()) {
    throw InputError(problem);
  }
  if (policy.name != PolicyName::Best) {
    return compile_tuned(prepare(network, hardware, policy), {}, contents);
  }
  const Best best = find_best(network, hardware, policy, listener);
  Program program = compile_tuned(best.start->prepared(), best.tuning, contents);
  program.hardware = hardware;
  program.made_for = best.start->made_for();
  return program;
}

}  // namespace tessera
