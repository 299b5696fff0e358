// Pools, bilinear interpolation, detectors' ends.
#include <fmt/format.h>

#include <algorithm>

#include "network/reference/bilinear.hpp"
#include "rom/runtime/call.hpp"

namespace tessera::runtime {
namespace {

using reference::Sizes;

std::string c_place(const reference::WholePlace& place) {
  return fmt::format("{{{}, {}, {}}}", place.low, place.high, place.distance);
}

std::string c_real_place(std::int32_t low, std::int32_t high, float to_low, float to_high) {
  return fmt::format("{{{}, {}, {}, {}}}", low, high, c_float(to_low), c_float(to_high));
}

// Pictures, their extents there and here.
std::vector<std::string> extents_of_resize(const Call& call) {
  const std::vector<std::int32_t>& from = call.in(0).shape;
  const std::vector<std::int32_t>& to = call.out().shape;
  return {c_number(to[0]),   c_number(from[1]), c_number(from[2]),
          c_number(from[3]), c_number(to[1]),   c_number(to[2])};
}

void resize_in_floats(Call& call, const HostOperator& host, const Sizes& rows, const Sizes& cols) {
  const bool bytes = call.in(0).type == DataType::Int8;
  const bool given = !host.numbers.empty();
  const auto places = [&](const Sizes& sizes, std::int64_t first) {
    std::vector<std::string> texts;
    for (std::int32_t i = 0; i < sizes.out; ++i) {
      if (given) {
        const reference::GivenPlace place(host.numbers[static_cast<std::size_t>(first + i)],
                                          sizes.in);
        texts.push_back(c_real_place(place.low, place.high, place.to_low, place.to_high));
      } else {
        const reference::RealPlace place = reference::real_place(sizes, i);
        texts.push_back(c_real_place(place.low, place.high, place.distance, 1 - place.distance));
      }
    }
    return call.text().array("struct tessera_real_place", texts);
  };
  std::vector<std::string> fields = extents_of_resize(call);
  const bool based = bytes && (!given || host.integers[2] != 0);
  fields.insert(fields.end(), {places(rows, 0), places(cols, rows.out), given ? "1" : "0",
                               bytes ? "1" : "0", based ? "128" : "0"});
  call.run("resize_real.c", "resize_real",
           {call.text().parameters("tessera_resize_real_parameters", fields), call.data(0),
            call.output()});
}

void resize(Call& call, const HostOperator& host) {
  const std::vector<std::int32_t>& from = call.in(0).shape;
  const std::vector<std::int32_t>& to = call.out().shape;
  const Sizes rows{from[1], to[1], host.integers[0] != 0, host.integers[1] != 0};
  const Sizes cols{from[2], to[2], rows.corners, rows.centers};
  const bool eleven = host.integers[2] == 2;
  if (!host.numbers.empty() || call.in(0).type == DataType::Float32 ||
      (host.integers[2] != 0 && !eleven)) {
    return resize_in_floats(call, host, rows, cols);
  }
  const auto places = [&](const Sizes& sizes) {
    std::vector<std::string> texts;
    texts.reserve(static_cast<std::size_t>(sizes.out));
    for (std::int32_t i = 0; i < sizes.out; ++i) {
      texts.push_back(c_place(eleven ? reference::eleven_bit_place(sizes, i)
                                     : reference::whole_place(sizes, i)));
    }
    return call.text().array("struct tessera_place", texts);
  };
  std::vector<std::string> fields = extents_of_resize(call);
  fields.insert(fields.end(), {places(rows), places(cols), eleven ? "11" : "10"});
  call.run(
      "resize.c", "resize",
      {call.text().parameters("tessera_resize_parameters", fields), call.data(0), call.output()});
}

void spread_pool(Call& call, const HostOperator& host) {
  const std::vector<std::int32_t>& from = call.in(0).shape;
  const std::vector<std::int32_t>& to = call.out().shape;
  const std::vector<std::int32_t>& i = host.integers;
  const bool bytes = call.in(0).type == DataType::Int8;
  const bool greatest = host.kind == HostKind::MaxPool;
  const bool whole = i[0] == from[1] && i[1] == from[2];
  const bool by_columns = (i[10] & 4) != 0 && !greatest && !bytes && i[3] <= 2 && !whole;
  const bool averages_bytes = bytes && !greatest;
  const Quantisation& in = call.in(0).quantisation;
  const Quantisation& out = call.out().quantisation;
  const std::string window =
      fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}", from[1], from[2],
                  from[3], to[1], to[2], to[3], i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7]);
  const std::string parameters = call.text().parameters(
      "tessera_spread_pool",
      {window, c_number(to[0]), c_number(i[8]), c_number(i[9]), (i[10] & 1) != 0 ? "1" : "0",
       by_columns ? "1" : "0", c_float(averages_bytes ? in.scales[0] : 1.0F),
       c_number(averages_bytes ? in.zero_point : 0), c_float(averages_bytes ? out.scales[0] : 1.0F),
       c_number(averages_bytes ? out.zero_point : 0), (i[10] & 2) != 0 ? "128" : "0"});
  call.run("spread_pools.c",
           fmt::format("{}_pool_{}", greatest ? "max" : "average", c_type(call.in(0).type)),
           {parameters, call.data(0), call.output()});
}

