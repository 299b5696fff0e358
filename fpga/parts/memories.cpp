#include "fpga/parts/memories.hpp"

#include <algorithm>

#include "tessera/generated/microcode.hpp"

namespace tessera::fpga {
namespace {

// What Yosys says that they cost, in halves of a lookup table: a block RAM, 16 words of 4 bits, and
// a bit of a multiplexer between rows of them.
constexpr std::uint64_t kBlockCost = 256;
constexpr std::uint64_t kSmallBlockCost = 128;
constexpr std::uint64_t kDistributedCost = 8;
constexpr std::uint64_t kMultiplexerCost = 1;

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

struct Choice {
  std::uint64_t cells = 0;
  std::uint64_t cost = 0;
  std::uint64_t multiplexed = 0;
};

// `slots` of the memory's width side by side, `per_cell` of them in a cell, in so many rows; what
// is left of one row's last cell is the next row's.
Choice cells_of(const Memory& memory, std::uint64_t slots, std::uint64_t per_cell,
                std::uint64_t rows, std::uint64_t cost) {
  const std::uint64_t cells = ceil_div(slots * rows, per_cell);
  const std::uint64_t multiplexed = memory.width * (rows - 1);
  return {cells, cells * cost + multiplexed * kMultiplexerCost, multiplexed};
}

struct Form {
  std::uint64_t width, depth;
};

Choice small_block_rams(const Memory& memory) {
  constexpr Form kForms[] = {{16, 256}, {8, 512}, {4, 1024}, {2, 2048}};
  Choice best{0, UINT64_MAX};
  for (const Form& form : kForms) {
    const Choice choice = cells_of(memory, ceil_div(memory.width, form.width), 1,
                                   ceil_div(memory.depth, form.depth), kSmallBlockCost);
    best = choice.cost <= best.cost ? choice : best;  // the deeper one of equals
  }
  return best;
}

Choice block_rams(const Memory& memory) {
  constexpr Form kForms[] = {{36, 512}, {18, 1024}, {9, 2048}, {4, 4096}, {2, 8192}, {1, 16384}};
  Choice best{0, UINT64_MAX};
  for (const Form& form : kForms) {
    if (memory.by_bytes && form.width < 9) {
      continue;
    }
    const std::uint64_t rows = ceil_div(memory.depth, form.depth);
    const Choice choice =
        memory.by_bytes ? cells_of(memory, memory.width / 8, form.width / 9, rows, kBlockCost)
                        : cells_of(memory, ceil_div(memory.width, form.width), 1, rows, kBlockCost);
    best = choice.cost < best.cost ? choice : best;
  }
  return best;
}

}  // namespace

MicrocodeMemories microcode_memories(const Hardware& hw) {
  constexpr std::uint64_t kParameters = 3;  // of a kernel
  return {{16, microcode::kRom.size()},
          {32, microcode::kNamedWords + hw.param_groups * kParameters * hw.atomic_k},
          {std::uint64_t{hw.atomic_c} * 8, hw.cbuf_capacity / hw.atomic_c},
          {std::uint64_t{hw.atomic_k} * 32, hw.acc_words}};
}

Memory accumulators_of(const Hardware& hw) {
  constexpr std::uint32_t kFewest = 128, kMost = 512;
  const bool copies = hw.acc_words >= kFewest && hw.acc_words <= kMost;
  return {hw.atomic_k * std::uint64_t{32}, copies ? hw.acc_words : hw.acc_half(), false, 2};
}

std::vector<Memory> memories_of(const Hardware& hw) {
  if (hw.control == Control::Microcode) {
    const MicrocodeMemories all = microcode_memories(hw);
    return {all.rom, all.data, all.cbuf, all.accumulators};
  }
  const std::uint64_t k = hw.atomic_k;
  const std::uint64_t lanes = std::max<std::uint64_t>(hw.post_lanes, hw.whole_records() ? 2 : 1);
  std::vector<Memory> memories = {
      {std::uint64_t{hw.atomic_c} * 8, hw.bank_atoms(), true, hw.cbuf_banks},
      accumulators_of(hw),
      {72, hw.param_groups * ceil_div(k, lanes), false, lanes},
      {64, hw.queue_depth, false, 3},
      {66, 64},
      {hw.post_lanes * std::uint64_t{8} + 1, 16},
  };
  if (hw.has(isa::Feature::Operands)) {
    memories.push_back({k * 8, hw.acc_words});
  }
  if (hw.has(isa::Feature::Tables)) {
    memories.push_back({32, 512, false, hw.post_lanes});
  }
  if (hw.has(isa::Feature::Softmax) && hw.has(isa::Feature::Tables)) {
    for (const std::uint32_t width : {8U, 29U, 35U}) {
      memories.push_back({width, kSoftmaxPixels});
    }
  }
  const Hardware::Window window = hw.depthwise_window();
  if (window.rows > 1) {
    memories.push_back({(window.rows - 1) * k * 8, hw.line_atoms});
  }
  return memories;
}

MemoryCells cells_of(const Memory& memory, MemoryTechnology technology) {
  if (technology == MemoryTechnology::Blocks4Kbit) {
    const Choice blocks = small_block_rams(memory);
    return {blocks.cells * memory.count, 0, blocks.multiplexed};
  }
  const Choice distributed =
      cells_of(memory, ceil_div(memory.width, 4), 1, ceil_div(memory.depth, 16), kDistributedCost);
  const Choice blocks = block_rams(memory);
  return blocks.cost <= distributed.cost
             ? MemoryCells{blocks.cells * memory.count, 0, blocks.multiplexed}
             : MemoryCells{0, distributed.cells * memory.count, distributed.multiplexed};
}

}  // namespace tessera::fpga
