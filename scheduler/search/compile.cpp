#include "scheduler/program/prepared.hpp"
#include "scheduler/search/best.hpp"
#include "tessera/error.hpp"
#include "tessera/program.hpp"

namespace tessera {

Program compile(const Network& network, const Hardware& hardware, const Policy& policy,
                Contents contents, const SearchListener& listener) {
  if (const std::string problem = hardware_problem(hardware); !problem.empty()) {
    throw InputError(problem);
  }
  const Prepared prepared = prepare(network, hardware, policy);
  const Tuning tuning =
      policy.name == PolicyName::Best ? best_tuning(prepared, listener) : Tuning{};
  return compile_tuned(prepared, tuning, contents);
}

}  // namespace tessera
