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
    options.push_back(std::move(text));
  }
  return options;
}

}  // namespace tessera::pages
