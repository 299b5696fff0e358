#include "sim/memory/memory_checker.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

MemoryChecker::MemoryChecker(const Program& program, std::vector<std::uint8_t>& memory)
    : program_(program), memory_(memory) {
  for (const MemoryRegion& region : program.regions) {
    if (region.kind == MemoryKind::Arena) {
      begin_ = region.range.address;
      live_.assign(region.range.bytes, 0);
      needed_.assign(region.range.bytes, 0);
    }
  }
  for (std::uint64_t at = begin_; at < begin_ + live_.size(); ++at) {
    poison(at);
  }
}

void MemoryChecker::poison(std::uint64_t address) {
  memory_[address] = static_cast<std::uint8_t>((address * 0x9E3779B97F4A7C15ULL) >> 56);
  set(address, false);
  ++poisoned_;
}

void MemoryChecker::note(std::uint64_t address, std::uint64_t bytes, const std::string& who) {
  if (problem_.empty()) {
    problem_ = fmt::format(
        "{} reads bytes {:#x}..{:#x} of the activations, which nothing has written or nobody was "
        "to "
        "need any more",
        who, address, address + bytes);
    if (!last_layer_.empty()) {
      problem_ += fmt::format(" (the last layer that was done is `{}`)", last_layer_);
    }
  }
}

void MemoryChecker::read_beat(std::uint64_t address, std::uint64_t bytes) {
  if (!in_arena(address) || !in_arena(address + bytes - 1)) {
    return;
  }
  const auto first = live_.begin() + static_cast<std::ptrdiff_t>(address - begin_);
  if (std::find(first, first + static_cast<std::ptrdiff_t>(bytes), 1) ==
      first + static_cast<std::ptrdiff_t>(bytes)) {
    note(address, bytes, "the accelerator");
  }
}

void MemoryChecker::read_exactly(const Slot& slot, const std::string& who) {
  for (std::uint64_t at = slot.address; at < slot.address + slot.bytes; ++at) {
    if (in_arena(at) && live_[at - begin_] == 0) {
      note(at, 1, who);
      return;
    }
  }
}

void MemoryChecker::write(const Slot& slot) {
  for (std::uint64_t at = slot.address; at < slot.address + slot.bytes; ++at) {
    set(at, true);
  }
}

void MemoryChecker::taken(const Slot& output) {
  for (std::uint64_t at = output.address; at < output.address + output.bytes; ++at) {
    const bool is_state =
        std::any_of(program_.states.begin(), program_.states.end(), [&](const StateRecord& state) {
          return at >= state.place.address && at - state.place.address < state.place.bytes;
        });
    if (in_arena(at) && !is_state) {
      poison(at);
    }
  }
}

void MemoryChecker::finish(std::uint32_t layer) {
  last_layer_ = program_.layers[layer].name;
  const MemoryPlan& plan = program_.memory;
  const auto step = std::find(plan.layers.begin(), plan.layers.end(), layer);
  if (step == plan.layers.end()) {
    return;
  }
  const auto is_output = [&](std::size_t b) {
    const auto& outputs = plan.output_buffers;
    return std::find(outputs.begin(), outputs.end(), b) != outputs.end();
  };
  const std::int64_t after = step - plan.layers.begin() + 1;
  const auto range = [&](std::size_t b) {
    const auto begin = needed_.begin() + static_cast<std::ptrdiff_t>(plan.allocation.offsets[b]);
    return std::pair{begin, begin + static_cast<std::ptrdiff_t>(plan.problem.buffers[b].size)};
  };
  std::fill(needed_.begin(), needed_.end(), 0);
  for (std::size_t b = 0; b < plan.problem.buffers.size(); ++b) {
    const Buffer& buffer = plan.problem.buffers[b];
    if (buffer.lower < after && (after < buffer.upper || (after == buffer.upper && is_output(b)))) {
      std::fill(range(b).first, range(b).second, 1);
    }
  }
  for (std::size_t b = 0; b < plan.problem.buffers.size(); ++b) {
    if (plan.problem.buffers[b].upper != after || is_output(b)) {
      continue;
    }
    for (auto at = range(b).first; at != range(b).second; ++at) {
      if (*at == 0) {
        poison(begin_ + static_cast<std::uint64_t>(at - needed_.begin()));
      }
    }
  }
}

}  // namespace tessera
