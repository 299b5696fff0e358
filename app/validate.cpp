#include "app/validate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/simulate.hpp"
#include "console/text_table.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

using isa::Counter;

constexpr Counter kTraffic[] = {Counter::ReadCommandBytes, Counter::ReadFeatureBytes,
                                Counter::ReadWeightBytes, Counter::ReadParamBytes,
                                Counter::WriteBytes};

std::uint64_t cycles_of(const Counters& counters) {
  return counter(counters, Counter::Cycles);
}

double error_percent(const Counters& engine, const Counters& rtl) {
  const auto expected = static_cast<double>(cycles_of(rtl));
  const auto found = static_cast<double>(cycles_of(engine));
  return expected == 0 ? (found == 0 ? 0 : 100) : 100 * (found - expected) / expected;
}

std::uint64_t bytes_of(const Counters& counters) {
  return read_bytes(counters) + counter(counters, Counter::WriteBytes);
}

bool same_traffic(const Counters& a, const Counters& b) {
  return std::all_of(std::begin(kTraffic), std::end(kTraffic),
                     [&](Counter c) { return counter(a, c) == counter(b, c); });
}

class Judge {
 public:
  Judge(const Validation& validation, const Tolerances& tolerances)
      : v_(validation), tolerances_(tolerances) {}

  std::vector<std::string> run() {
    for (std::size_t i = 0; i < v_.program.layers.size(); ++i) {
      const std::string name = "layer `" + v_.program.layers[i].name + "`";
      const Counters& rtl = v_.rtl.layers[i].counters;
      const bool judged = cycles_of(rtl) > tolerances_.least_cycles;
      judge(name, "tlm", v_.tlm.layers[i].counters, rtl, tolerances_.tlm.layer, judged);
      judge(name, "model", v_.model.layers[i].counters, rtl, tolerances_.model.layer, judged);
      if (v_.tlm.layers[i].output != v_.rtl.layers[i].output) {
        findings_.push_back(name + ": the outputs of tlm and rtl differ");
      }
    }
    judge("total", "tlm", v_.tlm.totals, v_.rtl.totals, tolerances_.tlm.total, true);
    judge("total", "model", v_.model.totals, v_.rtl.totals, tolerances_.model.total, true);
    return std::move(findings_);
  }

 private:
  void judge(const std::string& what, const char* engine, const Counters& found,
             const Counters& rtl, double tolerance, bool judged) {
    if (!same_traffic(found, rtl)) {
      findings_.push_back(fmt::format("{}: {} moves {} bytes, rtl {}, by kind not the same", what,
                                      engine, bytes_of(found), bytes_of(rtl)));
    }
    const double error = error_percent(found, rtl);
    if (judged && std::abs(error) > tolerance) {
      findings_.push_back(fmt::format("{}: {} takes {} cycles, rtl {}: {:+.2f} %, allowed {} %",
                                      what, engine, cycles_of(found), cycles_of(rtl), error,
                                      tolerance));
    }
  }

  const Validation& v_;
  const Tolerances& tolerances_;
  std::vector<std::string> findings_;
};

double worst_error(const Validation& v, const RunResult& engine, std::uint64_t least_cycles) {
  double worst = 0;
  for (std::size_t i = 0; i < v.rtl.layers.size(); ++i) {
    if (cycles_of(v.rtl.layers[i].counters) > least_cycles) {
      worst = std::max(
          worst, std::abs(error_percent(engine.layers[i].counters, v.rtl.layers[i].counters)));
    }
  }
  return worst;
}

