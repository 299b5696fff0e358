// Lookup tables and flip-flops of an accelerator with units, module by module.
#include <algorithm>
#include <cmath>

#include "fpga/parts/memories.hpp"
#include "fpga/parts/module_regressors.hpp"

namespace tessera::fpga {
namespace {

double flag(const Hardware& hw, isa::Feature feature) {
  return hw.has(feature) ? 1 : 0;
}

// Lanes of a ring of so many bytes, by the levels of its rotators.
double rotated(std::uint32_t bytes) {
  const double levels = std::ceil(std::log2(bytes));
  return std::exp2(levels) * levels;
}

double distributed(const Memory& memory) {
  return static_cast<double>(cells_of(memory).distributed);
}

/// What modules grow with.
struct Sizes {
  Sizes(const Hardware& hw, const LogicMultipliers& logic)
      : hardware(hw),
        c(hw.atomic_c),
        k(hw.atomic_k),
        bus(hw.bus_bytes),
        lanes(hw.post_lanes),
        pitches(logic.pitches),
        soft(logic.array),
        folding(flag(hw, isa::Feature::Folding)),
        depthwise(flag(hw, isa::Feature::Depthwise)),
        tables(flag(hw, isa::Feature::Tables)),
        operands(flag(hw, isa::Feature::Operands)),
        keep(flag(hw, isa::Feature::Keep)),
        zeros(flag(hw, isa::Feature::ZeroPoints)),
        checks(flag(hw, isa::Feature::Checksums)),
        counters(flag(hw, isa::Feature::Counters)),
        pieces(hw.atomic_c == hw.atomic_k ? 0 : 1) {}

