// Rows of pixels into rows of windows, counted, as tap_folder.sv does.
#pragma once

#include <algorithm>
#include <cstdint>

#include "timing/data_path/operations.hpp"

namespace tessera::timing {

class Folder {
 public:
  /// Bytes per beat that comes, per beat that goes, and most of a unit.
  Folder(std::uint32_t beat_bytes, std::uint32_t folded_bytes, std::uint32_t fold_bytes)
      : beat_bytes_(beat_bytes), folded_bytes_(folded_bytes), fold_bytes_(fold_bytes) {}

  /// Begins a transfer.
  void start(const LoadOperation& load) {
    *this = Folder(beat_bytes_, folded_bytes_, fold_bytes_);
    unit_bytes_ = load.source.pixel_bytes;
    advance_ = load.fold.advance;
    units_ = load.fold.units;
    row_bytes_ = load.shape.segment_bytes;
    before_bytes_ = load.fold.pad_before;
    after_bytes_ = load.fold.pad_after;
  }

  /// Takes a beat in this cycle.
  [[nodiscard]] bool ready() const { return room() && before_done() && !data_done() && !last_; }

  struct Result {
    std::uint32_t bytes = 0;  ///< of a beat that goes on, or 0
    bool last = false;
    bool ragged = false;  ///< a row is not its number of units
  };
  /// A cycle; `bytes` of a beat that is taken, or 0.
  Result step(std::uint32_t bytes, bool last, bool out_ready) {
    Result result;
    const bool is_ready = count_ >= need();
    const std::uint32_t left = unit_bytes_ - step_ * folded_bytes_;
    const bool last_step = left <= folded_bytes_;
    const bool row_in = before_done() && data_done() && after_done();
    const bool emit = is_ready && out_ready;
    const bool drop = emit && last_step;
    if (emit) {
      result.bytes = std::min(left, folded_bytes_);
      result.last = last_ && last_unit() && last_step && row_in;
    }
    const bool row_out = drop && last_unit();
    result.ragged = (row_out && !(row_in && count_ == unit_bytes_)) || (row_in && !is_ready);
    const bool pad = room() && (!before_done() || (data_done() && !after_done()));
    const bool in_before = !before_done();
    if (drop) {
      count_ -= last_unit() ? count_ : advance_;
    }
    if (bytes != 0) {
      count_ += bytes;
      data_ += bytes;
      last_ = last;
    } else if (pad) {
      std::uint32_t& done = in_before ? before_ : after_;
      const std::uint32_t added =
          std::min((in_before ? before_bytes_ : after_bytes_) - done, beat_bytes_);
      done += added;
      count_ += added;
    }
    if (emit) {
      step_ = last_step ? 0 : step_ + 1;
    }
    if (drop) {
      unit_ = row_out ? 0 : unit_ + 1;
    }
    if (row_out) {
      before_ = after_ = data_ = 0;
    }
    return result;
  }

 private:
  [[nodiscard]] bool before_done() const { return before_ >= before_bytes_; }
  [[nodiscard]] bool data_done() const { return data_ >= row_bytes_; }
  [[nodiscard]] bool after_done() const { return after_ >= after_bytes_; }
  [[nodiscard]] bool last_unit() const { return unit_ + 1 == units_; }
  [[nodiscard]] std::uint32_t need() const {
    return last_unit() || advance_ < unit_bytes_ ? unit_bytes_ : advance_;
  }
  [[nodiscard]] bool room() const { return count_ <= fold_bytes_ + beat_bytes_; }

  std::uint32_t beat_bytes_, folded_bytes_, fold_bytes_;
  std::uint32_t unit_bytes_ = 1, advance_ = 1, units_ = 1;
  std::uint32_t row_bytes_ = 1, before_bytes_ = 0, after_bytes_ = 0;
  std::uint32_t count_ = 0, step_ = 0, unit_ = 0;
  std::uint32_t before_ = 0, after_ = 0, data_ = 0;
  bool last_ = false;
};

}  // namespace tessera::timing
