#include "app/tensor_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "input/read_file.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

const std::string kMagic = "\x93NUMPY";

std::string shape_text(const std::vector<std::int32_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

// The value of a key in the header's dictionary, up to the comma or bracket that ends it.
std::string header_value(const std::string& header, const std::string& key) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) {
    return "";
  }
  const std::size_t begin = header.find_first_not_of(' ', at + key.size() + 3);
  if (begin == std::string::npos) {
    return "";
  }
  const char close = header[begin] == '(' ? ')' : ',';
  const std::size_t end = header.find(close, begin);
  return header.substr(begin,
                       end == std::string::npos ? end : end - begin + (close == ')' ? 1 : 0));
}

std::vector<std::int32_t> parse_shape(const std::string& text) {
  std::vector<std::int32_t> shape;
  std::int64_t value = -1;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      value = std::min<std::int64_t>((value < 0 ? 0 : value) * 10 + (c - '0'), INT32_MAX);
    } else if (value >= 0) {
      shape.push_back(static_cast<std::int32_t>(value));
      value = -1;
    }
  }
  return shape;
}

// NumPy's names of a type, the usual one first.
std::vector<std::string> type_names(DataType type) {
  return type == DataType::Float32 ? std::vector<std::string>{"<f4"}
                                   : std::vector<std::string>{"|i1", "<i1", "i1"};
}

std::vector<std::uint8_t> read_npy(const std::string& path, const std::vector<std::uint8_t>& data,
                                   DataType element, const std::vector<std::int32_t>& shape) {
  const auto fail = [&](const std::string& text) {
    throw InputError(fmt::format("{}: {}", path, text));
  };
  const std::string text(data.begin(), data.end());
  if (text.size() < 10 || text.compare(0, kMagic.size(), kMagic) != 0) {
    fail("not a NumPy file");
  }
  const bool wide = data[6] >= 2;
  const std::size_t start = wide ? 12 : 10;
  if (data.size() < start) {
    fail("the NumPy header is cut off");
  }
  const std::size_t length = data[8] | std::size_t{data[9]} << 8 |
                             (wide ? std::size_t{data[10]} << 16 | std::size_t{data[11]} << 24 : 0);
  if (length > data.size() - start) {
    fail("the NumPy header is cut off");
  }
  const std::string header = text.substr(start, length);
  const std::string type = header_value(header, "descr");
  const std::vector<std::string> names = type_names(element);
  if (std::none_of(names.begin(), names.end(),
                   [&](const std::string& name) { return type == "'" + name + "'"; })) {
    fail(fmt::format("holds {}; allowed is {} ('{}')", type.empty() ? "no type" : type,
                     element == DataType::Float32 ? "float32" : "int8", names[0]));
  }
  if (header_value(header, "fortran_order") != "False") {
    fail("is in Fortran order; allowed is C order");
  }
  if (parse_shape(header_value(header, "shape")) != shape) {
    fail(fmt::format("has shape {}; the network's input is {}", header_value(header, "shape"),
                     shape_text(shape)));
  }
  return {data.begin() + static_cast<std::ptrdiff_t>(start + length), data.end()};
}

}  // namespace

std::vector<std::uint8_t> read_tensor_file(const std::string& path, const Tensor& tensor) {
  const std::vector<std::int32_t>& shape = tensor.shape;
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".npy" && ending != ".bin") {
    throw InputError(path + ": tensors are .npy or .bin files");
  }
  std::vector<std::uint8_t> data = read_file(path);
  if (ending == ".npy") {
    data = read_npy(path, data, tensor.type, shape);
  }
  const std::size_t bytes = tensor.bytes();
  if (data.size() != bytes) {
    throw InputError(fmt::format("{}: {} bytes of data; the tensor of shape {} has {}", path,
                                 data.size(), shape_text(shape), bytes));
  }
  return data;
}

void write_tensor_file(const std::string& path, const Tensor& tensor,
                       const std::vector<std::uint8_t>& bytes) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".npy" && ending != ".bin") {
    throw InputError(path + ": tensors are .npy or .bin files");
  }
  std::string header;
  if (ending == ".npy") {
    header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                         type_names(tensor.type)[0], shape_text(tensor.shape));
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    const auto length = static_cast<unsigned>(header.size());
    header = kMagic + '\x01' + '\x00' + static_cast<char>(length & 0xFF) +
             static_cast<char>(length >> 8) + header;
  }
  std::ofstream out(path, std::ios::binary);
  out << header;
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  if (!out) {
    throw InputError(path + ": cannot be written");
  }
}

}  // namespace tessera
