#include "scheduler/stream/stream_writer.hpp"

#include <array>
#include <deque>
#include <optional>
#include <stdexcept>

namespace tessera {
namespace {

// Configuration words already in force are not sent again.
class Encoder {
 public:
  // Nothing follows the requantiser and no rows wrap around until a word says otherwise.
  Encoder() {
    in_force_[static_cast<std::size_t>(isa::CvRing::kOpcode)] = isa::encode(isa::CvRing{});
    in_force_[static_cast<std::size_t>(isa::StPost::kOpcode)] = isa::encode(isa::StPost{});
  }
  std::vector<std::uint64_t> take() { return std::move(words_); }
  [[nodiscard]] std::size_t size() const { return words_.size(); }

  void end() { words_.push_back(isa::encode(isa::End{})); }

  void add(const Action& action) {
    std::visit([&](const auto& body) { add_body(body, action); }, action.body);
  }

 private:
  void configure(const isa::Command& command) {
    const std::uint64_t word = isa::encode(command);
    std::uint64_t& last = in_force_[word >> 58];
    if (last != word) {
      last = word;
      words_.push_back(word);
    }
  }

  template <class Shape, class Stride>
  void configure_transfer(const Transfer& t) {
    Shape shape;
    shape.segment_bytes = static_cast<std::uint32_t>(t.segment_bytes);
    shape.inner = static_cast<std::uint32_t>(t.inner);
    shape.outer = static_cast<std::uint32_t>(t.outer);
    configure(shape);
    if (t.inner > 1 || t.outer > 1) {
      Stride stride;
      stride.inner_stride = static_cast<std::uint32_t>(t.inner_stride);
      stride.outer_stride = static_cast<std::uint32_t>(t.outer_stride);
      configure(stride);
    }
  }

  void add_body(const LoadAction& load, const Action& action) {
    configure(isa::LdSource{static_cast<std::uint32_t>(load.source.address), load.pixel_bytes});
    configure_transfer<isa::LdShape, isa::LdStride>(load.source);
    if (load.fold) {
      configure(*load.fold);
    }
    if (load.factor) {
      configure(*load.factor);
    }
    isa::Load go;
    go.fold = load.fold ? 1 : 0;
    go.kind = static_cast<std::uint32_t>(load.kind);
    go.dest = load.dest;
    go.wait_compute = action.wait_compute ? 1 : 0;
    go.wait_store = action.wait_store ? 1 : 0;
    go.post_compute = action.post_compute ? 1 : 0;
    words_.push_back(isa::encode(go));
  }

  void add_body(const ConvAction& conv, const Action& action) {
    configure(conv.input);
    configure(conv.kernel);
    configure(conv.tile);
    configure(conv.weights);
    configure(conv.ring);
    if (conv.window) {
      configure(*conv.window);
      isa::Depthwise go;
      go.maximum = conv.maximum ? 1 : 0;
      go.resume = conv.resume ? 1 : 0;
      go.first_byte = conv.first_byte;
      add_convolution(go, conv, action);
    } else {
      add_convolution(isa::Conv{}, conv, action);
    }
  }

  template <class Command>
  void add_convolution(Command go, const ConvAction& conv, const Action& action) {
    go.origin = conv.origin;
    go.acc_base = conv.acc_base;
    go.accumulate = conv.accumulate ? 1 : 0;
    go.wait_load = action.wait_load ? 1 : 0;
    go.wait_store = action.wait_store ? 1 : 0;
    go.post_load = action.post_load ? 1 : 0;
    go.post_store = action.post_store ? 1 : 0;
    words_.push_back(isa::encode(go));
  }

  void add_body(const StoreAction& store, const Action& action) {
    if (!store.keep_only) {
      configure(isa::StAddress{static_cast<std::uint32_t>(store.dest.address)});
      configure_transfer<isa::StShape, isa::StStride>(store.dest);
    }
    if (store.keep) {
      configure(*store.keep);
    }
    configure(store.quant);
    configure(store.post);
    const auto operation = static_cast<isa::StPostOperation>(store.post.operation);
    if (operation == isa::StPostOperation::Add || operation == isa::StPostOperation::Multiply) {
      configure(store.result);
    }
    configure(store.tile);
    isa::Store go;
    go.acc_base = store.acc_base;
    go.wait_compute = action.wait_compute ? 1 : 0;
    go.post_compute = action.post_compute ? 1 : 0;
    go.post_load = action.post_load ? 1 : 0;
    go.keep = store.keep ? 1 : 0;
    go.keep_only = store.keep_only ? 1 : 0;
    go.dest = store.kept_at;
    go.dest_byte = store.kept_byte;
    words_.push_back(isa::encode(go));
  }

