#include "fpga/parts/sources.hpp"

#include <algorithm>

#include "tessera/resources.hpp"

namespace tessera::fpga {
namespace {

namespace fs = std::filesystem;

fs::path folder() {
  return data_dir() / "rtl" / "fpga";
}

}  // namespace

std::vector<fs::path> with_own_cells(const Family& family, std::vector<fs::path> sources) {
  for (fs::path& source : sources) {
    const fs::path own = folder() / family.name / source.filename();
    source = fs::exists(own) ? own : source;
  }
  return sources;
}

std::vector<fs::path> synthesis_maps(const Family& family) {
  std::vector<fs::path> files;
  for (const fs::path& maps : {folder() / "maps", folder() / family.name / "maps"}) {
    if (fs::exists(maps)) {
      files.insert(files.end(), fs::directory_iterator(maps), fs::directory_iterator());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tessera::fpga
