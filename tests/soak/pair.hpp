// Two accelerators, of which one has more of one thing.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "tests/rtl/random_networks.hpp"
#include "timing/machine/cost_model.hpp"

namespace tessera::test {

/// So much more is taken for as fast.
inline constexpr double kTolerated = 0.01;

struct Pair {
  std::string key;                        ///< of what there is more
  std::string change;                     ///< the same with both values
  std::string what;                       ///< network and configuration, to repeat it
  std::string file;                       ///< the network's, or
  std::string text;                       ///< its layers
  std::array<std::string, 2> config;      ///< first the one with less
  std::array<std::uint64_t, 2> cycles{};  ///< 0: the network does not fit
};

/// A few layers like those of small networks.
inline std::string draw_layers() {
  const int side = pick(8, 40);
  int channels = one_of<int>({1, 3, 8, 16});
  std::string text = "layers:\n";
  const int layers = pick(2, 9);
  int size = side;
  for (int i = 0; i < layers; ++i) {
    const std::string in = i == 0 ? fmt::format("in: [{}, {}, {}], ", side, side, channels) : "";
    const int stride = size >= 8 && pick(0, 3) == 0 ? 2 : 1;
    if (channels >= 8 && pick(0, 2) == 0) {
      text += fmt::format("  - depthwise_conv2d: {{{}kernel: 3, stride: {}, padding: same}}\n", in,
                          stride);
    } else {
      const int kernel = one_of<int>({1, 1, 3, 3, 5});
      channels = one_of<int>({8, 16, 24, 32, 64, 64, 96, 128});
      text +=
          fmt::format("  - conv2d: {{{}out_channels: {}, kernel: {}, stride: {}, padding: same}}\n",
                      in, channels, kernel, stride);
    }
    size = (size + stride - 1) / stride;
  }
  return text;
}

inline Pair draw_pair(const std::vector<std::string>& networks) {
  Pair pair;
  if (!networks.empty()) {
    pair.file = one_of(networks);
  } else {
    pair.text = draw_layers();
  }
  const std::string preset = one_of<std::string>({"nano", "tiny", "small", "medium", "large"});
  const Hardware hw = hardware_preset(preset);
  const int kib = 1 << pick(preset == "nano" ? 1 : 3, 8);
  struct Values {
    double bytes;
    int latency, kib, banks, accumulators, lanes, outstanding;
  } v{one_of<double>({0.5, 1, 2, 3, 4, 6, 8, 12, 16}),
      one_of<int>({10, 20, 40, 64, 100, 200}),
      kib,
      static_cast<int>(hw.cbuf_banks),
      static_cast<int>(hw.acc_words),
      static_cast<int>(hw.post_lanes),
      static_cast<int>(hw.read_outstanding)};
  const auto config_of = [&](const Values& values) {
    return fmt::format(
        "hardware: {{preset: {}, cbuf: {{size: {} KiB, capacity: auto, banks: {}}}, accumulators: "
        "{}, post_lanes: {}, "
        "read_outstanding: {}}}\nmemory: {{bytes_per_cycle: {}, latency: {}}}\nnetwork: "
        "lenet5\npolicy: best\nengine: "
        "model\n",
        preset, values.kib, values.banks, values.accumulators, values.lanes, values.outstanding,
        values.bytes, values.latency);
  };
  Values more = v;
  const auto change = [&](const char* key, auto Values::*value, auto to) {
    pair.key = key;
    pair.change = fmt::format("{} {} -> {}", key, v.*value, to);
    more.*value = to;
  };
  switch (pick(0, 6)) {
    case 0:
      change("bytes_per_cycle", &Values::bytes, v.bytes * one_of<double>({1.25, 4.0 / 3, 1.5, 2}));
      break;
    case 1:
      change("latency", &Values::latency, v.latency - std::max(1, v.latency * pick(5, 60) / 100));
      break;
    case 2:
      change("cbuf", &Values::kib, v.kib + std::max(1, v.kib * one_of<int>({25, 50, 100}) / 100));
      break;
    case 3:
      change("banks", &Values::banks, v.banks * 2);
      break;
    case 4:
      change("accumulators", &Values::accumulators, v.accumulators * 2);
      break;
    case 5:
      if (v.lanes * 2 <= static_cast<int>(hw.atomic_k)) {
        change("post_lanes", &Values::lanes, v.lanes * 2);
      } else {
        v.lanes /= 2;
        more = v;
        change("post_lanes", &Values::lanes, v.lanes * 2);
      }
      break;
    default:
      v.outstanding = 4;
      more = v;
      change("read_outstanding", &Values::outstanding, 8);
  }
  pair.config = {config_of(v), config_of(more)};
  pair.what = pair.config[0] + pair.file + pair.text;
  return pair;
}

inline void measure(Pair& pair) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Config config = parse_config(pair.config[i], "pair.yaml", {});
    const Network network =
        pair.file.empty() ? import_yaml(pair.text, "network.yaml", 1) : load_network(pair.file, 1);
    try {
      const Program program = compile(network, config.hardware, config.policy);
      pair.cycles[i] =
          counter(timing::estimate(program, config.memory).totals, isa::Counter::Cycles);
    } catch (const InputError&) {
      pair.cycles = {};
      return;
    }
  }
}

}  // namespace tessera::test
