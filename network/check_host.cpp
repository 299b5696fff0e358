// Rules of the operators that only the host has.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "network/host_kinds.hpp"
#include "network/network_checker.hpp"

namespace tessera {
namespace {

std::uint8_t bit_of(DataType type) {
  switch (type) {
    case DataType::Int8:
      return types::kInt8;
    case DataType::Int32:
      return types::kInt32;
    case DataType::Int64:
      return types::kInt64;
    case DataType::Float32:
      return types::kFloat;
    case DataType::Bool:
      return types::kBool;
    case DataType::Int16:
      break;
  }
  return 0;
}

// One host operator with its tensors; says what is wrong, or nothing.
class HostChecker {
 public:
  HostChecker(const HostOperator& host, const std::vector<const Tensor*>& in, const Tensor& out)
      : host_(host), in_(in), out_(out) {}

  std::string types() const {
    const HostRule& rule = rule_of(host_.kind);
    if ((bit_of(in_[0]->type) & rule.allowed) == 0) {
      return fmt::format("its input is {}, which it does not take", name_of(in_[0]->type));
    }
    for (const Tensor* tensor : tensors()) {
      if (tensor->type == DataType::Int16) {
        return "int16 is for kernels";
      }
      if (tensor->type == DataType::Int8 && computes() && !is_weighted() &&
          tensor->quantisation.scales.size() != 1) {
        return "an int8 tensor needs one scale";
      }
    }
    const auto one_type = [&] {
      return std::all_of(in_.begin(), in_.end(),
                         [&](const Tensor* tensor) { return tensor->type == in_[0]->type; });
    };
    switch (rule.type) {
      case HostType::Same:
        return one_type() && out_.type == in_[0]->type ? "" : "input and output differ in type";
      case HostType::Bool:
        return one_type() && out_.type == DataType::Bool ? "" : "compares one type and gives bool";
      case HostType::Own:
        break;
    }
    return own_types();
  }

  std::string normalised() const {
    if (shape(0).empty() || out_.shape != shape(0)) {
      return "its output has the shape of its first input";
    }
    for (std::size_t i = 1; i < in_.size(); ++i) {
      if (in_[i]->elements() != shape(0).back() || in_[i]->type != DataType::Float32) {
        return fmt::format("input {} needs {} floats, one for each of a row", i, shape(0).back());
      }
    }
    return host_.integers.size() == 1 && host_.numbers.size() == 1
               ? ""
               : "needs whether it is around zero, and a number to add";
  }

  std::string own_shape() const {
    switch (host_.kind) {
      case HostKind::ArgMax:
      case HostKind::ArgMin: {
        if (host_.integers.size() != 1 || !is_axis(host_.integers[0])) {
          return "needs one axis of its input";
        }
        return out_.elements() * shape(0)[axis(0)] == in_[0]->elements()
                   ? ""
                   : "its output has another size than its input without the axis";
      }
      case HostKind::Gather:
        return gather();
      case HostKind::GatherNd:
        return gather_nd();
      case HostKind::Tile:
        return tile();
      case HostKind::PadValue:
      case HostKind::MirrorPad:
        return padded();
      case HostKind::BatchMatMul:
        return matmul();
      case HostKind::LayerNormalization:
        return normalised();
      case HostKind::ResizeBilinear: {
        const auto& s = shape(0);
        const auto& o = out_.shape;
        if (s.size() != 4 || o.size() != 4 || s[0] != o[0] || s[3] != o[3] ||
            host_.integers.size() != 3 || s[1] > 65536 || s[2] > 65536 || o[1] > 65536 ||
            o[2] > 65536) {
          return "resizes height and width, up to 65536, of four dimensions";
        }
        return host_.numbers.empty() || host_.numbers.size() == static_cast<std::size_t>(o[1]) +
                                                                    static_cast<std::size_t>(o[2])
                   ? ""
                   : "needs a place for each row and column, or none";
      }
      case HostKind::AveragePool:
      case HostKind::MaxPool:
        return pooled();
      case HostKind::Conv2d:
      case HostKind::DepthwiseConv2d:
        return convolved();
      case HostKind::FullyConnected:
        return multiplied();
      case HostKind::DetectionPostProcess:
        return detections();
      default:
        return "";
    }
  }

