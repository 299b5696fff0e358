#include "cli/diff_command.hpp"

#include <fmt/format.h>

#include "input/read_file.hpp"
#include "report/diff.hpp"

namespace tessera {

void DiffCommand::add_to(CLI::App& app) {
  app.add_option("before", before_, "a run's --json")->required();
  app.add_option("after", after_, "another one's")->required();
  app.add_flag("--all", all_, "layers that are the same, too");
}

void DiffCommand::run() const {
  const auto text = [](const std::string& path) {
    const auto bytes = read_file(path);
    return std::string(bytes.begin(), bytes.end());
  };
  fmt::print("{}", diff_table(text(before_), before_, text(after_), after_, all_));
}

}  // namespace tessera
