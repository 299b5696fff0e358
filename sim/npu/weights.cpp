#include <algorithm>

#include "isa/weight_code.hpp"
#include "sim/npu/units.hpp"

namespace tessera::npu {
namespace {

constexpr std::uint32_t kNotItsAtoms = 3;  // what LOAD_LENGTH says of compressed weights

class Reader {
 public:
  explicit Reader(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  /// So many bytes; the run fails where there are fewer.
  const std::uint8_t* take(std::uint32_t count) {
    if (count > bytes_.size() - at_) {
      fail(isa::Error::LoadLength, kNotItsAtoms);
    }
    const std::uint8_t* const begin = bytes_.data() + at_;
    at_ += count;
    return begin;
  }
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }

 private:
  const std::vector<std::uint8_t>& bytes_;
  std::size_t at_ = 0;
};

// `width` bits of each value, from the lowest on.
std::uint8_t value_at(const std::uint8_t* block, std::uint32_t bit, std::uint32_t width) {
  std::uint32_t value = 0;
  for (std::uint32_t b = 0; b < 8; ++b) {
    const std::uint32_t from = bit + std::min(b, width - 1);
    value |= (block[from / 8] >> (from % 8) & 1U) << b;
  }
  return static_cast<std::uint8_t>(value);
}

void decode_block(const isa::WeightCode& format, std::uint32_t code, const std::uint8_t* block,
                  std::uint8_t zero, std::uint32_t count, std::uint8_t* to) {
  const std::uint8_t* values = block + format.mask_bytes();
  std::uint32_t left = code > isa::WeightCode::kWidths ? format.values(code) : 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint8_t value = 0;
    if (code > isa::WeightCode::kWidths) {
      // More bits than there is room for values: zeros.
      if ((block[i / 8] >> (i % 8) & 1U) != 0 && left != 0) {
        value = *values++;
        --left;
      }
    } else if (code != 0) {
      value = value_at(block, i * code, code);
    }
    to[i] = static_cast<std::uint8_t>(value + zero);
  }
}

}  // namespace

std::vector<std::uint8_t> decode_weights(const timing::LoadOperation& op,
                                         const std::vector<std::uint8_t>& bytes,
                                         std::uint32_t atomic_c) {
  const isa::WeightCode format(atomic_c);
  Reader reader(bytes);
  std::vector<std::uint8_t> atoms(std::size_t{op.code.atoms} * atomic_c);
  std::uint8_t* to = atoms.data();
  std::uint32_t in_unit = op.code.unit;
  for (std::uint32_t left = op.code.atoms; left != 0;) {
    const std::uint32_t group = std::min({format.group_atoms(), in_unit, left});
    const std::uint8_t* const codes = reader.take(isa::WeightCode::header_bytes(group));
    for (std::uint32_t i = 0; i < group; ++i, to += atomic_c) {
      const std::uint32_t code = codes[i / 2] >> (4 * (i % 2)) & 0xFU;
      decode_block(format, code, reader.take(format.bytes(code)),
                   static_cast<std::uint8_t>(op.code.zero), atomic_c, to);
    }
    left -= group;
    in_unit = in_unit == group ? op.code.unit : in_unit - group;
  }
  if (!reader.at_end()) {
    fail(isa::Error::LoadLength, kNotItsAtoms);
  }
  return atoms;
}

}  // namespace tessera::npu
