#include "sim/rtl/variant.hpp"

#include <fmt/format.h>

#include "sim/rtl/verilate.hpp"

namespace tessera::rtl {

std::string build_variant(const Hardware& hardware, const VariantOptions& options,
                          const std::function<void(const std::string&)>& announce) {
  Verilation v;
  v.top = "tessera_npu";
  v.prefix = "npu";
  v.sources = listed_sources(source_dir() / "rtl" / "files.f");
  v.parameters = hardware.rtl_parameters();
  v.wrapper = source_dir() / "sim" / "rtl" / "model.cpp";
  v.headers = {source_dir() / "sim" / "rtl" / "ports.hpp",
               source_dir() / "isa" / "generated" / "command_set.hpp"};
  v.waves = options.waves;
  v.announcement =
      fmt::format("Verilating {} x {} MACs, {} KiB cbuf{}", hardware.atomic_c, hardware.atomic_k,
                  hardware.cbuf_capacity / 1024, options.waves ? ", with waves" : "");
  return verilate(v, announce);
}

}  // namespace tessera::rtl