std::string reals(const Tensor& tensor) {
  if (tensor.type == DataType::Float32) {
    return "{0, 1.0F, 0}";
  }
  return fmt::format("{{1, {}, {}}}", c_float(tensor.quantisation.scales.at(0)),
                     tensor.quantisation.zero_point);
}

void detections(Call& call, const HostOperator& host) {
  const std::vector<std::int32_t>& i = host.integers;
  const std::int64_t anchors = call.in(0).shape[1];
  const std::string parameters = call.text().parameters(
      "tessera_detection",
      {c_number(i[1]), c_number(i[2]), i[3] != 0 ? "1" : "0", c_number(i[4]), c_number(i[5]),
       c_number(call.in(1).shape[2]), c_number(anchors), c_number(call.in(0).shape[2]),
       c_float(host.numbers[0]), c_float(host.numbers[1]),
       fmt::format("{{{}, {}, {}, {}}}", c_float(host.numbers[2]), c_float(host.numbers[3]),
                   c_float(host.numbers[4]), c_float(host.numbers[5])),
       reals(call.in(0)), reals(call.in(1)), reals(call.in(2))});
  const std::int64_t results = std::int64_t{i[1]} * (i[3] != 0 ? 1 : i[2]);
  const bool is_there = call.has_found();
  const std::string room = call.found(static_cast<std::uint64_t>(4 + 21 * anchors + 12 * results));
  if (!is_there) {
    call.run("detection.c", "detect", {parameters, call.data(0), call.data(1), call.data(2), room});
  }
  call.run("detection.c", "detections",
           {parameters, c_number(i[0]), c_number(static_cast<std::int64_t>(call.out().bytes())),
            room, call.output()});
}

}  // namespace

void write_pool(Call& call, const Pool2d& pool) {
  const std::vector<std::int32_t>& from = call.in(0).shape;
  const std::vector<std::int32_t>& to = call.out().shape;
  const Quantisation& in = call.in(0).quantisation;
  const Quantisation& out = call.out().quantisation;
  const ClampRange range = activation_range(pool.activation, out);
  const bool average = pool.kind == PoolKind::Average;
  std::string factors = "0";
  if (average && PoolAverage(in, out, pool.ties_up, call.op().rounding).rescales()) {
    std::vector<std::string> texts;
    const std::int32_t most = std::min(pool.filter_h, from[1]) * std::min(pool.filter_w, from[2]);
    for (std::int32_t cells = 1; cells <= most; ++cells) {
      texts.push_back(c_factor(mean_factor(in, out, cells)));
    }
    factors = call.text().array("struct tessera_factor", texts);
  }
  const std::string window =
      fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, 1, 1, {}, {}}}", from[1], from[2],
                  from[3], to[1], to[2], to[3], pool.filter_h, pool.filter_w, pool.stride_h,
                  pool.stride_w, pool.padding.top, pool.padding.left);
  const std::string parameters = call.text().parameters(
      "tessera_pool_parameters",
      {window, average ? "0" : "1", pool.ties_up ? "128" : "0", factors, c_number(in.zero_point),
       c_number(out.zero_point), c_rounding(call.op().rounding), c_number(range.low),
       c_number(range.high)});
  call.run("pools.c", "pool", {parameters, call.data(0), call.output()});
}

void write_host_picture(Call& call, const HostOperator& host) {
  switch (host.kind) {
    case HostKind::AveragePool:
    case HostKind::MaxPool:
      return spread_pool(call, host);
    case HostKind::ResizeBilinear:
      return resize(call, host);
    default:
      return detections(call, host);
  }
}

}  // namespace tessera::runtime