  void add_body(const MarkAction& mark, const Action& action) {
    switch (action.unit) {
      case isa::Unit::Load:
        words_.push_back(isa::encode(isa::LdMark{mark.layer}));
        break;
      case isa::Unit::Compute:
        words_.push_back(isa::encode(isa::CvMark{mark.layer}));
        break;
      default:
        words_.push_back(isa::encode(isa::StMark{mark.layer}));
        break;
    }
  }

  std::vector<std::uint64_t> words_;
  std::array<std::uint64_t, 64> in_force_{};  // by opcode; no command encodes to zero
};

// Tokens given and not yet taken, in the order of the stream: a wait may be emitted once its token
// has been.
class TokenBalance {
 public:
  [[nodiscard]] bool ready(const Action& action) const {
    return available(action.unit, isa::Unit::Load, action.wait_load) &&
           available(action.unit, isa::Unit::Compute, action.wait_compute) &&
           available(action.unit, isa::Unit::Store, action.wait_store);
  }
  void emit(const Action& action) {
    take(action.unit, isa::Unit::Load, action.wait_load);
    take(action.unit, isa::Unit::Compute, action.wait_compute);
    take(action.unit, isa::Unit::Store, action.wait_store);
    give(action.unit, isa::Unit::Load, action.post_load);
    give(action.unit, isa::Unit::Compute, action.post_compute);
    give(action.unit, isa::Unit::Store, action.post_store);
  }
  /// Tokens from load to compute that no convolution has taken.
  [[nodiscard]] int loads_ahead() const { return at(isa::Unit::Load, isa::Unit::Compute); }

 private:
  static std::size_t index(isa::Unit unit) { return static_cast<std::size_t>(unit) - 1; }
  [[nodiscard]] int at(isa::Unit from, isa::Unit to) const {
    return count_[index(from)][index(to)];
  }
  [[nodiscard]] bool available(isa::Unit to, isa::Unit from, bool wanted) const {
    return !wanted || at(from, to) > 0;
  }
  void take(isa::Unit to, isa::Unit from, bool wanted) {
    count_[index(from)][index(to)] -= wanted ? 1 : 0;
  }
  void give(isa::Unit from, isa::Unit to, bool given) {
    count_[index(from)][index(to)] += given ? 1 : 0;
  }
  std::array<std::array<int, 3>, 3> count_{};
};

}  // namespace

std::vector<std::uint64_t> write_stream(const std::vector<Action>& actions,
                                        std::uint32_t queue_depth) {
  std::array<std::deque<const Action*>, 3> queues;
  for (const Action& action : actions) {
    queues[static_cast<std::size_t>(action.unit) - 1].push_back(&action);
  }
  Encoder encoder;
  TokenBalance balance;
  // Words of loads that no emitted convolution has waited for: those sit in the load queue.
  std::deque<std::size_t> ahead;
  std::size_t ahead_words = 0;
  const auto emit = [&](std::size_t unit) {
    const Action& action = *queues[unit].front();
    const std::size_t before = encoder.size();
    encoder.add(action);
    balance.emit(action);
    queues[unit].pop_front();
    if (unit == kLoad) {
      ahead.push_back(encoder.size() - before);
      ahead_words += ahead.back();
    } else if (unit == kCompute && action.wait_load && balance.loads_ahead() == 0) {
      ahead.clear();
      ahead_words = 0;
    } else if (unit == kCompute && action.wait_load && !ahead.empty()) {
      ahead_words -= ahead.front();
      ahead.pop_front();
    }
  };
  while (!queues[kLoad].empty() || !queues[kCompute].empty() || !queues[kStore].empty()) {
    const auto can = [&](std::size_t unit) {
      return !queues[unit].empty() && balance.ready(*queues[unit].front());
    };
    const bool load_early = can(kLoad) && ahead_words + 4 < queue_depth;
    if (can(kStore) && !load_early) {
      emit(kStore);
    } else if (can(kCompute) && !load_early) {
      emit(kCompute);
    } else if (can(kLoad)) {
      emit(kLoad);
    } else {
      throw std::logic_error("the tokens of the stream deadlock");
    }
  }
  encoder.end();
  return encoder.take();
}

}  // namespace tessera
