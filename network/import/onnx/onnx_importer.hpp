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

#include "network/builder.hpp"
#include "network/import/onnx/graph/onnx_graph.hpp"
#include "tessera/import.hpp"
#include "tessera/network.hpp"

namespace tessera {

/// A value that some node has computed: ONNX's dimensions, and the order in which they are stored.
/// Transpositions only change the order; what needs another one moves the bytes.
struct OnnxValue {
  std::int32_t tensor = -1;
  std::vector<std::int64_t> dims;  ///< as ONNX has them
  std::vector<std::size_t> order;  ///< the stored dimension d is ONNX's dimension order[d]
};

class OnnxImporter {
 public:
  using Dims = std::vector<std::int64_t>;
  using Order = std::vector<std::size_t>;
  using Node = onnx::NodeProto;
  OnnxImporter(const std::vector<std::uint8_t>& data, const std::string& name,
               const ImportOptions& options);

  Network run();

 private:
  using Handler = void (OnnxImporter::*)(const Node&);

  [[noreturn]] void fail(const std::string& text) const;
  void require(bool condition, const std::string& text) const;

  // The run: import_onnx.cpp ----------------------------------------------------------------------

  static const std::map<std::string, Handler>& handlers();
  void add_input(const onnx::ValueInfoProto& input);
  void try_node(const Node& node, std::size_t index);
  void read_node(const Node& node);
  void read_by_batches(const Node& node, Handler handler);
  [[nodiscard]] bool has_batches(const Node& node) const;
  void leave_out(const Node& node, const std::string& why);
  void add_output(const onnx::ValueInfoProto& output);
  void cut();
  void list_file_tensors() const;
  static FileTensor in_file(const std::string& name, const OnnxValue& v, bool is_unsigned);
  std::string unique_name(const Node& node, std::size_t index);

  // Values: onnx_values.cpp -----------------------------------------------------------------------

  const OnnxValue& value(const std::string& name) const;
  const OnnxValue& input(const Node& node, int i) const;
  static std::string name_of(const Node& node, int i);
  [[nodiscard]] bool is_quantised(const OnnxValue& v) const;
  /// What came from outside without quantisation has that of its first reader.
  void set_quantisation(const OnnxValue& v, const Quantisation& quantisation);
  void define(const std::string& name, std::int32_t tensor, const Dims& dims, const Order& order);
  void define(const std::string& name, const OnnxValue& v) { values_[name] = v; }
  /// `kind` of what they are of says the type where there is no zero point.
  enum class ValueKind : std::uint8_t { Float, Signed, Unsigned };
  Quantisation read_quantisation(const std::string& scale, const std::string& zero_point,
                                 ValueKind kind = ValueKind::Unsigned) const;
  /// What ONNX has there: values between DequantizeLinear and QuantizeLinear are float, though they
  /// are stored as bytes.
  [[nodiscard]] ValueKind kind_of(const std::string& name) const;
  static ValueKind kind_of_type(std::int64_t type);  ///< TensorProto::DataType
  /// Whether operators of a type are read when their inputs are bytes in ONNX's eyes.
  static bool takes_bytes(const std::string& type);
  void find_kinds();

  /// The order without permutation, and the one of images: channels last.
  static Order plain_order(std::size_t rank);
  static Order channels_last(std::size_t rank);
  std::vector<std::int32_t> stored_shape(const Dims& dims, const Order& order) const;
  /// The same values in another order; moves bytes only where that changes their places.
  OnnxValue stored_as(const OnnxValue& v, const Order& order);
  OnnxValue plain(const OnnxValue& v) { return stored_as(v, plain_order(v.dims.size())); }
  /// [1, channels, height, width] with channels last; one dimension of space is taken as a width.
  OnnxValue image(const OnnxValue& v);
  /// `out` [1, height, width, channels] as the node's result, whose input had `rank` dimensions.
  OnnxValue from_image(std::int32_t out, std::size_t rank);
  /// The same values with more leading dimensions of 1.
  OnnxValue widened(const OnnxValue& v, std::size_t rank);
  /// As float: dequantised on the host, or a constant.
  OnnxValue as_float(const OnnxValue& v);
  OnnxValue float_operand(const std::string& name);
  /// The order that the readers of a value want, if they say.
  [[nodiscard]] std::optional<Order> wanted_order(const std::string& name, std::size_t rank,
                                                  int depth) const;

