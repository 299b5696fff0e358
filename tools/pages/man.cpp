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
  text +=
      ".SH EXIT STATUS\n"
      ".TP\n\\fB0\\fR\ndone and verified\n"
      ".TP\n\\fB1\\fR\nran, but a result was wrong or a limit was missed\n"
      ".TP\n\\fB2\\fR\nbad usage or bad input\n"
      ".TP\n\\fB3\\fR\na tool that it needs is missing\n"
      ".SH ENVIRONMENT\n"
      ".TP\n\\fBTESSERA_DATA_DIR\\fR\n"
      "the folder with presets and RTL, when it is not beside the program\n"
      ".TP\n\\fBTESSERA_CACHE_DIR\\fR\nwhere Verilated hardware is kept\n"
      ".TP\n\\fBTESSERA_ECHARTS\\fR\nthe charting library that pages of \\-\\-report contain\n";
  return text;
}

}  // namespace tessera::pages
