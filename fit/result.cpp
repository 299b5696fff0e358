#include "fit/result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/config/effective.hpp"
#include "tessera/error.hpp"

namespace tessera::fit {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListed = 12;  // of the best, beside the front
constexpr std::size_t kShown = 8;    // on a terminal
constexpr std::size_t kShownLimits = 5;

// The part of the family with the fewest lookup tables that holds it.
const fpga::Part& smallest_part(const fpga::Part& part, const Hardware& hardware) {
  for (const fpga::Part& other : fpga::parts()) {
    if (other.family == part.family && other.luts <= part.luts &&
        fpga::estimate(other, hardware).fits(other)) {
      return other;
    }
  }
  return fpga::find_part(part.name);
}

// Models of collections are all called model.tflite.
std::string short_name(const Network& network) {
  const std::filesystem::path path(network.name);
  return path.stem() == "model" && path.has_parent_path() ? path.parent_path().filename().string()
                                                          : path.stem().string();
}

double inferences_per_second(const Result& result, std::size_t candidate, std::size_t network) {
  const Speed& speed = result.candidates[candidate].outcome.speeds[network];
  return 1000 / result.evaluator->milliseconds(speed, result.mhz[candidate]);
}

std::string description_of(const Hardware& hw) {
  const double kib = static_cast<double>(hw.cbuf_size) / 1024;
  if (hw.control == Control::Microcode) {
    return fmt::format(
        "microcode, {} x {} MACs, cbuf {} KiB, {} accumulators, {} kernel groups, bus {} bytes",
        hw.atomic_c, hw.atomic_k, kib, hw.acc_words, hw.param_groups, hw.bus_bytes);
  }
  std::string features;
  for (std::size_t f = 0; f < isa::kFeatures.size(); ++f) {
    if ((hw.features >> f & 1U) == 0) {
      features += fmt::format(" {}", isa::kFeatures[f].name);
    }
  }
  return fmt::format(
      "{} x {} MACs, cbuf {} KiB in {} banks, {} accumulators, bus {} bytes, {} lane{}{}",
      hw.atomic_c, hw.atomic_k, kib, hw.cbuf_banks, hw.acc_words, hw.bus_bytes, hw.post_lanes,
      hw.post_lanes == 1 ? "" : "s", features.empty() ? "" : ", without" + features);
}

// What the table's columns do not show of it, where it is not the best one's: "queue_depth 32".
std::string difference(const Candidate& candidate, const Candidate& best) {
  constexpr std::array<const char*, 6> kColumns = {"/array/atomic_c", "/array/atomic_k",
                                                   "/cbuf/size",      "/cbuf/banks",
                                                   "/accumulators",   "/bus_bytes"};
  const Json own = Json::parse(candidate.text).flatten();
  const Json other = Json::parse(best.text).flatten();
  std::vector<std::string> parts;
  for (const auto& [key, value] : own.items()) {
    const bool shown = std::find(kColumns.begin(), kColumns.end(), key) != kColumns.end();
    if (!shown && key != "/cbuf/capacity" && (!other.contains(key) || other[key] != value)) {
      parts.push_back(fmt::format("{} {}", key.substr(key.rfind('/') + 1),
                                  value.is_string() ? value.get<std::string>() : value.dump()));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Json json_of(const Result& result, std::size_t i) {
  const Candidate& c = result.candidates[i];
  const fpga::Estimate& e = c.outcome.estimate;
  Json json;
  json["hardware"] = Json::parse(c.text);
  json["cycles"] = Json::array();
  json["inferences_per_second"] = Json::array();
  json["percent"] = Json::array();
  for (std::size_t n = 0; n < c.outcome.speeds.size(); ++n) {
    json["cycles"].push_back(c.outcome.speeds[n].cycles);
    json["inferences_per_second"].push_back(inferences_per_second(result, i, n));
    const Speed& s = c.outcome.speeds[n];
    json["percent"].push_back({{"array", s.array},
                               {"wait_load", s.wait_load},
                               {"wait_store", s.wait_store},
                               {"weights", s.weights}});
  }
  json["milliseconds"] = result.milliseconds[i];
  json["estimated"] = {{"luts", e.luts},
                       {"ffs", e.ffs},
                       {"brams", e.brams},
                       {"dsps", e.dsps},
                       {"fmax_mhz", e.mhz * result.clock_factor}};
  if (c.placed && c.placed->problem.empty()) {
    json["placed"] = {{"luts", c.placed->luts},    {"ffs", c.placed->ffs},
                      {"brams", c.placed->brams},  {"dsps", c.placed->dsps},
                      {"fmax_mhz", c.placed->mhz}, {"routed", c.placed->routed},
                      {"seed", c.placed->seed}};
  } else if (c.placed) {
    json["placed"] = {{"problem", c.placed->problem}};
  }
  json["front"] = static_cast<bool>(result.front[i]);
  return json;
}

}  // namespace

Result result_of(const Evaluator& evaluator, const SearchRequest& request, const Search& search) {
  const std::vector<Candidate>& all = search.candidates();
  const std::optional<std::size_t> best = search.best();
  if (!best) {
    const auto by_luts = [](const Candidate& a, const Candidate& b) {
      return a.outcome.estimate.luts < b.outcome.estimate.luts;
    };
    const Candidate& smallest = *std::min_element(all.begin(), all.end(), by_luts);
    const auto& [problem, lacks, estimate, speeds] = smallest.outcome;
    throw InputError(fmt::format(
        "fit: nothing among {} candidates runs the networks on {}; the smallest ({} x {} MACs): {}",
        search.beginning().examined + all.size(), evaluator.question().part->title,
        smallest.hardware.atomic_c, smallest.hardware.atomic_k, lacks.empty() ? problem : lacks));
  }
  if (const double fps = search.fps_of(all[*best]); fps < request.objective.fps) {
    throw InputError(fmt::format(
        "fit: nothing among {} candidates keeps {:g} inferences/s on {}; the most is {:.1f}, by {}",
        search.beginning().examined + all.size(), request.objective.fps,
        evaluator.question().part->title, fps, description_of(all[*best].hardware)));
  }
  Result result;
  result.evaluator = &evaluator;
  result.objective = request.objective;
  result.examined = search.beginning().examined + all.size();
  result.good = search.beginning().good;
  result.clock_factor = search.clock_factor();
  const std::vector<bool> front = search.front();
  std::vector<std::size_t> listed;
  std::size_t rank = 0;
  for (const std::size_t i : search.ranking()) {
    ++result.good;
    if (front[i] || all[i].placed || i == *best || rank < kListed) {
      listed.push_back(i);
    }
    ++rank;
  }
  for (const std::size_t i : listed) {
    result.best = i == *best ? result.candidates.size() : result.best;
    result.candidates.push_back(all[i]);
    result.front.push_back(front[i]);
    result.mhz.push_back(search.mhz_of(all[i]));
    result.milliseconds.push_back(search.milliseconds(all[i]));
  }
  result.limits = search.limits(*best);
  return result;
}

std::string to_json(const Result& result) {
  const Question& question = result.evaluator->question();
  Json json;
  json["schema"] = "tessera.fit/1";
  json["part"] = question.part->name;
  json["objective"] = name_of(result.objective.goal);
  json["fps"] =
      result.objective.goal == Goal::Smallest ? Json(result.objective.fps) : Json(nullptr);
  json["networks"] = Json::array();
  for (const auto& network : question.networks) {
    json["networks"].push_back(short_name(*network));
  }
  json["board"] = question.board ? Json(question.board->name) : Json(nullptr);
  json["bandwidth"] = question.bandwidth > 0 ? Json(question.bandwidth) : Json(nullptr);
  json["fill_percent"] = std::lround(question.fill * 100);
  json["examined"] = result.examined;
  json["good"] = result.good;
  json["clock_factor"] = result.clock_factor;
  json["best"] = result.best;
  json["smallest_part"] =
      smallest_part(*question.part, result.candidates[result.best].hardware).name;
  json["candidates"] = Json::array();
  for (std::size_t i = 0; i < result.candidates.size(); ++i) {
    json["candidates"].push_back(json_of(result, i));
  }
  json["limits"] = Json::array();
  for (const Limit& limit : result.limits) {
    json["limits"].push_back(
        {{"change", limit.change}, {"gain_percent", limit.gain}, {"lacks", limit.lacks}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_text(const Result& result) {
  const Question& question = result.evaluator->question();
  const Candidate& best = result.candidates[result.best];
  const Hardware& hw = best.hardware;
  std::string text =
      fmt::format("best of {} candidates ({} fit and run) on {}: {}\n\n", result.examined,
                  result.good, question.part->title, description_of(hw));
  std::size_t width = 7;
  for (const auto& network : question.networks) {
    width = std::max(width, short_name(*network).size());
  }
  text +=
      fmt::format("{:<{}}  {:>12}  {:>10}  {:>12}  {:>7}  {:>9}  {:>10}  {:>8}\n", "network", width,
                  "cycles", "ms", "inferences/s", "array", "wait load", "wait store", "weights");
  for (std::size_t n = 0; n < question.networks.size(); ++n) {
    const Speed& s = best.outcome.speeds[n];
    text += fmt::format(
        "{:<{}}  {:>12}  {:>10.3f}  {:>12.1f}  {:>5.1f} %  {:>7.1f} %  {:>8.1f} %  {:>6.1f} %\n",
        short_name(*question.networks[n]), width, s.cycles,
        result.evaluator->milliseconds(s, result.mhz[result.best]),
        inferences_per_second(result, result.best, n), s.array, s.wait_load, s.wait_store,
        s.weights);
  }
  text += fmt::format(
      "\n{:<12}  {:>8}  {:>5}  {:>5}  {:>4}  {:>10}  {:>9}  {:>6}  {:>6}  {:>6}  {:<10}  {}\n",
      "candidate", "cbuf KiB", "banks", "sums", "bus", "ms", "LUTs", "RAMs", "DSPs", "MHz", "",
      "otherwise");
  for (std::size_t i = 0; i < std::min(result.candidates.size(), kShown); ++i) {
    const Candidate& c = result.candidates[i];
    const bool placed = c.placed && c.placed->problem.empty();
    text += fmt::format(
        "{:<12}  {:>8}  {:>5}  {:>5}  {:>4}  {:>10.3f}  {:>9}  {:>6}  {:>6}  "
        "{:>6.1f}  {:<10}  {}\n",
        fmt::format("{} x {}{}", c.hardware.atomic_c, c.hardware.atomic_k,
                    i == result.best ? " *" : ""),
        static_cast<double>(c.hardware.cbuf_size) / 1024, c.hardware.cbuf_banks,
        c.hardware.acc_words, c.hardware.bus_bytes, result.milliseconds[i],
        placed ? c.placed->luts : c.outcome.estimate.luts,
        placed ? c.placed->brams : c.outcome.estimate.brams,
        placed ? c.placed->dsps : c.outcome.estimate.dsps, result.mhz[i], how(c),
        difference(c, best));
  }
  if (!result.limits.empty()) {
    text += "\nbetter, if the part had more:\n";
    for (std::size_t l = 0; l < std::min(result.limits.size(), kShownLimits); ++l) {
      const Limit& limit = result.limits[l];
      text +=
          fmt::format("  {}: {:.1f} % better, takes {}\n", limit.change, limit.gain, limit.lacks);
    }
  }
  return text;
}

std::string best_config(const Result& result, const std::string& path,
                        const std::vector<std::string>& overrides, const std::string& network) {
  YAML::Node config = effective_config(path, overrides);
  const Candidate& best = result.candidates[result.best];
  config["hardware"] = YAML::Load(best.text);
  config["hardware"].SetStyle(YAML::EmitterStyle::Block);
  std::error_code error;
  config["network"] = std::filesystem::is_regular_file(network, error)
                          ? std::filesystem::absolute(network).lexically_normal().string()
                          : network;
  const Question& question = result.evaluator->question();
  if (question.board) {
    const ExternalMemory memory =
        question.board->memory(*question.networks.front(), best.hardware, result.mhz[result.best]);
    YAML::Node node;
    node["bytes_per_cycle"] = memory.bytes_per_cycle;
    node["latency"] = memory.latency;
    node["turnaround"] = memory.turnaround;
    if (memory.partial_beat != 0) {
      node["partial_beat"] = memory.partial_beat;
    }
    if (memory.rom.is_there()) {
      node["rom"]["latency"] = memory.rom.latency;
      node["rom"]["cycles_per_beat"] = memory.rom.cycles_per_beat;
    }
    node["dram"]["banks"] = memory.dram.banks;
    node["dram"]["row_bytes"] = memory.dram.row_bytes;
    node["dram"]["activate"] = memory.dram.activate;
    node["dram"]["precharge"] = memory.dram.precharge;
    node["dram"]["refresh_interval"] = memory.dram.refresh_interval;
    node["dram"]["refresh_cycles"] = memory.dram.refresh_cycles;
    config["memory"] = node;
  } else if (question.bandwidth > 0) {
    if (!config["memory"].IsMap()) {
      YAML::Node preset;
      preset["preset"] = config["memory"];
      config["memory"] = preset;
    }
    config["memory"]["bytes_per_cycle"] =
        fmt::format("{:.4f}", std::min(static_cast<double>(best.hardware.bus_bytes),
                                       question.bandwidth / (result.mhz[result.best] * 1e6)));
  }
  return config_text(config, "Found by `cosim fit`.");
}

}  // namespace tessera::fit