  // Constants: onnx_constants.cpp -----------------------------------------------------------------

  /// Whether a value is known without running the model.
  [[nodiscard]] bool is_known(const std::string& name) const;
  [[nodiscard]] OnnxConstant constant(const std::string& name) const;
  [[nodiscard]] Dims known_dims(const std::string& name) const;
  [[nodiscard]] Dims integers(const std::string& name) const;
  [[nodiscard]] double number(const std::string& name) const;
  /// Attributes that became inputs in a later opset.
  [[nodiscard]] Dims integers_of(const Node& node, int i, const char* attribute) const;
  /// Values, scale and zero point; the scales along `axis`.
  [[nodiscard]] OnnxConstant quantised_constant(const std::string& values, const std::string& scale,
                                                const std::string& zero_point,
                                                std::int64_t axis) const;
  /// 8-bit values as a tensor of the network, stored in that order.
  OnnxValue stored_constant(const std::string& name, const OnnxConstant& constant, const Dims& dims,
                            const Order& order);

  // Constants of constants: onnx_folding.cpp ------------------------------------------------------

  class Folding;
  [[nodiscard]] static bool is_foldable(const std::string& type);
  [[nodiscard]] OnnxConstant computed(const Node& node) const;

  // Results: onnx_epilogues.cpp
  // ---------------------------------------------------------------------

  /// Where a node's result goes and how it is quantised; nodes behind it become part of it.
  struct Result {
    std::string name;
    std::optional<Quantisation> quantisation;  ///< none: as the builder has it
    Activation activation = Activation::None;
    std::optional<std::pair<double, double>> limits;  ///< of a Clip that is no activation
    std::optional<OnnxConstant> bias;                 ///< of an Add behind it
  };
  [[nodiscard]] const Node* only_reader(const std::string& name) const;
  /// Up to the QuantizeLinear behind the node; nothing when there is none. `space`: dimensions
  /// behind the channels.
  std::optional<Result> quantised_result(const Node& node, bool activations,
                                         std::size_t bias_channels = 0, std::size_t space = 0);
  /// The same; fails when there is none.
  Result result_of(const Node& node, bool activations, std::size_t bias_channels = 0,
                   std::size_t space = 0);
  [[nodiscard]] Activation activation_of(const Node& node) const;
  [[nodiscard]] std::pair<double, double> clip_limits(const Node& node) const;
  void finish(const Result& result, const OnnxValue& v);
  /// Another scale, in float as ONNX has it; from float on the host.
  void requantise(const std::string& name, const OnnxValue& in, const Quantisation& wanted);
  /// A function of real values as a table; ties go to even, as ONNX rounds.
  using Function = std::function<double(double)>;
  OnnxValue map(const OnnxValue& in, Quantisation out, const Function& function,
                const char* suffix = "");

  // Weights and windows: onnx_conv.cpp, onnx_matmul.cpp --------------------------------------

  struct Given {
    OnnxConstant weights;                     ///< no values in float models
    std::optional<std::vector<double>> bias;  ///< int32, in units of input scale times weight scale
    bool has_bias = false;
  };
  Given given_float(const Node& node, const OnnxValue& feature, std::size_t outputs_axis,
                    const std::optional<OnnxConstant>& more_bias);
  static void make_room(Given& given, std::size_t outputs_axis);
  std::vector<double> bias_units(const OnnxConstant& bias, const OnnxValue& feature,
                                 const OnnxConstant& weights) const;
  Given given_qlinear(const Node& node, int first, int bias, std::int64_t axis) const;
  /// `order`: for each of our kernel's values the index of ONNX's.
  GivenWeights weights_for(const Given& given, const std::vector<std::size_t>& order,
                           std::size_t outputs) const;
  std::vector<std::int32_t> pair_of(const Dims& values, const char* what) const;
  struct Window {
    std::vector<std::int32_t> kernel, stride, dilation;
    Padding pads;             ///< as given
    Padding padding;          ///< up to the end of the last window
    bool by_columns = false;  ///< floats are added by columns, as ONNX Runtime's vectors do
  };
  Window window_of(const Node& node, const OnnxValue& in, const Dims& kernel) const;
  void conv(const Node& node);
  void qlinear_conv(const Node& node);
  OnnxValue padded_for(Window& window, const OnnxValue& in);
  static std::vector<std::size_t> kernel_order(std::size_t outputs, std::size_t inputs,
                                               std::size_t taps, bool depthwise);
  void convolve(const Node& node, const OnnxValue& in, std::size_t rank, const Given& given,
                const Result& result);
  void conv_transpose(const Node& node);
  [[nodiscard]] Given group_of(const Given& given, std::size_t group, std::size_t outputs,
                               std::size_t all) const;

