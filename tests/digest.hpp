// SHA-256 as lower-case hexadecimal digits.
#pragma once

#include <fmt/format.h>
#include <openssl/evp.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::test {

inline std::string sha256(const std::vector<std::uint8_t>& bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += fmt::format("{:02x}", digest[i]);
  }
  return text;
}

}  // namespace tessera::test
