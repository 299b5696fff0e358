// Requests to a board: sent again until they are answered, or given up.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "board/link/protocol.hpp"
#include "board/link/transport.hpp"

namespace tessera::board {

/// The board does not answer, or not as it should.
class LinkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a board says of itself.
struct BoardInfo {
  std::uint16_t version = 0;  ///< of the protocol
  std::uint16_t most_data = 0;
  std::uint32_t clock_hz = 0;
  std::uint32_t memory_bytes = 0;
};

struct LinkOptions {
  /// For an answer, beside the time that the bytes take.
  std::chrono::milliseconds patience{500};
  std::uint32_t attempts = 8;
  std::uint32_t baud = 1'000'000;
};

class Link {
 public:
  /// Asks the board what it is. Throws LinkError when nothing answers, or another version does;
  /// LinkLost.
  Link(Transport& transport, const LinkOptions& options);

  [[nodiscard]] const BoardInfo& info() const { return info_; }

  /// All throw LinkError, LinkLost.
  std::uint32_t read_register(std::uint32_t offset);
  void write_register(std::uint32_t offset, std::uint32_t value);
  std::vector<std::uint8_t> read(std::uint32_t address, std::uint64_t bytes);
  void write(std::uint32_t address, const std::vector<std::uint8_t>& bytes);
  /// Everything but the link begins anew; memory keeps what it has.
  void reset();

  /// Requests that had to be sent again.
  [[nodiscard]] std::uint64_t resent() const { return resent_; }
  /// Told after each frame how many bytes have been moved in all.
  void on_progress(std::function<void(std::uint64_t)> progress) { progress_ = std::move(progress); }

 private:
  Reply ask(Operation operation, std::uint32_t address, std::uint16_t length,
            const std::vector<std::uint8_t>& data);
  /// An answer with this sequence, or one that says that the request came damaged; else nothing.
  std::optional<Reply> answer(const Request& request, std::chrono::milliseconds patience);

  Transport& transport_;
  LinkOptions options_;
  ReplyDecoder decoder_;
  BoardInfo info_;
  std::uint8_t sequence_ = 0;
  std::uint64_t resent_ = 0;
  std::uint64_t moved_ = 0;
  std::function<void(std::uint64_t)> progress_;
};

}  // namespace tessera::board
