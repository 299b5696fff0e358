#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include "cli/options/config_help.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

bool any_command(const CLI::App* /*app*/) {
  return true;
}

// Of a command: its options as they are typed, and the commands in it.
std::vector<std::string> words_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      words.push_back("--" + name);
    }
  }
  for (const CLI::App* inner : app.get_subcommands(any_command)) {
    words.push_back(inner->get_name());
  }
  return words;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* inner : app.get_subcommands(any_command)) {
    names.push_back(inner->get_name());
  }
  return names;
}

const CLI::App* innermost(const CLI::App* app) {
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().back();
  }
  return app;
}

// Of arguments that were not expected, the one that is to blame: an option's value is no more
// expected than the option.
std::string stray_word(const std::string& arguments) {
  std::istringstream in(arguments);
  std::string first;
  for (std::string word; in >> word;) {
    word = word.substr(0, word.find('='));
    first = first.empty() ? word : first;
    if (word.rfind("--", 0) == 0) {
      return word;
    }
  }
  return first;
}

// What stands before a command would be no option of it.
void refuse_before(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() > 0 && !app.get_subcommands().empty()) {
      throw InputError(fmt::format("`{}` stands before the command; write cosim {} {} ...",
                                   option->get_name(), app.get_subcommands().back()->get_name(),
                                   option->get_name()));
    }
  }
}

}  // namespace

CommandLine::CommandLine()
    : app_{"Tessera: schedule a quantised network and run it on the accelerator's RTL", "cosim"} {
  app_.set_version_flag("--version", "tessera " TESSERA_VERSION);
  simulate_.add_to(app_);
  explain_.add_to(
      *app_.add_subcommand("explain", "every inequality and number behind each layer's mode"));
  plan_.add_to(*app_.add_subcommand("plan", "order and memory plan only"));
  rom_.add_to(*app_.add_subcommand("rom", "command ROM, constants, memory map, C for a processor"));
  sweep_.add_to(*app_.add_subcommand("sweep", "one run per size of the cbuf or any other key"));
  validate_.add_to(*app_.add_subcommand(
      "validate", "all three engines, their cycles and bytes against the RTL"));
  fpga_.add_to(*app_.add_subcommand("fpga", "the accelerator on an FPGA: area, clock, bitstream"));
  board_.add_to(*app_.add_subcommand("board", "a network on a board, real or simulated"));
  fit_.add_to(*app_.add_subcommand("fit", "the hardware that runs networks best on an FPGA"));
  explore_.add_to(*app_.add_subcommand("explore", "a page to look around in sweeps and runs"));
  compare_.add_to(
      *app_.add_subcommand("compare", "operators against a runtime that runs the same file"));
  diff_.add_to(*app_.add_subcommand("diff", "two runs beside each other, layer by layer"));
  import_.add_to(*app_.add_subcommand("import", "write a model as an editable layer list"));
  app_.add_subcommand(
      "help", "how to use a command: cosim help sweep; keys of a configuration: cosim help config");
}

int CommandLine::run(int argc, char** argv) {
  // Behind it a command is a word like any other.
  if (argc > 1 && std::string(argv[1]) == "help") {
    return show_help(argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : "");
  }
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]).empty()) {
      throw InputError(
          fmt::format("argument {}{} is empty; a variable of the shell without a value?", i,
                      i > 1 ? fmt::format(", after `{}`,", argv[i - 1]) : std::string()));
    }
  }
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app_.exit(error) : refuse(error);
  }
  refuse_before(app_);
  if (app_.get_subcommands().empty() && simulate_.is_empty()) {
    fmt::print(stderr,
               "cosim: give a network, such as `cosim lenet5` or `cosim model.tflite`, or a "
               "configuration with --config; `cosim --help` says what else there is\n");
    return kBadInput;
  }
  if (const std::string slip = misspelt_command();
      app_.get_subcommands().empty() && !slip.empty()) {
    throw InputError(slip);
  }
  return dispatch();
}

// A word that is no command was taken for a network.
std::string CommandLine::misspelt_command() const {
  const std::string& network = simulate_.network();
  std::error_code error;
  const std::string meant = suggestion(network, commands_of(app_));
  const std::vector<std::string> built_in = network_names();
  const bool is_network = network.empty() || std::filesystem::exists(network, error) ||
                          std::find(built_in.begin(), built_in.end(), network) != built_in.end() ||
                          !suggestion(network, built_in).empty();
  return is_network || meant.empty()
             ? ""
             : fmt::format("`{}` is no command and no network{}", network, meant);
}

int CommandLine::refuse(const CLI::ParseError& error) {
  const CLI::App* const app = innermost(&app_);
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::string word = stray_word(text.substr(text.find(": ") + 2));
    text = fmt::format("`{}` is not known here{}", word, suggestion(word, words_of(*app)));
    if (const std::string slip = app == &app_ ? misspelt_command() : ""; !slip.empty()) {
      text = slip;
    }
  }
  const std::string command = app == &app_ ? "" : " " + app->get_name();
  fmt::print(stderr, "cosim: {}; `cosim{} --help` says what is\n", text, command);
  return kBadInput;
}

int CommandLine::show_help(const std::string& about, const std::string& key) const {
  if (about.empty()) {
    fmt::print("{}", app_.help());
    return kDone;
  }
  if (about == "config") {
    fmt::print("{}", config_help(key));
    return kDone;
  }
  for (const CLI::App* command : app_.get_subcommands(any_command)) {
    if (command->get_name() == about) {
      fmt::print("{}", command->help("cosim"));
      return kDone;
    }
  }
  std::vector<std::string> known = commands_of(app_);
  known.emplace_back("config");
  throw InputError(fmt::format("help: no command `{}`{}", about, suggestion(about, known)));
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
  if (app_.got_subcommand("diff")) {
    diff_.run();
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
                    : app_.got_subcommand("compare")  ? compare_.run()
                    : app_.got_subcommand("validate") ? validate_.run()
                                                      : simulate_.run();
  return fine ? kDone : kWrong;
}

}  // namespace tessera
