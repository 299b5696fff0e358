// The C kernels' sources, put together.
#pragma once

#include <string>
#include <vector>

namespace tessera::runtime {

/// The files of rom/kernels and what they include, each once and after what it needs, as one text.
/// Throws MissingTool when a file is not there.
std::string kernel_sources(const std::vector<std::string>& files);

/// Whether one of the files needs the mathematical library.
bool need_library(const std::vector<std::string>& files);

}  // namespace tessera::runtime
