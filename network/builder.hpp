// Builds networks from layer shapes, with weights and quantisation from a seed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/network.hpp"
#include "tessera/rng.hpp"

namespace tessera {

/// Weights of a layer that were given rather than drawn.
struct GivenWeights {
  std::optional<std::vector<std::uint8_t>> kernel;
  std::optional<std::vector<std::uint8_t>> bias;
  DataType kernel_type = DataType::Int8;
  std::vector<float> kernel_scales;  ///< empty: drawn
  bool no_bias = false;
  // Of drawn weights:
  std::uint32_t bits = 8;           ///< each, at most
  std::uint32_t zeros_percent = 0;  ///< as many are zero
};

/// The end of the name of what puts batches together.
inline constexpr const char* kBatches = "/batches";

/// Takes out what puts batches together that nobody reads as a whole.
void drop_unread_batches(Network& network);

/// Every method appends one operator and returns its output tensor. Shapes are taken as checked by
/// check_network, which the caller runs at the end; extents that come out below 1 are kept as they
/// are, so that it names them.
class NetworkBuilder {
 public:
  NetworkBuilder(std::string name, std::uint64_t seed);

  std::int32_t input(const std::string& name, std::vector<std::int32_t> shape);
  /// A tensor of given values.
  std::int32_t constant(const std::string& name, std::vector<std::int32_t> shape,
                        Quantisation quantisation, std::vector<std::uint8_t> values);
  std::int32_t conv2d(const std::string& name, std::int32_t in, std::int32_t outputs,
                      std::int32_t kernel_h, std::int32_t kernel_w, const Conv2d& conv,
                      const GivenWeights& given = {}, std::int32_t groups = 1);
  /// With the height and width of the output.
  std::int32_t transpose_conv2d(const std::string& name, std::int32_t in,
                                const std::vector<std::int32_t>& out_shape, std::int32_t kernel_h,
                                std::int32_t kernel_w, const TransposeConv2d& conv,
                                const GivenWeights& given = {});
  std::int32_t depthwise(const std::string& name, std::int32_t in, std::int32_t kernel_h,
                         std::int32_t kernel_w, const DepthwiseConv2d& depthwise,
                         const GivenWeights& given = {});
  /// `features` of the input's elements at a time; 0: all of them.
  std::int32_t fully_connected(const std::string& name, std::int32_t in, std::int32_t outputs,
                               Activation activation, const GivenWeights& given = {},
                               std::int32_t features = 0);
  /// How the operator rounds that was added last; false when it does not compute `output`.
  bool round(std::int32_t output, Rounding rounding);
  std::int32_t pool(const std::string& name, std::int32_t in, const Pool2d& pool);
  /// Shapes broadcast.
  std::int32_t binary(const std::string& name, std::int32_t a, std::int32_t b,
                      const Binary& binary);
  std::int32_t unary(const std::string& name, std::int32_t in, const Unary& unary);
  /// Any operator without weights, with the first input's quantisation and type.
  std::int32_t moved(const std::string& name, std::vector<std::int32_t> shape,
                     Attributes attributes, std::vector<std::int32_t> inputs);
  std::int32_t softmax(const std::string& name, std::int32_t in);
  std::int32_t flatten(const std::string& name, std::int32_t in);

  [[nodiscard]] const Tensor& tensor(std::int32_t index) const {
    return network_.tensors[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] Tensor& tensor(std::int32_t index) {
    return network_.tensors[static_cast<std::size_t>(index)];
  }
  void output(std::int32_t tensor) { network_.outputs.push_back(tensor); }
  void note(std::string text) { network_.notes.push_back(std::move(text)); }
  void leave_out(std::vector<std::string> texts) { network_.left_out = std::move(texts); }
  [[nodiscard]] const Network& network() const { return network_; }
  /// Takes the operators from that one on back.
  void truncate(std::size_t operators) {
    network_.operators.erase(network_.operators.begin() + static_cast<std::ptrdiff_t>(operators),
                             network_.operators.end());
  }
  /// Checks and hands out the network. Throws InputError.
  Network finish();

 private:
  std::int32_t add_tensor(Tensor tensor);
  std::int32_t constant_kernel(const std::string& name, std::vector<std::int32_t> shape,
                               std::int32_t kernels, bool per_kernel, const GivenWeights& given);
  void draw_wide(Tensor& kernel, std::int32_t kernels, const GivenWeights& given);
  std::int32_t narrowed(std::int32_t weight, const GivenWeights& given);
  std::int32_t constant_bias(const std::string& name, std::int32_t channels,
                             const GivenWeights& given);
  std::int32_t computed(const std::string& name, std::vector<std::int32_t> shape,
                        Quantisation quantisation, Attributes attributes,
                        std::vector<std::int32_t> inputs);
  [[nodiscard]] Quantisation output_quantisation(std::int32_t in, Activation activation) const;

  Network network_;
  SplitMix64 rng_;
};

/// Output extent of a sliding window: floor((in + padding - span) / stride) + 1.
std::int32_t window_outputs(std::int32_t in, std::int32_t kernel, std::int32_t stride,
                            std::int32_t dilation, std::int32_t padding);

}  // namespace tessera