bool all_bytes_same(const Validation& v) {
  for (std::size_t i = 0; i < v.rtl.layers.size(); ++i) {
    if (!same_traffic(v.tlm.layers[i].counters, v.rtl.layers[i].counters) ||
        !same_traffic(v.model.layers[i].counters, v.rtl.layers[i].counters) ||
        v.tlm.layers[i].output != v.rtl.layers[i].output) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> findings_of(const Validation& validation, const Tolerances& tolerances) {
  return Judge(validation, tolerances).run();
}

Validation validate(const Config& config, const Tolerances& tolerances, Progress& progress) {
  Validation v;
  const Network network = load_configured(config);
  RunOptions options;
  options.inputs = read_inputs(config, network, "");
  options.memory = config.memory;
  options.traffic = config.traffic;
  options.announce = [&](const std::string& text) { progress.say(text); };
  if (config.jitter.stall_percent != 0 || config.jitter.extra_latency != 0) {
    throw InputError("memory.jitter: random delays come at other cycles in each engine");
  }
  v.program = compile(network, config.hardware, config.policy);
  check(v.program);
  v.model = run_on_model(v.program, options);
  v.tlm = run_on_tlm(v.program, options);
  const std::uint64_t expected = std::max<std::uint64_t>(1, cycles_of(v.model.totals));
  options.tick = [&](std::size_t layers, std::uint64_t cycles) {
    progress.update(fmt::format("simulating the RTL: layer {} of {}, {} cycles", layers,
                                v.program.layers.size(), cycles),
                    cycles, std::max(expected, cycles));
  };
  v.rtl = run_on_rtl(v.program, options);
  progress.clear();
  v.findings = findings_of(v, tolerances);
  return v;
}

std::string validation_table(const Config& config, const Validation& v) {
  std::vector<Row> rows = {{"layer", "operator", "rtl cycles", "tlm cycles", "tlm %",
                            "model cycles", "model %", "rtl bytes", "tlm bytes", "model bytes"}};
  const auto add = [&](const std::string& name, const std::string& op, const Counters& rtl,
                       const Counters& tlm, const Counters& model) {
    rows.push_back({name, op, grouped(cycles_of(rtl)), grouped(cycles_of(tlm)),
                    fmt::format("{:+.2f}", error_percent(tlm, rtl)), grouped(cycles_of(model)),
                    fmt::format("{:+.2f}", error_percent(model, rtl)), grouped(bytes_of(rtl)),
                    grouped(bytes_of(tlm)), grouped(bytes_of(model))});
  };
  for (std::size_t i = 0; i < v.program.layers.size(); ++i) {
    const LayerRecord& record = v.program.layers[i];
    if (record.pass || cycles_of(v.rtl.layers[i].counters) != 0) {
      add(record.name, record.op, v.rtl.layers[i].counters, v.tlm.layers[i].counters,
          v.model.layers[i].counters);
    }
  }
  add("total", "", v.rtl.totals, v.tlm.totals, v.model.totals);
  std::string text = fmt::format(
      "{} on {}: {} cbuf, {} bytes/cycle external memory{}, latency {} cycles\n\n",
      v.program.network, config.hardware.name, cbuf_text(config.hardware),
      config.memory.bytes_per_cycle,
      config.memory.name == "custom" ? "" : " (" + config.memory.name + ")", config.memory.latency);
  text += aligned(rows, 2);
  for (const std::string& finding : v.findings) {
    text += "BEYOND: " + finding + "\n";
  }
  if (v.findings.empty()) {
    text += "\nvalidated: outputs and bytes are the same, cycles within the tolerances\n";
  }
  return text;
}

std::string validation_row(const Config& config, const Validation& v, std::uint64_t least_cycles) {
  const std::string memory = config.memory.name == "custom"
                                 ? fmt::format("{} B/cycle, latency {}",
                                               config.memory.bytes_per_cycle, config.memory.latency)
                                 : config.memory.name;
  return fmt::format(
      "| {} | {} | {} | {} | {} | {:.2f} | {:+.2f} | {:.2f} | {:+.2f} | {} |\n", v.program.network,
      config.hardware.name, config.hardware.cbuf_size / 1024, memory, cycles_of(v.rtl.totals),
      worst_error(v, v.tlm, least_cycles), error_percent(v.tlm.totals, v.rtl.totals),
      worst_error(v, v.model, least_cycles), error_percent(v.model.totals, v.rtl.totals),
      all_bytes_same(v) ? "the same" : "DIFFER");
}

std::string validation_json(const Config& config, const Validation& v) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["schema"] = "tessera.validation/1";
  json["network"] = v.program.network;
  json["hardware"] = config.hardware.name;
  json["validated"] = v.findings.empty();
  json["findings"] = v.findings;
  const auto engine = [](const Counters& counters, const Counters& rtl) {
    return Json{{"cycles", cycles_of(counters)},
                {"error_percent", error_percent(counters, rtl)},
                {"external_read_bytes", read_bytes(counters)},
                {"external_write_bytes", counter(counters, Counter::WriteBytes)}};
  };
  const auto all = [&](const Counters& rtl, const Counters& tlm, const Counters& model) {
    return Json{
        {"rtl", engine(rtl, rtl)}, {"tlm", engine(tlm, rtl)}, {"model", engine(model, rtl)}};
  };
  json["layers"] = Json::array();
  for (std::size_t i = 0; i < v.program.layers.size(); ++i) {
    Json layer =
        all(v.rtl.layers[i].counters, v.tlm.layers[i].counters, v.model.layers[i].counters);
    layer["name"] = v.program.layers[i].name;
    json["layers"].push_back(std::move(layer));
  }
  json["totals"] = all(v.rtl.totals, v.tlm.totals, v.model.totals);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tessera
