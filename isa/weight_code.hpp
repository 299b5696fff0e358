// Compression of weights, as command LD_CODE has it: blocks of an atom each, as many bits for each
// value as the greatest needs, or the values other than zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::isa {

/// How blocks are coded on hardware whose atoms have `atomic_c` bytes.
class WeightCode {
 public:
  static constexpr std::uint32_t kWidths = 8;  ///< codes up to it: bits of each value
  static constexpr std::uint32_t kCodes = 16;

  explicit constexpr WeightCode(std::uint32_t atomic_c) : atom_(atomic_c) {}

  /// Atoms of a group at most, and bytes of the codes in front of so many.
  [[nodiscard]] constexpr std::uint32_t group_atoms() const { return 2 * atom_; }
  [[nodiscard]] static constexpr std::uint32_t header_bytes(std::uint32_t atoms) {
    return (atoms + 1) / 2;
  }
  /// Of the bits that say which values follow.
  [[nodiscard]] constexpr std::uint32_t mask_bytes() const { return (atom_ + 7) / 8; }
  /// Values that a block with such bits has room for.
  [[nodiscard]] constexpr std::uint32_t values(std::uint32_t code) const {
    // Few for small atoms: behind each value stands a choice among all of them.
    constexpr std::uint32_t kOfFew[] = {1, 2, 3, 4, 4, 4, 4};
    constexpr std::uint32_t kOf16[] = {1, 2, 3, 4, 6, 9, 12};
    const std::uint32_t wanted =
        atom_ < 16 ? kOfFew[code - kWidths - 1] : kOf16[code - kWidths - 1] * (atom_ / 16);
    const std::uint32_t room = atom_ - mask_bytes();
    return wanted < room ? wanted : room;
  }
  /// Bytes of a block.
  [[nodiscard]] constexpr std::uint32_t bytes(std::uint32_t code) const {
    return code <= kWidths ? (code * atom_ + 7) / 8 : mask_bytes() + values(code);
  }
  /// Bytes of a unit: atoms one after the other that can be loaded by themselves.
  [[nodiscard]] std::uint64_t unit_bytes(const std::uint8_t* codes, std::uint64_t atoms) const;

  /// The code with the fewest bytes for an atom less `zero` (modulo 256).
  [[nodiscard]] std::uint8_t best(const std::uint8_t* atom, std::uint8_t zero) const;
  /// Appends a unit of whole atoms; `codes`: of its blocks.
  void encode(const std::uint8_t* atoms, const std::uint8_t* codes, std::uint64_t count,
              std::uint8_t zero, std::vector<std::uint8_t>& to) const;

 private:
  void encode_block(const std::uint8_t* atom, std::uint8_t code, std::uint8_t zero,
                    std::vector<std::uint8_t>& to) const;

  std::uint32_t atom_;
};

}  // namespace tessera::isa
