// Random networks of every operator that the array runs, as layer lists.
#pragma once

#include <string>
#include <vector>

#include "tests/rtl/random_case.hpp"

namespace tessera::test {

template <class T>
T one_of(const std::vector<T>& values) {
  return values[static_cast<std::size_t>(pick(0, static_cast<int>(values.size()) - 1))];
}

inline const char* yes_no() {
  return pick(0, 1) == 1 ? "yes" : "no";
}

/// As YAML has it, without its braces. Only `best` has an objective.
inline std::string policy_text(const std::string& name, const std::string& objective,
                               const char* fuse) {
  return name == "best" ? fmt::format("name: best, objective: {}, fuse: {}", objective, fuse)
                        : fmt::format("name: {}, fuse: {}", name, fuse);
}

struct Shape {
  int h, w, c;
};

/// Channels near multiples of `atomic`.
Shape draw_shape(int atomic);

/// One kind of network: inputs and layers for a shape.
struct Recipe {
  const char* name;
  std::string (*draw)(const Shape& s, int atomic);
};

const std::vector<Recipe>& recipes();

}  // namespace tessera::test
