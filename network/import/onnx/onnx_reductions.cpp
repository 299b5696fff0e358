// Nodes that reduce values: pools over everything, sums and means along axes, the place of the
// greatest.
#include <numeric>

#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {

void OnnxImporter::global_average_pool(const Node& node) {
  const OnnxValue in = input(node, 0);
  require(in.dims.size() >= 3, "needs dimensions of space");
  Dims axes(in.dims.size() - 2);
  std::iota(axes.begin(), axes.end(), 2);
  mean_over(node, stored_as(in, channels_last(in.dims.size())), axes, true,
            quantised_ ? quantised_result(node, false) : std::nullopt);
}

void OnnxImporter::global_max_pool(const Node& node) {
  const OnnxValue in = image(input(node, 0));
  const std::vector<std::int32_t>& shape = builder_.tensor(in.tensor).shape;
  const Window all = {{shape[1], shape[2]}, {1, 1}, {1, 1}, {}, {}};
  const OnnxValue out = quantised_ && !is_quantised(in) ? host_pool(HostKind::MaxPool, in, all, 0)
                                                        : array_pool(PoolKind::Max, in, all);
  define(node.output(0), from_image(out.tensor, input(node, 0).dims.size()));
}

void OnnxImporter::qlinear_global_average_pool(const Node& node) {
  const OnnxValue in = input(node, 0);
  set_quantisation(in, read_quantisation(name_of(node, 1), name_of(node, 2)));
  Result result;
  result.name = node.output(0);
  result.quantisation = read_quantisation(name_of(node, 3), name_of(node, 4));
  const bool last = OnnxAttributes(node).flag("channels_last", false);
  require(in.dims.size() >= 3, "needs dimensions of space");
  Dims axes(in.dims.size() - 2);
  std::iota(axes.begin(), axes.end(), last ? 1 : 2);
  mean_over(node, in, axes, true, result, is_as_floats());
}

void OnnxImporter::reduce_mean(const Node& node) {
  const Dims axes = integers_of(node, 1, "axes");
  if (axes.empty() && OnnxAttributes(node).flag("noop_with_empty_axes", false)) {
    define(node.output(0), input(node, 0));
    return;
  }
  mean_over(node, input(node, 0), axes, OnnxAttributes(node).flag("keepdims", true),
            quantised_ ? quantised_result(node, false) : std::nullopt);
}

// Sums of what a function makes of each value.
void OnnxImporter::reduce_function(const Node& node) {
  require(quantised_, "is supported in quantised models only");
  const std::string& type = node.op_type();
  const OnnxValue real = as_float(input(node, 0));
  const HostKind kind = type == "ReduceL1" ? HostKind::Abs : HostKind::Square;
  const OnnxValue each = on_host(kind, {real}, real, "/each");
  const OnnxValue sum = reduced(node, each, HostKind::Sum);
  define(node.output(0), type == "ReduceL2" ? on_host(HostKind::Sqrt, {sum}, sum, "/root") : sum);
}

// Maxima and minima keep the scale; sums and products are float.
void OnnxImporter::reduce(const Node& node, HostKind kind) {
  const OnnxValue in = input(node, 0);
  const bool keeps = kind == HostKind::ReduceMax || kind == HostKind::ReduceMin;
  define(node.output(0), reduced(node, quantised_ && !keeps ? as_float(in) : in, kind));
}

OnnxValue OnnxImporter::reduced(const Node& node, OnnxValue in, HostKind kind) {
  Dims axes = integers_of(node, 1, "axes");
  if (axes.empty() && OnnxAttributes(node).flag("noop_with_empty_axes", false)) {
    return in;
  }
  if (axes.empty()) {
    axes.resize(in.dims.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  const bool keep = OnnxAttributes(node).flag("keepdims", true);
  in = plain(in);
  std::set<std::size_t> reduced;
  for (const std::int64_t axis : axes) {
    reduced.insert(axis_of(axis, in.dims.size()));
  }
  Dims dims;
  for (std::size_t d = 0; d < in.dims.size(); ++d) {
    if (reduced.count(d) == 0 || keep) {
      dims.push_back(reduced.count(d) != 0 ? 1 : in.dims[d]);
    }
  }
  const std::vector<std::int32_t> stored(reduced.begin(), reduced.end());
  const Order order = plain_order(dims.size());
  return {moved(in, stored_shape(dims, order), HostOperator{kind, stored, {}}), dims, order};
}

void OnnxImporter::arg(const Node& node) {
  const OnnxAttributes attributes(node);
  const OnnxValue in = input(node, 0);
  require(attributes.integer("select_last_index", 0) == 0, "supported is the first index");
  const std::size_t axis = axis_of(attributes.integer("axis", 0), in.dims.size());
  const std::size_t stored = stored_axis(in, axis);
  Dims dims = in.dims;
  dims[axis] = 1;
  const HostKind kind = node.op_type() == "ArgMax" ? HostKind::ArgMax : HostKind::ArgMin;
  const std::int32_t out = moved(in, stored_shape(dims, in.order),
                                 HostOperator{kind, {static_cast<std::int32_t>(stored)}, {}});
  builder_.tensor(out).type = DataType::Int64;
  OnnxValue result{out, dims, in.order};
  if (!attributes.flag("keepdims", true)) {
    // The axis has extent 1 now: it can go from anywhere.
    result.dims.erase(result.dims.begin() + static_cast<std::ptrdiff_t>(axis));
    Order order;
    for (const std::size_t d : in.order) {
      if (d != axis) {
        order.push_back(d > axis ? d - 1 : d);
      }
    }
    result.order = order;
    result.tensor = moved({out, {}, {}}, stored_shape(result.dims, order), Reshape{}, "/squeezed");
  }
  define(node.output(0), result);
}

}  // namespace tessera
