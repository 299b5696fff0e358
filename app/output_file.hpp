// Files that a run will write, looked at before it starts.
#pragma once

#include <string>

namespace tessera {

/// Throws InputError unless a file at `path` could be written now. Touches nothing.
void check_writable(const std::string& path);

}  // namespace tessera
