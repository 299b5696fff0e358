// A quantised network: tensors and operators in execution order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tessera {

/// Int16 is for kernels only: weights of -255 to 255, as unsigned weights have around their zero
/// point. Bool is a byte of 0 or 1. The array computes on int8; all others are the host's.
enum class DataType : std::uint8_t { Int8, Int16, Int32, Float32, Int64, Bool };

std::size_t size_of(DataType type);
/// As numpy calls it: int8, int16, int32, float32, int64, bool.
std::string_view name_of(DataType type);

/// Real value = scale * (stored - zero_point). One scale, or one per output channel.
struct Quantisation {
  std::vector<float> scales;
  std::int32_t zero_point = 0;
};

/// How the model's own file has a tensor that is stored otherwise here.
struct Form {
  bool is_unsigned = false;         ///< uint8 there: each value is 128 higher
  std::vector<std::int32_t> shape;  ///< there; empty: the same
  /// Dimension d here is order[d] there; empty: the same order.
  std::vector<std::int32_t> order;
  std::uint32_t bits = 8;  ///< of a byte, there: weights of 4 or 2 bits are packed
};

struct Tensor {
  std::string name;
  std::vector<std::int32_t> shape;  ///< row-major, outermost first; activations are NHWC, N = 1
  DataType type = DataType::Int8;
  Quantisation quantisation;
  std::vector<std::uint8_t> constant;  ///< little-endian values; empty when computed or an input
  Form form;

  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::size_t bytes() const;
};

enum class Activation : std::uint8_t { None, Relu, Relu6, ReluN1To1 };

/// Rows or columns added before and after.
struct Padding {
  std::int32_t top = 0;
  std::int32_t left = 0;
  std::int32_t bottom = 0;
  std::int32_t right = 0;
};

/// Inputs: feature NHWC, kernel OHWI, bias int32 (-1 when absent). A kernel of fewer channels than
/// the feature makes groups: each part of the outputs sees its part of the inputs.
struct Conv2d {
  std::int32_t stride_h = 1;
  std::int32_t stride_w = 1;
  std::int32_t dilation_h = 1;
  std::int32_t dilation_w = 1;
  Padding padding;
  Activation activation = Activation::None;
  /// The input's scale times the weights' is rounded to single precision, as TensorFlow Lite does
  /// for uint8.
  bool single_product = false;
};

/// Inputs: feature NHWC, kernel 1HWO with O = input channels * multiplier, bias.
struct DepthwiseConv2d {
  Conv2d conv;
  std::int32_t multiplier = 1;
};

/// Inputs: feature NHWC, kernel OHWI, bias. Every input pixel adds its kernel to the outputs from
/// (y * stride_h - padding.top, x * stride_w - padding.left) on.
struct TransposeConv2d {
  std::int32_t stride_h = 1;
  std::int32_t stride_w = 1;
  Padding padding;  ///< cut off from the full result
  Activation activation = Activation::None;
  bool single_product = false;  ///< as Conv2d has it
};

/// Inputs: feature, kernel [out, in], bias. The feature's elements are taken as rows of `in`.
struct FullyConnected {
  Activation activation = Activation::None;
};

enum class BinaryKind : std::uint8_t { Add, Sub, Mul };

/// Element by element; extents of 1 and missing leading ones are repeated.
struct Binary {
  BinaryKind kind = BinaryKind::Add;
  Activation activation = Activation::None;
};

/// Lookup: `table`; LeakyRelu: `alpha`. Quantize also takes float32.
enum class UnaryKind : std::uint8_t {
  Relu,
  Relu6,
  LeakyRelu,
  Logistic,
  Tanh,
  HardSwish,
  Quantize,
  Lookup
};

struct Unary {
  UnaryKind kind = UnaryKind::Relu;
  float alpha = 0.0F;
  std::vector<std::int8_t> table;  ///< outputs for -128 to 127
  bool ties_even = false;          ///< Quantize of floats: halves go to even, not away from zero
};

enum class PoolKind : std::uint8_t { Average, Max };

/// Averages may have another scale than what they are of; they are rounded once.
struct Pool2d {
  PoolKind kind = PoolKind::Average;
  bool ties_up = false;  ///< averages round halves up, as unsigned ones do, not away from zero
  std::int32_t filter_h = 1;
  std::int32_t filter_w = 1;
  std::int32_t stride_h = 1;
  std::int32_t stride_w = 1;
  Padding padding;
  Activation activation = Activation::None;
};

/// Average over neighbouring dimensions (height and width, most often), requantised.
struct Mean {
  std::int32_t first_axis = 1;
  std::int32_t axes = 2;
};

/// A mean's input as [outer][count][inner]; the output is [outer][inner].
struct MeanExtents {
  std::int64_t outer = 1, count = 1, inner = 1;
};
MeanExtents extents_of(const Mean& mean, const std::vector<std::int32_t>& shape);

/// All three only name the same bytes differently.
enum class ReshapeKind : std::uint8_t { Reshape, Squeeze, ExpandDims };

struct Reshape {
  ReshapeKind kind = ReshapeKind::Reshape;
};

/// Output dimension d is input dimension order[d].
struct Transpose {
  std::vector<std::int32_t> order;
};

/// Elements begin, begin + stride, ... of each dimension; the output's shape says how many.
struct StridedSlice {
  std::vector<std::int32_t> begin;
  std::vector<std::int32_t> stride;
};

