#include "python/engine/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <system_error>

#include "console/pipes.hpp"
#include "console/progress.hpp"
#include "tessera/engine.hpp"
#include "tessera/error.hpp"

namespace tessera::python {
namespace {

constexpr int kTickMilliseconds = 50;
constexpr std::chrono::milliseconds kGrace{400};

enum class Kind : std::uint8_t { Say, Update, Done, Failed };

struct Header {
  std::uint64_t kind = 0;
  std::uint64_t bytes = 0;
};

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void send(int file, Kind kind, const std::string& text) {
  const Header header{static_cast<std::uint64_t>(kind), text.size()};
  if (!write_all(file, &header, sizeof(header)) || !write_all(file, text.data(), text.size())) {
    ::_exit(1);  // nobody listens any more
  }
}

// "kind\ntext"
std::string failure_of(const char* kind, const std::exception& error) {
  return fmt::format("{}\n{}", kind, error.what());
}

[[noreturn]] void serve(int results, const std::function<std::string()>& work) {
  ProgressListener progress;
  progress.say = [&](const std::string& text) { send(results, Kind::Say, text); };
  progress.update = [&](const std::string& what, std::uint64_t done, std::uint64_t whole) {
    send(results, Kind::Update, fmt::format("{} {} {}", done, whole, what));
  };
  Progress::redirect(progress);
  std::string text;
  Kind kind = Kind::Failed;
  try {
    text = work();
    kind = Kind::Done;
  } catch (const InputError& error) {
    text = failure_of("InputError", error);
  } catch (const MissingTool& error) {
    text = failure_of("MissingToolError", error);
  } catch (const EngineError& error) {
    text = failure_of("EngineError", error);
  } catch (const std::exception& error) {
    text = failure_of("Error", error);
  }
  send(results, kind, text);
  // Not exit: what this process shares with its parent is the parent's to clean up.
  ::_exit(0);
}

class Worker {
 public:
  explicit Worker(const std::function<std::string()>& work) {
    std::array<int, 2> results{};
    if (::pipe2(results.data(), O_CLOEXEC) != 0) {
      fail("pipe");
    }
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ < 0) {
      fail("fork");
    }
    if (process_ == 0) {
      // A group of its own, so that compilers and workers that it starts end with it.
      ::setpgid(0, 0);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) {
        ::_exit(0);
      }
      ::signal(SIGINT, SIG_IGN);
      ::signal(SIGTERM, SIG_DFL);
      if (const int nowhere = ::open("/dev/null", O_WRONLY); nowhere >= 0) {
        ::dup2(nowhere, STDOUT_FILENO);
      }
      ::close(results[0]);
      serve(results[1], work);
    }
    ::setpgid(process_, process_);
    ::close(results[1]);
    results_ = results[0];
  }
  ~Worker() {
    if (process_ > 0) {
      stop();
    }
    ::close(results_);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  Worker(Worker&&) = delete;
  Worker& operator=(Worker&&) = delete;

  [[nodiscard]] int results() const { return results_; }

  /// How it ended.
  int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    return status;
  }

 private:
  // Sweeps keep what they have when they are asked to end; others are ended at once.
  void stop() {
    ::kill(process_, SIGTERM);
    const auto end = std::chrono::steady_clock::now() + kGrace;
    bool gone = false;
    while (!gone && std::chrono::steady_clock::now() < end) {
      ::poll(nullptr, 0, 10);
      siginfo_t info{};
      gone =
          ::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          info.si_pid == process_;
    }
    ::kill(-process_, SIGKILL);
    wait();
  }

  pid_t process_ = 0;
  int results_ = -1;
};

/// Bytes as they come, cut into messages.
class Messages {
 public:
  /// False at the end of the file.
  bool fill(int file) {
    std::array<char, 65536> bytes{};
    const ssize_t got = ::read(file, bytes.data(), bytes.size());
    if (got > 0) {
      buffer_.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return got > 0 || (got < 0 && errno == EINTR);
  }

  /// Takes the next message out, when it is whole.
  std::optional<std::pair<Kind, std::string>> next() {
    Header header;
    if (buffer_.size() - at_ < sizeof(header)) {
      return std::nullopt;
    }
    std::memcpy(&header, buffer_.data() + at_, sizeof(header));
    if (buffer_.size() - at_ - sizeof(header) < header.bytes) {
      return std::nullopt;
    }
    std::string text = buffer_.substr(at_ + sizeof(header), header.bytes);
    at_ += sizeof(header) + header.bytes;
    if (at_ == buffer_.size()) {
      buffer_.clear();
      at_ = 0;
    }
    return std::pair(static_cast<Kind>(header.kind), std::move(text));
  }

 private:
  std::string buffer_;
  std::size_t at_ = 0;
};

void update(const Listener& listener, const std::string& text) {
  std::size_t space = 0;
  const std::uint64_t done = std::stoull(text, &space);
  std::size_t length = 0;
  const std::uint64_t whole = std::stoull(text.substr(space), &length);
  listener.update(text.substr(space + length + 1), done, whole);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended with {}", WEXITSTATUS(status));
}

}  // namespace

std::string in_worker(const std::function<std::string()>& work, const Listener& listener) {
  Worker worker(work);
  Messages messages;
  for (bool open = true; open;) {
    pollfd ready{worker.results(), POLLIN, 0};
    if (::poll(&ready, 1, kTickMilliseconds) > 0) {
      open = messages.fill(worker.results());
    }
    while (auto message = messages.next()) {
      auto& [kind, text] = *message;
      switch (kind) {
        case Kind::Say:
          listener.say(text);
          break;
        case Kind::Update:
          update(listener, text);
          break;
        case Kind::Done:
          worker.wait();
          return std::move(text);
        case Kind::Failed: {
          worker.wait();
          const std::size_t line = text.find('\n');
          throw Failure(text.substr(0, line), text.substr(line + 1));
        }
      }
    }
    listener.tick();
  }
  throw Failure("Error", "the engine's process " + how_it_ended(worker.wait()));
}

}  // namespace tessera::python
