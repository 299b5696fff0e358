// What each key of a configuration means, for people.
#pragma once

#include <string_view>
#include <vector>

namespace tessera {

struct KeyText {
  std::string_view path;
  std::string_view unit;  ///< "": none
  std::string_view text;
  /// Of keys with a reader of their own, which say no type, range or default: "map", "preset or
  /// map".
  std::string_view type = "";
  std::string_view allowed = "";
  std::string_view fallback = "";
};

const std::vector<KeyText>& key_texts();

}  // namespace tessera
