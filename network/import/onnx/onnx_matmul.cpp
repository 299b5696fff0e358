// Products of matrices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {

void OnnxImporter::multiply_matrix(const OnnxValue& given_in, const Given& given, bool transposed,
                                   const Result& result) {
  const Dims& dims = given.weights.dims;
  require(dims.size() == 2 && !given_in.dims.empty(),
          "supported are products with a matrix of constant weights");
  const OnnxValue in = plain(given_in);
  const std::int64_t features = transposed ? dims[1] : dims[0];
  const std::int64_t outputs = transposed ? dims[0] : dims[1];
  require(in.dims.back() == features && features >= 1 && outputs >= 1,
          fmt::format("{} features, weights [{}]", in.dims.back(), fmt::join(dims, ", ")));
  std::vector<std::size_t> order;
  for (std::int64_t k = 0; k < outputs; ++k) {
    for (std::int64_t c = 0; c < features; ++c) {
      order.push_back(static_cast<std::size_t>(transposed ? k * features + c : c * outputs + k));
    }
  }
  const GivenWeights weights = weights_for(given, order, static_cast<std::size_t>(outputs));
  const auto count = static_cast<std::int32_t>(outputs);
  Dims out_dims = in.dims;
  out_dims.back() = outputs;
  const Order out_order = plain_order(out_dims.size());
  const auto rows = static_cast<std::int32_t>(builder_.tensor(in.tensor).elements() / features);
  if (rows == 1) {
    const std::int32_t out = builder_.fully_connected(name_, in.tensor, count, result.activation,
                                                      weights, static_cast<std::int32_t>(features));
    builder_.tensor(out).shape = stored_shape(out_dims, out_order);
    finish(result, {out, out_dims, out_order});
    return;
  }
  // Several rows: a convolution of single pixels.
  const std::int32_t pixels =
      moved(in, {1, 1, rows, static_cast<std::int32_t>(features)}, Reshape{}, "/pixels");
  Conv2d conv;
  conv.activation = result.activation;
  const std::int32_t product = builder_.conv2d(name_, pixels, count, 1, 1, conv, weights);
  if (result.quantisation) {
    builder_.tensor(product).quantisation = *result.quantisation;
  }
  const OnnxValue out{product, {}, {}};
  finish(result,
         {moved(out, stored_shape(out_dims, out_order), Reshape{}, "/rows"), out_dims, out_order});
}

// Both factors are computed: on the host.
OnnxImporter::Factors OnnxImporter::factors_of(const Node& node) {
  Factors factors;
  factors.result = quantised_result(node, false);
  factors.are_bytes = factors.result && quantised_ && !is_known(name_of(node, 0)) &&
                      !is_known(name_of(node, 1)) && is_quantised(input(node, 0)) &&
                      is_quantised(input(node, 1));
  const bool as_they_are = !quantised_ || factors.are_bytes;
  factors.a = as_they_are ? input(node, 0) : float_operand(name_of(node, 0));
  factors.b = as_they_are ? input(node, 1) : float_operand(name_of(node, 1));
  return factors;
}

OnnxValue OnnxImporter::product_of(const Factors& factors, bool turn_b) {
  const OnnxValue a = plain(factors.a);
  const OnnxValue b = plain(factors.b);
  require(a.dims.size() >= 2 && b.dims.size() >= 2, "supported are products of matrices");
  const std::size_t rank = std::max(a.dims.size(), b.dims.size());
  const Dims wide_a = widened(a, rank).dims;
  const Dims wide_b = widened(b, rank).dims;
  Dims dims;
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    dims.push_back(std::max(wide_a[d], wide_b[d]));
  }
  dims.push_back(wide_a[rank - 2]);
  dims.push_back(wide_b[turn_b ? rank - 2 : rank - 1]);
  const std::int32_t out = builder_.moved(
      name_, stored_shape(dims, plain_order(rank)),
      HostOperator{HostKind::BatchMatMul, {0, turn_b ? 1 : 0}, {}}, {a.tensor, b.tensor});
  if (factors.are_bytes) {
    builder_.tensor(out).quantisation = *factors.result->quantisation;
  }
  return {out, dims, plain_order(rank)};
}

void OnnxImporter::finish_product(const Node& node, const Factors& factors, const OnnxValue& v) {
  const std::optional<Result>& result = factors.result;
  if (result && quantised_ && !factors.are_bytes) {
    requantise(result->name, v, *result->quantisation);
  } else {
    define(result ? result->name : node.output(0), v);
  }
}

