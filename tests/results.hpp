// Figures of docs/results, which tests measure again.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/files.hpp"

namespace tessera::test {

/// A table of docs/results/FILE.json.
inline nlohmann::json results_table(const std::string& file, const std::string& table) {
  const std::string path = fmt::format(TESSERA_SOURCE_DIR "/docs/results/{}.json", file);
  return nlohmann::json::parse(text_of(path)).at("tables").at(table);
}

/// The row with the same key has these values. What scripts/results.py takes to make it so is told.
inline void expect_row(const std::string& file, const std::string& table_name,
                       const nlohmann::json& values) {
  const nlohmann::json table = results_table(file, table_name);
  nlohmann::json known;
  for (const nlohmann::json& row : table.at("rows")) {
    bool is_same = true;
    for (const nlohmann::json& key : table.at("keys")) {
      is_same = is_same && row.at("values").at(key) == values.at(key);
    }
    known = is_same ? row.at("values") : known;
  }
  std::string header = "|";
  std::string line = "|";
  for (const nlohmann::json& column : table.at("columns")) {
    const nlohmann::json& value = values.at(column);
    header += fmt::format(" {} |", column.get<std::string>());
    line += fmt::format(" {} |", value.is_string() ? value.get<std::string>() : value.dump());
  }
  EXPECT_EQ(known, values) << "scripts/results.py --take " << file << "/" << table_name
                           << " <<'END'\n"
                           << header << "\n| --- |\n"
                           << line << "\nEND";
}

}  // namespace tessera::test
