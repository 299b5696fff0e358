#include "fit/candidate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tessera/config.hpp"

namespace tessera::fit {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kMostSide = 64;
constexpr std::uint32_t kLeastRows = 16;  // of a cbuf bank
constexpr std::uint32_t kMostRows = 1U << 20;
constexpr std::uint32_t kRowStep = 256;

// The whole buffer is the scheduler's.
void set_rows(Hardware& hw, std::uint64_t rows) {
  hw.cbuf_capacity = rows * hw.cbuf_banks * hw.atomic_c;
  hw.cbuf_size = hw.cbuf_capacity;
}

/// Collects what can be built.
class Moves {
 public:
  explicit Moves(const Hardware& from)
      : from_(from), rows_(from.bank_atoms()), seen_{text_of(from)} {}

  template <typename Change>
  void add(const std::string& what, const Change& change) {
    Hardware hardware = from_;
    change(hardware);
    if (hardware_problem(hardware).empty() && seen_.insert(text_of(hardware)).second) {
      moves_.push_back({what, hardware});
    }
  }

  // As many rows in each bank: the buffer's bytes grow and shrink with the atom.
  void side(const char* name, std::uint32_t Hardware::*side, std::uint32_t to) {
    add(fmt::format("{} {} -> {}", name, from_.*side, to), [&](Hardware& hw) {
      hw.*side = to;
      hw.post_lanes = std::min(hw.post_lanes, hw.atomic_k);
      set_rows(hw, rows_);
    });
  }

  void halves_and_doubles(const char* name, std::uint32_t Hardware::*field) {
    for (const std::uint32_t to : {from_.*field / 2, from_.*field * 2}) {
      add(fmt::format("{} {} -> {}", name, from_.*field, to),
          [&](Hardware& hw) { hw.*field = to; });
    }
  }

  std::vector<Move> take() { return std::move(moves_); }

 private:
  const Hardware& from_;
  std::uint32_t rows_;
  std::set<std::string> seen_;
  std::vector<Move> moves_;
};

// The same for all hardware with microcode.
bool has_units(const Hardware& hw) {
  return hw.control == Control::Units;
}

std::uint32_t power(SplitMix64& random, std::uint32_t low, std::uint32_t high) {
  return 1U << (low + random.below(high - low + 1));
}

Json json_with_microcode(const Hardware& hw) {
  return {{"control", "microcode"},
          {"array", {{"atomic_c", hw.atomic_c}, {"atomic_k", hw.atomic_k}}},
          {"cbuf", {{"size", hw.cbuf_size}, {"capacity", hw.cbuf_capacity}}},
          {"accumulators", hw.acc_words},
          {"param_groups", hw.param_groups},
          {"bus_bytes", hw.bus_bytes},
          {"features", "none"}};
}

Hardware drawn_with_microcode(SplitMix64& random) {
  Hardware hw = hardware_preset("micro");
  hw.name = "custom";
  hw.atomic_c = 2 * (1 + static_cast<std::uint32_t>(random.below(4)));
  hw.atomic_k = 2 * (1 + static_cast<std::uint32_t>(random.below(4)));
  set_rows(hw, power(random, 7, 12));
  hw.acc_words = power(random, 4, 9);
  hw.param_groups = power(random, 2, 6);
  hw.bus_bytes = power(random, 2, 3);
  return hw;
}

}  // namespace

std::string text_of(const Hardware& hw) {
  if (!has_units(hw)) {
    return json_with_microcode(hw).dump();
  }
  Json features = Json::object();
  for (std::size_t f = 0; f < isa::kFeatures.size(); ++f) {
    features[std::string(isa::kFeatures[f].name)] = (hw.features >> f & 1U) != 0 ? "yes" : "no";
  }
  constexpr const char* kMultipliers[] = {"auto", "dsp", "luts"};
  return Json{
      {"array",
       {{"atomic_c", hw.atomic_c},
        {"atomic_k", hw.atomic_k},
        {"multipliers", kMultipliers[static_cast<std::size_t>(hw.multipliers)]}}},
      {"cbuf", {{"size", hw.cbuf_size}, {"capacity", hw.cbuf_capacity}, {"banks", hw.cbuf_banks}}},
      {"accumulators", hw.acc_words},
      {"param_groups", hw.param_groups},
      {"bus_bytes", hw.bus_bytes},
      {"post_lanes", hw.post_lanes},
      {"read_outstanding", hw.read_outstanding},
      {"queue_depth", hw.queue_depth},
      {"line_atoms", hw.line_atoms},
      {"features", features}}
      .dump();
}