  const Hardware& hardware;
  double c, k, bus, lanes;
  double pitches;  ///< of whose multipliers as many are logic
  double soft;     ///< of the array's multipliers
  double folding, depthwise, tables, operands, keep, zeros, checks, counters;
  double pieces;  ///< atoms and kernel groups are of other sizes
};

struct UnitTerms {
  const char* prefix;
  std::vector<double> (*terms)(const Sizes& s);
};

const std::vector<UnitTerms>& table() {
  static const std::vector<UnitTerms> all = {
      {"u_compute/u_array",
       [](const Sizes& s) {
         // Weights behind their zero point have nine bits.
         return std::vector<double>{s.k, s.c * s.k - s.soft, s.soft, s.zeros * s.soft,
                                    s.depthwise * s.c * s.k};
       }},
      {"u_compute/u_accumulator",
       [](const Sizes& s) {
         return std::vector<double>{1, s.k, distributed(accumulators_of(s.hardware)),
                                    s.pieces * s.k, s.depthwise * s.k};
       }},
      {"u_compute/u_sequencer",
       [](const Sizes& s) {
         return std::vector<double>{1, s.pitches, s.depthwise, s.depthwise * s.pieces,
                                    std::log2(s.c)};
       }},
      {"u_compute/u_weight_loader",
       [](const Sizes& s) {
         return std::vector<double>{
             1, s.c, s.c * s.k, s.zeros * s.c, s.depthwise, s.depthwise * s.pieces * s.c};
       }},
      {"u_compute/u_window",
       [](const Sizes& s) {
         const Hardware::Window window = s.hardware.depthwise_window();
         return std::vector<double>{s.depthwise * s.k, s.depthwise * s.pieces * s.k,
                                    s.k * window.rows * window.cols,
                                    window.rows > 1 ? s.k * (window.rows - 1) : 0.0};
       }},
      {"u_compute",
       [](const Sizes& s) {
         return std::vector<double>{1, s.depthwise, s.c, s.zeros};
       }},
      {"u_store/u_drain",
       [](const Sizes& s) {
         return std::vector<double>{1,
                                    s.lanes,
                                    s.tables * s.lanes,
                                    s.operands,
                                    s.operands * s.lanes,
                                    s.k * std::log2(std::max(2.0, s.k / s.lanes)),
                                    s.operands * s.k};
       }},
      {"u_store/u_keeper",
       [](const Sizes& s) {
         return std::vector<double>{s.keep, s.keep * s.c * std::log2(s.c), s.keep * s.lanes};
       }},
      {"u_store/u_params",
       [](const Sizes& s) {
         const Memory memory = memories_of(s.hardware)[2];
         return std::vector<double>{1, s.lanes,
                                    distributed(memory) * static_cast<double>(memory.count)};
       }},
      {"u_store/u_operands",
       [](const Sizes& s) {
         return std::vector<double>{
             s.operands *
             distributed({s.hardware.atomic_k * std::uint64_t{8}, s.hardware.acc_words})};
       }},
      {"u_store/u_writer",
       [](const Sizes& s) {
         return std::vector<double>{1, rotated(s.hardware.bus_bytes), s.lanes};
       }},
      {"u_store/u_splitter",
       [](const Sizes& s) {
         return std::vector<double>{1, std::log2(s.bus)};
       }},
      {"u_store",
       [](const Sizes& s) {
         return std::vector<double>{1, s.operands, s.keep, s.c};
       }},
      {"u_load/u_folder",
       [](const Sizes& s) {
         const std::uint32_t bytes = std::max(s.hardware.atomic_c, s.hardware.bus_bytes);
         return std::vector<double>{s.folding, s.folding * rotated(bytes),
                                    s.folding * rotated(s.hardware.bus_bytes)};
       }},
      {"u_load/u_packer",
       [](const Sizes& s) {
         const std::uint32_t out = std::max({s.hardware.atomic_c, s.hardware.atomic_k, 8U});
         const std::uint32_t in = s.folding > 0
                                      ? std::max(s.hardware.atomic_c, s.hardware.bus_bytes)
                                      : s.hardware.bus_bytes;
         return std::vector<double>{1, rotated(out), rotated(in), rotated(std::max(in, out))};
       }},
      {"u_load/u_transfers",
       [](const Sizes& s) {
         return std::vector<double>{1, s.folding, s.checks};
       }},
      {"u_load/u_reader",
       [](const Sizes& s) {
         return std::vector<double>{1, static_cast<double>(s.hardware.read_outstanding),
                                    std::log2(s.bus)};
       }},
      {"u_load/u_splitter",
       [](const Sizes& s) {
         return std::vector<double>{1, std::log2(s.bus)};
       }},
      {"u_load/u_checksum",
       [](const Sizes& s) {
         return std::vector<double>{s.checks, s.checks * s.bus};
       }},
      {"u_load",
       [](const Sizes& s) {
         return std::vector<double>{1, s.c, s.k, s.folding, s.folding * s.c};
       }},
      {"u_front/u_fetch",
       [](const Sizes& s) {
         return std::vector<double>{1, s.bus, rotated(s.hardware.bus_bytes), s.checks,
                                    s.checks * (s.bus > 4 ? 1 : 0)};
       }},
      {"u_front",
       [](const Sizes& s) {
         return std::vector<double>{1, distributed({64, s.hardware.queue_depth})};
       }},
      {"u_cbuf",
       [](const Sizes& s) {
         return std::vector<double>{s.c, s.hardware.cbuf_banks * s.c,
                                    static_cast<double>(s.hardware.cbuf_banks), s.keep * s.c};
       }},
      {"u_control",
       [](const Sizes& s) {
         return std::vector<double>{1, s.counters, s.checks};
       }},
      {"", [](const Sizes& s) {
         return std::vector<double>{1, s.bus, s.c};
       }}};
  return all;
}

}  // namespace

std::vector<ModuleTerms> unit_terms(const Hardware& hardware, const LogicMultipliers& logic) {
  const Sizes sizes(hardware, logic);
  std::vector<ModuleTerms> all;
  for (const UnitTerms& unit : table()) {
    all.push_back({unit.prefix, unit.terms(sizes)});
  }
  return all;
}

}  // namespace tessera::fpga
