#include "isa/weight_code.hpp"

#include <algorithm>

namespace tessera::isa {
namespace {

std::uint8_t less(std::uint8_t value, std::uint8_t zero) {
  return static_cast<std::uint8_t>(value - zero);
}

// Bits of a signed value; none of zero.
std::uint32_t width_of(std::uint8_t value) {
  std::uint32_t magnitude = (value & 0x80U) != 0 ? 0xFFU - value : value;
  std::uint32_t bits = value == 0 ? 0 : 1;
  for (; magnitude != 0; magnitude >>= 1) {
    ++bits;
  }
  return bits;
}

}  // namespace

std::uint64_t WeightCode::unit_bytes(const std::uint8_t* codes, std::uint64_t atoms) const {
  const std::uint64_t whole = atoms / group_atoms();
  std::uint64_t total = whole * header_bytes(group_atoms()) +
                        header_bytes(static_cast<std::uint32_t>(atoms % group_atoms()));
  for (std::uint64_t i = 0; i < atoms; ++i) {
    total += bytes(codes[i]);
  }
  return total;
}

std::uint8_t WeightCode::best(const std::uint8_t* atom, std::uint8_t zero) const {
  std::uint32_t width = 0;
  std::uint32_t others = 0;
  for (std::uint32_t i = 0; i < atom_; ++i) {
    const std::uint8_t value = less(atom[i], zero);
    width = std::max(width, width_of(value));
    others += value != 0 ? 1 : 0;
  }
  std::uint32_t code = width;
  for (std::uint32_t masked = kWidths + 1; masked < kCodes; ++masked) {
    if (values(masked) >= others && bytes(masked) < bytes(code)) {
      code = masked;
    }
  }
  return static_cast<std::uint8_t>(code);
}

void WeightCode::encode_block(const std::uint8_t* atom, std::uint8_t code, std::uint8_t zero,
                              std::vector<std::uint8_t>& to) const {
  if (code == 0) {
    return;
  }
  const std::size_t begin = to.size();
  to.resize(begin + bytes(code));
  std::uint8_t* const out = to.data() + begin;
  if (code > kWidths) {
    std::size_t at = mask_bytes();
    for (std::uint32_t i = 0; i < atom_; ++i) {
      if (const std::uint8_t value = less(atom[i], zero); value != 0) {
        out[i / 8] = static_cast<std::uint8_t>(out[i / 8] | 1U << (i % 8));
        out[at++] = value;
      }
    }
    return;
  }
  for (std::uint32_t i = 0; i < atom_; ++i) {
    const std::uint32_t value = less(atom[i], zero) & ((1U << code) - 1);
    const std::uint32_t bit = i * code;
    const std::uint32_t shifted = value << (bit % 8);
    out[bit / 8] = static_cast<std::uint8_t>(out[bit / 8] | shifted);
    if (shifted > 0xFF) {
      out[bit / 8 + 1] = static_cast<std::uint8_t>(shifted >> 8);
    }
  }
}

void WeightCode::encode(const std::uint8_t* atoms, const std::uint8_t* codes, std::uint64_t count,
                        std::uint8_t zero, std::vector<std::uint8_t>& to) const {
  for (std::uint64_t first = 0; first < count; first += group_atoms()) {
    const std::uint64_t end = std::min<std::uint64_t>(first + group_atoms(), count);
    for (std::uint64_t i = first; i < end; i += 2) {
      const std::uint32_t second = i + 1 < end ? codes[i + 1] : 0U;
      to.push_back(static_cast<std::uint8_t>(codes[i] | second << 4));
    }
    for (std::uint64_t i = first; i < end; ++i) {
      encode_block(atoms + i * atom_, codes[i], zero, to);
    }
  }
}

}  // namespace tessera::isa
