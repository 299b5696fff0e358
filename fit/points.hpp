// Candidates that were looked at, in an SQLite file: a search that is run again takes them from
// there.
#pragma once

#include <map>
#include <string>

#include "fit/evaluate.hpp"

struct sqlite3;

namespace tessera::fit {

class Points {
 public:
  /// A new file, or one with points of the same question. Throws InputError when it has others,
  /// unless `fresh`.
  Points(const std::string& path, const std::string& question, bool fresh);
  ~Points();
  Points(const Points&) = delete;
  Points& operator=(const Points&) = delete;
  Points(Points&&) = delete;
  Points& operator=(Points&&) = delete;

  /// Nothing where the hardware (as text_of() has it) was not looked at.
  [[nodiscard]] const Outcome* find(const std::string& hardware) const;
  void put(const std::string& hardware, const Outcome& outcome);
  /// Kept for good.
  void commit();

 private:
  void execute(const std::string& sql);

  std::string path_;
  sqlite3* database_ = nullptr;
  std::map<std::string, Outcome> outcomes_;
  bool open_transaction_ = false;
};

}  // namespace tessera::fit
