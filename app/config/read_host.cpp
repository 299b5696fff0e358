#include <fmt/format.h>

#include "app/config/presets.hpp"
#include "app/config/sections.hpp"

namespace tessera {
namespace {

void read_host_fields(YamlFields& fields, HostProcessor& host) {
  host.mhz = fields.number("mhz", 1e-3, 1e6, host.mhz);
  host.cycles_per_operation =
      fields.number("cycles_per_operation", 0, 1e6, host.cycles_per_operation);
  host.cycles_per_byte = fields.number("cycles_per_byte", 0, 1e6, host.cycles_per_byte);
  host.accelerator_mhz = fields.number("accelerator_mhz", 1e-3, 1e6, host.accelerator_mhz);
}

HostProcessor host_preset_at(const std::string& name, const std::string& where) {
  const std::string path = preset_path("host", name, where);
  HostProcessor host;
  host.name = name;
  YamlFields fields(parse_file(path), path, "host");
  read_host_fields(fields, host);
  fields.finish();
  return host;
}

}  // namespace

HostProcessor read_host(const YAML::Node& node, const std::string& file, double mhz) {
  if (node.IsScalar()) {
    if (node.Scalar() == "none") {
      return {};
    }
    HostProcessor host = host_preset_at(node.Scalar(), place_of(node, file));
    host.accelerator_mhz = mhz > 0 ? mhz : host.accelerator_mhz;
    return host;
  }
  YamlFields fields(node, file, "host");
  HostProcessor host;
  host.name = "custom";
  if (const YAML::Node preset = fields.get("preset"); preset.IsDefined()) {
    host = host_preset_at(fields.text("preset"), place_of(preset, file));
  } else {
    for (const char* const key : {"mhz", "cycles_per_operation", "cycles_per_byte"}) {
      fields.need(key);
    }
  }
  host.accelerator_mhz = mhz > 0 ? mhz : host.accelerator_mhz;
  read_host_fields(fields, host);
  if (mhz > 0 && host.accelerator_mhz != mhz) {
    fields.fail("accelerator_mhz", fmt::format("is {:g}, `hardware.clock` {:g} MHz; allowed is one "
                                               "clock, give it there alone",
                                               host.accelerator_mhz, mhz));
  }
  fields.finish();
  return host;
}

}  // namespace tessera
