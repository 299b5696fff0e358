// Pools. ONNX's are of floats: they are the array's where no sum of bytes could round otherwise.
#include <algorithm>
#include <set>

#include "network/import/onnx/onnx_importer.hpp"
#include "network/import/onnx/rounding.hpp"

namespace tessera {
namespace {

// How many cells of the picture windows along one axis have.
std::set<std::int32_t> cells_along(std::int32_t extent, std::int32_t kernel, std::int32_t stride,
                                   std::int32_t before, std::int32_t after) {
  std::set<std::int32_t> cells;
  for (std::int32_t at = -before; at + kernel <= extent + after; at += stride) {
    cells.insert(std::min(at + kernel, extent) - std::max(at, 0));
  }
  return cells;
}

}  // namespace

OnnxImporter::Window OnnxImporter::pool_window(const Node& node, const OnnxValue& in) const {
  const OnnxAttributes attributes(node);
  require(node.output_size() == 1 || onnx_.readers_of(node.output(1)).empty(),
          "supported are pools without indices");
  require(attributes.integer("channels_last", 0) == 0, "supported is channels_last 0");
  return window_of(node, in, attributes.integers("kernel_shape", {}));
}

OnnxValue OnnxImporter::array_pool(PoolKind kind, const OnnxValue& in, const Window& window) {
  Pool2d pool;
  pool.kind = kind;
  pool.filter_h = window.kernel[0];
  pool.filter_w = window.kernel[1];
  pool.stride_h = window.stride[0];
  pool.stride_w = window.stride[1];
  pool.padding = window.padding;
  return {builder_.pool(name_, in.tensor, pool), {}, {}};
}

OnnxValue OnnxImporter::host_pool(HostKind kind, const OnnxValue& in, const Window& window,
                                  std::int32_t counting) {
  const Padding& end = window.padding;
  const std::vector<std::int32_t> shape = builder_.tensor(in.tensor).shape;
  const auto outputs = [&](std::size_t a, std::int32_t more) {
    const std::int32_t count =
        window_outputs(shape[1 + a], window.kernel[a], window.stride[a], window.dilation[a], more);
    require(count >= 1, "its windows are larger than its padded input");
    return count;
  };
  HostOperator host{kind,
                    {window.kernel[0], window.kernel[1], window.stride[0], window.stride[1],
                     window.dilation[0], window.dilation[1], window.pads.top, window.pads.left,
                     window.pads.bottom, window.pads.right, counting},
                    {}};
  return {
      moved(in, {1, outputs(0, end.top + end.bottom), outputs(1, end.left + end.right), shape[3]},
            host, "/pool"),
      {},
      {}};
}

bool OnnxImporter::averages_on_array(const std::vector<std::int32_t>& shape, const Quantisation& in,
                                     const Window& window, const Quantisation& out) const {
  if (window.dilation != std::vector<std::int32_t>({1, 1}) || in.scales.size() != 1) {
    return false;
  }
  const Padding& p = window.padding;
  constexpr std::int32_t kMostCells = 4096;
  std::set<std::int32_t> counts;
  for (const std::int32_t rows :
       cells_along(shape[1], window.kernel[0], window.stride[0], p.top, p.bottom)) {
    for (const std::int32_t cols :
         cells_along(shape[2], window.kernel[1], window.stride[1], p.left, p.right)) {
      if (rows < 1 || cols < 1 || std::int64_t{rows} * cols > kMostCells) {
        return false;
      }
      counts.insert(rows * cols);
    }
  }
  return !is_as_floats() || std::all_of(counts.begin(), counts.end(), [&](std::int32_t count) {
    return pool_rounds_as_floats(in, out, count);
  });
}

void OnnxImporter::average(const OnnxValue& given, const Window& window, bool count_pads,
                           const std::optional<Result>& result, const std::string& name,
                           bool of_bytes) {
  const std::size_t rank = given.dims.size();
  const OnnxValue in = image(given);
  // Zeros that count are put around the picture; windows may reach out behind them all the same.
  Window inside = window;
  std::vector<std::int32_t> shape = builder_.tensor(in.tensor).shape;
  if (count_pads) {
    const Padding& p = window.pads;
    inside.pads = {};
    inside.padding = {0, 0, window.padding.bottom - p.bottom, window.padding.right - p.right};
    shape[1] += p.top + p.bottom;
    shape[2] += p.left + p.right;
  }
  const Quantisation own = builder_.tensor(in.tensor).quantisation;
  const bool known = result && result->quantisation;
  if (!quantised_ ||
      (is_quantised(in) && known && averages_on_array(shape, own, inside, *result->quantisation))) {
    OnnxValue source = in;
    if (shape != builder_.tensor(in.tensor).shape) {
      const Padding& p = window.pads;
      source.tensor =
          moved(in, shape, Pad{{0, p.top, p.left, 0}, {0, p.bottom, p.right, 0}}, "/pad");
    }
    const OnnxValue out = array_pool(PoolKind::Average, source, inside);
    if (known) {
      builder_.tensor(out.tensor).quantisation = *result->quantisation;
    }
    define(name, from_image(out.tensor, rank));
    return;
  }
  if (is_quantised(in) && known && window.dilation == std::vector<std::int32_t>({1, 1}) &&
      (of_bytes || is_fused())) {
    const std::int32_t of_unsigned = kind_of(name) == ValueKind::Unsigned ? 2 : 0;
    Window counted = window;
    if (count_pads) {
      counted.pads = window.padding;  // with what rounding up adds behind them
    }
    const OnnxValue out =
        host_pool(HostKind::AveragePool, in, counted, of_unsigned + (count_pads ? 1 : 0));
    builder_.tensor(out.tensor).quantisation = *result->quantisation;
    define(name, from_image(out.tensor, rank));
    return;
  }
  const OnnxValue real = from_image(host_pool(HostKind::AveragePool, as_float(in), window,
                                              (count_pads ? 1 : 0) + (window.by_columns ? 4 : 0))
                                        .tensor,
                                    rank);
  if (known) {
    requantise(name, real, *result->quantisation);
  } else {
    define(name, real);
  }
}

void OnnxImporter::max_pool(const Node& node) {
  const OnnxValue& given = input(node, 0);
  const OnnxValue in = image(given);
  const Window window = pool_window(node, in);
  const bool on_array =
      (!quantised_ || is_quantised(in)) && window.dilation == std::vector<std::int32_t>({1, 1});
  const OnnxValue out = on_array ? array_pool(PoolKind::Max, in, window)
                                 : host_pool(HostKind::MaxPool, in, window, 0);
  define(node.output(0), from_image(out.tensor, given.dims.size()));
}

void OnnxImporter::average_pool(const Node& node) {
  const OnnxValue in = image(input(node, 0));
  Window window = pool_window(node, in);
  const OnnxAttributes attributes(node);
  const bool count_pads = attributes.flag("count_include_pad", false);
  window.by_columns =
      onnx_.opset() < 19 && (!count_pads || attributes.integer("ceil_mode", 0) == 0);
  const auto result = quantised_ ? quantised_result(node, false) : std::nullopt;
  average(input(node, 0), window, count_pads, result, result ? result->name : node.output(0));
}

// ONNX Runtime's own operator counts what rounding up adds behind the pads.
void OnnxImporter::qlinear_average_pool(const Node& node) {
  const OnnxValue in = input(node, 0);
  set_quantisation(in, read_quantisation(name_of(node, 1), name_of(node, 2)));
  Result result;
  result.quantisation = read_quantisation(name_of(node, 3), name_of(node, 4));
  Window window = pool_window(node, image(in));
  const bool count_pads = OnnxAttributes(node).flag("count_include_pad", false);
  if (count_pads) {
    window.pads = window.padding;
  }
  average(in, window, count_pads, result, node.output(0), true);
}

}  // namespace tessera
