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
std::vector<std::string> type_codes(const std::string& type) {
  if (type == "int8") {
    return {"|i1", "<i1", "i1"};
  }
  if (type == "uint8") {
    return {"|u1", "<u1", "u1"};
  }
  return {type == "float32" ? "<f4" : type == "bool" ? "|b1" : type == "int64" ? "<i8" : "<i4"};
}

// The usual name of one of NumPy's codes.
std::string type_of_code(const std::string& quoted) {
  for (const char* type : {"int8", "uint8", "float32", "int32", "int64", "bool"}) {
    for (const std::string& code : type_codes(type)) {
      if (quoted == "'" + code + "'") {
        return type;
      }
    }
  }
  return quoted.empty() ? "no type" : quoted;
}

std::vector<std::uint8_t> read_npy(const std::string& path, const std::vector<std::uint8_t>& data,
                                   const std::string& wanted,
                                   const std::vector<std::int32_t>& shape, bool may_be_sequence) {
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
  const std::string type = type_of_code(header_value(header, "descr"));
  const std::string found = header_value(header, "shape");
  const std::vector<std::int32_t> parsed = parse_shape(found);
  const bool is_sequence = parsed.size() == shape.size() + 1 && parsed[0] >= 1 &&
                           std::equal(shape.begin(), shape.end(), parsed.begin() + 1);
  if (type != wanted || (parsed != shape && !(may_be_sequence && is_sequence))) {
    fail(fmt::format("holds {} of shape {}; the model's is {} of shape {}", type, found, wanted,
                     shape_text(shape)));
  }
  if (header_value(header, "fortran_order") != "False") {
    fail("is in Fortran order; allowed is C order");
  }
  return {data.begin() + static_cast<std::ptrdiff_t>(start + length), data.end()};
}

// Values where they belong in the other layout; `there` has the file's order.
std::vector<std::uint8_t> turned(const Tensor& tensor, const std::vector<std::uint8_t>& bytes,
                                 bool to_file) {
  const std::vector<std::int32_t>& order = tensor.form.order;
  if (order.empty()) {
    return bytes;
  }
  const std::size_t rank = order.size();
  const std::size_t size = size_of(tensor.type);
  std::vector<std::size_t> strides(rank, 1);  // in the file, by its own dimensions
  for (std::size_t d = rank - 1; d-- > 0;) {
    strides[d] = strides[d + 1] * static_cast<std::size_t>(tensor.form.shape[d + 1]);
  }
  std::vector<std::uint8_t> result(bytes.size());
  std::vector<std::int32_t> at(rank, 0);
  for (std::size_t here = 0; here < bytes.size(); here += size) {
    std::size_t there = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      there += strides[static_cast<std::size_t>(order[d])] * static_cast<std::size_t>(at[d]);
    }
    const std::size_t from = to_file ? here : there * size;
    const std::size_t to = to_file ? there * size : here;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(from), size,
                result.begin() + static_cast<std::ptrdiff_t>(to));
    for (std::size_t d = rank; d-- > 0;) {
      if (++at[d] < tensor.shape[d]) {
        break;
      }
      at[d] = 0;
    }
  }
  return result;
}

void flip_sign(const Tensor& tensor, std::vector<std::uint8_t>& bytes) {
  if (tensor.form.is_unsigned && tensor.type == DataType::Int8) {
    for (std::uint8_t& byte : bytes) {
      byte ^= 0x80;
    }
  }
}

}  // namespace

std::vector<std::int32_t> file_shape(const Tensor& tensor, TensorForm form) {
  return form == TensorForm::Own && !tensor.form.shape.empty() ? tensor.form.shape : tensor.shape;
}

std::string file_type(const Tensor& tensor, TensorForm form) {
  return form == TensorForm::Own && tensor.form.is_unsigned && tensor.type == DataType::Int8
             ? "uint8"
             : std::string(name_of(tensor.type));
}

std::vector<std::uint8_t> to_own(const Tensor& tensor, const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint8_t> result = turned(tensor, bytes, true);
  flip_sign(tensor, result);
  return result;
}

