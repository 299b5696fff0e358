#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pages.hpp"

namespace tessera::pages {
namespace {

std::vector<std::string> words_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* inner : app.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(inner->get_name());
  }
  for (const OptionText& option : options_of(app)) {
    words.insert(words.end(), option.names.begin(), option.names.end());
  }
  return words;
}

// Inside single quotes; `also` gets a backslash.
std::string quoted(const std::string& text, const std::string& also) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += (also.find(c) != std::string::npos ? "\\" : "") + std::string(1, c);
    }
  }
  return result;
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string text =
      "# bash completion for cosim; generated from its command line's definition.\n"
      "_cosim() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} command=cosim words w\n"
      "  for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case \"$command $w\" in\n";
  std::vector<std::string> inner;
  for (const Command& command : commands_of(app)) {
    if (command.name != app.get_name()) {
      inner.push_back(fmt::format("\"{}\"", command.name));
    }
  }
  text += fmt::format("      {}) command=\"$command $w\" ;;\n    esac\n  done\n",
                      fmt::join(inner, " | "));
  text += "  case \"$command\" in\n";
  for (const Command& command : commands_of(app)) {
    text += fmt::format("    \"{}\") words=\"{}\" ;;\n", command.name,
                        fmt::join(words_of(*command.app), " "));
  }
  text +=
      "  esac\n"
      "  if [[ $word == -* || $COMP_CWORD -eq 1 ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\"; compgen -W \"$words\" -- \"$word\")\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _cosim cosim\n";
  return text;
}

std::string zsh_completion(const CLI::App& app) {
  std::string text =
      "#compdef cosim\n"
      "# Generated from cosim's command line's definition.\n"
      "local command=cosim w\n"
      "for w in ${words[2,CURRENT-1]}; do\n"
      "  case \"$command $w\" in\n";
  const std::vector<Command> commands = commands_of(app);
  for (std::size_t i = 1; i < commands.size(); ++i) {
    text += fmt::format("    \"{}\") command=\"$command $w\" ;;\n", commands[i].name);
  }
  text += "  esac\ndone\nlocal -a known\ncase $command in\n";
  for (const Command& command : commands) {
    std::vector<std::string> known;
    for (const CLI::App* inner :
         command.app->get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(
          fmt::format("'{}:{}'", inner->get_name(), quoted(inner->get_description(), ":")));
    }
    for (const OptionText& option : options_of(*command.app)) {
      for (const std::string& name : option.names) {
        known.push_back(fmt::format("'{}:{}'", name, quoted(option.description, ":")));
      }
    }
    text += fmt::format("  \"{}\") known=({}) ;;\n", command.name, fmt::join(known, " "));
  }
  text +=
      "esac\n"
      "_describe -o 'cosim' known\n"
      "[[ $PREFIX == -* ]] || _files\n";
  return text;
}

}  // namespace tessera::pages