/// Height and width.
struct ResizeNearest {
  bool align_corners = false;
  bool half_pixel_centers = false;
};

/// int8 to float32: (x - zero point) * scale.
struct Dequantize {};

struct Softmax {
  float beta = 1.0F;
};

/// Writes the input's zero point around it.
struct Pad {
  std::vector<std::int32_t> before;  ///< per dimension
  std::vector<std::int32_t> after;
};

struct Concatenation {
  std::int32_t axis = 0;
};

/// Operators that only the host has. Names and signatures: host_kinds().
enum class HostKind : std::uint8_t {
  // Two values, element by element; shapes broadcast.
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  FloorMod,
  Pow,
  SquaredDifference,
  Minimum,
  Maximum,
  Equal,
  NotEqual,
  Greater,
  GreaterEqual,
  Less,
  LessEqual,
  LogicalAnd,
  LogicalOr,
  Prelu,
  // One value.
  Abs,
  Neg,
  Sign,
  Sqrt,
  Rsqrt,
  Exp,
  Log,
  Square,
  Sin,
  Cos,
  Floor,
  Ceil,
  Round,
  Elu,
  Erf,
  Gelu,
  Logistic,
  Tanh,
  HardSwish,
  LeakyRelu,
  Clip,
  LogicalNot,
  Cast,
  // Several values.
  Select,
  Sum,
  ReduceMax,
  ReduceMin,
  ReduceProd,
  ReduceAny,
  ReduceAll,
  ReduceMean,
  ArgMax,
  ArgMin,
  Gather,
  GatherNd,
  Tile,
  BroadcastTo,
  Reverse,
  PadValue,
  MirrorPad,
  L2Normalization,
  BatchMatMul,
  ResizeBilinear,
  AveragePool,
  MaxPool,
  SoftmaxFloat,
  LogSoftmax,
  LayerNormalization,
  Conv2d,
  DepthwiseConv2d,
  FullyConnected,
  DetectionPostProcess
};

/// How floats become bytes where weights of bytes multiply them while the model runs (LiteRT's
/// hybrid kernels): not at all, with a zero point, or around zero.
enum class DynamicBytes : std::int32_t { None, ZeroPoint, AroundZero };

/// Of Conv2d and DepthwiseConv2d, which are those of floats or numbers here, `integers` are
/// strides, dilations, pads before and behind (each of height and width) and a DynamicBytes, of
/// FullyConnected the last alone; `numbers`: nothing, or the least and the greatest result.
struct HostOperator {
  HostKind kind = HostKind::Add;
  std::vector<std::int32_t> integers;  ///< what they say: host_kinds()
  std::vector<float> numbers;
};

using Attributes =
    std::variant<Conv2d, DepthwiseConv2d, TransposeConv2d, FullyConnected, Binary, Unary, Pool2d,
                 Mean, Reshape, Transpose, StridedSlice, ResizeNearest, Softmax, Pad, Concatenation,
                 Dequantize, HostOperator>;

/// How products of sums and factors become integers. Twice: at 2^-31 and behind the shift, halves
/// away from zero (gemmlowp's). Once: halves up, or to even.
enum class Rounding : std::uint8_t { Twice, HalfUp, HalfEven };

struct Operator {
  std::string name;
  Attributes attributes;
  std::vector<std::int32_t> inputs;  ///< tensor indices; -1: absent
  std::int32_t output = -1;
  /// Of convolutions, fully connected layers, additions' results, products, means, averages into
  /// another scale and rescaled concatenations.
  Rounding rounding = Rounding::Twice;

  /// The operator's TensorFlow Lite name, such as CONV_2D.
  [[nodiscard]] std::string_view type_name() const;
};

/// Part of a network that is a model of its own. Half-open ranges.
struct Model {
  std::string name;
  std::size_t first_op = 0, end_op = 0;
  std::size_t first_input = 0, end_input = 0;    ///< of Network::inputs
  std::size_t first_output = 0, end_output = 0;  ///< of Network::outputs
  /// Groups run one after the other in rising order; models of one group run at the same time.
  std::uint32_t group = 0;
  bool keep_outputs = true;  ///< they are needed until all models are done
};

/// A value that outlives a run: `input` holds what the run before left in `output`, in the first
/// run `initial`. Both have the same shape, type and quantisation.
struct State {
  std::string name;
  std::int32_t input = -1;            ///< computed by no operator, and not among Network::inputs
  std::int32_t output = -1;           ///< computed by an operator, or `input`: it never changes
  std::vector<std::uint8_t> initial;  ///< little-endian values
};

struct Network {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;  ///< in execution order
  std::vector<std::int32_t> inputs;
  std::vector<std::int32_t> outputs;
  std::vector<State> states;
  std::vector<Model> models;          ///< in execution order; empty: the network is one model
  std::vector<std::string> notes;     ///< what its reader took for granted
  std::vector<std::string> left_out;  ///< operators that a reader told to cut has left out, and why
};

/// Names of all operators, as type_name() gives them, in alphabetical order.
std::vector<std::string> operator_names();

/// Multiply-accumulates of an operator (0 for those without).
std::uint64_t macs_of(const Network& network, const Operator& op);

/// Throws InputError naming the operator whose tensors do not fit together: a wrong number of
/// inputs, shapes that do not match, missing constants or scales, sizes out of range.
void check_network(const Network& network);

/// The same for one operator alone, whatever computes its inputs.
void check_operator(const Network& network, const Operator& op);

}  // namespace tessera
