#include "scheduler/stream/load_checksums.hpp"

#include <optional>

#include "isa/checksum.hpp"
#include "tessera/isa.hpp"

namespace tessera {
namespace {

// The bytes of a read, segment after segment; empty when one is outside of `range`.
std::vector<std::uint8_t> bytes_read(const isa::LdSource& source, const isa::LdShape& shape,
                                     const isa::LdStride& stride,
                                     const std::vector<std::uint8_t>& image, const Slot& range) {
  std::vector<std::uint8_t> bytes;
  for (std::uint64_t outer = 0; outer < shape.outer; ++outer) {
    for (std::uint64_t inner = 0; inner < shape.inner; ++inner) {
      const std::uint64_t begin =
          source.address + outer * stride.outer_stride + inner * stride.inner_stride;
      const std::uint64_t end = begin + shape.segment_bytes;
      if (begin < range.address || end > range.address + range.bytes) {
        return {};
      }
      bytes.insert(bytes.end(), image.begin() + static_cast<std::ptrdiff_t>(begin),
                   image.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  return bytes;
}

}  // namespace

void add_load_checksums(std::vector<std::uint64_t>& words, const std::vector<std::uint8_t>& image,
                        const Slot& constants, const Hardware& hardware) {
  isa::LdSource source;
  isa::LdShape shape;
  isa::LdStride stride;
  for (std::uint64_t& word : words) {
    const std::optional<isa::Command> command = isa::decode(word).command;
    if (!command) {
      continue;
    }
    if (const auto* s = std::get_if<isa::LdSource>(&*command); s != nullptr) {
      source = *s;
    } else if (const auto* h = std::get_if<isa::LdShape>(&*command); h != nullptr) {
      shape = *h;
    } else if (const auto* d = std::get_if<isa::LdStride>(&*command); d != nullptr) {
      stride = *d;
    } else if (const auto* load = std::get_if<isa::Load>(&*command); load != nullptr) {
      const auto bytes = bytes_read(source, shape, stride, image, constants);
      if (!bytes.empty()) {
        isa::Load sealed = *load;
        sealed.check = 1;
        sealed.checksum =
            isa::load_checksum(source, shape, stride, bytes.data(), hardware.bus_bytes);
        word = isa::encode(sealed);
      }
    }
  }
}

}  // namespace tessera
