#include "report/diff.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "console/text_table.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

struct Figures {
  std::string mode;
  std::uint64_t cycles = 0;
  std::uint64_t bytes = 0;  ///< external, read and written

  [[nodiscard]] bool operator==(const Figures& other) const {
    return mode == other.mode && cycles == other.cycles && bytes == other.bytes;
  }
};

struct Run {
  std::string title;
  std::map<std::string, std::string> settings;  ///< of hardware, memory, host, by their names
  double milliseconds = 0;                      ///< 0: without a clock
  std::uint64_t together = 0;                   ///< cycles with the host's
  double energy_pj = 0;
  std::vector<std::string> names;  ///< of layers, in their order
  std::map<std::string, Figures> layers;
  Figures totals;
};

std::uint64_t bytes_moved(const Json& json) {
  return json.value("external_read_bytes", std::uint64_t{0}) +
         json.value("external_write_bytes", std::uint64_t{0});
}

Run run_of(const std::string& text, const std::string& path) {
  const Json json = Json::parse(text, nullptr, false);
  const std::string schema =
      json.is_object() && json.contains("schema") && json["schema"].is_string()
          ? json["schema"].get<std::string>()
          : "";
  if (schema != "tessera.run/1") {
    throw InputError(
        fmt::format("{}: its schema is `{}`; allowed are runs, as `cosim --json` writes "
                    "them (tessera.run/1)",
                    path, schema));
  }
  Run run;
  try {
    for (const Json& layer : json.at("layers")) {
      const auto name = layer.at("name").get<std::string>();
      Figures figures{layer.at("mode").get<std::string>(), layer.value("cycles", std::uint64_t{0}),
                      bytes_moved(layer)};
      if (run.layers.emplace(name, std::move(figures)).second) {
        run.names.push_back(name);
      }
    }
    const Json& totals = json.at("totals");
    run.totals = {"", totals.at("cycles").get<std::uint64_t>(), bytes_moved(totals)};
    run.together = totals.value("together_cycles", run.totals.cycles);
    run.energy_pj = totals.value("energy_pj", 0.0);
    if (totals.contains("milliseconds") && totals["milliseconds"].is_number()) {
      run.milliseconds = totals["milliseconds"].get<double>();
    }
    for (const auto& [name, value] : json.at("hardware").items()) {
      run.settings[name] = value.is_string() ? value.get<std::string>() : value.dump();
    }
    for (const char* const name : {"mhz", "accelerator_mhz"}) {
      if (json.contains("host") && json["host"].contains(name)) {
        run.settings[fmt::format("host_{}", name)] = json["host"][name].dump();
      }
    }
    // Without a host, the name is null.
    run.settings["host"] = json.contains("host") && json["host"].value("name", Json()).is_string()
                               ? json["host"]["name"].get<std::string>()
                               : "none";
    const Json& hardware = json.at("hardware");
    run.title =
        fmt::format("{} on {}, cbuf {} of {} bytes, {} bytes/cycle, policy {}, engine {}",
                    json.at("network").get<std::string>(), hardware.at("name").get<std::string>(),
                    hardware.at("cbuf_bytes").get<std::uint64_t>(),
                    hardware.at("cbuf_capacity_bytes").get<std::uint64_t>(),
                    hardware.at("memory_bytes_per_cycle").get<double>(),
                    json.at("policy").get<std::string>(), json.at("engine").get<std::string>());
  } catch (const Json::exception& problem) {
    throw InputError(
        fmt::format("{}: not as `cosim --json` writes a run: {}", path, problem.what()));
  }
  return run;
}

std::string percent_more(std::uint64_t before, std::uint64_t after) {
  if (before == 0) {
    return after == 0 ? "" : "new";
  }
  const double more = static_cast<double>(after) / static_cast<double>(before) - 1;
  return fmt::format("{:+.1f} %", 100 * more);
}

// Those that the titles do not have.
std::string settings_that_differ(const Run& a, const Run& b) {
  std::string text;
  for (const auto& [name, value] : a.settings) {
    const auto other = b.settings.find(name);
    const bool in_title = name == "name" || name == "cbuf_bytes" || name == "cbuf_capacity_bytes" ||
                          name == "memory_bytes_per_cycle";
    if (other != b.settings.end() && other->second != value && !in_title) {
      text += fmt::format("{} {} -> {}\n", name, value, other->second);
    }
  }
  return text;
}

// What only some runs have.
std::string figures_text(const Run& a, const Run& b) {
  const auto line = [](const char* what, double before, double after, double unit) {
    return before == 0 && after == 0
               ? std::string()
               : fmt::format("{}: {:.4g} -> {:.4g}{}\n", what, before / unit, after / unit,
                             before == 0 || after == 0
                                 ? ""
                                 : fmt::format(" ({:+.1f} %)", 100 * (after / before - 1)));
  };
  return line("milliseconds", a.milliseconds, b.milliseconds, 1) +
         line("energy uJ", a.energy_pj, b.energy_pj, 1e6);
}

Row row_of(const std::string& name, const Figures* before, const Figures* after) {
  static const Figures kNone{"-", 0, 0};
  const Figures& a = before != nullptr ? *before : kNone;
  const Figures& b = after != nullptr ? *after : kNone;
  return {name,
          a.mode == b.mode ? a.mode : a.mode + " -> " + b.mode,
          grouped(a.cycles),
          grouped(b.cycles),
          percent_more(a.cycles, b.cycles),
          grouped(a.bytes),
          grouped(b.bytes),
          percent_more(a.bytes, b.bytes)};
}

}  // namespace

std::string diff_table(const std::string& before, const std::string& before_path,
                       const std::string& after, const std::string& after_path, bool all) {
  const Run a = run_of(before, before_path);
  const Run b = run_of(after, after_path);
  std::vector<Row> rows = {{"layer", "mode", "cycles", "then", "", "external bytes", "then", ""}};
  std::size_t same = 0;
  const auto find = [](const Run& run, const std::string& name) {
    const auto found = run.layers.find(name);
    return found == run.layers.end() ? nullptr : &found->second;
  };
  const auto add = [&](const std::string& name) {
    const Figures* const its = find(a, name);
    const Figures* const then = find(b, name);
    const bool is_same = its != nullptr && then != nullptr && *its == *then;
    same += is_same ? 1 : 0;
    if (!is_same || all) {
      rows.push_back(row_of(name, its, then));
    }
  };
  for (const std::string& name : a.names) {
    add(name);
  }
  for (const std::string& name : b.names) {
    if (find(a, name) == nullptr) {
      add(name);
    }
  }
  rows.push_back(row_of("accelerator", &a.totals, &b.totals));
  if (a.together != a.totals.cycles || b.together != b.totals.cycles) {
    rows.push_back({"with the host", "", grouped(a.together), grouped(b.together),
                    percent_more(a.together, b.together), "", "", ""});
  }
  std::string text = fmt::format("{}\n{}\n{}\n{}{}", a.title, b.title, settings_that_differ(a, b),
                                 aligned(std::move(rows), 2), figures_text(a, b));
  if (same != 0 && !all) {
    text += fmt::format("{} layer{} the same\n", same, same == 1 ? " is" : "s are");
  }
  return text;
}

}  // namespace tessera
