// Variables of a TensorFlow Lite model: resources that outlive a run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "network/import/tflite/tflite_graph.hpp"

namespace tessera {

/// An operator's builtin code; -1 where the file has none for it.
std::int32_t builtin_of(const tflite::Model& model, const tflite::Operator& source);

/// CALL_ONCE, VAR_HANDLE, READ_VARIABLE and ASSIGN_VARIABLE become states of the network: the first
/// read before any assignment is a state's input, the last value assigned its output.
class TfliteStates {
 public:
  TfliteStates(const tflite::Model& model, TfliteGraph& graph) : model_(model), graph_(graph) {}

  /// Whether an operator of that builtin code is one of them.
  static bool is_one(std::int32_t builtin);
  /// Its name in TensorFlow Lite.
  static const char* name_of(std::int32_t builtin);
  void read(const tflite::Operator& source, std::int32_t builtin);
  /// When all operators are read. Throws InputError for a variable that begins with nothing.
  void finish();

 private:
  struct Variable {
    std::string name;
    const tflite::Tensor* initial = nullptr;  ///< a constant of the subgraph that runs once
    std::int32_t read = -1;                   ///< first read, before anything is assigned
    std::int32_t assigned = -1;               ///< last
  };

  void call_once(const tflite::Operator& source);
  void initialise(const tflite::SubGraph& subgraph);
  void handle(const tflite::Operator& source);
  void read_variable(const tflite::Operator& source);
  void assign_variable(const tflite::Operator& source);
  Variable& variable(std::int32_t handle);
  [[nodiscard]] std::size_t variable_of(const tflite::Operator& source);
  [[nodiscard]] std::vector<std::uint8_t> initial_of(const Variable& variable) const;

  const tflite::Model& model_;
  TfliteGraph& graph_;
  std::vector<Variable> variables_;
  std::map<std::string, std::size_t> by_name_;
  std::map<std::int32_t, std::size_t> handles_;  // variables by resource tensor
};

}  // namespace tessera
