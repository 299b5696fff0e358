// Bytes into chunks, counted: what stream_packer.sv holds and when it takes a beat.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tessera::timing {

class Packer {
 public:
  explicit Packer(std::uint32_t most_chunk) : most_chunk_(most_chunk) {}

  /// Between transfers.
  void set(std::uint32_t unit_bytes, std::uint32_t chunk_bytes) {
    set(unit_bytes, chunk_bytes, chunk_bytes);
  }
  /// With a first chunk of other size.
  void set(std::uint32_t unit_bytes, std::uint32_t chunk_bytes, std::uint32_t first_bytes) {
    unit_ = unit_bytes;
    chunk_ = chunk_bytes;
    first_ = first_bytes;
  }
  [[nodiscard]] bool ready() const { return !last_ && kept() <= most_chunk_; }
  [[nodiscard]] bool empty() const { return count_ == 0 && !last_; }

  struct Result {
    bool chunk = false;   ///< one came out
    bool done = false;    ///< the transfer is over
    bool ragged = false;  ///< with done: bytes were left over that make no whole unit
  };
  /// A cycle; `bytes` of a beat that is taken, or 0.
  Result step(std::uint32_t bytes, bool last) {
    Result result;
    const std::uint32_t unit_left = unit_left_ == 0 ? unit_ : unit_left_;
    const std::uint32_t need = next_chunk();
    result.chunk = count_ != 0 && count_ >= need;
    const std::uint32_t left = result.chunk ? count_ - need : count_;
    const bool stuck = last_ && !result.chunk;
    result.done = last_ && (left == 0 || stuck);
    if (result.done) {
      result.ragged = (count_ != 0 && stuck) || (result.chunk && unit_left != need);
      count_ = 0;
      unit_left_ = 0;
      last_ = false;
      return result;
    }
    if (result.chunk) {
      unit_left_ = unit_left - need;
    }
    count_ = left + bytes;
    last_ = last_ || (bytes != 0 && last);
    return result;
  }

  /// What the coming cycles depend on.
  [[nodiscard]] std::uint64_t phase() const {
    return std::uint64_t{count_} << 32 | unit_left_ << 1 | (last_ ? 1 : 0);
  }
  /// A full beat in each of `beats` cycles would always be taken.
  [[nodiscard]] bool keeps_up(std::uint32_t beat_bytes) const {
    return (unit_ % chunk_ == 0 || unit_ < chunk_) && beat_bytes <= std::min(unit_, chunk_);
  }
  /// So many cycles with a full beat each, none the last, when it keeps up. Returns the chunks that
  /// came out.
  std::uint32_t run(std::uint32_t beats, std::uint32_t beat_bytes) {
    const std::uint32_t chunk = std::min(unit_, chunk_);
    const std::uint32_t chunks = (count_ + (beats - 1) * beat_bytes) / chunk;
    const std::uint32_t per_unit = unit_ / chunk;
    const std::uint32_t done = unit_left_ == 0 ? 0 : per_unit - unit_left_ / chunk;
    unit_left_ = (per_unit - (done + chunks) % per_unit) % per_unit * chunk;
    count_ += beats * beat_bytes - chunks * chunk;
    return chunks;
  }

 private:
  [[nodiscard]] std::uint32_t next_chunk() const {
    return unit_left_ == 0 ? std::min(unit_, first_) : std::min(unit_left_, chunk_);
  }
  [[nodiscard]] std::uint32_t kept() const {
    const std::uint32_t need = next_chunk();
    return count_ != 0 && count_ >= need ? count_ - need : count_;
  }

  std::uint32_t most_chunk_;
  std::uint32_t unit_ = 1, chunk_ = 1, first_ = 1;
  std::uint32_t count_ = 0;
  std::uint32_t unit_left_ = 0;  ///< 0: at the start of a unit
  bool last_ = false;
};

}  // namespace tessera::timing
