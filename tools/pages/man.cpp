#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pages.hpp"

namespace tessera::pages {
namespace {

// What roff would take for commands of its own.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (result.empty() && (c == '.' || c == '\'')) {
      result += fmt::format("\\&{}", c);
    } else {
      result += c;
    }
  }
  return result;
}

std::string options_text(const CLI::App& app) {
  std::string text;
  for (const OptionText& option : options_of(app)) {
    const std::string names = escaped(fmt::format("{}", fmt::join(option.names, ", ")));
    const std::string value =
        option.value.empty() ? "" : fmt::format("\\fI{}\\fR", escaped(option.value));
    text +=
        fmt::format(".TP\n{}{}{}\n{}\n", names.empty() ? "" : "\\fB" + names + "\\fR",
                    names.empty() || value.empty() ? "" : " ", value, escaped(option.description));
  }
  return text;
}

std::string meanings_text(const Meanings& meanings) {
  std::string text;
  for (const auto& [name, meaning] : meanings) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", name, escaped(meaning));
  }
  return text;
}

}  // namespace

std::string man_page(const CLI::App& app) {
  const std::vector<Command> commands = commands_of(app);
  std::string text = fmt::format(
      ".TH COSIM 1 \"\" \"{}\" \"Tessera\"\n.SH NAME\ncosim \\- {}\n.SH SYNOPSIS\n", app.version(),
      escaped("schedule a quantised network and run it on the accelerator's RTL"));
  for (const Command& command : commands) {
    text += fmt::format(".B {}\n[\\fIoptions\\fR]\n.br\n", escaped(command.name));
  }
  text += fmt::format(".SH DESCRIPTION\n{}.\n.SH OPTIONS\n{}", escaped(app.get_description()),
                      options_text(app));
  text += ".SH COMMANDS\n";
  for (std::size_t i = 1; i < commands.size(); ++i) {
    text +=
        fmt::format(".SS {}\n{}.\n{}", escaped(commands[i].name),
                    escaped(commands[i].app->get_description()), options_text(*commands[i].app));
  }
  text += ".SH EXIT STATUS\n" + meanings_text(exit_codes());
  text += ".SH ENVIRONMENT\n" + meanings_text(environment());
  return text;
}

}  // namespace tessera::pages
