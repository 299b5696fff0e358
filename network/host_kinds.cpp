#include "network/host_kinds.hpp"

namespace tessera {

const std::vector<HostRule>& host_rules() {
  using namespace types;
  using K = HostKind;
  using S = HostShape;
  using T = HostType;
  static const std::vector<HostRule> rules = {
      {K::Add, "ADD", 2, 2, S::Broadcast, T::Same, kNumbers, 1},
      {K::Sub, "SUB", 2, 2, S::Broadcast, T::Same, kNumbers, 1},
      {K::Mul, "MUL", 2, 2, S::Broadcast, T::Same, kNumbers, 1},
      {K::Div, "DIV", 2, 2, S::Broadcast, T::Same, kNumbers, 4},
      {K::FloorDiv, "FLOOR_DIV", 2, 2, S::Broadcast, T::Same, kNumbers, 5},
      {K::FloorMod, "FLOOR_MOD", 2, 2, S::Broadcast, T::Same, kNumbers, 5},
      {K::Pow, "POW", 2, 2, S::Broadcast, T::Same, kNumbers, 40},
      {K::SquaredDifference, "SQUARED_DIFFERENCE", 2, 2, S::Broadcast, T::Same, kNumbers | kInt8,
       10},
      {K::Minimum, "MINIMUM", 2, 2, S::Broadcast, T::Same, kNumbers | kInt8, 1},
      {K::Maximum, "MAXIMUM", 2, 2, S::Broadcast, T::Same, kNumbers | kInt8, 1},
      {K::Equal, "EQUAL", 2, 2, S::Broadcast, T::Bool, kAll, 1},
      {K::NotEqual, "NOT_EQUAL", 2, 2, S::Broadcast, T::Bool, kAll, 1},
      {K::Greater, "GREATER", 2, 2, S::Broadcast, T::Bool, kNumbers | kInt8, 1},
      {K::GreaterEqual, "GREATER_EQUAL", 2, 2, S::Broadcast, T::Bool, kNumbers | kInt8, 1},
      {K::Less, "LESS", 2, 2, S::Broadcast, T::Bool, kNumbers | kInt8, 1},
      {K::LessEqual, "LESS_EQUAL", 2, 2, S::Broadcast, T::Bool, kNumbers | kInt8, 1},
      {K::LogicalAnd, "LOGICAL_AND", 2, 2, S::Broadcast, T::Same, kBool, 1},
      {K::LogicalOr, "LOGICAL_OR", 2, 2, S::Broadcast, T::Same, kBool, 1},
      {K::Prelu, "PRELU", 2, 2, S::Broadcast, T::Same, kFloat | kInt8, 6},
      {K::Abs, "ABS", 1, 1, S::Same, T::Same, kNumbers, 1},
      {K::Neg, "NEG", 1, 1, S::Same, T::Same, kNumbers, 1},
      {K::Sign, "SIGN", 1, 1, S::Same, T::Same, kNumbers, 2},
      {K::Sqrt, "SQRT", 1, 1, S::Same, T::Same, kFloat, 10},
      {K::Rsqrt, "RSQRT", 1, 1, S::Same, T::Same, kFloat, 12},
      {K::Exp, "EXP", 1, 1, S::Same, T::Same, kFloat, 20},
      {K::Log, "LOG", 1, 1, S::Same, T::Same, kFloat, 20},
      {K::Square, "SQUARE", 1, 1, S::Same, T::Same, kNumbers, 1},
      {K::Sin, "SIN", 1, 1, S::Same, T::Same, kFloat, 20},
      {K::Cos, "COS", 1, 1, S::Same, T::Same, kFloat, 20},
      {K::Floor, "FLOOR", 1, 1, S::Same, T::Same, kFloat, 1},
      {K::Ceil, "CEIL", 1, 1, S::Same, T::Same, kFloat, 1},
      {K::Round, "ROUND", 1, 1, S::Same, T::Same, kFloat, 1},
      {K::Elu, "ELU", 1, 1, S::Same, T::Same, kFloat, 20},
      {K::Erf, "ERF", 1, 1, S::Same, T::Same, kFloat, 30},
      {K::Gelu, "GELU", 1, 1, S::Same, T::Same, kFloat, 30},
      {K::Logistic, "LOGISTIC", 1, 1, S::Same, T::Same, kFloat, 25},
      {K::Tanh, "TANH", 1, 1, S::Same, T::Same, kFloat, 25},
      {K::HardSwish, "HARD_SWISH", 1, 1, S::Same, T::Same, kFloat, 5},
      {K::LeakyRelu, "LEAKY_RELU", 1, 1, S::Same, T::Same, kFloat, 2},
      {K::Clip, "CLIP", 1, 1, S::Same, T::Same, kFloat, 2},
      {K::LogicalNot, "LOGICAL_NOT", 1, 1, S::Same, T::Same, kBool, 1},
      {K::Cast, "CAST", 1, 1, S::Same, T::Own, kAll, 1},
      {K::Select, "SELECT", 3, 3, S::Broadcast, T::Own, kBool, 2},
      {K::Sum, "SUM", 1, 1, S::Reduced, T::Same, kNumbers | kInt8, 1},
      {K::ReduceMax, "REDUCE_MAX", 1, 1, S::Reduced, T::Same, kNumbers | kInt8, 1},
      {K::ReduceMin, "REDUCE_MIN", 1, 1, S::Reduced, T::Same, kNumbers | kInt8, 1},
      {K::ReduceProd, "REDUCE_PROD", 1, 1, S::Reduced, T::Same, kNumbers, 1},
      {K::ReduceAny, "REDUCE_ANY", 1, 1, S::Reduced, T::Same, kBool, 1},
      {K::ReduceAll, "REDUCE_ALL", 1, 1, S::Reduced, T::Same, kBool, 1},
      {K::ReduceMean, "MEAN", 1, 1, S::Reduced, T::Same, kNumbers | kInt8, 1},
      {K::ArgMax, "ARG_MAX", 1, 1, S::Own, T::Own, kNumbers | kInt8, 2},
      {K::ArgMin, "ARG_MIN", 1, 1, S::Own, T::Own, kNumbers | kInt8, 2},
      {K::Gather, "GATHER", 2, 2, S::Own, T::Own, kAll, 2},
      {K::GatherNd, "GATHER_ND", 2, 2, S::Own, T::Own, kAll, 3},
      {K::Tile, "TILE", 1, 1, S::Own, T::Same, kAll, 2},
      {K::BroadcastTo, "BROADCAST_TO", 1, 1, S::Broadcast, T::Same, kAll, 2},
      {K::Reverse, "REVERSE_V2", 1, 1, S::Same, T::Same, kAll, 2},
      {K::PadValue, "PADV2", 1, 1, S::Own, T::Same, kAll, 1},
      {K::MirrorPad, "MIRROR_PAD", 1, 1, S::Own, T::Same, kAll, 2},
      {K::L2Normalization, "L2_NORMALIZATION", 1, 1, S::Same, T::Same, kFloat | kInt8, 8},
      {K::BatchMatMul, "BATCH_MATMUL", 2, 2, S::Own, T::Same, kFloat | kInt8 | kInt32, 4},
      {K::ResizeBilinear, "RESIZE_BILINEAR", 1, 1, S::Own, T::Same, kFloat | kInt8, 16},
      {K::AveragePool, "AVERAGE_POOL", 1, 1, S::Own, T::Same, kFloat | kInt8, 1},
      {K::MaxPool, "MAX_POOL", 1, 1, S::Own, T::Same, kFloat | kInt8, 1},
      {K::SoftmaxFloat, "SOFTMAX", 1, 1, S::Same, T::Same, kFloat | kInt8, 25},
      {K::LogSoftmax, "LOG_SOFTMAX", 1, 1, S::Same, T::Same, kFloat | kInt8, 40},
      {K::LayerNormalization, "LAYER_NORMALIZATION", 2, 3, S::Own, T::Same, kFloat, 8},
      {K::Conv2d, "CONV_2D_FLOAT", 2, 3, S::Own, T::Own, kFloat | kInt32, 0},
      {K::DepthwiseConv2d, "DEPTHWISE_CONV_2D_FLOAT", 2, 3, S::Own, T::Own, kFloat | kInt32, 0},
      {K::FullyConnected, "FULLY_CONNECTED_FLOAT", 2, 3, S::Own, T::Own, kFloat, 0},
      {K::DetectionPostProcess, "TFLite_Detection_PostProcess", 3, 3, S::Own, T::Own,
       kFloat | kInt8, 0},
  };
  return rules;
}

const HostRule& rule_of(HostKind kind) {
  return host_rules()[static_cast<std::size_t>(kind)];
}

}  // namespace tessera
