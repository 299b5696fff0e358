#include "sim/rtl/variant.hpp"

#include <fmt/format.h>

#include "sim/rtl/verilate.hpp"
#include "tessera/resources.hpp"

namespace tessera::rtl {

std::string build_variant(const Hardware& hardware, const VariantOptions& options,
                          const std::function<void(const std::string&)>& announce) {
  Verilation v;
  v.top = "tessera_npu";
  v.prefix = "npu";
  v.sources = listed_sources(data_dir() / "rtl" / "files.f");
  v.parameters = hardware.rtl_parameters();
  v.wrapper = data_dir() / "sim" / "verilated" / "model.cpp";
  v.headers = {data_dir() / "sim" / "verilated" / "ports.hpp",
               data_dir() / "include" / "tessera" / "generated" / "command_set.hpp"};
  v.waves = options.waves;
  v.announcement =
      fmt::format("Verilating {} x {} MACs, {} KiB cbuf{}", hardware.atomic_c, hardware.atomic_k,
                  hardware.cbuf_capacity / 1024, options.waves ? ", with waves" : "");
  return verilate(v, announce);
}

}  // namespace tessera::rtl
