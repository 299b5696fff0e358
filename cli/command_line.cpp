#include "cli/command_line.hpp"

namespace tessera {

CommandLine::CommandLine()
    : app_{"Tessera: schedule a quantised network and run it on the accelerator's RTL", "cosim"} {
  app_.set_version_flag("--version", "tessera " TESSERA_VERSION);
  simulate_.add_to(app_);
  explain_.add_to(
      *app_.add_subcommand("explain", "every inequality and number behind each layer's mode"));
  plan_.add_to(*app_.add_subcommand("plan", "order and memory plan only"));
  rom_.add_to(*app_.add_subcommand("rom", "command ROM, constants, memory map, driver header"));
  sweep_.add_to(*app_.add_subcommand("sweep", "one run per size of the cbuf or any other key"));
  validate_.add_to(*app_.add_subcommand(
      "validate", "all three engines, their cycles and bytes against the RTL"));
  fpga_.add_to(*app_.add_subcommand("fpga", "the accelerator on an FPGA: area, clock, bitstream"));
  board_.add_to(*app_.add_subcommand("board", "a network on a board, real or simulated"));
  fit_.add_to(*app_.add_subcommand("fit", "the hardware that runs networks best on an FPGA"));
  explore_.add_to(*app_.add_subcommand("explore", "a page to look around in sweeps and runs"));
  import_.add_to(*app_.add_subcommand("import", "write a model as an editable layer list"));
}

int CommandLine::run(int argc, char** argv) {
  try {
    app_.parse(argc, argv);
    if (app_.get_subcommands().empty() && !simulate_.has_config()) {
      throw CLI::RequiredError("--config");
    }
  } catch (const CLI::ParseError& error) {
    return app_.exit(error) == 0 ? kDone : kBadInput;
  }
  return dispatch();
}

int CommandLine::dispatch() {
  if (app_.got_subcommand("import")) {
    import_.run();
    return kDone;
  }
  if (app_.got_subcommand("fpga")) {
    fpga_.run();
    return kDone;
  }
  if (app_.got_subcommand("explore")) {
    explore_.run();
    return kDone;
  }
  if (app_.got_subcommand("explain")) {
    explain_.run();
    return kDone;
  }
  const bool fine = app_.got_subcommand("plan")       ? plan_.run()
                    : app_.got_subcommand("rom")      ? rom_.run()
                    : app_.got_subcommand("sweep")    ? sweep_.run()
                    : app_.got_subcommand("board")    ? board_.run()
                    : app_.got_subcommand("fit")      ? fit_.run()
                    : app_.got_subcommand("validate") ? validate_.run()
                                                      : simulate_.run();
  return fine ? kDone : kWrong;
}

}  // namespace tessera
