// C that a test has written, compiled and loaded.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/files.hpp"

namespace tessera::test {

/// A shared object of one C file.
class Compiled {
 public:
  /// `stem`: path without its end; there is `stem`.c. Adds a failure when it does not compile.
  explicit Compiled(const std::string& stem, const std::string& options = "") {
    const std::string line = fmt::format(
        "gcc -std=c99 -Wall -Wextra -Wconversion -Wshadow -pedantic -Werror -O1 -shared -fPIC {} "
        "{}.c -o {}.so -lm 2>{}.err",
        options, stem, stem, stem);
    const int status = std::system(line.c_str());
    EXPECT_EQ(status, 0) << text_of(stem + ".err");
    library_ = status == 0 ? ::dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    EXPECT_NE(library_, nullptr) << ::dlerror();
  }
  ~Compiled() {
    if (library_ != nullptr) {
      ::dlclose(library_);
    }
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  Compiled(Compiled&&) = delete;
  Compiled& operator=(Compiled&&) = delete;

  [[nodiscard]] bool loaded() const { return library_ != nullptr; }
  /// A function or a variable.
  template <class T>
  [[nodiscard]] T at(const std::string& name) const {
    return reinterpret_cast<T>(::dlsym(library_, name.c_str()));
  }

 private:
  void* library_ = nullptr;
};

}  // namespace tessera::test