std::vector<std::uint8_t> from_own(const Tensor& tensor, const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint8_t> result = turned(tensor, bytes, false);
  flip_sign(tensor, result);
  return result;
}

namespace {

// A file's values, one tensor's or several ones' after each other.
std::vector<std::uint8_t> read_values(const std::string& path, const Tensor& tensor,
                                      TensorForm form, bool may_be_sequence) {
  const std::vector<std::int32_t> shape = file_shape(tensor, form);
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".npy" && ending != ".bin") {
    throw InputError(path + ": tensors are .npy or .bin files, pictures .png or .jpg");
  }
  std::vector<std::uint8_t> data = read_file(path);
  if (ending == ".npy") {
    data = read_npy(path, data, file_type(tensor, form), shape, may_be_sequence);
  }
  const std::size_t bytes = tensor.bytes();
  const bool fits =
      may_be_sequence ? !data.empty() && data.size() % bytes == 0 : data.size() == bytes;
  if (!fits) {
    const bool is_several = !data.empty() && data.size() % bytes == 0;
    throw InputError(fmt::format(
        "{}: {} bytes of data; {} of shape {} is {}{}", path, data.size(), file_type(tensor, form),
        shape_text(shape), bytes,
        is_several ? fmt::format(" (`steps: {}` takes them as steps)", data.size() / bytes) : ""));
  }
  return data;
}

void write_values(const std::string& path, const Tensor& tensor,
                  const std::vector<std::int32_t>& shape, const std::vector<std::uint8_t>& data,
                  TensorForm form) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".npy" && ending != ".bin") {
    throw InputError(path + ": tensors are .npy or .bin files");
  }
  std::string header;
  if (ending == ".npy") {
    header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                         type_codes(file_type(tensor, form))[0], shape_text(shape));
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    const auto length = static_cast<unsigned>(header.size());
    header = kMagic + '\x01' + '\x00' + static_cast<char>(length & 0xFF) +
             static_cast<char>(length >> 8) + header;
  }
  std::ofstream out(path, std::ios::binary);
  out << header;
  out.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  if (!out) {
    throw InputError(path + ": cannot be written");
  }
}

}  // namespace

std::vector<std::uint8_t> read_tensor_file(const std::string& path, const Tensor& tensor,
                                           TensorForm form) {
  const std::vector<std::uint8_t> data = read_values(path, tensor, form, false);
  return form == TensorForm::Own ? from_own(tensor, data) : data;
}

std::vector<std::vector<std::uint8_t>> read_tensor_steps(const std::string& path,
                                                         const Tensor& tensor, TensorForm form,
                                                         bool several) {
  const bool says_shape = std::filesystem::path(path).extension() == ".npy";
  const std::vector<std::uint8_t> data = read_values(path, tensor, form, says_shape || several);
  const auto bytes = static_cast<std::ptrdiff_t>(tensor.bytes());
  std::vector<std::vector<std::uint8_t>> steps;
  for (auto at = data.begin(); at != data.end(); at += bytes) {
    steps.emplace_back(at, at + bytes);
    if (form == TensorForm::Own) {
      steps.back() = from_own(tensor, steps.back());
    }
  }
  return steps;
}

void write_tensor_file(const std::string& path, const Tensor& tensor,
                       const std::vector<std::uint8_t>& bytes, TensorForm form) {
  write_values(path, tensor, file_shape(tensor, form),
               form == TensorForm::Own ? to_own(tensor, bytes) : bytes, form);
}

void write_tensor_steps(const std::string& path, const Tensor& tensor,
                        const std::vector<std::vector<std::uint8_t>>& steps, TensorForm form) {
  std::vector<std::int32_t> shape = file_shape(tensor, form);
  shape.insert(shape.begin(), static_cast<std::int32_t>(steps.size()));
  std::vector<std::uint8_t> data;
  for (const std::vector<std::uint8_t>& step : steps) {
    const std::vector<std::uint8_t> own = form == TensorForm::Own ? to_own(tensor, step) : step;
    data.insert(data.end(), own.begin(), own.end());
  }
  write_values(path, tensor, shape, data, form);
}

}  // namespace tessera
