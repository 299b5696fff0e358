// Reports as a single page that opens offline.
#pragma once

#include <string>

#include "app/simulate.hpp"
#include "tessera/config.hpp"
#include "timing/machine/timeline.hpp"

namespace tessera {

/// Throws MissingTool when the charting library is not there, with how to get it.
void check_web_assets();

/// What `--report` names: a page that can be written, and made. Throws InputError, MissingTool.
void check_report(const std::string& path);

/// The charting library that pages contain. Throws MissingTool.
std::string charting_library();

/// Of a run. Throws MissingTool.
std::string report_html(const Config& config, const Simulation& simulation,
                        const timing::Timeline& timeline);

/// Of a sweep, from its JSON (schema "tessera.sweep/1"). Throws MissingTool.
std::string sweep_html(const std::string& json);

/// Of a design on an FPGA, from its JSON (schema "tessera.fpga/1"). Throws MissingTool.
std::string design_html(const std::string& json);

/// Of what `cosim fit` found, from its JSON (schema "tessera.fit/1"). Throws MissingTool.
std::string fit_html(const std::string& json);

/// Of operators against a runtime's, from its JSON (schema "tessera.comparison/1"). Throws
/// MissingTool.
std::string comparison_html(const std::string& json);

}  // namespace tessera
