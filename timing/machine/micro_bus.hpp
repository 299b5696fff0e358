// Reader and writer of an accelerator with `control: microcode`, cycle by cycle: micro_reader.sv
// and micro_writer.sv.
#pragma once

#include <cstdint>

#include "timing/memory/memory_port.hpp"

namespace tessera::timing {

class MicroBus {
 public:
  struct Counts {
    std::uint64_t read_beats = 0, write_beats = 0;
  };
  /// What a cycle's step has found wrong.
  enum class Fault : std::uint8_t { None, Read, Write };

  MicroBus(std::uint32_t bus_bytes, MemoryPort& port) : bus_bytes_(bus_bytes), port_(port) {}

  /// As registers stand at the beginning of the cycle.
  [[nodiscard]] bool read_idle() const { return left_ == 0; }
  [[nodiscard]] bool reads_data() const { return burst_.id != 0; }
  [[nodiscard]] bool write_idle() const { return waiting_ == 0 && !address_valid_ && !beat_.valid; }
  [[nodiscard]] bool idle() const { return read_idle() && write_idle(); }
  [[nodiscard]] bool takes_byte() const {
    return !address_valid_ && !beat_.valid && waiting_ != kMostWaiting;
  }
  [[nodiscard]] bool segment_ended() const { return segment_left_ == 0; }
  [[nodiscard]] std::uint32_t want() const { return want_; }
  /// Bytes from the reader's address to the next multiple of 256.
  [[nodiscard]] std::uint32_t room() const {
    return 256 - static_cast<std::uint32_t>(read_address_ & 255);
  }
  [[nodiscard]] const Counts& counts() const { return counts_; }

  /// What happens in the cycle; what instructions write comes after it.
  Fault step(Cycle now);
  [[nodiscard]] std::uint8_t response() const { return response_; }
  /// The first cycle from `now` on in which a step does anything. kNever: none.
  [[nodiscard]] Cycle next(Cycle now);

  void read_from(std::uint32_t address) { read_address_ = address; }
  /// A burst of that many bytes, which go to `to` when it is not null.
  void read(bool data, std::uint32_t bytes, std::uint8_t* to);
  void get(std::uint32_t bytes) { want_ = bytes; }
  void to_cbuf(bool yes) { to_cbuf_ = yes; }
  void write_to(std::uint32_t address) { write_address_ = address; }
  void write_bytes(std::uint32_t bytes) { segment_left_ = bytes; }
  /// The next byte; null: timing only.
  void put(const std::uint8_t* byte);

 private:
  static constexpr std::uint32_t kMostWaiting = 15;

  [[nodiscard]] bool takes_read_byte() const { return held_ && (to_cbuf_ || want_ != 0); }
  [[nodiscard]] std::uint32_t lane(std::uint64_t address) const {
    return static_cast<std::uint32_t>(address & (bus_bytes_ - 1));
  }

  std::uint32_t bus_bytes_;
  MemoryPort& port_;
  Counts counts_;
  std::uint8_t response_ = 0;

  // Reader.
  std::uint32_t read_address_ = 0;
  Burst burst_;
  bool requested_ = false;
  bool held_ = false;  ///< a beat
  std::uint32_t left_ = 0;
  std::uint32_t offset_ = 0;  ///< of the beat's next byte
  std::uint32_t want_ = 0;
  bool to_cbuf_ = false;

  // Writer.
  std::uint32_t write_address_ = 0;
  std::uint32_t segment_left_ = 0;
  bool fresh_ = true;  ///< the beat has no byte yet
  bool address_valid_ = false;
  Burst write_burst_;
  WriteBeat beat_;
  std::uint32_t waiting_ = 0;
};

}  // namespace tessera::timing
