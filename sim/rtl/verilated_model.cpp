#include "sim/rtl/verilated_model.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace tessera::rtl {

VerilatedModel::VerilatedModel(const std::string& library, std::string what)
    : what_(std::move(what)), library_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) {
    throw std::runtime_error(fmt::format("cannot load {}: {}", what_, dlerror()));
  }
  destroy_ = entry<DestroyModel>("tessera_destroy");
}

VerilatedModel::~VerilatedModel() {
  if (model_ != nullptr) {
    destroy_(model_);
  }
  dlclose(library_);
}

void* VerilatedModel::address_of(const char* name) const {
  void* address = dlsym(library_, name);
  if (address == nullptr) {
    throw std::runtime_error(fmt::format("{} lacks {}", what_, name));
  }
  return address;
}

}  // namespace tessera::rtl
