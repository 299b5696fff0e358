// Norms of transformers, in float on the host.
#include <fmt/format.h>

#include <algorithm>

#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {
namespace {

// Without the attribute: the standard's, and that of ONNX Runtime's operators with an addition.
constexpr float kEpsilon = 1e-5F;
constexpr float kSkipEpsilon = 1e-12F;

// Names that are empty are of outputs that nobody wants.
bool has_one_output(const onnx::NodeProto& node) {
  return std::all_of(node.output().begin() + 1, node.output().end(),
                     [](const std::string& name) { return name.empty(); });
}

}  // namespace

OnnxValue OnnxImporter::normalised(const Node& node, const OnnxValue& in, const std::string& scale,
                                   const std::string& bias, bool around_zero,
                                   float default_epsilon) {
  require(quantised_ || options_.in_float,
          "is supported in quantised models, and in float ones with weights: float");
  const std::size_t rank = in.dims.size();
  const std::size_t at = axis_of(OnnxAttributes(node).integer("axis", -1), rank);
  Dims rows(in.dims.begin(), in.dims.begin() + static_cast<std::ptrdiff_t>(at));
  std::int64_t depth = 1;
  for (std::size_t d = at; d < rank; ++d) {
    depth *= in.dims[d];
  }
  rows.push_back(depth);
  const OnnxValue stored = plain(in);
  const bool is_flat = rows.size() != rank;
  OnnxValue x{stored.tensor, rows, plain_order(rows.size())};
  if (is_flat) {
    x.tensor = moved(stored, stored_shape(rows, x.order), Reshape{}, "/flat");
  }
  std::vector<OnnxValue> inputs = {x};
  for (const std::string& name : {scale, bias}) {
    if (name.empty()) {
      continue;
    }
    require(is_known(name), fmt::format("`{}` must be a constant", name));
    const OnnxConstant values = constant(name);
    require(values.values.size() == static_cast<std::size_t>(depth),
            fmt::format("`{}` has {} values for {}", name, values.values.size(), depth));
    std::vector<float> floats;
    floats.reserve(values.values.size());
    for (std::size_t c = 0; c < values.values.size(); ++c) {
      floats.push_back(static_cast<float>(values.real(c)));
    }
    inputs.push_back({float_tensor(inputs.size() == 1 ? "/scale" : "/bias", floats,
                                   {static_cast<std::int32_t>(depth)}),
                      {depth},
                      {0}});
  }
  const float epsilon = OnnxAttributes(node).number("epsilon", default_epsilon);
  OnnxValue out =
      on_host(HostKind::LayerNormalization, inputs, x, "", {around_zero ? 1 : 0}, {epsilon});
  if (!is_flat) {
    return out;
  }
  return {moved(out, stored_shape(in.dims, plain_order(rank)), Reshape{}, "/whole"), in.dims,
          plain_order(rank)};
}

void OnnxImporter::layer_normalization(const Node& node) {
  const OnnxValue in = as_float(input(node, 0));
  require(has_one_output(node), "supported is one output: mean and deviation are not");
  define(node.output(0), normalised(node, in, name_of(node, 1), name_of(node, 2), false, kEpsilon));
}

void OnnxImporter::rms_normalization(const Node& node) {
  const OnnxValue in = as_float(input(node, 0));
  require(has_one_output(node), "supported is one output: the deviation is not");
  define(node.output(0), normalised(node, in, name_of(node, 1), "", true, kEpsilon));
}

void OnnxImporter::skip_normalised(const Node& node, int bias, bool around_zero) {
  OnnxValue sum = as_float(input(node, 0));
  const OnnxValue skip = float_operand(name_of(node, 1));
  require(sum.dims == skip.dims, "supported are two inputs of one shape");
  sum = on_host(HostKind::Add, {plain(sum), plain(skip)}, plain(sum), "/skip");
  if (!name_of(node, bias).empty()) {
    const OnnxValue more = float_operand(name_of(node, bias));
    sum = on_host(HostKind::Add, {sum, widened(more, sum.dims.size())}, sum, "/biased");
  }
  const std::string beta = around_zero ? "" : name_of(node, 3);
  define(node.output(0), normalised(node, sum, name_of(node, 2), beta, around_zero, kSkipEpsilon));
  for (int i = 1; i < node.output_size(); ++i) {
    require(node.output(i).empty() || i == 3, "supported as more outputs is the sum alone");
    if (i == 3 && !node.output(i).empty()) {
      define(node.output(i), sum);
    }
  }
}

void OnnxImporter::skip_layer_normalization(const Node& node) {
  skip_normalised(node, 4, false);
}

void OnnxImporter::skip_rms_normalization(const Node& node) {
  skip_normalised(node, 3, true);
}

}  // namespace tessera
