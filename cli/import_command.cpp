#include "cli/import_command.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "console/output_file.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"

namespace tessera {

void ImportCommand::add_to(CLI::App& app) {
  app.add_option("model", model_, "model file or built-in network")->required();
  app.add_option("--out", out_, "layer list to write (.yaml)")->required();
  app.add_option("--seed", seed_, "seed of weights that no file gives");
  app.add_flag("--seeded-weights", seeded_, "take only the shapes of a float model");
  app.add_flag("--cut", cut_, "leave out operators that are not supported, and what needs them");
}

void ImportCommand::run() const {
  const std::string model = find_network(model_, ".");
  const std::string ending = std::filesystem::path(out_).extension().string();
  if (ending != ".yaml" && ending != ".yml") {
    throw InputError(out_ + ": layer lists are .yaml files");
  }
  check_writable(out_);
  const Network network = load_network(model, ImportOptions{seed_, seeded_, cut_});
  export_yaml(network, out_);
  fmt::print("{}: {} operators, {} tensors\n", out_, network.operators.size(),
             network.tensors.size());
  for (const std::string& note : network.notes) {
    fmt::print("note: {}\n", note);
  }
  for (const std::string& left_out : network.left_out) {
    fmt::print("left out: {}\n", left_out);
  }
}

}  // namespace tessera