  // Axes for reductions; one for softmax.
  std::string integers() const {
    const HostRule& rule = rule_of(host_.kind);
    const bool axes = rule.shape == HostShape::Reduced || host_.kind == HostKind::Reverse ||
                      host_.kind == HostKind::SoftmaxFloat;
    for (std::size_t i = 0; axes && i < host_.integers.size(); ++i) {
      if (!is_axis(host_.integers[i]) || (i > 0 && host_.integers[i] <= host_.integers[i - 1])) {
        return fmt::format("axes [{}] of {} dimensions", fmt::join(host_.integers, ", "),
                           shape(0).size());
      }
    }
    if (host_.kind == HostKind::SoftmaxFloat &&
        (host_.integers.size() != 1 || host_.numbers.size() != 1)) {
      return "needs an axis and beta";
    }
    const bool last_axis =
        host_.kind == HostKind::L2Normalization || host_.kind == HostKind::LogSoftmax;
    if (last_axis && shape(0).empty()) {
      return "needs an axis";
    }
    if (rule.shape == HostShape::Reduced) {
      std::int64_t left = 1;
      for (std::size_t d = 0; d < shape(0).size(); ++d) {
        const bool gone = std::find(host_.integers.begin(), host_.integers.end(),
                                    static_cast<std::int32_t>(d)) != host_.integers.end();
        left *= gone ? 1 : shape(0)[d];
      }
      if (left != out_.elements()) {
        return fmt::format("{} values are left, its output has {}", left, out_.elements());
      }
    }
    if (host_.kind == HostKind::Clip && host_.numbers.size() != 2) {
      return "needs two limits";
    }
    if (is_weighted() && !host_.numbers.empty() &&
        (host_.numbers.size() != 2 || !(host_.numbers[0] <= host_.numbers[1]))) {
      return "needs limits, or none";
    }
    const std::size_t numbers = host_.kind == HostKind::LeakyRelu || host_.kind == HostKind::Elu ||
                                        host_.kind == HostKind::PadValue
                                    ? 1
                                    : host_.numbers.size();
    return numbers == host_.numbers.size() ? "" : "needs one number";
  }

 private:
  [[nodiscard]] std::vector<const Tensor*> tensors() const {
    std::vector<const Tensor*> all = in_;
    all.push_back(&out_);
    return all;
  }
  // Moves need no scales.
  [[nodiscard]] bool computes() const {
    constexpr HostKind moves[] = {HostKind::ArgMax,      HostKind::ArgMin,   HostKind::Gather,
                                  HostKind::GatherNd,    HostKind::Tile,     HostKind::Cast,
                                  HostKind::BroadcastTo, HostKind::Reverse,  HostKind::PadValue,
                                  HostKind::Select,      HostKind::MirrorPad};
    return std::find(std::begin(moves), std::end(moves), host_.kind) == std::end(moves);
  }
  [[nodiscard]] const std::vector<std::int32_t>& shape(std::size_t i) const {
    return in_[i]->shape;
  }
  [[nodiscard]] bool is_axis(std::int32_t axis) const {
    return axis >= 0 && static_cast<std::size_t>(axis) < shape(0).size();
  }
  [[nodiscard]] std::size_t axis(std::size_t i) const {
    return static_cast<std::size_t>(host_.integers[i]);
  }
  static bool is_index(const Tensor& tensor) {
    return tensor.type == DataType::Int32 || tensor.type == DataType::Int64;
  }

  std::string own_types() const {
    switch (host_.kind) {
      case HostKind::Cast:
        return "";
      case HostKind::Select:
        return in_[1]->type == in_[2]->type && in_[1]->type == out_.type
                   ? ""
                   : "selects from two tensors of its output's type";
      case HostKind::ArgMax:
      case HostKind::ArgMin:
        return is_index(out_) ? "" : "its output must be int32 or int64";
      case HostKind::Gather:
      case HostKind::GatherNd:
        return is_index(*in_[1]) && in_[0]->type == out_.type
                   ? ""
                   : "needs indices of int32 or int64, and its output in the input's type";
      case HostKind::Conv2d:
      case HostKind::DepthwiseConv2d:
      case HostKind::FullyConnected:
        return weighted();
      default: {
        const bool inputs = in_[1]->type == in_[0]->type && in_[2]->type == DataType::Float32;
        return (inputs || in_[2]->type == in_[0]->type) && in_[1]->type == in_[0]->type &&
                       out_.type == DataType::Float32
                   ? ""
                   : "needs boxes and scores of one type and gives float32";
      }
    }
  }

