// What an engine executes: encoded commands and a memory image. Engines never see the network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tessera/hardware.hpp"
#include "tessera/host_cost.hpp"
#include "tessera/network.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// A tensor's bytes in external memory: one after the other, or in segments that are `stride`
/// apart.
struct Slot {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t segment_bytes = 0;  ///< 0: all in one
  std::uint64_t stride = 0;
};

/// A command stream that runs from start to END.
struct CommandRun {
  Slot stream;
  /// In order, as often as a layer has a part of its own; its marks count these from 0.
  std::vector<std::uint32_t> layers;
};

/// An operator that the host computes between runs.
struct HostCall {
  std::uint32_t layer = 0;
  Network kernel;                           ///< the operator alone, with the tensors it touches
  std::vector<std::optional<Slot>> inputs;  ///< by operator input; empty for constants and absent
  Slot output;
};

/// An operator that has nothing to do: its output and inputs share their memory.
struct NoCopy {
  std::uint32_t layer = 0;
};

/// A value that outlives a run of the program.
struct StateRecord {
  std::string name;
  Slot place;    ///< in the arena
  Slot initial;  ///< what it begins with, among the constants
};

using Step = std::variant<CommandRun, HostCall, NoCopy>;

/// One operator of the network, for reports.
struct LayerRecord {
  std::string name;
  std::string op;
  std::optional<PassRecord> pass;       ///< its first one; on the accelerator when there is one
  std::string host_reason;              ///< why it runs on the host, when it does
  HostWork host;                        ///< what it does there; nothing for other layers
  bool no_copy = false;                 ///< its output and inputs share their memory
  std::optional<std::size_t> rides_on;  ///< layer that does its work along with its own
  std::vector<std::size_t> riders;      ///< layers that ride on this one
  std::uint32_t passes = 0;             ///< of the array
  std::uint64_t macs = 0;
  std::uint64_t weight_bytes = 0;         ///< of its passes, as the array reads them
  std::uint64_t stored_weight_bytes = 0;  ///< the same in external memory
  Traffic traffic;                        ///< external bytes that its commands move
  Accesses accesses;                      ///< inside the accelerator
  std::uint64_t cbuf_peak_bytes = 0;      ///< distinct bytes of the cbuf that it uses
  std::vector<std::int32_t> output_shape;
  Slot output;  ///< no bytes when a rider takes it from there
};

enum class MemoryKind : std::uint8_t { Constants, Arena, Commands };

struct MemoryRegion {
  MemoryKind kind = MemoryKind::Constants;
  Slot range;
};

/// How compressed weights are coded (command LD_CODE): what takes no look at their bytes needs it.
struct CodedWeights {
  struct Unit {
    std::uint64_t offset = 0;  ///< bytes from the first unit
    std::uint32_t first_atom = 0;
    [[nodiscard]] bool operator==(const Unit& other) const {
      return offset == other.offset && first_atom == other.first_atom;
    }
  };
  std::vector<std::uint8_t> codes;  ///< by atom
  std::vector<Unit> units;          ///< part by part and, as the last one, where they end
  std::vector<std::int32_t> parts;  ///< first channel atom of each
  std::int8_t zero = 0;             ///< what their values are counted from

  [[nodiscard]] std::uint64_t bytes() const { return units.back().offset; }
  [[nodiscard]] bool operator==(const CodedWeights& other) const {
    return codes == other.codes && units == other.units && parts == other.parts &&
           zero == other.zero;
  }
};

/// Weights as the array reads them, and in external memory.
struct WeightBytes {
  std::uint64_t bytes = 0;
  std::uint64_t stored_bytes = 0;
};

struct Program {
  std::string network;
  Hardware hardware;
  std::vector<std::uint8_t> image;  ///< external memory before the first step
  /// Bytes before the commands that `image` lacks: with Contents::Commands, room for activations,
  /// which may be gigabytes.
  std::uint64_t left_out = 0;
  std::vector<MemoryRegion> regions;
  /// By address: weights that are compressed.
  std::map<std::uint64_t, std::shared_ptr<const CodedWeights>> coded;
  std::vector<Step> steps;
  std::vector<LayerRecord> layers;
  std::vector<Slot> inputs;
  std::vector<Slot> outputs;
  std::vector<std::size_t> input_steps;   ///< by input: it is written before this step
  std::vector<std::size_t> output_steps;  ///< by output: it is there before this step
  std::vector<StateRecord> states;        ///< as Network::states
  /// Gives all states what they begin with: before the first run of the steps, and whenever they
  /// are to begin anew. Its marks are of no layer. None without states.
  std::optional<CommandRun> reset;
  MemoryPlan memory;  ///< of the activations, in the arena
  /// What of the hardware it was made for, where policy `best` found that better, such as "256 of
  /// 512 accumulators"; empty: all of it.
  std::string made_for;
  std::uint64_t constants_saved_bytes = 0;  ///< equal constants are kept once
  std::uint64_t commands_saved_bytes = 0;   ///< equal command streams, too

  /// Of external memory that it takes.
  [[nodiscard]] std::uint64_t memory_bytes() const { return image.size() + left_out; }
  /// The stream's bytes; it must lie within that.
  [[nodiscard]] const std::uint8_t* commands_of(const CommandRun& run) const {
    return image.data() + (run.stream.address - left_out);
  }
  /// Codes of the atoms that begin at that address, where a unit does; null: no compressed weights.
  [[nodiscard]] const std::uint8_t* codes_at(std::uint64_t address) const {
    const auto after = coded.upper_bound(address);
    if (after == coded.begin()) {
      return nullptr;
    }
    const auto& [begin, weights] = *std::prev(after);
    const auto unit = std::lower_bound(
        weights->units.begin(), weights->units.end(), address - begin,
        [](const CodedWeights::Unit& u, std::uint64_t offset) { return u.offset < offset; });
    const bool is_there = unit != weights->units.end() && unit->offset == address - begin &&
                          unit->first_atom < weights->codes.size();
    return is_there ? weights->codes.data() + unit->first_atom : nullptr;
  }
  /// Of all layers.
  [[nodiscard]] WeightBytes weight_bytes() const {
    WeightBytes sum;
    for (const LayerRecord& layer : layers) {
      sum.bytes += layer.weight_bytes;
      sum.stored_bytes += layer.stored_weight_bytes;
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t arena_bytes() const { return memory.allocation.height; }
  /// Where its activations are; no bytes when it has none.
  [[nodiscard]] Slot arena() const {
    for (const MemoryRegion& region : regions) {
      if (region.kind == MemoryKind::Arena) {
        return region.range;
      }
    }
    return {};
  }
};

/// What of a program is made. Commands: the streams, and room for the constants, but large weights
/// are left out: enough for what it costs, not to be run. Large weights count as different then,
/// even where two layers share them.
enum class Contents : std::uint8_t { All, Commands };

/// Told by policy `best`: programs tried so far, and how many there are at most.
using SearchListener = std::function<void(std::size_t tried, std::size_t most)>;

/// Schedules and encodes a network. Throws InputError when a layer cannot run.
Program compile(const Network& network, const Hardware& hardware, const Policy& policy,
                Contents contents = Contents::All, const SearchListener& listener = {});

/// Listing of all command streams.
std::string disassemble(const Program& program);

}  // namespace tessera
