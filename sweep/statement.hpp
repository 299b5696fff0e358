// SQLite's prepared statements.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/error.hpp"

namespace tessera::sweep {

/// A prepared statement; columns and parameters are counted as they come.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql) : database_(database) {
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) {
      throw InputError(sqlite3_errmsg(database));
    }
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement(Statement&&) = delete;
  Statement& operator=(Statement&&) = delete;

  Statement& bind(const std::string& text) {
    sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
    return *this;
  }
  Statement& bind(std::uint64_t value) {
    sqlite3_bind_int64(statement_, ++bound_, static_cast<sqlite3_int64>(value));
    return *this;
  }
  Statement& bind(double value) {
    sqlite3_bind_double(statement_, ++bound_, value);
    return *this;
  }
  Statement& bind(const std::optional<std::uint64_t>& value) {
    if (value) {
      return bind(*value);
    }
    sqlite3_bind_null(statement_, ++bound_);
    return *this;
  }
  Statement& bind(const std::optional<bool>& value) {
    ++bound_;
    if (value) {
      sqlite3_bind_int(statement_, bound_, *value ? 1 : 0);
    } else {
      sqlite3_bind_null(statement_, bound_);
    }
    return *this;
  }

  /// False: no more rows. Throws InputError.
  bool step() {
    read_ = 0;
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
      throw InputError(sqlite3_errmsg(database_));
    }
    return code == SQLITE_ROW;
  }
  std::string text() {
    const int column = read_++;
    const unsigned char* text = sqlite3_column_text(statement_, column);
    const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return text == nullptr ? "" : std::string(text, text + bytes);
  }
  std::uint64_t number() {
    return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, read_++));
  }
  double real() { return sqlite3_column_double(statement_, read_++); }
  std::optional<bool> flag() {
    const int column = read_++;
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) {
      return std::nullopt;
    }
    return sqlite3_column_int(statement_, column) != 0;
  }

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
  int read_ = 0;
};

}  // namespace tessera::sweep
