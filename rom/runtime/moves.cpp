// Operators that move values.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "network/reference/elements.hpp"
#include "rom/runtime/call.hpp"
#include "tessera/reference.hpp"

namespace tessera::runtime {
namespace {

using Shape = std::vector<std::int32_t>;
using Strides = std::vector<std::int64_t>;

// From tensor 0 to tensor 1 of loops whose steps are in elements.
struct Move {
  std::vector<Loop> loops;
  std::int64_t from = 0, to = 0;
};

// Steps in bytes; what lies together is one run.
std::string move_parameters(Call& call, const Move& move, std::int64_t size) {
  std::vector<Loop> loops = merged(move.loops);
  for (Loop& loop : loops) {
    for (std::int64_t& step : loop.step) {
      step *= size;
    }
  }
  std::int64_t run = size;
  if (loops.back().step[0] == size && loops.back().step[1] == size) {
    run *= loops.back().count;
    loops.pop_back();
  }
  return call.text().parameters(
      "tessera_move_parameters",
      {call.loops(loops, {move.from * size, move.to * size, 0}), c_number(run)});
}

void run_move(Call& call, std::size_t input, const Move& move) {
  const auto size = static_cast<std::int64_t>(size_of(call.out().type));
  call.run("moves.c", "move", {move_parameters(call, move, size), call.data(input), call.output()});
}

// The whole output, from `strides` on.
void run_gathered(Call& call, const Strides& strides, std::int64_t from) {
  const Shape& to = call.out().shape;
  run_move(call, 0, {loops_over(to, {strides, strides_of(to)}), from, 0});
}

void fill(Call& call, const std::vector<std::uint8_t>& value) {
  call.run("moves.c", "fill",
           {call.text().bytes(value), c_number(static_cast<std::int64_t>(value.size())),
            c_number(call.out().elements()), call.output()});
}

// All of the input, `before` its place in the output.
void run_inside(Call& call, const Shape& before) {
  const Shape& from = call.in(0).shape;
  const Strides to = strides_of(call.out().shape);
  std::int64_t first = 0;
  for (std::size_t d = 0; d < from.size(); ++d) {
    first += to[d] * before[d];
  }
  run_move(call, 0, {loops_over(from, {strides_of(from), to}), 0, first});
}

void reshape(Call& call) {
  Move move;
  move.loops = {{call.out().elements(), {1, 1, 0}}};
  run_move(call, 0, move);
}

void transpose(Call& call, const Transpose& transpose) {
  const Strides from = strides_of(call.in(0).shape);
  Strides strides;
  for (const std::int32_t axis : transpose.order) {
    strides.push_back(from[static_cast<std::size_t>(axis)]);
  }
  run_gathered(call, strides, 0);
}

void slice(Call& call, const StridedSlice& slice) {
  Strides strides = strides_of(call.in(0).shape);
  std::int64_t first = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    first += strides[d] * slice.begin[d];
    strides[d] *= slice.stride[d];
  }
  run_gathered(call, strides, first);
}

std::vector<std::uint8_t> rescaling(const Call& call, const Tensor& in) {
  const Quantisation& from = in.quantisation;
  const Quantisation& to = call.out().quantisation;
  const FixedPoint factor = rescale_factor(from, to);
  std::vector<std::uint8_t> table(256);
  for (std::int32_t x = -128; x <= 127; ++x) {
    const std::int32_t value =
        requantise(x - from.zero_point, factor, to.zero_point, call.op().rounding);
    table[static_cast<std::uint8_t>(x)] = static_cast<std::uint8_t>(std::clamp(value, -128, 127));
  }
  return table;
}

void concatenation(Call& call, const Concatenation& concat) {
  const Tensor& out = call.out();
  const auto size = static_cast<std::int64_t>(size_of(out.type));
  std::int64_t outer = 1;
  for (std::int32_t d = 0; d < concat.axis; ++d) {
    outer *= out.shape[static_cast<std::size_t>(d)];
  }
  const std::int64_t chunk_out = out.elements() / outer;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < call.inputs(); ++i) {
    const Tensor& in = call.in(i);
    const std::int64_t chunk = in.elements() / outer;
    const Move move{{{outer, {chunk, chunk_out, 0}}, {chunk, {1, 1, 0}}}, 0, offset};
    offset += chunk;
    if (chunk == 0) {
      continue;
    }
    if (out.type == DataType::Int8 && (in.quantisation.scales != out.quantisation.scales ||
                                       in.quantisation.zero_point != out.quantisation.zero_point)) {
      const std::string parameters = call.text().parameters(
          "tessera_move_parameters", {call.loops(move.loops, {0, move.to, 0}), "1"});
      call.run("moves.c", "move_lookup",
               {parameters, call.text().bytes(rescaling(call, in)), call.data(i), call.output()});
      continue;
    }
    call.run("moves.c", "move", {move_parameters(call, move, size), call.data(i), call.output()});
  }
}

