#include "cli/import_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "console/output_file.hpp"
#include "network/numerics.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"

namespace tessera {

void ImportCommand::add_to(CLI::App& app) {
  app.add_option("model", model_, "model file or built-in network")->required();
  app.add_option("--out", out_, "layer list to write (.yaml)")->required();
  app.add_option("--seed", seed_, "seed of weights that no file gives");
  app.add_flag("--seeded-weights", seeded_, "take only the shapes of a float model");
  app.add_flag("--float", float_, "float and hybrid models: all of it in float, on the host");
  app.add_option(
         "--numerics", numerics_,
         fmt::format("whose rounding: {}; default: auto", fmt::join(numerics_names(), ", ")))
      ->check(CLI::IsMember(numerics_names()));
  app.add_flag("--cut", cut_, "leave out operators that are not supported, and what needs them");
}

void ImportCommand::run() const {
  const std::string model = find_network(model_, ".");
  const std::string ending = std::filesystem::path(out_).extension().string();
  if (ending != ".yaml" && ending != ".yml") {
    throw InputError(out_ + ": layer lists are .yaml files");
  }
  check_writable(out_);
  ImportOptions options{seed_, seeded_, cut_};
  options.numerics =
      static_cast<Numerics>(std::find(numerics_names().begin(), numerics_names().end(), numerics_) -
                            numerics_names().begin());
  options.in_float = float_;
  const std::string from = std::filesystem::path(model).extension().string();
  if (from != ".tflite" && from != ".onnx" && options.numerics != Numerics::Auto) {
    throw InputError(model + ": --numerics is for .tflite and .onnx files");
  }
  const Network network = load_network(model, options);
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
