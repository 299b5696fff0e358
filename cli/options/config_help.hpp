// cosim help config
#pragma once

#include <string>

namespace tessera {

/// The keys of a configuration with what they may be: all, or those that begin with `about`
/// ("hardware.cbuf"). Throws InputError for a key that there is not, with the nearest one.
std::string config_help(const std::string& about);

}  // namespace tessera
