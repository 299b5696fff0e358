// Operators as passes over the array: each a convolution between strided views of tensors.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/lower/fold.hpp"
#include "scheduler/lower/layer_kernel.hpp"
#include "tessera/isa.hpp"
#include "tessera/program.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// Where the bytes of [rows][columns][channels] lie. A stride of 0 repeats.
struct View {
  std::uint64_t offset = 0;  ///< of the first byte: from the tensor's start, or its address
  std::uint64_t row_stride = 0;
  std::uint64_t pixel_stride = 0;
  std::uint64_t channel_stride = 1;
};

/// Row after row without gaps.
View packed_view(std::int32_t cols, std::int32_t channels);

/// Weights that are computed while the network runs: [kernel][channel] of a tensor, row_stride
/// unused, pixel_stride from one kernel to the next.
struct ComputedWeights {
  std::int32_t tensor = -1;
  View view;
  std::int32_t feature_zero_point = 0;  ///< that no bias can take into account
};

struct ArrayPass {
  ConvShape shape;
  std::int32_t feature = -1;  ///< tensor
  View feature_view;
  std::optional<ComputedWeights> weights;  ///< in the place of the kernel's
  std::vector<std::uint8_t> constant;      ///< in the place of `feature`, as the view has it
  View output_view;
  std::optional<View> operand_view;          ///< of PostOperation::operand
  std::int32_t first_kernel = 0;             ///< of the operator's
  std::optional<FoldedConv> folded;          ///< instead of `shape`, when the buffer allows it
  std::optional<FoldedConv> folded_columns;  ///< the same, each input row is read once
  /// Late, because weights are large; without them when only commands are wanted.
  std::function<LayerKernel(Contents)> kernel;
  /// Its weights are none of the network's, so that several pieces may have the same ones, which
  /// are stored once: they are always made, or commands alone would have other addresses.
  bool own_weights = false;
  /// It makes constants, as biases: what it reads counts for nothing.
  bool of_constants = false;
};

/// What follows the requantiser.
struct PostOperation {
  isa::StPost command;
  std::optional<isa::StSoftmax> softmax;  ///< in the place of `command`, and of nothing else
  isa::StResult result;
  std::vector<std::int32_t> table;  ///< by value as an unsigned byte; empty when not needed
  std::int32_t operand = -1;        ///< tensor, or -1
};

struct Lowering {
  std::string problem;  ///< why the accelerator cannot run it; there are no pieces then
  std::vector<ArrayPass> passes;
  std::optional<PostOperation> post;
  Rounding rounding = Rounding::Twice;  ///< of all that the requantiser does
};

/// What another operator was to make of the feature: zeros around it, or another order.
struct FoldedInput {
  std::int32_t feature = -1;  ///< what that operator reads
  Padding padding;
  std::vector<std::int32_t> order;  ///< of a transposition; empty: a padding
};

/// By an operator's first two inputs.
using FoldedInputs = std::array<std::optional<FoldedInput>, 2>;

Lowering lower(const Network& network, const Operator& op, const Hardware& hardware,
               const FoldedInputs& folded = {});

/// A padding of height and width only, or a transposition.
std::optional<FoldedInput> foldable_input(const Network& network, const Operator& op);

/// Lets `next` ride on what computes its input `main`. False when it cannot.
bool absorb(Lowering& lowering, const Network& network, const Hardware& hardware,
            const Operator& next, std::int32_t main);

}  // namespace tessera
