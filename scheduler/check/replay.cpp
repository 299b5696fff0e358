#include "scheduler/check/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "scheduler/check/decode.hpp"

namespace tessera::checker {
namespace {

struct Clock {
  std::array<std::uint32_t, 3> done{};
  std::uint32_t acknowledged = 0;

  void merge(const Clock& other) {
    for (std::size_t u = 0; u < 3; ++u) {
      done[u] = std::max(done[u], other.done[u]);
    }
    acknowledged = std::max(acknowledged, other.acknowledged);
  }
};

class Machine {
 public:
  Machine(const std::vector<isa::Command>& commands, const Hardware& hardware,
          const std::function<void(const Op&)>& visit)
      : commands_(commands),
        visit_(visit),
        depth_(hardware.queue_depth),
        in_order_(hardware.control == Control::Microcode) {
    for (std::size_t u = 0; u < 3; ++u) {
      config_[u].unit = static_cast<isa::Unit>(u + 1);
    }
  }

  /// Returns what is wrong.
  std::vector<std::string> run() {
    bool moved = true;
    while (moved) {
      moved = dispatch();
      for (std::size_t u = 0; u < 3; ++u) {
        while (step(u)) {
          moved = true;
        }
      }
    }
    report_stuck();
    return std::move(problems_);
  }

 private:
  bool dispatch() {
    bool moved = false;
    while (next_ < commands_.size()) {
      const isa::Unit unit = isa::info_of(commands_[next_]).unit;
      if (unit == isa::Unit::Front) {
        ++next_;
        return true;
      }
      auto& queue = queues_[static_cast<std::size_t>(unit) - 1];
      const bool waits = std::any_of(queues_.begin(), queues_.end(),
                                     [](const auto& other) { return !other.empty(); });
      if (in_order_ ? waits : queue.size() >= depth_) {
        break;
      }
      queue.push_back(next_++);
      moved = true;
    }
    return moved;
  }

  bool step(std::size_t u) {
    if (queues_[u].empty()) {
      return false;
    }
    const std::size_t word = queues_[u].front();
    Op trial = config_[u];
    trial.word = word;
    trial.is_mark = false;
    if (apply(commands_[word], trial)) {
      for (std::size_t from = 0; from < 3; ++from) {
        if (trial.waits[from] && tokens_[from][u].empty()) {
          return false;
        }
      }
      execute(u, trial);
    }
    queues_[u].pop_front();
    config_[u] = trial;
    return true;
  }

  void execute(std::size_t u, Op& op) {
    constexpr std::size_t kLoad = 0;
    constexpr std::size_t kStore = 2;
    Clock& clock = clocks_[u];
    for (std::size_t from = 0; from < 3; ++from) {
      if (op.waits[from]) {
        clock.merge(tokens_[from][u].front());
        tokens_[from][u].pop_front();
      }
    }
    op.known = clock.done;
    op.known_acknowledged = clock.acknowledged;
    ++clock.done[u];
    for (std::size_t to = 0; to < 3; ++to) {
      if (op.posts[to]) {
        Clock token = clock;
        // Only the token to the load unit waits for the write responses.
        if (u == kStore && to == kLoad) {
          token.acknowledged = clock.done[u];
        }
        tokens_[u][to].push_back(token);
      }
    }
    if (visit_) {
      visit_(op);
    }
  }

  void report_stuck() {
    if (next_ < commands_.size() && !in_order_) {
      problems_.push_back(fmt::format("deadlock: word {} never finds room in its queue", next_));
    }
    for (std::size_t u = 0; u < 3; ++u) {
      if (!queues_[u].empty()) {
        const std::size_t word = queues_[u].front();
        problems_.push_back(fmt::format("deadlock: word {} ({}) waits for a token for ever", word,
                                        isa::disassemble(commands_[word])));
      }
    }
  }

  const std::vector<isa::Command>& commands_;
  const std::function<void(const Op&)>& visit_;
  std::uint32_t depth_;
  bool in_order_;
  std::size_t next_ = 0;
  std::array<std::deque<std::size_t>, 3> queues_;
  std::array<Op, 3> config_;
  std::array<Clock, 3> clocks_;
  std::array<std::array<std::deque<Clock>, 3>, 3> tokens_;  // [from][to]
  std::vector<std::string> problems_;
};

}  // namespace

void replay(const std::vector<std::uint64_t>& words, const Hardware& hardware,
            const std::function<void(std::string)>& report,
            const std::function<void(const Op&)>& visit) {
  DecodedStream stream = decode(words);
  const bool is_legal = stream.problems.empty();
  if (is_legal) {
    stream.problems = Machine(stream.commands, hardware, {}).run();
  }
  for (std::string& problem : stream.problems) {
    report(std::move(problem));
  }
  if (is_legal) {
    Machine(stream.commands, hardware, visit).run();
  }
}

}  // namespace tessera::checker
