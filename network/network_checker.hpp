// Whether a network is one: every tensor's and every operator's rules.
#pragma once

#include <string>
#include <vector>

#include "tessera/network.hpp"

namespace tessera {

class NetworkChecker {
 public:
  explicit NetworkChecker(const Network& network)
      : network_(network), ready_(network.tensors.size()) {}
  void run();
  /// One operator, all of whose tensors are taken as computed.
  void run_alone(const Operator& op);

 private:
  [[noreturn]] void fail(const std::string& text) const;
  void require(bool condition, const std::string& text) const;
  std::size_t index(std::int32_t tensor, const std::string& what) const;
  void check_tensor(std::size_t t);
  void check_states();
  void check_form(const Tensor& tensor) const;
  const Tensor& input(const Operator& op, std::size_t i, const char* what) const;
  const Tensor& output(const Operator& op) const;
  void check_activation(const Tensor& tensor, const char* what) const;
  void check_nhwc(const Tensor& tensor, const char* what) const;
  void check_bias(const Operator& op, std::int32_t channels) const;
  void check_kernel(const Tensor& kernel, std::int32_t channels) const;
  void check_factors(const Tensor& in, const Tensor& kernel, const Tensor& out) const;
  // Output extent of a sliding window, as given by padding and stride.
  void check_window(std::int32_t in, std::int32_t kernel, std::int32_t stride,
                    std::int32_t dilation, std::int32_t before, std::int32_t after,
                    std::int32_t out, const char* axis) const;
  void check_conv_windows(const Conv2d& conv, const Tensor& in, const Tensor& kernel,
                          const Tensor& out) const;
  void check(const Operator& op, const Conv2d& conv) const;
  void check(const Operator& op, const DepthwiseConv2d& depthwise) const;
  void check(const Operator& op, const TransposeConv2d& conv) const;
  void check(const Operator& op, const FullyConnected&) const;
  void check(const Operator& op, const Binary&) const;
  void check(const Operator& op, const Unary& unary) const;
  void check(const Operator& op, const Mean& mean) const;
  void check_moved(const Tensor& in, const Tensor& out) const;
  void check(const Operator& op, const Transpose& transpose) const;
  void check(const Operator& op, const StridedSlice& slice) const;
  void check(const Operator& op, const ResizeNearest& resize) const;
  void check(const Operator& op, const Dequantize&) const;
  void check(const Operator& op, const Pool2d& pool) const;
  void check(const Operator& op, const Reshape&) const;
  void check(const Operator& op, const Softmax& softmax) const;
  void check(const Operator& op, const Pad& pad) const;
  void check(const Operator& op, const Concatenation& concat) const;
  void check(const Operator& op, const HostOperator& host) const;
  void check_broadcast(const std::vector<const Tensor*>& parts, const Tensor& out) const;
  void check_operator(const Operator& op) const;

  const Network& network_;
  std::vector<bool> ready_;
  std::string where_ = "network";
};

}  // namespace tessera
