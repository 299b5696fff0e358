// Pages that describe the command line and the configuration, from their own definitions:
//   pages man|bash|zsh|commands|keys FILE
#include <fmt/format.h>

#include <fstream>
#include <string>

#include "cli/command_line.hpp"
#include "pages.hpp"

int main(int argc, char** argv) {
  const tessera::CommandLine line;
  const std::string kind = argc == 3 ? argv[1] : "";
  std::string text;
  if (kind == "man") {
    text = tessera::pages::man_page(line.definition());
  } else if (kind == "bash") {
    text = tessera::pages::bash_completion(line.definition());
  } else if (kind == "zsh") {
    text = tessera::pages::zsh_completion(line.definition());
  } else if (kind == "commands") {
    text = tessera::pages::commands_page(line.definition());
  } else if (kind == "keys") {
    text = tessera::pages::keys_page();
  } else {
    fmt::print(stderr, "usage: pages man|bash|zsh|commands|keys FILE\n");
    return 2;
  }
  std::ofstream(argv[2], std::ios::binary) << text;
  return 0;
}
