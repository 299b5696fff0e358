// Reads ONNX models: quantised ones, as QuantizeLinear and DequantizeLinear around float operators
// or as QLinear operators, and float ones for their shapes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "network/import/onnx/onnx_values.hpp"
#include "tessera/network.hpp"

namespace tessera {

class OnnxImporter {
 public:
  using Dims = std::vector<std::int64_t>;
  using Node = onnx::NodeProto;
  OnnxImporter(const std::vector<std::uint8_t>& data, const std::string& name, std::uint64_t seed,
               bool seeded_weights);

  Network run();

 private:
  using Handler = void (OnnxImporter::*)(const Node&);

  [[noreturn]] void fail(const std::string& text) const;
  void require(bool condition, const std::string& text) const;

  // Values ----------------------------------------------------------------------------------------

  void add_input(const onnx::ValueInfoProto& input);

  const OnnxValue& value(const std::string& name) const;
  const OnnxValue& input(const Node& node, int i) const;
  static std::string name_of(const Node& node, int i);

  // What came from outside without quantisation has that of its first reader.
  void set_quantisation(const OnnxValue& v, const Quantisation& quantisation);

  void define(const std::string& name, std::int32_t tensor);

  std::string unique_name(const Node& node, std::size_t index);

  /// Where a node's result goes and how it is quantised.
  struct Result {
    std::string name;
    std::optional<Quantisation> quantisation;  ///< none: as the builder has it
    Activation activation = Activation::None;
  };

  const Node* only_reader(const std::string& name) const;

  // Follows a float result through an activation to its QuantizeLinear; both are part of the node
  // then.
  Result result_of(const Node& node, bool activations);

  Activation activation_of(const Node& node) const;

  std::pair<double, double> clip_limits(const Node& node) const;

  // Limits may be quantised, too.
  OnnxConstant clip_constant(const std::string& name) const;

  void finish(const Result& result, std::int32_t tensor);

  // Weights ---------------------------------------------------------------------------------------

  // A float constant, or the DequantizeLinear of one.
  [[nodiscard]] bool is_given(const std::string& name) const;
  [[nodiscard]] Dims given_dims(const std::string& name) const;
  [[nodiscard]] OnnxWeights dequantised_weights(const std::string& name) const;

  /// A convolution's or product's constants; weights are empty in float models.
  struct Given {
    Dims dims;
    std::optional<OnnxWeights> weights;
    std::optional<std::vector<double>> bias;  ///< int32
    bool has_bias = false;
  };

  Given given_float(const Node& node, const OnnxValue& feature) const;

  // In units of input scale times weight scale.
  std::vector<double> bias_values(const std::string& name, const OnnxValue& feature,
                                  const std::vector<float>& scales) const;

  Given given_qlinear(const Node& node, int first, int bias) const;

  // `order`: for each of our kernel's values the index of ONNX's.
  GivenWeights weights_for(const Given& given, const std::vector<std::size_t>& order,
                           std::size_t outputs) const;

  // Windows ---------------------------------------------------------------------------------------

  const OnnxValue& image(const OnnxValue& v) const;

  std::vector<std::int32_t> pair_of(const Dims& values, const char* what) const;

  /// Kernel, stride, dilation and padding of a convolution or pool.
  struct Window {
    std::vector<std::int32_t> kernel, stride, dilation;
    Padding padding;
  };

  Window window_of(const Node& node, const OnnxValue& in, const Dims& kernel) const;

  // Nodes -----------------------------------------------------------------------------------------

  void quantize_linear(const Node& node);

  // Another scale, in float as ONNX has it; from float on the host.
  void requantise(const std::string& name, const OnnxValue& in, const Quantisation& wanted);

  // What is dequantised is read as it is; only at the end of the network it becomes float.
  void dequantize_linear(const Node& node);

  void conv(const Node& node);

  void qlinear_conv(const Node& node);

  void convolve(const Node& node, const OnnxValue& in, const Given& given, const Result& result);

  void conv_transpose(const Node& node);

