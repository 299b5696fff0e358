// The program checker against the accelerator: a command stream that is damaged somewhere is
// refused, or it runs without an error. Which outputs it makes is another matter: the checker knows
// no network.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tessera/checker.hpp"
#include "tessera/isa.hpp"
#include "tests/draws.hpp"
#include "tests/rtl/random_hardware.hpp"
#include "tests/rtl/random_layers.hpp"

namespace tessera {
namespace {

using test::pick;

struct Damage {
  std::uint64_t address = 0;
  std::uint64_t before = 0, after = 0;
};

std::uint64_t word_at(const Program& program, std::uint64_t address) {
  std::uint64_t word = 0;
  std::memcpy(&word, program.image.data() + address, sizeof(word));
  return word;
}

std::vector<std::uint64_t> word_addresses(const Program& program) {
  std::vector<std::uint64_t> addresses;
  for (const Step& step : program.steps) {
    if (const auto* run = std::get_if<CommandRun>(&step); run != nullptr) {
      for (std::uint64_t at = 0; at < run->stream.bytes; at += sizeof(std::uint64_t)) {
        addresses.push_back(run->stream.address + at);
      }
    }
  }
  return addresses;
}

// A word of a stream that is still legal, one bit or one small number away, or another one's.
std::optional<Damage> draw_damage(const Program& program) {
  const std::vector<std::uint64_t> addresses = word_addresses(program);
  if (addresses.empty()) {
    return std::nullopt;
  }
  Damage damage;
  damage.address =
      addresses[static_cast<std::size_t>(pick(0, static_cast<int>(addresses.size()) - 1))];
  damage.before = word_at(program, damage.address);
  const std::uint64_t bit = std::uint64_t{1} << pick(0, 57);
  switch (pick(0, 3)) {
    case 0:
      damage.after = damage.before + bit;
      break;
    case 1:
      damage.after = damage.before - bit;
      break;
    case 2:
      damage.after = word_at(
          program,
          addresses[static_cast<std::size_t>(pick(0, static_cast<int>(addresses.size()) - 1))]);
      break;
    default:
      damage.after = damage.before ^ bit;
  }
  const bool legal = isa::decode(damage.after).command.has_value();
  return damage.after != damage.before && legal ? std::optional(damage) : std::nullopt;
}

std::string text_of(std::uint64_t word) {
  return isa::disassemble(*isa::decode(word).command);
}

template <class Command>
bool words_hold(const Program& program) {
  const std::vector<std::uint64_t> addresses = word_addresses(program);
  return std::any_of(addresses.begin(), addresses.end(), [&](std::uint64_t at) {
    return std::holds_alternative<Command>(*isa::decode(word_at(program, at)).command);
  });
}

// The same command of the compute or store unit, so that no other bytes are loaded than before.
bool changes_geometry_only(const Damage& damage) {
  const isa::CommandInfo& before = isa::info_of(*isa::decode(damage.before).command);
  const isa::CommandInfo& after = isa::info_of(*isa::decode(damage.after).command);
  return &before == &after && before.unit != isa::Unit::Load;
}

struct Tally {
  int refused = 0, harmless = 0;
};

void try_damage(const Program& program, const RunOptions& run, const test::RandomCase& drawn,
                Tally& tally) {
  const std::optional<Damage> damage = draw_damage(program);
  if (!damage) {
    return;
  }
  Program damaged = program;
  std::memcpy(damaged.image.data() + damage->address, &damage->after, sizeof(damage->after));
  if (!check_program(damaged).empty()) {
    ++tally.refused;
    return;
  }
  ++tally.harmless;
  const auto fail = [&](const std::string& what) {
    RC_FAIL(fmt::format("the checker accepts it, {}\n{:#x}: {}\n   now: {}{}", what,
                        damage->address, text_of(damage->before), text_of(damage->after),
                        drawn.repeat()));
  };
  RunResult tlm, rtl;
  try {
    tlm = run_on_tlm(damaged, run);
    rtl = run_on_rtl(damaged, run);
  } catch (const std::exception& error) {
    fail(fmt::format("the accelerator stops: {}", error.what()));
  }
  // A window's taps beyond its size are zero in every program that is made, and parameters are what
  // the requantiser's formula allows: the RTL computes something else of other ones.
  const bool is_sane = !words_hold<isa::Depthwise>(damaged) && changes_geometry_only(*damage);
  // Programs that no scheduler writes are executed alike as well.
  for (std::size_t i = 0; is_sane && i < tlm.layers.size(); ++i) {
    if (tlm.layers[i].output != rtl.layers[i].output) {
      fail(fmt::format("TLM and RTL compute layer {} differently", i));
    }
  }
  std::string differences;
  for (std::size_t i = 0; i < tlm.totals.size(); ++i) {
    if (tlm.totals[i] != rtl.totals[i]) {
      differences +=
          fmt::format("{}: TLM {}, RTL {}; ", isa::kCounters[i].name, tlm.totals[i], rtl.totals[i]);
    }
  }
  if (!differences.empty()) {
    fail(differences);
  }
}

TEST(DamagedPrograms, AreRefusedOrRun) {
  constexpr int kDamages = 60;
  Tally tally;
  test::expect_always(12, [&] {
    const std::string preset =
        *rc::gen::element<std::string>("micro", "nano", "tiny", "small", "medium");
    const test::RandomCase drawn =
        pick(0, 1) == 0 ? test::draw_chain(preset)
                        : test::draw_convolution(
                              preset, "auto",
                              *rc::gen::element(test::Kind::Convolution, test::Kind::Depthwise,
                                                test::Kind::AveragePool, test::Kind::MaximumPool));
    const Config config = parse_config(drawn.config, "case.yaml", {});
    const Network network = import_yaml(drawn.network, "network.yaml", config.seed);
    Program program;
    try {
      program = compile(network, config.hardware, config.policy);
    } catch (const InputError&) {
      return;
    }
    RunOptions run;
    run.inputs = test::seeded_inputs(network, config.seed);
    run.memory = config.memory;
    for (int i = 0; i < kDamages; ++i) {
      try_damage(program, run, drawn, tally);
    }
  });
  // Both happen, or nothing was tried.
  EXPECT_GT(tally.refused, 12);
  EXPECT_GT(tally.harmless, 12);
  RecordProperty("refused", tally.refused);
  RecordProperty("harmless", tally.harmless);
}

}  // namespace
}  // namespace tessera