  // Pools: onnx_pools.cpp -------------------------------------------------------------------------

  Window pool_window(const Node& node, const OnnxValue& in) const;
  OnnxValue array_pool(PoolKind kind, const OnnxValue& in, const Window& window);
  /// `counting`: 1 when pads count, 2 more for bytes that are unsigned in the file, 4 more when
  /// floats are added by columns.
  OnnxValue host_pool(HostKind kind, const OnnxValue& in, const Window& window,
                      std::int32_t counting);
  /// Whether the results must be those of floats: of any rounding, if others are asked for.
  [[nodiscard]] bool is_as_floats() const {
    return options_.numerics == Numerics::Auto || options_.numerics == Numerics::OnnxRuntime ||
           is_fused();
  }
  /// Whether nodes between DequantizeLinear and QuantizeLinear are ONNX Runtime's own operators.
  [[nodiscard]] bool is_fused() const { return options_.numerics == Numerics::OnnxRuntimeFused; }
  [[nodiscard]] bool averages_on_array(const std::vector<std::int32_t>& shape,
                                       const Quantisation& in, const Window& window,
                                       const Quantisation& out) const;
  void average(const OnnxValue& given, const Window& window, bool count_pads,
               const std::optional<Result>& result, const std::string& name, bool of_bytes = false);
  void max_pool(const Node& node);
  void average_pool(const Node& node);
  void qlinear_average_pool(const Node& node);
  void multiply_matrix(const OnnxValue& in, const Given& given, bool transposed,
                       const Result& result);
  /// Two computed matrices, or stacks of them.
  struct Factors {
    OnnxValue a, b;  ///< floats, unless both are bytes and so is the result
    std::optional<Result> result;
    bool are_bytes = false;
  };
  Factors factors_of(const Node& node);
  OnnxValue product_of(const Factors& factors, bool turn_b);
  void finish_product(const Node& node, const Factors& factors, const OnnxValue& v);
  void multiply_values(const Node& node, bool turn_b);
  void einsum(const Node& node);
  void gemm(const Node& node);
  void matmul(const Node& node);
  void qlinear_matmul(const Node& node);
  void qgemm(const Node& node);

  // Arithmetic and functions: onnx_pairs.cpp, onnx_functions.cpp
  // --------------------------------------------------

