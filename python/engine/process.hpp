// Processes that work for Python: messages from and to them, and their end.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "python/engine/worker.hpp"

namespace tessera::python {

enum class MessageKind : std::uint8_t { Say, Update, Done, Failed, Ask };

/// In front of each message's bytes.
struct MessageHeader {
  std::uint64_t kind = 0;
  std::uint64_t bytes = 0;
};

/// Ends the process when nobody listens any more.
void send(int file, MessageKind kind, const std::string& text);

/// Sends what `work` returns, or what it throws; progress goes there on the way.
void answer(int results, const std::function<std::string()>& work);

/// Bytes as they come, cut into messages.
class Messages {
 public:
  /// False at the end of the file.
  bool fill(int file);
  /// Takes the next message out, when it is whole.
  std::optional<std::pair<MessageKind, std::string>> next();

 private:
  std::string buffer_;
  std::size_t at_ = 0;
};

/// A process that does `work`, between a pipe to it and one from it. It ends with its parent.
class Worker {
 public:
  using Work = std::function<void(int requests, int results)>;
  /// Throws std::system_error when there can be no process.
  explicit Worker(const Work& work);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  Worker(Worker&&) = delete;
  Worker& operator=(Worker&&) = delete;

  [[nodiscard]] int requests() const { return requests_; }
  /// The next answer. Throws Failure for one that has failed, and for the end of the process; what
  /// the listener throws.
  std::string next_answer(const Listener& listener);

 private:
  void stop();
  int wait();

  pid_t process_ = 0;
  int requests_ = -1;
  int results_ = -1;
  Messages messages_;
};

}  // namespace tessera::python