void OnnxImporter::multiply_values(const Node& node, bool turn_b) {
  const Factors factors = factors_of(node);
  finish_product(node, factors, product_of(factors, turn_b));
}

void OnnxImporter::gemm(const Node& node) {
  const OnnxAttributes attributes(node);
  require(attributes.integer("transA", 0) == 0, "supported is transA 0");
  const bool transposed = attributes.flag("transB", false);
  const float alpha = attributes.number("alpha", 1);
  const float beta = attributes.number("beta", 1);
  if (!is_known(name_of(node, 1))) {
    require(alpha == 1.0F && name_of(node, 2).empty(),
            "of two computed matrices needs alpha 1 and no bias");
    multiply_values(node, transposed);
    return;
  }
  const OnnxValue in = input(node, 0);
  const Dims dims = known_dims(name_of(node, 1));
  require(dims.size() == 2, "needs a matrix");
  const auto found =
      !quantised_ || is_quantised(in)
          ? quantised_result(node, true, static_cast<std::size_t>(dims[transposed ? 0 : 1]))
          : std::nullopt;
  if (!found) {
    gemm_of_floats(node, transposed, alpha, beta);
    return;
  }
  const Result& result = *found;
  Given given = given_float(node, in, transposed ? 0 : 1, result.bias);
  for (float& scale : given.weights.scales) {
    scale *= alpha;
  }
  require(alpha > 0, "supported is a positive alpha");
  for (std::size_t k = 0; given.bias && k < given.bias->size(); ++k) {
    (*given.bias)[k] *= static_cast<double>(beta / alpha);
  }
  multiply_matrix(in, given, transposed, result);
}

void OnnxImporter::matmul(const Node& node) {
  if (!is_known(name_of(node, 1))) {
    multiply_values(node, false);
    return;
  }
  const OnnxValue in = input(node, 0);
  const Dims dims = known_dims(name_of(node, 1));
  if (dims.size() != 2 || (quantised_ && !is_quantised(in))) {
    note_floats(in);
    multiply_values(node, false);
    return;
  }
  const auto found = quantised_result(node, true, static_cast<std::size_t>(dims[1]));
  if (!found) {
    note_floats(in);
    multiply_values(node, false);
    return;
  }
  const Result& result = *found;
  Node bare = node;
  while (bare.input_size() > 2) {
    bare.mutable_input()->RemoveLast();
  }
  multiply_matrix(in, given_float(bare, in, 1, result.bias), false, result);
}

void OnnxImporter::qlinear_matmul(const Node& node) {
  const OnnxValue in = input(node, 0);
  set_quantisation(in, read_quantisation(name_of(node, 1), name_of(node, 2)));
  Result result;
  result.name = node.output(0);
  result.quantisation = read_quantisation(name_of(node, 6), name_of(node, 7));
  if (!is_known(name_of(node, 3))) {
    const OnnxValue a = plain(in);
    const OnnxValue b = plain(input(node, 3));
    set_quantisation(b, read_quantisation(name_of(node, 4), name_of(node, 5)));
    require(a.dims.size() == b.dims.size() && a.dims.size() >= 2, "matrices differ in rank");
    Dims dims = a.dims;
    dims.back() = b.dims.back();
    const std::int32_t out =
        builder_.moved(name_, stored_shape(dims, plain_order(dims.size())),
                       HostOperator{HostKind::BatchMatMul, {0, 0}, {}}, {a.tensor, b.tensor});
    finish(result, {out, dims, plain_order(dims.size())});
    return;
  }
  multiply_matrix(in, given_qlinear(node, 3, -1, 1), false, result);
}

void OnnxImporter::qgemm(const Node& node) {
  const OnnxAttributes attributes(node);
  require(attributes.number("alpha", 1) == 1.0F && attributes.integer("transA", 0) == 0,
          "supported are alpha 1 and transA 0");
  const bool transposed = attributes.flag("transB", false);
  const OnnxValue in = input(node, 0);
  set_quantisation(in, read_quantisation(name_of(node, 1), name_of(node, 2)));
  Result result;
  result.name = node.output(0);
  if (name_of(node, 7).empty()) {
    fail("without an output scale is not supported");
  }
  result.quantisation = read_quantisation(name_of(node, 7), name_of(node, 8));
  multiply_matrix(in, given_qlinear(node, 3, 6, transposed ? 0 : 1), transposed, result);
}

}  // namespace tessera
