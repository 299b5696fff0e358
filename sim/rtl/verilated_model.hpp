// A model in a library that verilate() has made.
#pragma once

#include <string>

#include "sim/verilated/ports.hpp"

namespace tessera::rtl {

/// Loads the library, makes one model of it, and destroys that before the library goes.
class VerilatedModel {
 public:
  /// `what` is told in errors, such as "the board's model". Throws std::runtime_error when the
  /// library cannot be loaded.
  VerilatedModel(const std::string& library, std::string what);
  ~VerilatedModel();
  VerilatedModel(const VerilatedModel&) = delete;
  VerilatedModel& operator=(const VerilatedModel&) = delete;
  VerilatedModel(VerilatedModel&&) = delete;
  VerilatedModel& operator=(VerilatedModel&&) = delete;

  /// An entry point, as the wrapper in sim/verilated declares it. Throws std::runtime_error when
  /// there is none of that name.
  template <class Function>
  [[nodiscard]] Function entry(const char* name) const {
    return reinterpret_cast<Function>(address_of(name));
  }
  /// By the entry point tessera_create, once.
  template <class Create, class... Arguments>
  void create(Arguments... arguments) {
    model_ = entry<Create>("tessera_create")(arguments...);
  }
  /// What the other entry points take.
  [[nodiscard]] void* get() const { return model_; }

 private:
  [[nodiscard]] void* address_of(const char* name) const;

  std::string what_;
  void* library_;
  void* model_ = nullptr;
  DestroyModel destroy_ = nullptr;
};

}  // namespace tessera::rtl