  void binary(const Node& node, BinaryKind kind);
  void pair_of_values(const OnnxValue& a, const OnnxValue& b, BinaryKind kind,
                      const Result& result);
  void float_pair(const Node& node, HostKind kind);
  /// On the host; the result has the type and quantisation of the last part.
  void broadcast(const Node& node, HostKind kind, std::vector<OnnxValue> parts);
  /// Whether an input is bytes in ONNX's eyes, not what they stand for.
  [[nodiscard]] bool is_stored(const Node& node, int i) const;
  void take_scale_of_readers(const Node& node, int i);
  OnnxValue stored_operand(const Node& node, int i);
  void where(const Node& node);
  OnnxValue operand(const std::string& name, std::size_t rank);
  OnnxValue ordered_operand(const OnnxValue& v, const Order& order);
  [[nodiscard]] std::size_t known_dims_or(const std::string& name) const;
  void add(const Node& node) { binary(node, BinaryKind::Add); }
  void sub(const Node& node) { binary(node, BinaryKind::Sub); }
  void mul(const Node& node) { binary(node, BinaryKind::Mul); }
  void div(const Node& node);
  void pow(const Node& node);
  void bound(const Node& node, HostKind kind);
  void min(const Node& node) { bound(node, HostKind::Minimum); }
  void max(const Node& node) { bound(node, HostKind::Maximum); }
  void qlinear_binary(const Node& node, BinaryKind kind);
  void qlinear_add(const Node& node) { qlinear_binary(node, BinaryKind::Add); }
  void qlinear_mul(const Node& node) { qlinear_binary(node, BinaryKind::Mul); }
  void function_node(const Node& node, const Function& function, HostKind kind,
                     std::vector<float> numbers = {}, bool keeps_scale = false);
  /// Whether all values of a tensor become others that it can hold.
  static bool stays_on_steps(const Quantisation& quantisation, const Function& function);
  void relu(const Node& node);
  void clip(const Node& node);
  void clip_stored(const Node& node, double low, double high);
  void leaky_relu(const Node& node);
  void elu(const Node& node);
  void sigmoid(const Node& node);
  void tanh(const Node& node);
  void hard_swish(const Node& node);
  void hard_sigmoid(const Node& node);
  void gelu(const Node& node);
  void plain_function(const Node& node);
  void table_function(const Node& node);
  void log_softmax(const Node& node);
  void prelu(const Node& node);
  void qlinear_function(const Node& node, const Function& function);
  void qlinear_sigmoid(const Node& node);
  void qlinear_leaky_relu(const Node& node);
  /// `of_bytes`: as ONNX Runtime's operator of bytes has it.
  void softmax_of(const OnnxValue& in, std::int64_t axis, const std::string& name,
                  const std::optional<Quantisation>& out, bool of_bytes);
  void softmax(const Node& node);
  void flat_softmax(const OnnxValue& in, std::size_t at, const std::string& name,
                    const std::optional<Quantisation>& out, bool of_bytes);
  void qlinear_softmax(const Node& node);

  // Whole numbers, and what is quantised while it runs: onnx_dynamic.cpp
  // ---------------------------

  /// An operator of the host; the result has the dimensions and order of `like` and the type of the
  /// first input.
  OnnxValue on_host(HostKind kind, const std::vector<OnnxValue>& inputs, const OnnxValue& like,
                    const std::string& suffix, std::vector<std::int32_t> integers = {},
                    std::vector<float> numbers = {});
  OnnxValue given_float(float value, const std::string& suffix);
  OnnxValue whole_operand(const Node& node, int i, int zero);
  void dynamic_quantize_linear(const Node& node);
  void matmul_integer(const Node& node);
  void conv_integer(const Node& node);

  // Layers of floats: onnx_floats.cpp
  // --------------------------------------------------------------

  void note_floats(const OnnxValue& in);
  std::int32_t float_tensor(const std::string& suffix, const std::vector<float>& values,
                            const std::vector<std::int32_t>& shape);
  void add_float_bias(const Node& node, std::size_t outputs, float factor,
                      std::vector<std::int32_t>& tensors);
  /// A convolution of the host: shapes as stored; for each of its weights the index of ONNX's.
  struct Windows {
    std::vector<std::int32_t> kernel_shape, output_shape;
    std::vector<std::size_t> order;
    HostOperator host;
  };
  [[nodiscard]] Windows windows_of(const Node& node, const OnnxValue& in, const Dims& dims) const;
  void convolve_floats(const Node& node, const OnnxValue& given_in, std::size_t rank);
  void gemm_of_floats(const Node& node, bool transposed, float alpha, float beta);
  void normalise_floats(const Node& node);

  // Norms of transformers, in float on the host: onnx_norms.cpp
  // ------------------------------------

  void layer_normalization(const Node& node);
  void rms_normalization(const Node& node);
  void skip_layer_normalization(const Node& node);
  void skip_rms_normalization(const Node& node);
  /// With an addition before it, whose sum may be an output, too.
  void skip_normalised(const Node& node, int bias, bool around_zero);
  /// From `axis` on; `scale` and `bias` are names of inputs, the latter may be "".
  OnnxValue normalised(const Node& node, const OnnxValue& in, const std::string& scale,
                       const std::string& bias, bool around_zero, float default_epsilon);

  // Reductions: onnx_reductions.cpp ---------------------------------------------------------------

