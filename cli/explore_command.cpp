#include "cli/explore_command.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "console/interrupts.hpp"
#include "explore/server.hpp"

namespace tessera {
namespace {

constexpr int kLastPort = 65535;

}  // namespace

void ExploreCommand::add_to(CLI::App& app) {
  app.add_option("files", files_,
                 "a sweep's points.sqlite, a run's --json; a --trace after the run it belongs to")
      ->required();
  app.add_option("--port", port_, "of 127.0.0.1 (default: any that is free)")
      ->check(CLI::Range(1, kLastPort));
}

void ExploreCommand::run() const {
  const Interrupts interrupts;
  explore::serve(
      explore::open_sources(files_), port_,
      [](const std::string& address) {
        fmt::print("{}\nfor browsers on this machine; Ctrl-C ends it\n", address);
        std::fflush(stdout);
      },
      [] { return !Interrupts::noted(); });
}

}  // namespace tessera