  // A product with constant weights [in, out], or [out, in] when transposed.
  void multiply_matrix(const OnnxValue& in, const Given& given, bool transposed,
                       const Result& result);

  void gemm(const Node& node);

  // A product without a bias.
  void matmul(const Node& node);

  void qlinear_matmul(const Node& node);

  void qgemm(const Node& node);

  Given given_matrix(const Node& node, int first, std::int64_t axis, int bias) const;

  // A value, or a constant as one.
  OnnxValue operand(const std::string& name);

  // The values' zero point is 0: they must fit int8 around some zero point.
  OnnxValue constant_value(const std::string& name, const Dims& dims, const OnnxWeights& weights);

  // Index in ONNX's order of the i-th stored value.
  static std::size_t logical_index(std::size_t i, const Dims& dims);

  void binary(const Node& node, BinaryKind kind);
  void add(const Node& node);
  void sub(const Node& node);
  void mul(const Node& node);

  void qlinear_binary(const Node& node, BinaryKind kind);
  OnnxValue qlinear_operand(const Node& node, int i, const Quantisation& quantisation);
  void qlinear_add(const Node& node);
  void qlinear_mul(const Node& node);

  // A function of real values as a table; ties go to even, as ONNX rounds.
  using Function = std::function<double(double)>;
  void map(const std::string& name, const OnnxValue& in, const Quantisation& out,
           const Function& function);
  void function_node(const Node& node, const Function& function);
  void relu(const Node& node);
  void clip(const Node& node);
  void leaky_relu(const Node& node);
  void sigmoid(const Node& node);
  void tanh(const Node& node);
  void hard_swish(const Node& node);
  void hard_sigmoid(const Node& node);

  // Results of moving nodes keep the input's quantisation; another one behind them is met there.
  std::int32_t move(const OnnxValue& in, const Dims& dims, Attributes attributes);

  void pool(const Node& node, PoolKind kind);
  void max_pool(const Node& node);
  void average_pool(const Node& node);

  void mean_over(const Node& node, const OnnxValue& in, const Dims& axes, bool keep);
  void global_average_pool(const Node& node);
  void reduce_mean(const Node& node);

  Dims integers(const std::string& name) const;

  // In ONNX's order of elements, whatever the layout.
  void reshape_to(const Node& node, const OnnxValue& in, const Dims& dims);
  void reshape(const Node& node);
  void flatten(const Node& node);
  Dims axes_of(const Node& node) const;
  void squeeze(const Node& node);
  void unsqueeze(const Node& node);

  void transpose(const Node& node);

  void pad(const Node& node);

  void slice(const Node& node);

  void split(const Node& node);

  // Parts of other scales are requantised on their way.
  void concatenate(const std::string& name, const std::vector<OnnxValue>& parts,
                   std::int64_t given_axis, const std::optional<Quantisation>& out);
  void concat(const Node& node);
  void qlinear_concat(const Node& node);

  void resize(const Node& node);
  static bool same_pixels(const ResizeNearest& rule, const std::string& place,
                          const std::string& round, std::int64_t in, std::int64_t out);

  // Its result has scale 1/256, whatever is wanted behind it.
  void softmax(const Node& node);

  void pass(const Node& node);
  void batch_normalization(const Node& node);
  void constant_node(const Node&);

  void qlinear_function(const Node& node, const Function& function);
  void qlinear_sigmoid(const Node& node);
  void qlinear_leaky_relu(const Node& node);
  void qlinear_global_average_pool(const Node& node);

  static const std::map<std::string, Handler>& handlers();

  void read_node(const Node& node);

  // Float outputs of quantised models are dequantised on the host.
  std::int32_t network_output(const std::string& name);

  OnnxGraph onnx_;
  NetworkBuilder builder_;
  bool quantised_ = false;
  bool wide_ = false;  // constants are operands of images
  std::map<std::string, OnnxValue> values_;
  std::set<const Node*> done_;  // nodes that became part of another one
  std::set<std::string> names_;
  std::string where_;
  std::string name_;  // of the node at hand
};

}  // namespace tessera