  [[nodiscard]] bool is_weighted() const {
    return host_.kind == HostKind::Conv2d || host_.kind == HostKind::DepthwiseConv2d ||
           host_.kind == HostKind::FullyConnected;
  }

  // Weights of floats or of bytes around zero; of bytes, all computed values are quantised.
  std::string weighted() const {
    const Tensor& kernel = *in_[1];
    const std::size_t axis = host_.kind == HostKind::DepthwiseConv2d ? 3 : 0;
    const bool bytes = kernel.type == DataType::Int8;
    const std::size_t scales = kernel.quantisation.scales.size();
    if (in_[0]->type == DataType::Int32) {
      return kernel.type == DataType::Int32 && out_.type == DataType::Int32 &&
                     !kernel.constant.empty() && in_.size() == 2 && host_.numbers.empty()
                 ? ""
                 : "of int32 gives int32, by constant weights of int32, without bias or limits";
    }
    if (out_.type != DataType::Float32 || (kernel.type != DataType::Float32 && !bytes) ||
        kernel.constant.empty()) {
      return "gives float32, by constant weights of float32 or int8";
    }
    if (bytes && (kernel.quantisation.zero_point != 0 || kernel.shape.size() <= axis ||
                  (scales != 1 && scales != static_cast<std::size_t>(kernel.shape[axis])))) {
      return "weights of int8 need one scale, or one for each output, and no zero point";
    }
    return in_.size() < 3 || in_[2]->type == DataType::Float32 ? "" : "needs a bias of float32";
  }

  [[nodiscard]] bool has_bias_of(std::int64_t outputs) const {
    return in_.size() < 3 || in_[2]->elements() == outputs;
  }

  std::string convolved() const {
    const auto& s = shape(0);
    const auto& k = shape(1);
    const auto& o = out_.shape;
    const std::vector<std::int32_t>& i = host_.integers;
    const bool depthwise = host_.kind == HostKind::DepthwiseConv2d;
    if (s.size() != 4 || k.size() != 4 || o.size() != 4 || s[0] != o[0] || i.size() != 9 ||
        i[8] < 0 || i[8] > 2 || o[3] != k[depthwise ? 3 : 0] || !has_bias_of(o[3]) ||
        (depthwise ? k[0] != 1 || o[3] % s[3] != 0
                   : k[3] < 1 || s[3] % k[3] != 0 || o[3] % (s[3] / k[3]) != 0)) {
      return "feature, kernel, bias and output do not fit";
    }
    for (std::size_t a = 0; a < 2; ++a) {
      const std::int64_t span = std::int64_t{i[2 + a]} * (k[1 + a] - 1) + 1;
      const std::int64_t room = std::int64_t{s[1 + a]} + i[4 + a] + i[6 + a] - span;
      if (i[a] < 1 || i[2 + a] < 1 || i[4 + a] < 0 || i[6 + a] < 0 || i[4 + a] > 1 << 20 ||
          i[6 + a] > 1 << 20 || room < 0 || room / i[a] + 1 != o[1 + a]) {
        return fmt::format("its output has extent {}, which its windows do not give", o[1 + a]);
      }
    }
    return "";
  }

  std::string multiplied() const {
    const auto& k = shape(1);
    if (k.size() != 2 || host_.integers.size() != 1 || host_.integers[0] < 0 ||
        host_.integers[0] > 2 || in_[0]->elements() % k[1] != 0 || !has_bias_of(k[0])) {
      return "needs weights [outputs, inputs] that fit";
    }
    return out_.elements() == in_[0]->elements() / k[1] * k[0] ? "" : "its output has another size";
  }

