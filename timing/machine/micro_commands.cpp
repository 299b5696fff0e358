// Commands, counters and errors of an accelerator with microcode.
#include <algorithm>

#include "timing/machine/micro_machine.hpp"

namespace tessera::timing {

using microcode::Port;

namespace {

constexpr std::uint32_t kAtomMask = 0xFFFFF;
constexpr Cycle kSumsBehind =
    2;  // a step's sums are written so many cycles after the next one could be made
enum Phase : std::uint32_t { kCommands, kLoad, kConvolution, kStore };

}  // namespace

void MicroMachine::fail(isa::Error cause, std::uint32_t info) const {
  throw EngineError(cause, info, describe(cause, info));
}

// The word has come: the stream's, or one of parameters, which nothing here depends on.
void MicroMachine::take_command() {
  word_comes_ = false;
  word_ = 0;
  if (phase_ != kCommands) {
    return;
  }
  const std::uint8_t* bytes = stream_ == nullptr ? command_.data() : stream_ + stream_offset_;
  for (unsigned b = 0; b < 8; ++b) {
    word_ |= std::uint64_t{bytes[b]} << (8 * b);
  }
  stream_offset_ += 8;
  if (const isa::Decoded decoded = isa::decode(word_); decoded.command) {
    static_cast<void>(load_words_.configure(*decoded.command) ||
                      conv_words_.configure(*decoded.command) ||
                      store_words_.configure(*decoded.command));
  }
}

void MicroMachine::set_phase(std::uint32_t phase) {
  // It is another one from this cycle on.
  wait_load_ += phase_ == kLoad ? waited(now_) : 0;
  wait_store_ += phase_ == kStore ? waited(now_) : 0;
  end_command();
  phase_ = phase;
  phase_from_ = now_;
  command_from_ = now_;
}

// Cycles of the phase in which no convolution was under way.
std::uint64_t MicroMachine::waited(Cycle now) const {
  const Cycle from = std::max(phase_from_, runner_.ready);
  return running_ && from < now ? now - from : 0;
}

void MicroMachine::begin_data(std::uint32_t bytes) {
  if (!loading_now_) {
    loading_now_ = true;
    loaded_ = 0;
    load_data_ = observer_.load_begins(load_words_.operation());
  }
  load_bytes_[kind_] += bytes;
  bus_.read(true, bytes, load_data_ == nullptr ? nullptr : load_data_ + loaded_);
  loaded_ += bytes;
}

void MicroMachine::begin_store() {
  if (!storing_) {
    storing_ = true;
    store_data_ = observer_.store_begins(store_words_.operation());
  }
}

void MicroMachine::end_command() {
  if (loading_now_) {
    loading_now_ = false;
    observer_.load_ends(load_words_.operation(), load_data_);
    observer_.worked(0, command_from_, now_);
  }
  if (convolving_) {
    convolving_ = false;
    observer_.conv_begins(conv_words_.operation());
    observer_.conv_ends(conv_words_.operation());
    observer_.worked(1, command_from_, std::max(now_, runner_.idle));
  }
  if (storing_) {
    storing_ = false;
    observer_.worked(2, command_from_, now_);
  }
}

// Atoms of a load come one after the other: the first one beyond the limit is the error.
void MicroMachine::check_load() const {
  const LoadOperation& load = load_words_.operation();
  const std::uint64_t bytes = load.segments().bytes();
  const std::uint64_t pixel = load.source.pixel_bytes;
  const std::uint64_t atoms =
      bytes / pixel * load.atoms_per_unit(hw_.atomic_c) + bytes % pixel / hw_.atomic_c;
  if (load.load.dest + atoms > cbuf_limit_) {
    fail(isa::Error::CbufRange, std::max(load.load.dest, cbuf_limit_));
  }
}

// The first atom beyond the limit that steps inside the slab read. Within a row they come evenly:
// its ends tell of all.
void MicroMachine::check_features(std::uint32_t atom, std::uint32_t rows,
                                  std::uint32_t cols) const {
  const auto port = [&](Port which) { return std::int64_t{runner_port(which)}; };
  const auto slab = [&](Port which) {
    return std::int64_t{static_cast<std::int32_t>(runner_port(which))};
  };
  const std::int64_t stride = port(Port::StrideX);
  const std::int64_t x = slab(Port::X);
  const std::int64_t first = x < 0 ? (stride - 1 - x) / stride : 0;
  const std::int64_t inside = port(Port::InCols) - 1 - x;
  const std::int64_t last = std::min<std::int64_t>(cols - 1, inside < 0 ? -1 : inside / stride);
  for (std::int64_t r = 0; r < rows && first <= last; ++r) {
    const std::int64_t y = slab(Port::Y) + r * port(Port::StrideY);
    if (y < 0 || y >= port(Port::InRows)) {
      continue;
    }
    const auto atom_of = [&](std::int64_t c) {
      return (atom + r * port(Port::RowStep) + c * port(Port::PixelStep)) & kAtomMask;
    };
    const std::int64_t reach = (last - first) * port(Port::PixelStep);
    if (atom_of(first) + reach == atom_of(last) && atom_of(last) < cbuf_limit_) {
      continue;
    }
    for (std::int64_t c = first; c <= last; ++c) {
      if (atom_of(c) >= cbuf_limit_) {
        fail(isa::Error::CbufRange, static_cast<std::uint32_t>(atom_of(c)));
      }
    }
  }
}

void MicroMachine::go() {
  const auto port = [&](Port which) { return runner_port(which); };
  const std::uint32_t kernels = port(Port::Kernels) & 127;
  const std::uint32_t rows = port(Port::Rows) & 0xFFF;
  const std::uint32_t cols = port(Port::Cols) & 0xFFF;
  if (runner_.weights + kernels > cbuf_limit_) {
    fail(isa::Error::CbufRange, std::max(runner_.weights, cbuf_limit_));
  }
  runner_.weights += kernels;
  check_features(a_ & kAtomMask, rows, cols);
  convolving_ = true;
  last_steps_ = rows * cols;
  last_kernels_ = kernels;
  steps_ += last_steps_;
  loading_ += kernels;
  runner_.first_step = now_ + kernels;
  runner_.ready = runner_.first_step + last_steps_;
  runner_.idle = runner_.ready + kSumsBehind;
}

void MicroMachine::mark(std::uint32_t id) {
  if (phase_ != kCommands) {
    observer_.mark(phase_ - 1, id, counters_at(now_));
  }
}

Counters MicroMachine::counters_at(Cycle now) const {
  using isa::Counter;
  Counters result{};
  const std::uint64_t cycles = cycles_ + (running_ ? now - (started_ + 1) : 0);
  const std::uint64_t steps_to_come =
      runner_.ready > now ? runner_.ready - std::max(now, runner_.first_step) : 0;
  const std::uint64_t kernels_to_come = runner_.first_step > now ? runner_.first_step - now : 0;
  counter(result, Counter::Cycles) = cycles;
  counter(result, Counter::ArrayBusy) = steps_ - steps_to_come;
  counter(result, Counter::StallWeights) = loading_ - kernels_to_come;
  counter(result, Counter::WaitLoad) = wait_load_ + (phase_ == kLoad ? waited(now) : 0);
  counter(result, Counter::WaitStore) = wait_store_ + (phase_ == kStore ? waited(now) : 0);
  counter(result, Counter::ComputeOther) =
      cycles - counter(result, Counter::ArrayBusy) - counter(result, Counter::StallWeights) -
      counter(result, Counter::WaitLoad) - counter(result, Counter::WaitStore);
  const auto loaded = [&](isa::LoadKind kind) {
    return load_bytes_[static_cast<std::size_t>(kind)];
  };
  counter(result, Counter::ReadCommandBytes) = command_bytes_;
  counter(result, Counter::ReadFeatureBytes) =
      loaded(isa::LoadKind::Feature) + loaded(isa::LoadKind::Operand);
  counter(result, Counter::ReadWeightBytes) = loaded(isa::LoadKind::Weight);
  counter(result, Counter::ReadParamBytes) =
      loaded(isa::LoadKind::Param) + loaded(isa::LoadKind::Table);
  counter(result, Counter::WriteBytes) = write_bytes_;
  counter(result, Counter::ReadBeats) = bus_.counts().read_beats;
  counter(result, Counter::WriteBeats) = bus_.counts().write_beats;
  return result;
}

}  // namespace tessera::timing