std::vector<Move> moves_of(const Hardware& from) {
  Moves moves(from);
  const auto sides = [&](const char* name, std::uint32_t Hardware::*side) {
    const std::uint32_t at = from.*side;
    for (const std::uint32_t to : {at - 4, at - 2, at + 2, at + 4, at / 4 * 2, at * 2}) {
      if (to >= 2 && to <= kMostSide) {
        moves.side(name, side, to);
      }
    }
  };
  sides("atomic_c", &Hardware::atomic_c);
  sides("atomic_k", &Hardware::atomic_k);
  const std::uint32_t c = from.atomic_c;
  const std::uint32_t k = from.atomic_k;
  const auto both = [&](std::uint32_t new_c, std::uint32_t new_k) {
    moves.add(fmt::format("array {} x {} -> {} x {}", c, k, new_c, new_k), [&](Hardware& hw) {
      const std::uint32_t rows = hw.bank_atoms();
      hw.atomic_c = new_c;
      hw.atomic_k = new_k;
      hw.post_lanes = std::min(hw.post_lanes, new_k);
      set_rows(hw, rows);
    });
  };
  both(c + 2, k + 2);
  both(c + 2, k - 2);
  both(c - 2, k + 2);
  both(c * 2, k / 4 * 2);
  both(c / 4 * 2, k * 2);
  const std::uint32_t rows = from.bank_atoms();
  for (const std::uint32_t to : {rows / 2, rows - kRowStep, rows + kRowStep, rows * 2}) {
    if (to >= kLeastRows && to <= kMostRows) {
      moves.add(fmt::format("cbuf {} -> {} bytes", from.cbuf_size,
                            std::uint64_t{to} * from.cbuf_banks * c),
                [&](Hardware& hw) { set_rows(hw, to); });
    }
  }
  for (const std::uint32_t banks : {from.cbuf_banks / 2, from.cbuf_banks * 2}) {
    if (banks == 0 || !has_units(from)) {
      continue;
    }
    // The same bytes in other banks, or other bytes.
    moves.add(fmt::format("cbuf banks {} -> {}", from.cbuf_banks, banks), [&](Hardware& hw) {
      hw.cbuf_banks = banks;
      set_rows(hw, std::uint64_t{rows} * from.cbuf_banks / banks);
    });
    moves.add(fmt::format("cbuf banks {} -> {} of the same size", from.cbuf_banks, banks),
              [&](Hardware& hw) {
                hw.cbuf_banks = banks;
                set_rows(hw, rows);
              });
  }
  moves.halves_and_doubles("accumulators", &Hardware::acc_words);
  moves.halves_and_doubles("param_groups", &Hardware::param_groups);
  moves.halves_and_doubles("bus_bytes", &Hardware::bus_bytes);
  if (!has_units(from)) {
    // The block RAMs of one are what the other grows into.
    for (const auto& [name, field] : {std::pair{"accumulators", &Hardware::acc_words},
                                      {"param_groups", &Hardware::param_groups}}) {
      for (const std::uint32_t to : {from.*field / 2, from.*field * 2}) {
        for (const std::uint32_t to_rows : {rows - kRowStep, rows + kRowStep}) {
          if (to_rows < kLeastRows || to_rows > kMostRows) {
            continue;
          }
          moves.add(fmt::format("{} {} -> {}, cbuf {} -> {} bytes", name, from.*field, to,
                                from.cbuf_size, std::uint64_t{to_rows} * c),
                    [&, member = field](Hardware& hw) {
                      hw.*member = to;
                      set_rows(hw, to_rows);
                    });
        }
      }
    }
    return moves.take();
  }
  moves.halves_and_doubles("post_lanes", &Hardware::post_lanes);
  moves.halves_and_doubles("read_outstanding", &Hardware::read_outstanding);
  moves.halves_and_doubles("queue_depth", &Hardware::queue_depth);
  moves.halves_and_doubles("line_atoms", &Hardware::line_atoms);
  for (std::size_t f = 0; f < isa::kFeatures.size(); ++f) {
    moves.add(fmt::format("{} {}", (from.features >> f & 1U) != 0 ? "without" : "with",
                          isa::kFeatures[f].name),
              [&](Hardware& hw) { hw.features ^= 1U << f; });
  }
  return moves.take();
}

Hardware drawn(SplitMix64& random, Control control) {
  if (control == Control::Microcode) {
    return drawn_with_microcode(random);
  }
  for (;;) {
    Hardware hw;
    hw.atomic_c = 2 * (1 + static_cast<std::uint32_t>(random.below(12)));
    hw.atomic_k = 2 * (1 + static_cast<std::uint32_t>(random.below(12)));
    hw.cbuf_banks = power(random, 0, 4);
    set_rows(hw, power(random, 7, 10));
    hw.acc_words = power(random, 5, 10);
    hw.param_groups = power(random, 3, 7);
    hw.bus_bytes = power(random, 2, 4);
    hw.post_lanes = power(random, 0, 3);
    hw.read_outstanding = power(random, 1, 4);
    hw.queue_depth = power(random, 4, 6);
    hw.line_atoms = power(random, 4, 8);
    hw.features = random.below(2) == 0
                      ? Hardware::kAllFeatures
                      : static_cast<std::uint32_t>(random.next()) & Hardware::kAllFeatures;
    if (hardware_problem(hw).empty()) {
      return hw;
    }
  }
}

}  // namespace tessera::fit
