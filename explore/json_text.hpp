// Answers as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tessera::explore {

/// Names come from model files: bytes that are no UTF-8 are replaced.
inline std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tessera::explore
