// Files that are read at run time: presets, RTL, parts of pages.
#pragma once

#include <filesystem>

namespace tessera {

/// The folder that holds `configs`, `rtl`, `sim/verilated`, `include` and `report/page`. The first
/// of these that is there:
///   - what set_data_dir was given, or the environment variable TESSERA_DATA_DIR;
///   - `share/tessera` beside the running program or in a folder above it: an installed cosim, and
///     programs in a build tree;
///   - `share/tessera` above the `cosim` that is found on the PATH: programs that link the library.
/// Throws MissingTool when there is none.
std::filesystem::path data_dir();

/// For programs that keep the folder elsewhere.
void set_data_dir(const std::filesystem::path& dir);

/// The program's file: what a sweep's points were counted by. The running one, unless another one
/// was set: an interpreter that has loaded the engine is not it.
std::filesystem::path program_file();
void set_program_file(const std::filesystem::path& file);

/// Where Verilated hardware is kept: TESSERA_CACHE_DIR; the build tree's own when the program is
/// one of its; otherwise `tessera` in the user's cache folder (XDG_CACHE_HOME, ~/.cache).
std::filesystem::path cache_dir();

}  // namespace tessera
