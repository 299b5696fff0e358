#include "fit/evaluate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/simulate.hpp"
#include "report/layer_figures.hpp"
#include "tessera/error.hpp"
#include "tessera/schedule.hpp"

namespace tessera::fit {
namespace {

using Json = nlohmann::ordered_json;

std::string lacks_of(const Question& question, const fpga::Estimate& estimate) {
  const fpga::Part& part = *question.part;
  const fpga::Family& family = *part.family;
  struct Kind {
    const char* name;
    std::uint32_t wanted, there, whole;
  };
  std::vector<std::string> lacking;
  for (const Kind& kind : {Kind{family.luts.name, estimate.luts, question.luts(), part.luts},
                           Kind{family.ffs.name, estimate.ffs, part.ffs, part.ffs},
                           Kind{family.brams.name, estimate.brams, part.brams, part.brams},
                           Kind{family.dsps.name, estimate.dsps, part.dsps, part.dsps}}) {
    if (kind.wanted > kind.there) {
      lacking.push_back(fmt::format("{} {} of {}", kind.wanted, kind.name, kind.there));
      if (kind.there < kind.whole) {
        lacking.back() += fmt::format(" (to be filled, of {})", kind.whole);
      }
    }
  }
  return fmt::format("{}", fmt::join(lacking, ", "));
}

// That leaves least to the host, with that control.
Hardware most_able(Control control) {
  if (control == Control::Units) {
    return hardware_preset("medium");
  }
  Hardware hardware = hardware_preset("micro");
  hardware.cbuf_size = hardware.cbuf_capacity = 256U << 10;
  hardware.acc_words = 4096;
  hardware.param_groups = 1024;
  return hardware;
}

double percent(const Counters& counters, isa::Counter which) {
  const std::uint64_t cycles = counter(counters, isa::Counter::Cycles);
  return cycles == 0
             ? 0
             : 100.0 * static_cast<double>(counter(counters, which)) / static_cast<double>(cycles);
}

// What a candidate may leave to the host that others run themselves, per multiplication: the
// softmax of a classifier is worth no hardware of its own.
std::uint64_t negligible(const Network& network) {
  constexpr std::uint64_t kShare = 200;
  std::uint64_t macs = 0;
  for (const Operator& op : network.operators) {
    macs += macs_of(network, op);
  }
  return macs / kShare;
}

}  // namespace

std::uint32_t Question::luts() const {
  return static_cast<std::uint32_t>(fill * part->luts);
}

Evaluator::Evaluator(Question question) : question_(std::move(question)) {
  question_.config.engine = Engine::Model;
  if (question_.config.host.counts()) {
    return;
  }
  for (const auto& network : question_.networks) {
    std::uint64_t operations = 0;
    static_cast<void>(speed_of(network, most_able(control()), 0, operations));
    most_host_operations_.push_back(operations + negligible(*network));
  }
}

std::uint32_t Evaluator::needed_features() const {
  std::uint32_t needed = 0;
  for (const auto& network : question_.networks) {
    const auto operations = [&](const Hardware& hardware) {
      std::uint64_t sum = 0;
      try {
        static_cast<void>(speed_of(network, hardware, 0, sum));
      } catch (const InputError&) {
        return std::numeric_limits<std::uint64_t>::max();  // cannot run it at all
      }
      return sum;
    };
    const std::uint64_t most = operations(most_able(Control::Units)) + negligible(*network);
    for (std::uint32_t feature = 0; feature < isa::kFeatures.size(); ++feature) {
      Hardware without = most_able(Control::Units);
      without.features &= ~(1U << feature);
      needed |= operations(without) > most ? 1U << feature : 0;
    }
  }
  return needed;
}

Speed Evaluator::speed_of(const std::shared_ptr<const Network>& network, const Hardware& hardware,
                          double mhz, std::uint64_t& host_operations) const {
  Config config = question_.config;
  config.hardware = hardware;
  if (question_.board && mhz > 0) {
    config.memory = question_.board->memory(*network, hardware, clock_of(mhz));
  } else if (question_.bandwidth > 0 && mhz > 0) {
    config.memory.bytes_per_cycle =
        std::min(static_cast<double>(hardware.bus_bytes), question_.bandwidth / (mhz * 1e6));
  }
  config.policy.from_less = false;  // thousands of candidates
  Progress silent(true);
  const Simulation simulation = simulate(config, network, {}, silent);
  const HostTotals host = host_totals(config.host, simulation.program);
  host_operations = host.work.operations;
  const Counters& totals = simulation.result.totals;
  return {counter(totals, isa::Counter::Cycles),    host.cycles,
          percent(totals, isa::Counter::ArrayBusy), percent(totals, isa::Counter::WaitLoad),
          percent(totals, isa::Counter::WaitStore), percent(totals, isa::Counter::StallWeights)};
}

std::string Evaluator::key_of(const std::string& hardware) const {
  return (question_.config.policy.name == PolicyName::Best ? "best " : "") + hardware;
}

Control Evaluator::control() const {
  return fpga::estimated_control(*question_.part);
}

fpga::Estimate Evaluator::estimate(const Hardware& hardware) const {
  if (!question_.board) {
    return fpga::estimate(*question_.part, hardware);
  }
  // What moves words between the bus and the memory grows with the bus.
  constexpr std::uint32_t kLutsPerByte = 90;
  constexpr std::uint32_t kFfsPerByte = 60;
  constexpr std::uint32_t kMeasuredBus = 4;
  const std::uint32_t wider = hardware.bus_bytes - std::min(hardware.bus_bytes, kMeasuredBus);
  const fpga::Usage& around = question_.board->usage;
  fpga::Estimate sum = fpga::estimate(*question_.part, hardware);
  sum.luts += around.luts + kLutsPerByte * wider;
  sum.ffs += around.ffs + kFfsPerByte * wider;
  sum.brams += around.brams + (hardware.bus_bytes - 1) / kMeasuredBus;
  sum.dsps += around.dsps;
  sum.mhz *= question_.board->slower;
  return sum;
}

Outcome Evaluator::run(const Hardware& hardware, bool regardless) const {
  Outcome outcome;
  outcome.estimate = estimate(hardware);
  outcome.lacks = lacks_of(question_, outcome.estimate);
  if (!outcome.lacks.empty() && !regardless) {
    return outcome;
  }
  try {
    for (std::size_t n = 0; n < question_.networks.size(); ++n) {
      const std::shared_ptr<const Network>& network = question_.networks[n];
      std::uint64_t operations = 0;
      outcome.speeds.push_back(speed_of(network, hardware, outcome.estimate.mhz, operations));
      if (!most_host_operations_.empty() && operations > most_host_operations_[n]) {
        throw InputError(
            fmt::format("{}: layers would go to the host that larger hardware runs itself; with a "
                        "`host` in the "
                        "configuration their time counts",
                        network->name));
      }
    }
  } catch (const std::exception& error) {
    outcome.problem = error.what();
    outcome.speeds.clear();
  }
  return outcome;
}

double Evaluator::clock_of(double mhz) const {
  return question_.board ? question_.board->clock(mhz) : mhz;
}

double Evaluator::milliseconds(const Speed& speed, double mhz) const {
  return static_cast<double>(speed.cycles) / (mhz * 1e3) +
         static_cast<double>(speed.host_cycles) / (question_.config.host.accelerator_mhz * 1e3);
}

std::string to_text(const Outcome& outcome) {
  const fpga::Estimate& e = outcome.estimate;
  Json speeds = Json::array();
  for (const Speed& s : outcome.speeds) {
    speeds.push_back({s.cycles, s.host_cycles, s.array, s.wait_load, s.wait_store, s.weights});
  }
  return Json({outcome.problem, outcome.lacks, e.luts, e.ffs, e.brams, e.dsps, e.mhz, speeds})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Outcome outcome_from(const std::string& text) {
  const Json json = Json::parse(text);
  Outcome outcome;
  json.at(0).get_to(outcome.problem);
  json.at(1).get_to(outcome.lacks);
  json.at(2).get_to(outcome.estimate.luts);
  json.at(3).get_to(outcome.estimate.ffs);
  json.at(4).get_to(outcome.estimate.brams);
  json.at(5).get_to(outcome.estimate.dsps);
  json.at(6).get_to(outcome.estimate.mhz);
  for (const Json& s : json.at(7)) {
    outcome.speeds.push_back({s.at(0).get<std::uint64_t>(), s.at(1).get<std::uint64_t>(),
                              s.at(2).get<double>(), s.at(3).get<double>(), s.at(4).get<double>(),
                              s.at(5).get<double>()});
  }
  return outcome;
}

}  // namespace tessera::fit