  std::string gather() const {
    if (host_.integers.size() != 2 || !is_axis(host_.integers[0]) || host_.integers[1] < 0 ||
        host_.integers[1] > host_.integers[0] || axis(1) > shape(1).size()) {
      return "needs an axis and a number of batch dimensions before it";
    }
    std::vector<std::int32_t> wanted(shape(0).begin(), shape(0).begin() + host_.integers[0]);
    wanted.insert(wanted.end(), shape(1).begin() + host_.integers[1], shape(1).end());
    wanted.insert(wanted.end(), shape(0).begin() + host_.integers[0] + 1, shape(0).end());
    const bool batches =
        std::equal(shape(0).begin(), shape(0).begin() + host_.integers[1], shape(1).begin());
    return batches && wanted == out_.shape
               ? ""
               : fmt::format("gives [{}], its output has [{}]", fmt::join(wanted, ", "),
                             fmt::join(out_.shape, ", "));
  }

  std::string gather_nd() const {
    if (shape(1).empty() || static_cast<std::size_t>(shape(1).back()) > shape(0).size()) {
      return "its indices have more parts than its input dimensions";
    }
    std::vector<std::int32_t> wanted(shape(1).begin(), shape(1).end() - 1);
    wanted.insert(wanted.end(), shape(0).begin() + shape(1).back(), shape(0).end());
    return wanted == out_.shape ? "" : "indices and output do not fit";
  }

  std::string tile() const {
    bool fits = shape(0).size() == out_.shape.size();
    for (std::size_t d = 0; fits && d < shape(0).size(); ++d) {
      fits = out_.shape[d] % shape(0)[d] == 0;
    }
    return fits ? "" : "its output is no multiple of its input";
  }

  std::string padded() const {
    const std::size_t rank = shape(0).size();
    const bool mirror = host_.kind == HostKind::MirrorPad;
    if (host_.integers.size() != 2 * rank + (mirror ? 1 : 0) || out_.shape.size() != rank) {
      return "needs two pads for each dimension";
    }
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t before = host_.integers[d];
      const std::int64_t after = host_.integers[rank + d];
      const std::int64_t most =
          !mirror ? INT32_MAX : shape(0)[d] - (host_.integers.back() == 0 ? 1 : 0);
      if (before < 0 || after < 0 || before > most || after > most ||
          shape(0)[d] + before + after != out_.shape[d]) {
        return fmt::format("dimension {}: {} + {} + {} is not {}, or a pad is too wide", d, before,
                           shape(0)[d], after, out_.shape[d]);
      }
    }
    return "";
  }

  std::string pooled() const {
    const auto& s = shape(0);
    const auto& o = out_.shape;
    const std::vector<std::int32_t>& i = host_.integers;
    if (s.size() != 4 || o.size() != 4 || s[0] != o[0] || s[3] != o[3] || i.size() != 11) {
      return "pools height and width of four dimensions";
    }
    for (std::size_t a = 0; a < 2; ++a) {
      const std::int64_t span = std::int64_t{i[4 + a]} * (i[a] - 1) + 1;
      if (i[a] < 1 || i[2 + a] < 1 || i[4 + a] < 1 || i[6 + a] < 0 || i[8 + a] < 0 ||
          span > 1 << 20 || i[6 + a] > 1 << 20 || i[8 + a] > 1 << 20) {
        return "kernels, strides and dilations must be at least 1, pads 0, up to 2^20";
      }
      // Every window sees something.
      const std::int64_t last = std::int64_t{o[1 + a] - 1} * i[2 + a] - i[6 + a];
      if (last >= s[1 + a] || span <= i[6 + a]) {
        return "a window lies outside the picture";
      }
    }
    return "";
  }

  std::string matmul() const {
    const auto& a = shape(0);
    const auto& b = shape(1);
    const auto& o = out_.shape;
    if (host_.integers.size() < 2 || host_.integers.size() > 3 || a.size() < 2 || b.size() < 2 ||
        o.size() < 2 || o.size() != std::max(a.size(), b.size())) {
      return "multiplies matrices";
    }
    const bool turn_a = host_.integers[0] != 0;
    const bool turn_b = host_.integers[1] != 0;
    const auto last = [](const std::vector<std::int32_t>& s, std::size_t i) {
      return s[s.size() - 1 - i];
    };
    bool fits = last(a, turn_a ? 1 : 0) == last(b, turn_b ? 0 : 1) &&
                last(o, 1) == last(a, turn_a ? 0 : 1) && last(o, 0) == last(b, turn_b ? 1 : 0);
    for (std::size_t d = 2; d < o.size(); ++d) {
      const std::int32_t x = d < a.size() ? last(a, d) : 1;
      const std::int32_t y = d < b.size() ? last(b, d) : 1;
      fits = fits && (x == 1 || x == last(o, d)) && (y == 1 || y == last(o, d));
    }
    return fits ? "" : "matrices do not fit";
  }