  void mean_over(const Node& node, const OnnxValue& in, Dims axes, bool keep,
                 const std::optional<Result>& result, bool of_bytes = false);
  void reduce(const Node& node, HostKind kind);
  void reduce_function(const Node& node);
  OnnxValue reduced(const Node& node, OnnxValue in, HostKind kind);
  void global_average_pool(const Node& node);
  void global_max_pool(const Node& node);
  void qlinear_global_average_pool(const Node& node);
  void reduce_mean(const Node& node);
  void reduce_max(const Node& node) { reduce(node, HostKind::ReduceMax); }
  void reduce_min(const Node& node) { reduce(node, HostKind::ReduceMin); }
  void reduce_prod(const Node& node) { reduce(node, HostKind::ReduceProd); }
  void reduce_sum(const Node& node) { reduce(node, HostKind::Sum); }
  void arg(const Node& node);

  // Moves: onnx_data_movement.cpp, onnx_resizing.cpp, onnx_slices.cpp
  // ---------------------------------------

  /// Dimension d of the result is dimension perm[d]; nothing moves.
  [[nodiscard]] OnnxValue permuted(const OnnxValue& in, const Dims& perm) const;
  void quantize_linear(const Node& node);
  void dequantize_linear(const Node& node);
  void pass(const Node& node);
  void batch_normalization(const Node& node);
  void cast(const Node& node);
  void known_node(const Node& node);
  void reshape_to(const Node& node, const OnnxValue& in, const Dims& dims);
  void reshape(const Node& node);
  void flatten(const Node& node);
  void squeeze(const Node& node);
  void unsqueeze(const Node& node);
  void transpose(const Node& node);
  void depth_to_space(const Node& node);
  void space_to_depth(const Node& node);
  void pad(const Node& node);
  struct Margins {
    Dims before, after;  ///< by ONNX's axes
  };
  static OnnxValue with_margins(OnnxValue v, const Margins& margins);
  static std::vector<std::int32_t> stored_margins(const OnnxValue& v, const Margins& margins);
  /// A value all around the node's input: a number where that is bytes, else a real one.
  OnnxValue filled(const Node& node, const OnnxValue& given, const Margins& margins, double value);
  void resize(const Node& node);
  struct ResizedAxis;
  [[nodiscard]] std::vector<float> places_of(const ResizedAxis& axis,
                                             const std::string& rule) const;
  std::int32_t nearest_pixels(const OnnxValue& in, const Dims& dims,
                              const std::vector<std::int32_t>& rows,
                              const std::vector<std::int32_t>& cols);
  void slice(const Node& node);
  void split(const Node& node);
  void gather(const Node& node);
  void tile(const Node& node);
  void expand(const Node& node);
  void concatenate(const std::string& name, std::vector<OnnxValue> parts, std::int64_t given_axis,
                   const std::optional<Quantisation>& out);
  void concat(const Node& node);
  void qlinear_concat(const Node& node);

  /// Axis from 0 of `rank`; negative ones count from the end.
  [[nodiscard]] std::size_t axis_of(std::int64_t axis, std::size_t rank) const;
  /// Where ONNX's axis is stored.
  [[nodiscard]] static std::size_t stored_axis(const OnnxValue& v, std::size_t axis);
  /// An operator without weights on the value's tensor.
  std::int32_t moved(const OnnxValue& in, const std::vector<std::int32_t>& shape,
                     Attributes attributes, const char* suffix = "");

  OnnxGraph onnx_;
  ImportOptions options_;
  NetworkBuilder builder_;
  bool quantised_ = false;
  std::map<std::string, ValueKind> kinds_;
  std::map<std::string, OnnxValue> values_;
  std::map<std::string, OnnxConstant> folded_;
  std::map<std::string, std::string> missing_;  // values that are left out, and what would be them
  std::map<std::pair<std::int32_t, Order>, OnnxValue> reordered_;
  std::map<std::int32_t, OnnxValue> floats_;                // dequantised, by tensor
  std::map<std::int32_t, std::vector<OnnxValue>> batches_;  // of what was put together of them
  std::set<const Node*> done_;                              // nodes that became part of another one
  std::set<std::string> names_;
  std::vector<std::string> failures_;
  std::vector<std::string> left_out_;
  std::vector<std::int32_t> open_ends_;
  std::string where_;
  std::string name_;  // of the node at hand
};

}  // namespace tessera
