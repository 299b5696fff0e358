#include <fmt/format.h>

#include <algorithm>

#include "tessera/schedule.hpp"

namespace tessera {

const std::vector<std::string>& policy_names() {
  static const std::vector<std::string> names = {"first-fit", "best"};
  return names;
}

const std::vector<std::string>& objective_names() {
  static const std::vector<std::string> names = {"cycles", "traffic", "energy"};
  return names;
}

const char* name_of(Mode mode) {
  switch (mode) {
    case Mode::Direct:
      return "direct";
    case Mode::PingPong:
      return "ping-pong";
    case Mode::Wait:
      return "wait";
  }
  return "";
}

std::string LayerDecision::mode_name() const {
  return fused           ? "row-by-row"
         : band_rows > 0 ? "split"
         : is_split()    ? "split"
                         : name_of(modes.at(0));
}

std::string LayerDecision::long_name() const {
  std::string kept = feature_kept && output_kept ? ", in and out kept"
                     : feature_kept              ? ", in kept"
                     : output_kept               ? ", out kept"
                                                 : "";
  if (output_columns > 1) {
    kept = fmt::format(", {} columns at once{}", output_columns, kept);
  }
  if (band_rows > 0) {
    const std::string kernels = kernel_parts > 1 ? fmt::format(" k{}", kernel_parts) : "";
    const std::string columns = tiles_w > 1 ? fmt::format(" 1x{}", tiles_w) : "";
    return fmt::format("{}{}{}, {} row{} at once{}", fused ? "row by row" : "split", kernels,
                       columns, band_rows, band_rows > 1 ? "s" : "", kept);
  }
  if (!is_split()) {
    return mode_name() + kept;
  }
  std::string text = "split";
  if (channel_parts > 1) {
    text += fmt::format(" c{}", channel_parts);
  }
  if (tiles_h * tiles_w > 1) {
    text += fmt::format(" {}x{}", tiles_h, tiles_w);
  }
  text += " (";
  std::string separator;
  for (const Mode mode : {Mode::Direct, Mode::PingPong, Mode::Wait}) {
    if (std::count(modes.begin(), modes.end(), mode) > 0) {
      text += separator + name_of(mode);
      separator = "+";
    }
  }
  return text + (rolling ? ", rolling)" : ")") + kept;
}

}  // namespace tessera
