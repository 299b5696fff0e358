// What Verilator writes, compiled into a shared library.
#pragma once

#include <filesystem>
#include <string>

namespace tessera::rtl {

struct ModelLibrary {
  std::filesystem::path folder;   ///< with what Verilator wrote; objects and the log go there, too
  std::filesystem::path wrapper;  ///< C++ around the model, which includes its headers
  std::string runtime;            ///< Verilator's own, compiled: an archive
  std::string definitions;        ///< of macros, for the compiler
  std::string libraries;          ///< further ones, for the linker
};

/// Options of the compiler with which everything of a model is compiled.
inline constexpr const char* kModelFlags = "-std=c++17 -march=native -fPIC -fcf-protection=none -w";
/// How much of what runs in every cycle, and of what runs once, is optimised. More takes the
/// compiler three times as long, and models run no faster (bench/rtl_speed.cpp).
inline constexpr const char* kOptimisedOften = "-O1";
inline constexpr const char* kOptimisedOnce = "-O0";

/// Compiles the library, two files at a time, into `file`. Throws std::runtime_error with the
/// end of the compiler's output when that fails.
void compile_model(const ModelLibrary& model, const std::filesystem::path& file);

/// Runs it in a shell, with what it prints in the log; throws std::runtime_error with the log's
/// end.
void run_build_step(const std::string& command, const std::filesystem::path& log);

}  // namespace tessera::rtl
