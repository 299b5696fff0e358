#include "pages.hpp"

namespace tessera::pages {
namespace {

void add(const CLI::App& app, const std::string& name, std::vector<Command>& commands) {
  commands.push_back({name, &app});
  for (const CLI::App* inner : app.get_subcommands([](const CLI::App*) { return true; })) {
    add(*inner, name + " " + inner->get_name(), commands);
  }
}

}  // namespace

std::vector<Command> commands_of(const CLI::App& app) {
  std::vector<Command> commands;
  add(app, app.get_name(), commands);
  return commands;
}

std::vector<OptionText> options_of(const CLI::App& app) {
  std::vector<OptionText> options;
  for (const CLI::Option* option : app.get_options()) {
    OptionText text;
    for (const std::string& name : option->get_snames()) {
      text.names.push_back("-" + name);
    }
    for (const std::string& name : option->get_lnames()) {
      text.names.push_back("--" + name);
    }
    if (option->get_items_expected_max() > 0 && option->get_type_size() > 0) {
      text.value = text.names.empty() ? option->get_name() : option->get_type_name();
    }
    text.description = option->get_description();
    text.group = option->get_group();
    options.push_back(std::move(text));
  }
  return options;
}

const Meanings& exit_codes() {
  static const Meanings codes = {
      {"0", "done and verified"},
      {"1", "it ran, but a result was wrong, the accelerator stopped, or a limit was missed"},
      {"2", "bad usage or bad input; the message names file, line and column where there are any"},
      {"3", "a tool that it needs is missing"}};
  return codes;
}

const Meanings& environment() {
  static const Meanings names = {
      {"TESSERA_DATA_DIR", "the folder with presets and RTL, when it is not beside the program"},
      {"TESSERA_CACHE_DIR", "where Verilated hardware is kept"},
      {"TESSERA_ECHARTS", "the charting library that pages of --report contain"},
      {"TESSERA_FPGA_TOOLS",
       "a Python environment that has the FPGA tools, when they are not on the PATH"},
      {"TESSERA_PYTHON", "the Python that `cosim compare` runs runtimes with"}};
  return names;
}

}  // namespace tessera::pages