void resize_nearest(Call& call, const ResizeNearest& resize) {
  const Shape& from = call.in(0).shape;
  const Shape& to = call.out().shape;
  const auto pixel = static_cast<std::int32_t>(size_of(call.out().type)) * from[3];
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> cols;
  rows.reserve(static_cast<std::size_t>(to[1]));
  cols.reserve(static_cast<std::size_t>(to[2]));
  for (std::int32_t y = 0; y < to[1]; ++y) {
    rows.push_back(nearest_source(resize, y, from[1], to[1]) * from[2] * pixel);
  }
  for (std::int32_t x = 0; x < to[2]; ++x) {
    cols.push_back(nearest_source(resize, x, from[2], to[2]) * pixel);
  }
  const std::string parameters = call.text().parameters(
      "tessera_places",
      {c_number(to[0]), c_number(std::int64_t{from[1]} * from[2] * pixel), c_number(to[1]),
       c_number(to[2]), call.text().integers(rows), call.text().integers(cols), c_number(pixel)});
  call.run("moves.c", "move_from_places", {parameters, call.data(0), call.output()});
}

// Each dimension as one loop over the copies and one within.
void tile(Call& call) {
  const Shape& from = call.in(0).shape;
  const Strides in = strides_of(from);
  const Strides out = strides_of(call.out().shape);
  Move move;
  for (std::size_t d = 0; d < from.size(); ++d) {
    move.loops.push_back({call.out().shape[d] / from[d], {0, out[d] * from[d], 0}});
    move.loops.push_back({from[d], {in[d], out[d], 0}});
  }
  run_move(call, 0, move);
}

void reverse(Call& call, const std::vector<std::int32_t>& axes) {
  Strides strides = strides_of(call.in(0).shape);
  std::int64_t first = 0;
  for (const std::int32_t axis : axes) {
    const auto d = static_cast<std::size_t>(axis);
    first += strides[d] * (call.in(0).shape[d] - 1);
    strides[d] = -strides[d];
  }
  run_gathered(call, strides, first);
}

void pad_value(Call& call, const HostOperator& host) {
  std::vector<std::uint8_t> value(size_of(call.out().type));
  reference::for_type(call.out().type, [&](auto zero) {
    reference::put(value.data(), 0, static_cast<decltype(zero)>(host.numbers[0]));
  });
  fill(call, value);
  run_inside(call, host.integers);
}

void mirror_pad(Call& call, const HostOperator& host) {
  const Shape& from = call.in(0).shape;
  const Strides strides = strides_of(from);
  const auto size = static_cast<std::int64_t>(size_of(call.out().type));
  if (from.size() > 12) {
    throw NoKernel("it has more than 12 dimensions");
  }
  std::vector<std::string> axes;
  axes.reserve(from.size());
  for (std::size_t d = 0; d < from.size(); ++d) {
    axes.push_back(fmt::format("{{{}, {}, {}, {}}}", from[d], call.out().shape[d],
                               strides[d] * size, host.integers[d]));
  }
  const std::string parameters = call.text().parameters(
      "tessera_mirror_pad_parameters",
      {c_number(static_cast<std::int64_t>(from.size())),
       from.empty() ? "0" : call.text().array("struct tessera_mirror_axis", axes),
       c_number(host.integers.back()), c_number(size), c_number(call.out().elements())});
  call.run("mirror_pad.c", "mirror_pad", {parameters, call.data(0), call.output()});
}

