#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "input/read_file.hpp"
#include "input/yaml_fields.hpp"
#include "sweep/store.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera::sweep {
namespace {

/// SHA-256 over texts, each with its length, so that none runs into the next.
class Digest {
 public:
  Digest() { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }

  void add(const std::vector<std::uint8_t>& bytes) {
    const std::string length = fmt::format("{}:", bytes.size());
    EVP_DigestUpdate(context_.get(), length.data(), length.size());
    EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
  }
  void add(const std::string& text) { add(std::vector<std::uint8_t>(text.begin(), text.end())); }

  std::string hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int bytes = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &bytes);
    std::string text;
    for (unsigned int i = 0; i < bytes; ++i) {
      text += fmt::format("{:02x}", digest[i]);
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(),
                                                                   &EVP_MD_CTX_free};
};

void collect_files(const YAML::Node& node, const std::filesystem::path& folder,
                   std::vector<std::string>& files) {
  if (node.IsScalar()) {
    std::error_code error;
    const std::filesystem::path file = folder / node.Scalar();
    if (!node.Scalar().empty() && std::filesystem::is_regular_file(file, error)) {
      files.push_back(file.string());
    }
    return;
  }
  for (const auto& entry : node) {
    collect_files(node.IsMap() ? entry.second : YAML::Node(entry), folder, files);
  }
}

// Layer lists name files of weights.
std::vector<std::string> files_named_in(const std::string& network) {
  const std::filesystem::path path(network);
  std::vector<std::string> files;
  if (path.extension() == ".yaml" || path.extension() == ".yml") {
    const std::vector<std::uint8_t> text = read_file(network);
    collect_files(parse_yaml({text.begin(), text.end()}, network), path.parent_path(), files);
  }
  return files;
}

// One wrong point is a result, all of them are a wrong question.
Config first_good(const Space& space) {
  std::string problem;
  for (std::size_t i = 0; i < space.points(); ++i) {
    try {
      return load_config(space.config, space.overrides(i));
    } catch (const InputError& error) {
      problem = i == 0 ? error.what() : problem;
    }
  }
  throw InputError(problem);
}

}  // namespace

namespace {

std::string build_of() {
  Digest digest;
  digest.add(read_file(program_file().string()));
  std::vector<std::filesystem::path> sources;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data_dir() / "rtl")) {
    if (entry.path().extension() == ".sv") {
      sources.push_back(entry.path());
    }
  }
  std::sort(sources.begin(), sources.end());
  for (const std::filesystem::path& source : sources) {
    digest.add(read_file(source.string()));
  }
  return digest.hex();
}

}  // namespace

Definition define(const Space& space, const Shard& shard) {
  Digest digest;
  digest.add(read_file(space.config));
  for (const std::string& path : preset_files()) {
    digest.add(std::filesystem::path(path).filename().string());
    digest.add(read_file(path));
  }
  const Config config = first_good(space);
  std::vector<std::string> networks;
  if (const Axis* axis = space.axis(kNetworkKey); axis != nullptr) {
    networks = axis->values;
  } else if (config.models.empty()) {
    networks = {config.network};
  }
  for (const ModelEntry& model : config.models) {
    networks.push_back(model.path);
  }
  for (const std::string& network : networks) {
    digest.add(read_file(network));
    for (const std::string& file : files_named_in(network)) {
      digest.add(read_file(file));
    }
  }
  return {space, digest.hex(), shard, build_of(), false};
}

}  // namespace tessera::sweep
