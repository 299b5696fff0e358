// All keys of a run configuration, as the code that reads it has them.
#pragma once

#include <string>
#include <vector>

namespace tessera {

struct ConfigKey {
  std::string path;      ///< "hardware.cbuf.banks"; "traffic[].seed": of each element of a list
  std::string type;      ///< "integer", "number", "size", "text", "choice", "list", "map", ...
  std::string unit;      ///< "bytes", "cycles", "MHz"; "": none
  std::string allowed;   ///< "1 to 64", "rtl, tlm, model, netlist"
  std::string fallback;  ///< the value without the key; "": none
  bool is_needed = false;
  std::string text;  ///< what it is, in a sentence
};

/// Sections in the order in which they are read, and their keys behind each. Type, range and value
/// without the key come from the readers themselves; unit and text from a table beside them, which
/// has neither a key too few nor one too many (std::logic_error).
std::vector<ConfigKey> config_keys();

}  // namespace tessera
