#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "compare/comparison.hpp"
#include "console/text_table.hpp"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

std::string by_text(const Differences& differences) {
  return differences.is_equal() ? "" : fmt::format("{:.4g}", differences.greatest);
}

std::string count_text(const Differences& differences) {
  return differences.is_equal() ? "=" : fmt::format("{}", differences.different);
}

std::string values_text(const Differences& differences) {
  return fmt::format("{} of {} values, by {:.4g} at most", differences.different,
                     differences.values, differences.greatest);
}

std::string alternatives_text(const Comparison& comparison) {
  std::vector<std::string> equal, close;
  for (const Alternative& other : comparison.alternatives) {
    if (other.different == 0) {
      equal.push_back(fmt::format("`numerics: {}`", name_of(other.numerics)));
    } else {
      close.push_back(fmt::format("with `numerics: {}` {} values differ", name_of(other.numerics),
                                  other.different));
    }
  }
  if (!equal.empty()) {
    return fmt::format("equal everywhere with {}\n", fmt::join(equal, " and with "));
  }
  return close.empty() ? "" : fmt::format("{}\n", fmt::join(close, "; "));
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json json_of(const Differences& differences) {
  Json json{{"values", differences.values},
            {"different", differences.different},
            {"greatest", number(differences.greatest)},
            {"steps", Json::array()}};
  for (const auto& [step, times] : differences.steps) {
    json["steps"].push_back({step, times});
  }
  return json;
}

}  // namespace

std::string comparison_table(const Comparison& comparison, bool all) {
  std::string text =
      fmt::format("{} against {} ({}), numerics {}, inputs: {}\n", comparison.network,
                  name_of(comparison.runtime), comparison.version, name_of(comparison.numerics),
                  comparison.inputs);
  std::vector<Row> rows{{"operator", "type", "values", "differ", "by", "whole run", "agrees"}};
  std::uint64_t different = 0;
  std::uint64_t values = 0;
  std::size_t operators = 0;
  for (const ComparedOperator& op : comparison.operators) {
    values += op.alone.values;
    different += op.alone.different;
    operators += op.alone.is_equal() ? 0 : 1;
    if (!all && op.alone.is_equal()) {
      continue;
    }
    rows.push_back({op.name, op.type, op.known ? fmt::format("{}", op.alone.values) : "not shown",
                    op.known ? count_text(op.alone) : "", by_text(op.alone),
                    op.known ? count_text(op.whole) : "",
                    fmt::format("{}", fmt::join(op.agree, " "))});
  }
  if (rows.size() > 1) {
    TableStyle style;
    style.names = 2;
    text += "\n" + styled(std::move(rows), style) + "\n";
  }
  text += fmt::format("{} of {} operators compared, each on the runtime's own values: ",
                      comparison.compared(), comparison.operators.size());
  text += different == 0
              ? fmt::format("all {} values are equal\n", values)
              : fmt::format("{} differ, in {} of {} values\n", operators, different, values);
  if (comparison.first) {
    const ComparedOperator& first = comparison.operators[*comparison.first];
    text += fmt::format("first: {} `{}`, {}\n", first.type, first.name, values_text(first.alone));
    text += alternatives_text(comparison);
  }
  for (const ComparedOutput& output : comparison.outputs) {
    text += fmt::format("output `{}` of the whole run: {}\n", output.name,
                        output.whole.is_equal()
                            ? fmt::format("all {} values are equal", output.whole.values)
                            : values_text(output.whole));
  }
  for (const std::string& note : comparison.notes) {
    text += fmt::format("note: {}\n", note);
  }
  return text;
}

std::string comparison_json(const Comparison& comparison) {
  Json json{{"schema", "tessera.comparison/1"}, {"network", comparison.network},
            {"model", comparison.model},        {"runtime", name_of(comparison.runtime)},
            {"version", comparison.version},    {"numerics", name_of(comparison.numerics)},
            {"inputs", comparison.inputs},      {"equal", comparison.is_equal()},
            {"compared", comparison.compared()}};
  json["first"] = comparison.first ? Json(*comparison.first) : Json(nullptr);
  json["operators"] = Json::array();
  for (const ComparedOperator& op : comparison.operators) {
    Json one{{"name", op.name}, {"op", op.type}, {"known", op.known}, {"on_theirs", op.on_theirs}};
    if (op.known) {
      one["output"] = op.output;
      one["alone"] = json_of(op.alone);
      one["whole"] = json_of(op.whole);
      one["agree"] = op.agree;
    }
    json["operators"].push_back(std::move(one));
  }
  json["outputs"] = Json::array();
  for (const ComparedOutput& output : comparison.outputs) {
    json["outputs"].push_back({{"name", output.name}, {"whole", json_of(output.whole)}});
  }
  json["alternatives"] = Json::array();
  for (const Alternative& other : comparison.alternatives) {
    json["alternatives"].push_back(
        {{"numerics", name_of(other.numerics)}, {"different", other.different}});
  }
  json["map"] = {{"rows", comparison.map.rows}, {"columns", comparison.map.columns}};
  json["map"]["greatest"] = Json::array();
  for (const double value : comparison.map.greatest) {
    json["map"]["greatest"].push_back(number(value));
  }
  json["notes"] = comparison.notes;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tessera
