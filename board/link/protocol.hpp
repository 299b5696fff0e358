// Frames of the host link, as docs/reference/host-link.md describes them and rtl/board/link_pkg.sv
// has them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tessera::board {

inline constexpr std::uint16_t kProtocolVersion = 1;
inline constexpr std::uint32_t kProtocolMagic = 0x4C525354;  // "TSRL"
/// Most bytes of data in a frame.
inline constexpr std::size_t kMostFrameData = 1024;

enum class Operation : std::uint8_t {
  Info = 0,
  ReadRegister = 1,
  WriteRegister = 2,
  ReadMemory = 3,
  WriteMemory = 4,
  Reset = 5
};

enum class Status : std::uint8_t {
  Done = 0,
  Damaged = 1,
  BadRequest = 2,
  BadAddress = 3,
  NotReady = 4
};

struct Request {
  std::uint8_t sequence = 0;
  Operation operation = Operation::Info;
  std::uint32_t address = 0;
  std::uint16_t length = 0;  ///< bytes of data, of the request's or of the answer's
  std::vector<std::uint8_t> data;
};

struct Reply {
  std::uint8_t sequence = 0;
  Status status = Status::Done;
  std::vector<std::uint8_t> data;
};

/// As it goes over the line: framed, escaped, with its CRC.
std::vector<std::uint8_t> encode(const Request& request);

/// Replies from bytes as they come. What is no whole reply, or a damaged one, is dropped.
class ReplyDecoder {
 public:
  /// A reply when the byte is its last one.
  std::optional<Reply> take(std::uint8_t byte);

  /// Frames that were dropped.
  [[nodiscard]] std::uint64_t damaged() const { return damaged_; }

 private:
  [[nodiscard]] std::optional<Reply> parse() const;

  std::vector<std::uint8_t> bytes_;
  bool escaped_ = false;
  bool broken_ = false;
  std::uint64_t damaged_ = 0;
};

}  // namespace tessera::board