  std::string detections() const {
    if (host_.integers.size() != 6 || host_.numbers.size() != 6 || shape(0).size() != 3 ||
        shape(1).size() != 3 || shape(2).size() != 2) {
      return "needs boxes [1, anchors, 4], scores [1, anchors, classes] and anchors [anchors, 4]";
    }
    const std::int32_t part = host_.integers[0];
    const std::int32_t most = host_.integers[1];
    const std::int32_t per_box = host_.integers[2];
    const std::int32_t classes = host_.integers[5];
    const std::int32_t anchors = shape(0)[1];
    const std::int64_t results = std::int64_t{most} * per_box;
    if (part < 0 || part > 3 || most < 1 || most > 65536 || per_box < 1 || per_box > classes ||
        classes < 1 || host_.integers[4] < 1) {
      return "its options are out of range";
    }
    if (shape(0)[0] != 1 || shape(0)[2] < 4 || shape(1)[0] != 1 || shape(1)[1] != anchors ||
        shape(2)[0] != anchors || shape(2)[1] != 4 || shape(1)[2] < classes ||
        shape(1)[2] > classes + 1) {
      return "boxes, scores and anchors do not fit";
    }
    for (std::size_t i = 2; i < 6; ++i) {
      if (!(host_.numbers[i] > 0)) {
        return "its scales must be positive";
      }
    }
    const std::int64_t wanted = part == 3 ? 1 : part == 0 ? 4 * results : results;
    return out_.elements() == wanted ? "" : "its output has another size than its options say";
  }

  const HostOperator& host_;
  const std::vector<const Tensor*>& in_;
  const Tensor& out_;
};

}  // namespace

void NetworkChecker::check_broadcast(const std::vector<const Tensor*>& parts,
                                     const Tensor& out) const {
  std::size_t rank = 0;
  for (const Tensor* part : parts) {
    rank = std::max(rank, part->shape.size());
  }
  std::vector<std::int32_t> shape(rank, 1);
  bool fits = true;
  for (const Tensor* part : parts) {
    for (std::size_t d = 0; d < part->shape.size(); ++d) {
      std::int32_t& extent = shape[rank - 1 - d];
      const std::int32_t own = part->shape[part->shape.size() - 1 - d];
      fits = fits && (own == 1 || extent == 1 || own == extent);
      extent = std::max(extent, own);
    }
  }
  require(fits && shape == out.shape,
          fmt::format("its inputs together give [{}], its output has [{}]", fmt::join(shape, ", "),
                      fmt::join(out.shape, ", ")));
}

void NetworkChecker::check(const Operator& op, const HostOperator& host) const {
  const HostRule& rule = rule_of(host.kind);
  require(op.inputs.size() >= rule.least_inputs && op.inputs.size() <= rule.most_inputs,
          fmt::format("has {} inputs; it must have {}", op.inputs.size(), rule.least_inputs));
  std::vector<const Tensor*> in;
  in.reserve(op.inputs.size());
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    in.push_back(&input(op, i, "input"));
  }
  const Tensor& out = output(op);
  const HostChecker checker(host, in, out);
  const auto say = [&](const std::string& problem) { require(problem.empty(), problem); };
  say(checker.types());
  if (rule.shape == HostShape::Same) {
    require(in[0]->shape == out.shape, "input and output differ in shape");
  } else if (host.kind == HostKind::BroadcastTo) {
    check_broadcast({in[0], &out}, out);
  } else if (rule.shape == HostShape::Broadcast) {
    check_broadcast(in, out);
  }
  say(checker.integers());
  say(checker.own_shape());
}

}  // namespace tessera
