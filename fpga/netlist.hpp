// What a netlist of yosys consists of.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fpga/design.hpp"

namespace tessera::fpga {

/// The path of instances in a flat cell's name: u_load/u_packer of
/// `u_load.u_packer.count_q_LUT4_Z`, the instances of the accelerator and of a
/// board's system left out.
std::string module_of(const std::string& cell);

/// By module, largest first: at most `depth` levels of instances.
std::vector<ModuleArea> area_by_module(const std::filesystem::path& netlist, const std::string& top,
                                       std::size_t depth = 2);

}  // namespace tessera::fpga
