// Problems of the kind of published ones, by seed: static allocation as minimalloc's instances are
// (150 to 320 buffers, 70 to 200 moments, sizes in KiB, full up to the top at many moments), and
// networks of cells or of random graphs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/allocation.hpp"
#include "tessera/operator_graph.hpp"
#include "tessera/rng.hpp"

namespace tessera::test {

/// Rectangles that fill 1 MiB over some time without a gap, cut again and again where they are
/// largest; a few are left out. The plan from which they were cut needs 1 MiB.
inline AllocationProblem generated_allocation(std::uint64_t seed) {
  struct Rectangle {
    std::int64_t lower, upper;
    std::uint64_t size;  // KiB
    [[nodiscard]] double area() const {
      return static_cast<double>(upper - lower) * static_cast<double>(size);
    }
  };
  SplitMix64 rng(seed);
  const auto count = static_cast<std::size_t>(150 + rng.below(171));
  const auto moments = static_cast<std::int64_t>(70 + rng.below(131));
  const std::uint64_t tall = 20 + rng.below(60);  // percent of cuts that divide the size
  std::vector<Rectangle> rectangles = {{0, moments, 1024}};
  while (rectangles.size() < count) {
    // One of the larger ones.
    std::size_t at = rng.below(rectangles.size());
    for (int i = 0; i < 4; ++i) {
      const std::size_t other = rng.below(rectangles.size());
      at = rectangles[other].area() > rectangles[at].area() ? other : at;
    }
    Rectangle& whole = rectangles[at];
    Rectangle part = whole;
    const bool by_size = rng.below(100) < tall;
    if (by_size && whole.size >= 2) {
      part.size = 1 + rng.below(whole.size - 1);
      whole.size -= part.size;
    } else if (!by_size && whole.upper - whole.lower >= 2) {
      part.lower = whole.lower + 1 +
                   static_cast<std::int64_t>(
                       rng.below(static_cast<std::uint64_t>(whole.upper - whole.lower - 1)));
      whole.upper = part.lower;
    } else {
      continue;
    }
    rectangles.push_back(part);
  }
  AllocationProblem problem;
  for (const Rectangle& r : rectangles) {
    if (rng.below(40) != 0) {
      problem.buffers.push_back(
          {std::to_string(problem.buffers.size()), r.lower, r.upper, r.size * 1024});
    }
  }
  return problem;
}

/// Cells whose blocks add two operators on any of the states before, one cell after the other, as
/// NASNet, AmoebaNet and DARTS have them; or, every third seed, stages of random graphs.
inline OperatorGraph generated_graph(std::uint64_t seed) {
  SplitMix64 rng(seed);
  OperatorGraph graph;
  graph.name = fmt::format("generated {}", seed);
  const auto add = [&](const char* op, std::uint64_t bytes, std::vector<std::uint32_t> inputs) {
    graph.nodes.push_back(
        {std::to_string(graph.nodes.size()), op, bytes, std::move(inputs), Sharing::Kept});
    return static_cast<std::uint32_t>(graph.nodes.size() - 1);
  };
  const auto operation = [&](std::uint32_t from, std::uint64_t bytes) {
    std::uint32_t last = add("Relu", graph.nodes[from].bytes, {from});
    for (std::uint64_t i = 0; i < 1 + rng.below(3); ++i) {
      last = add("Conv", bytes, {last});
    }
    return last;
  };
  std::uint64_t bytes = 4096 * (8 + rng.below(40));
  std::uint32_t before = add("Input", bytes / 2, {});
  std::uint32_t now = add("Conv", bytes, {before});
  if (seed % 3 == 0) {
    for (int stage = 0; stage < 3; ++stage, bytes /= 2) {
      std::vector<std::uint32_t> nodes = {now};
      for (int n = 0; n < 32; ++n) {
        std::vector<std::uint32_t> inputs;
        for (std::uint64_t i = 0; i < 1 + rng.below(3); ++i) {
          const std::uint64_t back = std::min<std::uint64_t>(nodes.size(), 1 + rng.below(5));
          inputs.push_back(nodes[nodes.size() - back]);
        }
        std::sort(inputs.begin(), inputs.end());
        inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
        nodes.push_back(
            operation(inputs.size() == 1 ? inputs[0] : add("Add", bytes, inputs), bytes));
      }
      now = operation(nodes.back(), bytes / 2);
    }
    return graph;
  }
  const std::uint64_t cells = 8 + rng.below(12);
  for (std::uint64_t cell = 0; cell < cells; ++cell) {
    bytes = cell == cells / 3 || cell == 2 * cells / 3 ? bytes / 2 : bytes;
    std::vector<std::uint32_t> states = {operation(before, bytes), operation(now, bytes)};
    std::vector<bool> used(states.size(), false);
    for (int block = 0; block < 5; ++block) {
      const std::size_t a = rng.below(states.size());
      const std::size_t b = rng.below(states.size());
      used[a] = used[b] = true;
      states.push_back(
          add("Add", bytes, {operation(states[a], bytes), operation(states[b], bytes)}));
      used.push_back(false);
    }
    std::vector<std::uint32_t> ends;
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (!used[i]) {
        ends.push_back(states[i]);
      }
    }
    before = now;
    now = add("Concat", bytes * ends.size(), ends);
  }
  return graph;
}

}  // namespace tessera::test
