// Errors that a user can act on.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace tessera {

/// Bad input: a file, a field, an option. what() says where (file:line:column where there is one),
/// what was found and what is allowed. The command line exits with 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A tool that is needed is missing. The command line exits with 3.
class MissingTool : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// " (did you mean `x`?)" when one of the candidates is close to `word`, else "".
std::string suggestion(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace tessera
