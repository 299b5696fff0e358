// A program that stays loaded: inference after inference in one process.
#pragma once

#include <memory>
#include <string>

#include "python/engine/calls.hpp"
#include "python/engine/worker.hpp"

namespace tessera::python {

class Worker;

class Session {
 public:
  /// Compiles the question's network and loads it into its engine, states reset. Throws as
  /// in_worker().
  Session(const Question& question, const Listener& listener);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  Session(Session&&) = delete;
  Session& operator=(Session&&) = delete;

  /// {"network", "inputs" and "outputs": [{"name", "index" (in the file; -1: none), "type",
  /// "shape", "scales", "zero_point"}] as the file has them, "states": how many}
  [[nodiscard]] const std::string& description() const { return description_; }

  /// "R" and the inputs' bytes, one after the other, as the file has them: one inference. "V": the
  /// same, every layer compared with the reference kernels. The answer is a line of JSON
  /// ({"cycles", "external_bytes", "verified": null, or whether all layers are right}) and the
  /// outputs' bytes. "Z": states begin anew; the answer is a line of JSON with "cycles". Throws as
  /// in_worker().
  std::string ask(const std::string& request, const Listener& listener);

 private:
  std::unique_ptr<Worker> worker_;
  std::string description_;
};

}  // namespace tessera::python
