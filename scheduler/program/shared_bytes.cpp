#include "scheduler/program/shared_bytes.hpp"

#include <algorithm>

namespace tessera {
namespace {

// FNV-1a.
std::uint64_t hash_of(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const std::uint8_t byte : bytes) {
    hash = (hash ^ byte) * 0x100000001B3ULL;
  }
  return hash;
}

}  // namespace

std::pair<std::uint64_t, bool> SharedBytes::add(const std::vector<std::uint8_t>& bytes,
                                                std::vector<std::uint8_t>& image) {
  std::vector<std::uint64_t>& addresses = known_[{bytes.size(), hash_of(bytes)}];
  for (const std::uint64_t address : addresses) {
    if (std::equal(bytes.begin(), bytes.end(),
                   image.begin() + static_cast<std::ptrdiff_t>(address))) {
      return {address, false};
    }
  }
  const std::uint64_t address = reserve(bytes.size(), image);
  std::copy(bytes.begin(), bytes.end(), image.begin() + static_cast<std::ptrdiff_t>(address));
  addresses.push_back(address);
  return {address, true};
}

std::uint64_t SharedBytes::reserve(std::uint64_t bytes, std::vector<std::uint8_t>& image) const {
  const std::uint64_t address = (image.size() + alignment_ - 1) / alignment_ * alignment_;
  image.resize(address + bytes);
  return address;
}

}  // namespace tessera
