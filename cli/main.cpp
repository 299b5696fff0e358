// cosim: the command line.
#include <fmt/format.h>

#include <exception>

#include "cli/command_line.hpp"
#include "tessera/error.hpp"

int main(int argc, char** argv) {
  try {
    return tessera::CommandLine().run(argc, argv);
  } catch (const tessera::InputError& error) {
    fmt::print(stderr, "cosim: {}\n", error.what());
    return tessera::kBadInput;
  } catch (const tessera::MissingTool& error) {
    fmt::print(stderr, "cosim: {}\n", error.what());
    return tessera::kMissingTool;
  } catch (const std::exception& error) {
    fmt::print(stderr, "cosim: {}\n", error.what());
    return tessera::kWrong;
  }
}
