#include "scheduler/check/checker_decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

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

// Applies a word to the configuration; true when it is an operation.
struct Applier {
  Op& state;
  bool operator()(const isa::End&) const { return false; }
  bool operator()(const isa::LdSource& c) const { return configure(state.source, c); }
  bool operator()(const isa::LdShape& c) const { return configure(state.load_shape, c); }
  bool operator()(const isa::LdStride& c) const { return configure(state.load_stride, c); }
  bool operator()(const isa::LdFold& c) const { return configure(state.fold, c); }
  bool operator()(const isa::LdFactor& c) const { return configure(state.factor, c); }
  bool operator()(const isa::Load& c) const {
    state.load = c;
    state.waits = {false, c.wait_compute != 0, c.wait_store != 0};
    state.posts = {false, c.post_compute != 0, false};
    return true;
  }
  bool operator()(const isa::CvInput& c) const { return configure(state.input, c); }
  bool operator()(const isa::CvKernel& c) const { return configure(state.kernel, c); }
  bool operator()(const isa::CvTile& c) const { return configure(state.tile, c); }
  bool operator()(const isa::CvWeights& c) const { return configure(state.weights, c); }
  bool operator()(const isa::CvWindow& c) const { return configure(state.window, c); }
  bool operator()(const isa::CvRing& c) const { return configure(state.ring, c); }
  bool operator()(const isa::Conv& c) const { return convolve(c, false); }
  bool operator()(const isa::Depthwise& c) const {
    state.resume = c.resume != 0;
    return convolve(
        {c.origin, c.acc_base, c.accumulate, c.wait_load, c.wait_store, c.post_load, c.post_store},
        true);
  }
  [[nodiscard]] bool convolve(const isa::Conv& c, bool depthwise) const {
    state.conv = c;
    state.depthwise = depthwise;
    state.waits = {c.wait_load != 0, false, c.wait_store != 0};
    state.posts = {c.post_load != 0, false, c.post_store != 0};
    return true;
  }
  bool operator()(const isa::StAddress& c) const { return configure(state.address, c); }
  bool operator()(const isa::StShape& c) const { return configure(state.store_shape, c); }
  bool operator()(const isa::StStride& c) const { return configure(state.store_stride, c); }
  bool operator()(const isa::StQuant& c) const {
    isa::StQuant unused;
    return configure(unused, c);
  }
  bool operator()(const isa::StTile& c) const { return configure(state.store_tile, c); }
  bool operator()(const isa::StPost& c) const { return configure(state.post, c); }
  bool operator()(const isa::StResult& c) const {
    isa::StResult unused;
    return configure(unused, c);
  }
  bool operator()(const isa::StKeep& c) const { return configure(state.keep, c); }
  bool operator()(const isa::Store& c) const {
    state.store = c;
    state.waits = {false, c.wait_compute != 0, false};
    state.posts = {c.post_load != 0, c.post_compute != 0, false};
    return true;
  }
  bool operator()(const isa::LdMark&) const { return mark(); }
  bool operator()(const isa::CvMark&) const { return mark(); }
  bool operator()(const isa::StMark&) const { return mark(); }
  template <class T>
  bool configure(T& field, const T& command) const {
    field = command;
    state.configured |= std::uint64_t{1} << static_cast<unsigned>(T::kOpcode);
    return false;
  }
  [[nodiscard]] bool mark() const {
    state.is_mark = true;
    state.waits = {};
    state.posts = {};
    return true;
  }
};

class Machine {
 public:
  Machine(const std::vector<std::uint64_t>& words, std::uint32_t depth)
      : words_(words), depth_(depth) {
    for (std::size_t u = 0; u < 3; ++u) {
      config_[u].unit = static_cast<isa::Unit>(u + 1);
    }
  }

  Replay run() {
    decode();
    if (!replay_.problems.empty()) {
      return std::move(replay_);
    }
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
    return std::move(replay_);
  }

 private:
  void decode() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      isa::Decoded decoded = isa::decode(words_[i]);
      if (!decoded.command) {
        replay_.problems.push_back(fmt::format("word {}: {}", i, decoded.problem));
        return;
      }
      commands_.push_back(*decoded.command);
      const bool is_end = std::holds_alternative<isa::End>(commands_.back());
      if (is_end != (i + 1 == words_.size())) {
        replay_.problems.push_back(
            fmt::format("word {}: END must be the last word and only that", i));
        return;
      }
    }
    if (words_.empty()) {
      replay_.problems.emplace_back("the stream is empty");
    }
  }

  bool dispatch() {
    bool moved = false;
    while (next_ < commands_.size()) {
      const isa::Unit unit = isa::info_of(commands_[next_]).unit;
      if (unit == isa::Unit::Front) {
        ++next_;
        return true;
      }
      auto& queue = queues_[static_cast<std::size_t>(unit) - 1];
      if (queue.size() >= depth_) {
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
    if (std::visit(Applier{trial}, commands_[word])) {
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
    replay_.ops.push_back(op);
  }

  void report_stuck() {
    if (next_ < commands_.size()) {
      replay_.problems.push_back(
          fmt::format("deadlock: word {} never finds room in its queue", next_));
    }
    for (std::size_t u = 0; u < 3; ++u) {
      if (!queues_[u].empty()) {
        const std::size_t word = queues_[u].front();
        replay_.problems.push_back(fmt::format("deadlock: word {} ({}) waits for a token for ever",
                                               word, isa::disassemble(commands_[word])));
      }
    }
  }

  const std::vector<std::uint64_t>& words_;
  std::uint32_t depth_;
  std::vector<isa::Command> commands_;
  std::size_t next_ = 0;
  std::array<std::deque<std::size_t>, 3> queues_;
  std::array<Op, 3> config_;
  std::array<Clock, 3> clocks_;
  std::array<std::array<std::deque<Clock>, 3>, 3> tokens_;  // [from][to]
  Replay replay_;
};

}  // namespace

Replay replay(const std::vector<std::uint64_t>& words, std::uint32_t queue_depth) {
  return Machine(words, queue_depth).run();
}

}  // namespace tessera::checker
