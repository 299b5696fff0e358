#include "fit/points.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sweep/statement.hpp"
#include "tessera/error.hpp"

namespace tessera::fit {
namespace {

using sweep::Statement;

constexpr int kApplicationId = 0x54534654;  // "TSFT"
constexpr int kVersion = 1;

}  // namespace

Points::Points(const std::string& path, const std::string& question, bool fresh) : path_(path) {
  std::error_code error;
  if (fresh) {
    std::filesystem::remove(path, error);
  }
  const bool is_new = !std::filesystem::exists(path, error);
  if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) {
    const std::string why = database_ == nullptr ? "no memory" : sqlite3_errmsg(database_);
    sqlite3_close(database_);
    throw InputError(fmt::format("{}: {}", path, why));
  }
  try {
    if (is_new) {
      execute(fmt::format("PRAGMA application_id={}", kApplicationId));
      execute(fmt::format("PRAGMA user_version={}", kVersion));
      execute("CREATE TABLE question (text TEXT NOT NULL)");
      execute("CREATE TABLE points (hardware TEXT PRIMARY KEY, outcome TEXT NOT NULL)");
      Statement(database_, "INSERT INTO question VALUES (?)").bind(question).step();
      return;
    }
    Statement application(database_, "PRAGMA application_id");
    application.step();
    if (application.number() != kApplicationId) {
      throw InputError("no file of a fit's points");
    }
    Statement version(database_, "PRAGMA user_version");
    version.step();
    Statement asked(database_, "SELECT text FROM question");
    if (version.number() != kVersion || !asked.step() || asked.text() != question) {
      throw InputError(
          "has points of another question (other networks, configuration, part or options, or "
          "another build); give another --out, or --fresh to start again");
    }
    Statement rows(database_, "SELECT hardware, outcome FROM points");
    while (rows.step()) {
      std::string hardware = rows.text();
      outcomes_.emplace(std::move(hardware), outcome_from(rows.text()));
    }
  } catch (const nlohmann::json::exception& problem) {
    sqlite3_close(database_);
    throw InputError(fmt::format("{}: {}", path, problem.what()));
  } catch (const InputError& problem) {
    sqlite3_close(database_);
    throw InputError(fmt::format("{}: {}", path, problem.what()));
  }
}

Points::~Points() {
  if (open_transaction_) {
    sqlite3_exec(database_, "COMMIT", nullptr, nullptr, nullptr);
  }
  sqlite3_close(database_);
}

void Points::execute(const std::string& sql) {
  if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw InputError(sqlite3_errmsg(database_));
  }
}

const Outcome* Points::find(const std::string& hardware) const {
  const auto found = outcomes_.find(hardware);
  return found == outcomes_.end() ? nullptr : &found->second;
}

void Points::put(const std::string& hardware, const Outcome& outcome) {
  if (!open_transaction_) {
    execute("BEGIN");
    open_transaction_ = true;
  }
  Statement(database_, "INSERT OR REPLACE INTO points VALUES (?, ?)")
      .bind(hardware)
      .bind(to_text(outcome))
      .step();
  outcomes_[hardware] = outcome;
}

void Points::commit() {
  if (open_transaction_) {
    execute("COMMIT");
    open_transaction_ = false;
  }
}

}  // namespace tessera::fit
