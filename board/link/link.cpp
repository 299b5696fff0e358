#include "board/link/link.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::board {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kBitsPerByte = 10;  // with start and stop
constexpr std::size_t kInfoBytes = 16;

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::Info:
      return "the request for what it is";
    case Operation::ReadRegister:
      return "a read of register";
    case Operation::WriteRegister:
      return "a write of register";
    case Operation::ReadMemory:
      return "a read of memory at";
    case Operation::WriteMemory:
      return "a write of memory at";
    case Operation::Reset:
      return "a reset";
  }
  return "a request";
}

std::string described(const Request& request) {
  const bool has_address =
      request.operation != Operation::Info && request.operation != Operation::Reset;
  return has_address ? fmt::format("{} {:#x}", name_of(request.operation), request.address)
                     : name_of(request.operation);
}

std::uint32_t word_at(const std::vector<std::uint8_t>& data, std::size_t at, std::size_t bytes) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    word |= static_cast<std::uint32_t>(data.at(at + i)) << (8 * i);
  }
  return word;
}

}  // namespace

Link::Link(Transport& transport, const LinkOptions& options)
    : transport_(transport), options_(options) {
  const Reply reply = ask(Operation::Info, 0, kInfoBytes, {});
  info_.version = static_cast<std::uint16_t>(word_at(reply.data, 4, 2));
  if (word_at(reply.data, 0, 4) != kProtocolMagic || info_.version != kProtocolVersion) {
    throw LinkError(
        fmt::format("the board speaks version {} of the link's protocol, this program {}",
                    info_.version, kProtocolVersion));
  }
  info_.most_data = static_cast<std::uint16_t>(word_at(reply.data, 6, 2));
  info_.clock_hz = word_at(reply.data, 8, 4);
  info_.memory_bytes = word_at(reply.data, 12, 4);
  if (info_.most_data == 0 || info_.most_data > kMostFrameData || info_.clock_hz == 0) {
    throw LinkError(fmt::format("the board says of itself what cannot be: {} bytes of data, {} Hz",
                                info_.most_data, info_.clock_hz));
  }
}

std::optional<Reply> Link::answer(const Request& request, milliseconds patience) {
  // A line that never falls silent has an end as well.
  std::size_t left = 4 * kMostFrameData;
  while (left > 0) {
    const std::vector<std::uint8_t> bytes = transport_.receive(patience);
    if (bytes.empty()) {
      return std::nullopt;
    }
    left -= std::min(left, bytes.size());
    for (const std::uint8_t byte : bytes) {
      std::optional<Reply> reply = decoder_.take(byte);
      if (!reply) {
        continue;
      }
      if (reply->status == Status::Damaged) {
        return reply;
      }
      // Others are late answers to a request that was sent twice.
      if (reply->sequence == request.sequence) {
        return reply;
      }
    }
  }
  return std::nullopt;
}

Reply Link::ask(Operation operation, std::uint32_t address, std::uint16_t length,
                const std::vector<std::uint8_t>& data) {
  Request request;
  request.sequence = ++sequence_;
  request.operation = operation;
  request.address = address;
  request.length = length;
  request.data = data;
  const std::vector<std::uint8_t> line = encode(request);
  const std::uint64_t bytes = line.size() + 2 * (std::uint64_t{length} + 16);
  const milliseconds patience =
      options_.patience + milliseconds(std::uint64_t{1000} * kBitsPerByte * bytes / options_.baud);
  std::string last = "no answer";
  for (std::uint32_t attempt = 0; attempt < options_.attempts; ++attempt) {
    resent_ += attempt > 0 ? 1 : 0;
    transport_.send(line);
    const std::optional<Reply> reply = answer(request, patience);
    if (!reply) {
      last = "no answer";
      continue;
    }
    switch (reply->status) {
      case Status::Damaged:
        last = "it came damaged";
        continue;
      case Status::NotReady:
        last = "the memory is not ready";
        continue;
      case Status::BadRequest:
        throw LinkError(fmt::format("the board does not know {}", described(request)));
      case Status::BadAddress:
        throw LinkError(
            fmt::format("the board refuses {}: there is nothing there", described(request)));
      case Status::Done:
        break;
      default:
        throw LinkError(fmt::format("the board answers {} with status {}", described(request),
                                    static_cast<int>(reply->status)));
    }
    const bool answers_data = operation == Operation::Info ||
                              operation == Operation::ReadRegister ||
                              operation == Operation::ReadMemory;
    if (reply->data.size() != (answers_data ? length : 0U)) {
      throw LinkError(fmt::format("the board answers {} with {} bytes", described(request),
                                  reply->data.size()));
    }
    return *reply;
  }
  throw LinkError(
      fmt::format("{}: {} after {} attempts; is it the right port, the right baud rate, "
                  "and is the bitstream loaded?",
                  described(request), last, options_.attempts));
}

std::uint32_t Link::read_register(std::uint32_t offset) {
  return word_at(ask(Operation::ReadRegister, offset, 4, {}).data, 0, 4);
}

void Link::write_register(std::uint32_t offset, std::uint32_t value) {
  std::vector<std::uint8_t> data(4);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
  ask(Operation::WriteRegister, offset, 4, data);
}

std::vector<std::uint8_t> Link::read(std::uint32_t address, std::uint64_t bytes) {
  std::vector<std::uint8_t> all;
  all.reserve(bytes);
  while (all.size() < bytes) {
    const std::uint64_t count = std::min<std::uint64_t>(info_.most_data, bytes - all.size());
    const Reply reply = ask(Operation::ReadMemory, address + static_cast<std::uint32_t>(all.size()),
                            static_cast<std::uint16_t>(count), {});
    all.insert(all.end(), reply.data.begin(), reply.data.end());
    moved_ += count;
    if (progress_) {
      progress_(moved_);
    }
  }
  return all;
}

void Link::write(std::uint32_t address, const std::vector<std::uint8_t>& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t count = std::min<std::size_t>(info_.most_data, bytes.size() - at);
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    ask(Operation::WriteMemory, address + static_cast<std::uint32_t>(at),
        static_cast<std::uint16_t>(count), {begin, begin + static_cast<std::ptrdiff_t>(count)});
    at += count;
    moved_ += count;
    if (progress_) {
      progress_(moved_);
    }
  }
}

void Link::reset() {
  ask(Operation::Reset, 0, 0, {});
}

}  // namespace tessera::board
