#include "board/link/protocol.hpp"

#include "isa/checksum.hpp"

namespace tessera::board {
namespace {

constexpr std::uint8_t kEnd = 0xC0;
constexpr std::uint8_t kEscape = 0xDB;
constexpr std::uint8_t kEscapedEnd = 0xDC;
constexpr std::uint8_t kEscapedEscape = 0xDD;
constexpr std::size_t kReplyHeader = 4;
constexpr std::size_t kCrcBytes = 4;
constexpr std::size_t kMostReply = kReplyHeader + kMostFrameData + kCrcBytes;

void put(std::vector<std::uint8_t>& bytes, std::uint32_t value, int count) {
  for (int i = 0; i < count; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
}

}  // namespace

std::vector<std::uint8_t> encode(const Request& request) {
  std::vector<std::uint8_t> plain;
  put(plain, request.sequence, 1);
  put(plain, static_cast<std::uint8_t>(request.operation), 1);
  put(plain, request.length, 2);
  put(plain, request.address, 4);
  plain.insert(plain.end(), request.data.begin(), request.data.end());
  put(plain, isa::crc32(plain.data(), plain.size()), kCrcBytes);
  // The end before it closes whatever the line has brought meanwhile.
  std::vector<std::uint8_t> line = {kEnd};
  for (const std::uint8_t byte : plain) {
    if (byte == kEnd || byte == kEscape) {
      line.push_back(kEscape);
      line.push_back(byte == kEnd ? kEscapedEnd : kEscapedEscape);
    } else {
      line.push_back(byte);
    }
  }
  line.push_back(kEnd);
  return line;
}

std::optional<Reply> ReplyDecoder::parse() const {
  if (broken_ || escaped_ || bytes_.size() < kReplyHeader + kCrcBytes) {
    return std::nullopt;
  }
  const std::size_t body = bytes_.size() - kCrcBytes;
  std::uint32_t crc = 0;
  for (std::size_t i = 0; i < kCrcBytes; ++i) {
    crc |= static_cast<std::uint32_t>(bytes_[body + i]) << (8 * i);
  }
  const std::size_t length = bytes_[2] | static_cast<std::size_t>(bytes_[3]) << 8;
  if (crc != isa::crc32(bytes_.data(), body) || length != body - kReplyHeader) {
    return std::nullopt;
  }
  Reply reply;
  reply.sequence = bytes_[0];
  reply.status = static_cast<Status>(bytes_[1]);
  reply.data.assign(bytes_.begin() + kReplyHeader,
                    bytes_.begin() + static_cast<std::ptrdiff_t>(body));
  return reply;
}

std::optional<Reply> ReplyDecoder::take(std::uint8_t byte) {
  if (byte == kEnd) {
    std::optional<Reply> reply;
    if (!bytes_.empty() || broken_) {
      reply = parse();
      damaged_ += reply ? 0 : 1;
    }
    bytes_.clear();
    escaped_ = false;
    broken_ = false;
    return reply;
  }
  if (byte == kEscape && !escaped_) {
    escaped_ = true;
    return std::nullopt;
  }
  if (escaped_) {
    broken_ = broken_ || (byte != kEscapedEnd && byte != kEscapedEscape);
    byte = byte == kEscapedEnd ? kEnd : kEscape;
    escaped_ = false;
  }
  if (bytes_.size() == kMostReply) {
    broken_ = true;
  } else {
    bytes_.push_back(byte);
  }
  return std::nullopt;
}

}  // namespace tessera::board
