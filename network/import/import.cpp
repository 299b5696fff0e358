#include "tessera/import.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "input/read_file.hpp"
#include "network/import/float_islands.hpp"
#include "network/import/product_orders.hpp"
#include "network/states.hpp"
#include "tessera/error.hpp"

namespace tessera {

Network load_network(const std::string& path, const ImportOptions& options) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".tflite" && ending != ".onnx" && ending != ".yaml" && ending != ".yml" &&
      ending != ".csv") {
    throw InputError(fmt::format(
        "{}: networks are .tflite, .onnx, .yaml (layer list) or .csv (layer table)", path));
  }
  const std::vector<std::uint8_t> data = read_file(path);
  if (ending == ".tflite" || ending == ".onnx") {
    Network network =
        ending == ".onnx" ? import_onnx(data, path, options) : import_tflite(data, path, options);
    fold_float_islands(network);
    order_products(network);
    settle_states(network);
    return network;
  }
  const std::string text(data.begin(), data.end());
  if (ending == ".csv") {
    return import_csv(text, path, options.seed);
  }
  Network network = import_yaml(text, path, options.seed);
  order_products(network);
  settle_states(network);
  return network;
}

}  // namespace tessera
