#include "python/engine/process.hpp"

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
#include <system_error>

#include "console/pipes.hpp"
#include "console/progress.hpp"
#include "tessera/engine.hpp"
#include "tessera/error.hpp"

namespace tessera::python {
namespace {

constexpr int kTickMilliseconds = 50;
constexpr std::chrono::milliseconds kGrace{400};

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// "kind\ntext"
std::string failure_of(const char* kind, const std::exception& error) {
  return fmt::format("{}\n{}", kind, error.what());
}

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

std::array<int, 2> new_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail("pipe");
  }
  return ends;
}

}  // namespace

void send(int file, MessageKind kind, const std::string& text) {
  const MessageHeader header{static_cast<std::uint64_t>(kind), text.size()};
  if (!write_all(file, &header, sizeof(header)) || !write_all(file, text.data(), text.size())) {
    ::_exit(1);
  }
}

void answer(int results, const std::function<std::string()>& work) {
  ProgressListener progress;
  progress.say = [&](const std::string& text) { send(results, MessageKind::Say, text); };
  progress.update = [&](const std::string& what, std::uint64_t done, std::uint64_t whole) {
    send(results, MessageKind::Update, fmt::format("{} {} {}", done, whole, what));
  };
  Progress::redirect(progress);
  std::string text;
  MessageKind kind = MessageKind::Failed;
  try {
    text = work();
    kind = MessageKind::Done;
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
}

bool Messages::fill(int file) {
  std::array<char, 65536> bytes{};
  const ssize_t got = ::read(file, bytes.data(), bytes.size());
  if (got > 0) {
    buffer_.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return got > 0 || (got < 0 && errno == EINTR);
}

std::optional<std::pair<MessageKind, std::string>> Messages::next() {
  MessageHeader header;
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
  return std::pair(static_cast<MessageKind>(header.kind), std::move(text));
}

Worker::Worker(const Work& work) {
  const std::array<int, 2> results = new_pipe();
  const std::array<int, 2> requests = new_pipe();
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
    ::close(requests[1]);
    work(requests[0], results[1]);
    // Not exit: what this process shares with its parent is the parent's to clean up.
    ::_exit(0);
  }
  ::setpgid(process_, process_);
  ::close(results[1]);
  ::close(requests[0]);
  results_ = results[0];
  requests_ = requests[1];
}

Worker::~Worker() {
  ::close(requests_);
  if (process_ > 0) {
    stop();
  }
  ::close(results_);
}

int Worker::wait() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
  return status;
}

// Sweeps keep what they have when they are asked to end; others are ended at once.
void Worker::stop() {
  ::kill(process_, SIGTERM);
  const auto end = std::chrono::steady_clock::now() + kGrace;
  bool gone = false;
  while (!gone && std::chrono::steady_clock::now() < end) {
    ::poll(nullptr, 0, 10);
    siginfo_t info{};
    gone = ::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == process_;
  }
  ::kill(-process_, SIGKILL);
  wait();
}

std::string Worker::next_answer(const Listener& listener) {
  for (bool open = true; open;) {
    while (auto message = messages_.next()) {
      auto& [kind, text] = *message;
      switch (kind) {
        case MessageKind::Say:
          listener.say(text);
          break;
        case MessageKind::Update:
          update(listener, text);
          break;
        case MessageKind::Failed: {
          const std::size_t line = text.find('\n');
          throw Failure(text.substr(0, line), text.substr(line + 1));
        }
        default:
          return std::move(text);
      }
    }
    pollfd ready{results_, POLLIN, 0};
    if (::poll(&ready, 1, kTickMilliseconds) > 0) {
      open = messages_.fill(results_);
    }
    listener.tick();
  }
  throw Failure("Error", "the engine's process " + how_it_ended(wait()));
}

}  // namespace tessera::python
