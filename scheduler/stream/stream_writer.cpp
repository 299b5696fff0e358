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

  void add(const Operation& operation) {
    std::visit([&](const auto& body) { add_body(body, operation); }, operation.body);
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

  // Another word took its place.
  template <class Command>
  void forget() {
    in_force_[static_cast<std::size_t>(Command::kOpcode)] = 0;
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

  void add_body(const LoadOperation& load, const Operation& operation) {
    configure(isa::LdSource{static_cast<std::uint32_t>(load.source.address), load.pixel_bytes});
    configure_transfer<isa::LdShape, isa::LdStride>(load.source);
    if (load.fold) {
      configure(*load.fold);
    }
    if (load.factor) {
      configure(*load.factor);
    }
    if (load.code) {
      configure(*load.code);
    }
    isa::Load go;
    go.coded = load.code ? 1 : 0;
    go.fold = load.fold ? 1 : 0;
    go.kind = static_cast<std::uint32_t>(load.kind);
    go.dest = load.dest;
    go.wait_compute = operation.wait_compute ? 1 : 0;
    go.wait_store = operation.wait_store ? 1 : 0;
    go.post_compute = operation.post_compute ? 1 : 0;
    words_.push_back(isa::encode(go));
  }

  void add_body(const ConvOperation& conv, const Operation& operation) {
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
      add_convolution(go, conv, operation);
    } else {
      add_convolution(isa::Conv{}, conv, operation);
    }
  }

  template <class Command>
  void add_convolution(Command go, const ConvOperation& conv, const Operation& operation) {
    go.origin = conv.origin;
    go.acc_base = conv.acc_base;
    go.accumulate = conv.accumulate ? 1 : 0;
    go.wait_load = operation.wait_load ? 1 : 0;
    go.wait_store = operation.wait_store ? 1 : 0;
    go.post_load = operation.post_load ? 1 : 0;
    go.post_store = operation.post_store ? 1 : 0;
    words_.push_back(isa::encode(go));
  }

  void add_body(const StoreOperation& store, const Operation& operation) {
    if (!store.keep_only) {
      configure(isa::StAddress{static_cast<std::uint32_t>(store.dest.address)});
      configure_transfer<isa::StShape, isa::StStride>(store.dest);
    }
    if (store.keep) {
      configure(*store.keep);
    }
    configure(store.quant);
    if (store.softmax) {
      configure(*store.softmax);
      forget<isa::StPost>();
    } else {
      configure(store.post);
      forget<isa::StSoftmax>();
    }
    const auto epilogue = static_cast<isa::StPostOperation>(store.post.operation);
    if (epilogue == isa::StPostOperation::Add || epilogue == isa::StPostOperation::Multiply) {
      configure(store.result);
    }
    configure(store.tile);
    isa::Store go;
    go.acc_base = store.acc_base;
    go.wait_compute = operation.wait_compute ? 1 : 0;
    go.post_compute = operation.post_compute ? 1 : 0;
    go.post_load = operation.post_load ? 1 : 0;
    go.keep = store.keep ? 1 : 0;
    go.keep_only = store.keep_only ? 1 : 0;
    go.dest = store.kept_at;
    go.dest_byte = store.kept_byte;
    words_.push_back(isa::encode(go));
  }

  void add_body(const MarkOperation& mark, const Operation& operation) {
    switch (operation.unit) {
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
  [[nodiscard]] bool ready(const Operation& operation) const {
    return available(operation.unit, isa::Unit::Load, operation.wait_load) &&
           available(operation.unit, isa::Unit::Compute, operation.wait_compute) &&
           available(operation.unit, isa::Unit::Store, operation.wait_store);
  }
  void emit(const Operation& operation) {
    take(operation.unit, isa::Unit::Load, operation.wait_load);
    take(operation.unit, isa::Unit::Compute, operation.wait_compute);
    take(operation.unit, isa::Unit::Store, operation.wait_store);
    give(operation.unit, isa::Unit::Load, operation.post_load);
    give(operation.unit, isa::Unit::Compute, operation.post_compute);
    give(operation.unit, isa::Unit::Store, operation.post_store);
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

std::vector<std::uint64_t> write_stream(const std::vector<Operation>& operations,
                                        std::uint32_t queue_depth) {
  std::array<std::deque<const Operation*>, 3> queues;
  for (const Operation& operation : operations) {
    queues[static_cast<std::size_t>(operation.unit) - 1].push_back(&operation);
  }
  Encoder encoder;
  TokenBalance balance;
  // Words of loads that no emitted convolution has waited for: those sit in the load queue.
  std::deque<std::size_t> ahead;
  std::size_t ahead_words = 0;
  const auto emit = [&](std::size_t unit) {
    const Operation& operation = *queues[unit].front();
    const std::size_t before = encoder.size();
    encoder.add(operation);
    balance.emit(operation);
    queues[unit].pop_front();
    if (unit == kLoad) {
      ahead.push_back(encoder.size() - before);
      ahead_words += ahead.back();
    } else if (unit == kCompute && operation.wait_load && balance.loads_ahead() == 0) {
      ahead.clear();
      ahead_words = 0;
    } else if (unit == kCompute && operation.wait_load && !ahead.empty()) {
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
