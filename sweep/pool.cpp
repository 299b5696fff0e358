#include "sweep/pool.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <system_error>

#include "console/pipes.hpp"

namespace tessera::sweep {
namespace {

constexpr int kTickMilliseconds = 100;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// What a process sends back: whether it is a result, and its length, before the text.
struct Header {
  std::uint64_t good = 0;
  std::uint64_t bytes = 0;
};

[[noreturn]] void serve(int orders, int results, const Work& work) {
  // Items are alike: memory that one gives back is what the next one takes.
  ::mallopt(M_MMAP_THRESHOLD, INT_MAX);
  ::mallopt(M_TRIM_THRESHOLD, INT_MAX);
  std::uint64_t item = 0;
  while (read_all(orders, &item, sizeof(item))) {
    std::string text;
    Header header;
    try {
      text = work.run(static_cast<std::size_t>(item));
      header.good = 1;
    } catch (const std::exception& error) {
      text = error.what();
    }
    header.bytes = text.size();
    if (!write_all(results, &header, sizeof(header)) ||
        !write_all(results, text.data(), text.size())) {
      break;
    }
  }
  // Not exit: what this process shares with its parent is the parent's to clean up.
  ::_exit(0);
}

class Worker {
 public:
  Worker(const Work& work, const std::vector<Worker>& others) {
    int orders[2];
    int results[2];
    if (::pipe(orders) != 0 || ::pipe(results) != 0) {
      fail("pipe");
    }
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ < 0) {
      fail("fork");
    }
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) {
        ::_exit(0);
      }
      // The terminal's interrupt is for the parent, which ends its workers.
      ::signal(SIGINT, SIG_IGN);
      for (const Worker& other : others) {
        ::close(other.orders_);
        ::close(other.results_);
      }
      ::close(orders[1]);
      ::close(results[0]);
      serve(orders[0], results[1], work);
    }
    ::close(orders[0]);
    ::close(results[1]);
    orders_ = orders[1];
    results_ = results[0];
  }
  Worker(Worker&& other) noexcept { swap(other); }
  Worker& operator=(Worker&& other) noexcept {
    swap(other);
    return *this;
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
      forget();
    }
  }

  [[nodiscard]] int results() const { return results_; }
  [[nodiscard]] std::optional<std::size_t> item() const { return item_; }

  /// False when the process is gone.
  bool give(std::size_t item) {
    const std::uint64_t order = item;
    item_ = item;
    return write_all(orders_, &order, sizeof(order));
  }

  /// False when the process is gone.
  bool take(bool& good, std::string& text) {
    Header header;
    if (!read_all(results_, &header, sizeof(header))) {
      return false;
    }
    good = header.good != 0;
    text.resize(header.bytes);
    if (!read_all(results_, text.data(), text.size())) {
      return false;
    }
    item_.reset();
    return true;
  }

  /// How the process ended, after its pipe was found closed.
  std::string reap() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    forget();
    if (WIFSIGNALED(status)) {
      return fmt::format("the process that ran it was ended by signal {} ({})", WTERMSIG(status),
                         ::strsignal(WTERMSIG(status)));
    }
    return fmt::format("the process that ran it ended with code {}", WEXITSTATUS(status));
  }

 private:
  void forget() {
    ::close(orders_);
    ::close(results_);
    process_ = 0;
    orders_ = -1;
    results_ = -1;
  }
  void swap(Worker& other) noexcept {
    std::swap(process_, other.process_);
    std::swap(orders_, other.orders_);
    std::swap(results_, other.results_);
    std::swap(item_, other.item_);
  }

  pid_t process_ = 0;
  int orders_ = -1;
  int results_ = -1;
  std::optional<std::size_t> item_;
};

class Pool {
 public:
  Pool(const std::vector<std::size_t>& items, std::size_t jobs, const Work& work)
      : items_(items), work_(work) {
    ::signal(SIGPIPE, SIG_IGN);  // a worker that died is seen by what write returns
    const std::size_t count = std::min(std::max<std::size_t>(jobs, 1), items.size());
    workers_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      workers_.emplace_back(work_, workers_);
    }
  }

  bool run() {
    while (finished_ < items_.size()) {
      if (!work_.goes_on()) {
        return false;
      }
      for (Worker& worker : workers_) {
        if (!worker.item() && next_ < items_.size() && !worker.give(items_[next_++])) {
          bury(worker);
        }
      }
      wait();
    }
    return true;
  }

 private:
  void wait() {
    std::vector<pollfd> files;
    files.reserve(workers_.size());
    for (const Worker& worker : workers_) {
      files.push_back({worker.item() ? worker.results() : -1, POLLIN, 0});
    }
    if (::poll(files.data(), files.size(), kTickMilliseconds) <= 0) {
      return;
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].revents != 0) {
        collect(workers_[i]);
      }
    }
  }

  void collect(Worker& worker) {
    const std::size_t item = *worker.item();
    bool good = false;
    std::string text;
    if (!worker.take(good, text)) {
      bury(worker);
      return;
    }
    ++finished_;
    (good ? work_.done : work_.failed)(item, text);
  }

  void bury(Worker& worker) {
    const std::size_t item = *worker.item();
    const std::string why = worker.reap();
    worker = Worker(work_, workers_);
    ++finished_;
    work_.failed(item, why);
  }

  const std::vector<std::size_t>& items_;
  const Work& work_;
  std::vector<Worker> workers_;
  std::size_t next_ = 0;
  std::size_t finished_ = 0;
};

}  // namespace

bool run_all(const std::vector<std::size_t>& items, std::size_t jobs, const Work& work) {
  return items.empty() || Pool(items, jobs, work).run();
}

}  // namespace tessera::sweep
