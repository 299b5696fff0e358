#include "python/engine/worker.hpp"

#include "python/engine/process.hpp"

namespace tessera::python {

std::string in_worker(const std::function<std::string()>& work, const Listener& listener) {
  Worker worker([&](int /*requests*/, int results) { answer(results, work); });
  return worker.next_answer(listener);
}

}  // namespace tessera::python
