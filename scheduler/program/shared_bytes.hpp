// Blocks of bytes in an image, equal ones once.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tessera {

class SharedBytes {
 public:
  explicit SharedBytes(std::uint64_t alignment) : alignment_(alignment) {}

  /// Where in the image the bytes are; appends them, aligned, when they are new (second: true).
  std::pair<std::uint64_t, bool> add(const std::vector<std::uint8_t>& bytes,
                                     std::vector<std::uint8_t>& image);

  /// Room for bytes that equal no others.
  std::uint64_t reserve(std::uint64_t bytes, std::vector<std::uint8_t>& image) const;

 private:
  using Digest = std::pair<std::size_t, std::uint64_t>;  // length and hash

  std::uint64_t alignment_;
  std::map<Digest, std::vector<std::uint64_t>> known_;  // addresses
};

}  // namespace tessera
