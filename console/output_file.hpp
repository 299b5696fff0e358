// Files that a run will write, looked at before it starts.
#pragma once

#include <string>

namespace tessera {

/// Throws InputError unless a file at `path` could be written now. Touches nothing.
void check_writable(const std::string& path);

/// Writes the file. Throws InputError when it cannot.
void write_text(const std::string& path, const std::string& text);

}  // namespace tessera
