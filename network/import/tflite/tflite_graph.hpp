// A TensorFlow Lite model on its way to a network: tensors, and what reading operators needs.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/network.hpp"
#include "tflite_generated.h"

namespace tessera {

/// Copies, because damaged files have vectors at any address.
template <class T>
std::vector<T> values_of(const flatbuffers::Vector<T>* vector) {
  std::vector<T> values(vector != nullptr ? vector->size() : 0);
  if (!values.empty()) {
    std::memcpy(values.data(), vector->Data(), values.size() * sizeof(T));
  }
  return values;
}

/// A dilated convolution as older files have it: pixels that a block apart meet in one picture of a
/// batch, convolved there, and put back.
struct SpaceInBatches {
  std::int32_t feature = -1;
  std::vector<std::int32_t> blocks;  ///< height, width
  std::vector<std::int32_t> pads;    ///< top, bottom, left, right
  std::optional<Operator> conv;      ///< once it has been read
};

class TfliteGraph {
 public:
  /// Reads the tensors; operators follow.
  TfliteGraph(const tflite::Model& model, const std::string& name, const ImportOptions& options);

  [[nodiscard]] const tflite::SubGraph& subgraph() const { return *subgraph_; }
  /// Everything else that errors name.
  void at(const std::string& where) { where_ = where; }
  [[noreturn]] void fail(const std::string& text) const;
  void require(bool condition, const std::string& text) const;

  /// A tensor that must exist; its index was checked when the operator was read.
  [[nodiscard]] const Tensor& input(const Operator& op, std::size_t i) const;
  [[nodiscard]] const Tensor& output(const Operator& op) const;
  [[nodiscard]] const Tensor& tensor(std::int32_t index) const;
  /// Tensors that were uint8.
  [[nodiscard]] bool is_unsigned(std::int32_t tensor) const {
    return is_unsigned_[static_cast<std::size_t>(tensor)];
  }
  /// Of an operator's input, which must exist.
  [[nodiscard]] bool is_unsigned(const Operator& op, std::size_t i) const {
    static_cast<void>(input(op, i));
    return is_unsigned(op.inputs[i]);
  }
  /// Whether an operator computes floats as floats: not in models whose values are drawn.
  [[nodiscard]] bool is_float(const Operator& op) const {
    return !seeded_ && input(op, 0).type == DataType::Float32;
  }
  /// Whether a float model runs with values from the seed.
  [[nodiscard]] bool is_seeded() const { return seeded_; }
  void check_tensors(const std::vector<std::int32_t>& tensors, std::int32_t least) const;
  /// Fails for a tensor that cannot be had: of a type that is not supported, or left out.
  void check_usable(const std::vector<std::int32_t>& tensors) const;
  /// Takes note of an operator's outputs: computed by it alone, and neither inputs nor constants.
  void claim(const std::vector<std::int32_t>& outputs);
  /// For outputs whose shape the file does not give.
  void set_shape(std::int32_t tensor, std::vector<std::int32_t> shape);
  /// A tensor of our own, quantised as another one.
  std::int32_t new_tensor(const std::string& name, std::vector<std::int32_t> shape,
                          std::int32_t like);
  void set_constant(std::int32_t tensor, std::vector<std::uint8_t> bytes);

  /// Constants int32 or int64, such as axes or sizes; no more than 64 of them.
  [[nodiscard]] std::vector<std::int32_t> integers(const Operator& op, std::size_t i,
                                                   const char* what) const;
  [[nodiscard]] std::size_t axis_of(std::int32_t axis, std::size_t rank) const;
  [[nodiscard]] Activation activation(tflite::Activation code) const;
  /// What an activation leaves of floats: the least and the greatest; none: all.
  [[nodiscard]] std::vector<float> limits(tflite::Activation code) const;
  void require_rank4(const Tensor& tensor, const char* what) const;
  template <class Options>
  const Options& need(const Options* options) const {
    require(options != nullptr, "its options are missing");
    return *options;
  }

  /// Weights around zero. Unsigned ones have their zero point anywhere; around it they span up to
  /// 511 values.
  void centre_kernel(std::int32_t index, bool of_signed);
  /// Checks and appends an operator; one whose inputs are all constant is computed at once.
  void add(Operator op);
  void add(Attributes attributes, std::vector<std::int32_t> inputs, std::int32_t output);
  /// A variable of the file. Its input is computed by no operator.
  void add_state(State state);
  /// Reads one operator of the file; its failure is kept for finish().
  template <class Reader>
  void read(const tflite::Operator& source, std::size_t index, Reader reader);
  /// The network, checked. Throws what failed, or cuts it off.
  Network finish();

  /// Tensors that are batches of blocks and not computed as such, as long as convolutions read
  /// them.
  std::map<std::int32_t, SpaceInBatches>& batches() { return batches_; }

  /// What operators of our own are called.
  void call(const char* kind) { kind_ = kind; }

 private:
  void read_tensor(const tflite::Tensor& source);
  static DataType type_of(const tflite::Tensor& source, std::string& problem);
  static Quantisation quantisation_of(const tflite::Tensor& source, std::string& problem);
  void fold(const Operator& op);
  [[nodiscard]] static bool moves_bytes(const Operator& op);
  void settle_scales(const Operator& op);
  [[nodiscard]] bool has_batches(const Operator& op) const;
  void add_by_batches(const Operator& op);
  void copy_outputs();
  void list_file_tensors() const;
  void cut();
  void cut_states();
  [[nodiscard]] std::size_t chosen_subgraph() const;
  void leave_out(const tflite::Operator& source, std::size_t index, const std::string& why,
                 std::size_t operators);
  [[nodiscard]] bool is_float_model() const;
  [[nodiscard]] bool has_weights_of_bytes() const;

  const tflite::Model& model_;
  const tflite::SubGraph* subgraph_ = nullptr;
  Network network_;
  ImportOptions options_;
  bool seeded_ = false;  // a float model: its values are taken as int8
  std::string where_;
  std::string kind_;
  std::map<std::int32_t, SpaceInBatches> batches_;
  std::map<std::int32_t, std::vector<std::int32_t>> parts_;  // batches, of what they make together
  std::set<std::int32_t> unscaled_;
  std::vector<bool> is_unsigned_;
  std::vector<bool> given_;  // by tensor of the file: an input, a constant or written already
  std::vector<std::string> problems_;  // by tensor: why it cannot be had
  std::vector<std::string> failures_;
  std::vector<std::int32_t> open_ends_;  // read by what is left out
};

template <class Reader>
void TfliteGraph::read(const tflite::Operator& source, std::size_t index, Reader reader) {
  const std::size_t operators = network_.operators.size();
  try {
    reader();
  } catch (const InputError& error) {
    leave_out(source, index, error.what(), operators);
  }
}

}  // namespace tessera
