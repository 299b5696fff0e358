// Compressed weights into atoms, counted, as weight_decoder.sv does.
#pragma once

#include <algorithm>
#include <cstdint>

#include "isa/weight_code.hpp"
#include "timing/data_path/operations.hpp"

namespace tessera::timing {

class Decoder {
 public:
  /// Bytes per beat that comes.
  Decoder(std::uint32_t beat_bytes, std::uint32_t atomic_c)
      : beat_bytes_(beat_bytes), atom_bytes_(atomic_c), code_(atomic_c) {}

  /// Begins a transfer. Its codes: those of its atoms one after the other (`codes`), or where its
  /// bytes arrive (`data`).
  void start(const LoadOperation& load, const std::uint8_t* codes, const std::uint8_t* data) {
    *this = Decoder(beat_bytes_, atom_bytes_);
    load_left_ = load.code.atoms;
    unit_left_ = unit_ = load.code.unit;
    codes_ = codes;
    data_ = data;
    next_group();
  }

  /// Takes a beat in this cycle.
  [[nodiscard]] bool ready() const { return count_ <= atom_bytes_ + beat_bytes_ && !last_; }

  struct Result {
    std::uint32_t bytes = 0;  ///< of an atom that goes on, or 0
    bool last = false;
    bool ragged = false;  ///< the transfer has more or fewer bytes than its atoms
  };
  /// A cycle; `bytes` of a beat that is taken, or 0.
  Result step(std::uint32_t bytes, bool last, bool out_ready) {
    Result result;
    const bool advance = !atom_ || out_ready;
    if (atom_ && out_ready) {
      result.bytes = atom_bytes_;
      result.last = atom_last_;
    }
    const bool in_group = left_ != 0;
    const bool over = !in_group && group_ == 0;
    const std::uint32_t need =
        in_group ? code_.bytes(code()) : isa::WeightCode::header_bytes(group_);
    const bool enough = !over && count_ >= need;
    result.ragged = last_ && !over && !enough;
    const bool takes = advance && enough && in_group;
    const bool last_block = left_ == 1 && group_ == 0;
    if (takes && last_block && !(last_ && count_ == need)) {
      result.ragged = true;
    }
    if (advance) {
      atom_ = block_;
      atom_last_ = block_last_;
      block_ = takes;
      block_last_ = last_block;
      if (enough) {
        count_ -= need;
        in_group ? take_block(need) : begin_group(need);
      }
    }
    count_ += bytes;
    last_ = last_ || (bytes != 0 && last);
    return result;
  }

 private:
  // Of the block to come.
  [[nodiscard]] std::uint32_t code() const {
    if (codes_ != nullptr) {
      return codes_[0];
    }
    const std::uint32_t at = in_group_ - left_;
    return data_ == nullptr ? 0U : header_[at / 2] >> (4 * (at % 2)) & 0xFU;
  }
  void take_block(std::uint32_t bytes) {
    --left_;
    codes_ = codes_ == nullptr ? nullptr : codes_ + 1;
    data_ = data_ == nullptr ? nullptr : data_ + bytes;
  }
  void begin_group(std::uint32_t bytes) {
    left_ = in_group_ = group_;
    header_ = data_;
    data_ = data_ == nullptr ? nullptr : data_ + bytes;
    load_left_ -= group_;
    unit_left_ -= group_;
    unit_left_ = unit_left_ == 0 ? unit_ : unit_left_;
    next_group();
  }
  void next_group() { group_ = std::min({code_.group_atoms(), load_left_, unit_left_}); }

  std::uint32_t beat_bytes_;
  std::uint32_t atom_bytes_;
  isa::WeightCode code_;
  const std::uint8_t* codes_ = nullptr;
  const std::uint8_t* data_ = nullptr;
  const std::uint8_t* header_ = nullptr;
  std::uint32_t count_ = 0;                                 // bytes held
  std::uint32_t load_left_ = 0, unit_left_ = 0, unit_ = 1;  // atoms whose group has not begun
  std::uint32_t group_ = 0;                                 // atoms of the next group, 0: none
  std::uint32_t in_group_ = 0, left_ = 0;                   // of the current one
  bool last_ = false;
  bool block_ = false, block_last_ = false, atom_ = false, atom_last_ = false;
};

}  // namespace tessera::timing
