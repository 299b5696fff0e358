// Two runs beside each other, layer by layer.
#pragma once

#include <string>

namespace tessera {

/// Of two texts as `--json` writes them (schema tessera.run/1); `all`: layers that are the same,
/// too. Layers belong together by their names. Throws InputError, which calls the texts by their
/// paths.
std::string diff_table(const std::string& before, const std::string& before_path,
                       const std::string& after, const std::string& after_path, bool all);

}  // namespace tessera
