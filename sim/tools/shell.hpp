// Commands for the shell.
#pragma once

#include <string>

namespace tessera {

/// The text as one word.
std::string shell_quoted(const std::string& text);

/// Whether the shell finds it.
bool has_tool(const std::string& tool);

}  // namespace tessera
