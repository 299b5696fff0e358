#include "input/read_file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tessera/error.hpp"

namespace tessera {

std::vector<std::uint8_t> read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(path + ": is a folder; a file is expected");
  }
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(path + ": no such file");
  }
  std::ifstream in(path, std::ios::binary);
  std::vector<std::uint8_t> data{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && !in.eof()) {
    throw InputError(path + ": cannot be read");
  }
  return data;
}

}  // namespace tessera