std::int64_t product(const Shape& shape, std::size_t first, std::size_t end) {
  std::int64_t count = 1;
  for (std::size_t d = first; d < end; ++d) {
    count *= shape[d];
  }
  return count;
}

void gather(Call& call, const HostOperator& host) {
  const Shape& from = call.in(0).shape;
  const Shape& indices = call.in(1).shape;
  const auto axis = static_cast<std::size_t>(host.integers[0]);
  const auto batch = static_cast<std::size_t>(host.integers[1]);
  const auto size = static_cast<std::int64_t>(size_of(call.out().type));
  const std::string parameters = call.text().parameters(
      "tessera_gather_parameters",
      {c_number(product(from, 0, batch)), c_number(product(from, batch, axis)),
       c_number(product(indices, batch, indices.size())), c_number(from[axis]),
       c_number(size * product(from, axis + 1, from.size())),
       call.in(1).type == DataType::Int64 ? "1" : "0"});
  call.run_checked("gather.c", "gather", {parameters, call.data(0), call.data(1), call.output()});
}

void gather_nd(Call& call) {
  const Shape& from = call.in(0).shape;
  const Shape& indices = call.in(1).shape;
  const auto parts = static_cast<std::size_t>(indices.back());
  const auto size = static_cast<std::int64_t>(size_of(call.out().type));
  const std::string extents =
      parts == 0 ? "0" : call.text().integers({from.begin(), from.begin() + indices.back()});
  const std::string parameters = call.text().parameters(
      "tessera_gather_nd_parameters",
      {c_number(product(indices, 0, indices.size() - 1)), c_number(indices.back()), extents,
       c_number(size * product(from, parts, from.size())),
       call.in(1).type == DataType::Int64 ? "1" : "0"});
  call.run_checked("gather.c", "gather_nd",
                   {parameters, call.data(0), call.data(1), call.output()});
}

void select(Call& call) {
  const Shape& shape = call.out().shape;
  std::vector<Strides> strides;
  strides.reserve(3);
  for (std::size_t i = 0; i < 3; ++i) {
    strides.push_back(reference::broadcast_strides(call.in(i).shape, shape.size()));
  }
  const std::string parameters = call.text().parameters(
      "tessera_select_parameters", {call.loops(loops_over(shape, strides)),
                                    c_number(static_cast<std::int64_t>(size_of(call.out().type)))});
  call.run("select.c", "select",
           {parameters, call.data(0), call.data(1), call.data(2), call.output()});
}

struct MoveWriter {
  Call& call;
  void operator()(const Reshape&) const { reshape(call); }
  void operator()(const Transpose& op) const { transpose(call, op); }
  void operator()(const StridedSlice& op) const { slice(call, op); }
  void operator()(const Concatenation& op) const { concatenation(call, op); }
  void operator()(const ResizeNearest& op) const { resize_nearest(call, op); }
  void operator()(const Pad& op) const {
    const std::int32_t zero = call.in(0).quantisation.zero_point;
    fill(call, {static_cast<std::uint8_t>(zero)});
    run_inside(call, op.before);
  }
  template <class Other>
  void operator()(const Other&) const {
    throw NoKernel("it moves nothing");
  }
};

}  // namespace

void write_move(Call& call, const Attributes& attributes) {
  std::visit(MoveWriter{call}, attributes);
}

void write_host_move(Call& call, const HostOperator& host) {
  switch (host.kind) {
    case HostKind::Gather:
      return gather(call, host);
    case HostKind::GatherNd:
      return gather_nd(call);
    case HostKind::Tile:
      return tile(call);
    case HostKind::BroadcastTo:
      return run_gathered(
          call, reference::broadcast_strides(call.in(0).shape, call.out().shape.size()), 0);
    case HostKind::Reverse:
      return reverse(call, host.integers);
    case HostKind::PadValue:
      return pad_value(call, host);
    case HostKind::MirrorPad:
      return mirror_pad(call, host);
    default:
      return select(call);
  }
}

}  // namespace tessera::runtime
