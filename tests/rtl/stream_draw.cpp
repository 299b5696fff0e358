#include "tests/rtl/stream_draw.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "isa/weight_code.hpp"
#include "tests/rtl/small_programs.hpp"

namespace tessera::test {
namespace {

constexpr std::size_t kRecords = 128;
constexpr std::uint32_t kTaps = 0x9400;  // weights of depthwise convolutions
constexpr std::uint32_t kTapBytes = 0x400;
// Compressed weights of a round, at the end of what loads read.
constexpr std::uint32_t kCodedBytes = 0x1000;
constexpr std::uint32_t kNone = 0;
constexpr auto kTable = static_cast<std::uint32_t>(isa::StPostOperation::Table);
constexpr auto kAdd = static_cast<std::uint32_t>(isa::StPostOperation::Add);
constexpr auto kMultiply = static_cast<std::uint32_t>(isa::StPostOperation::Multiply);
constexpr std::uint32_t kSoftmax = kMultiply + 1;  // a word of its own

class Draw {
 public:
  /// Weights with zeros where there are no taps are written to `memory`.
  Draw(const Hardware& hardware, std::uint32_t seed, std::vector<std::uint8_t>& memory)
      : hw_(hardware), memory_(memory), random_(seed), written_(hardware.acc_words) {}

  std::vector<std::uint64_t> stream() {
    const std::uint32_t rounds = pick(1, 3);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      draw_round(round != 0, round + 1 < rounds);
    }
    add(isa::End{});
    return encode_all(commands_);
  }

 private:
  std::uint32_t pick(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(random_()) % (high - low + 1);
  }
  bool one_in(std::uint32_t n) { return pick(1, n) == 1; }
  int signed_pick(int low, int high) {
    return low + static_cast<int>(pick(0, static_cast<std::uint32_t>(high - low)));
  }
  template <class Command>
  void add(const Command& command) {
    commands_.push_back(command);
  }

  // What follows waits for what came before; inside a round as little as possible does.
  void draw_round(bool is_later, bool is_followed) {
    const bool reads_kept = is_later && kept_ && one_in(2);
    draw_slab(reads_kept);
    kept_ = false;
    wait_for_stores_ = is_later;
    load_weights();
    const std::uint32_t operation = draw_operation();
    load_parameters(operation == kSoftmax);
    if (!reads_kept) {
      load_features();
    }
    if (operation == kAdd || operation == kMultiply) {
      load_operands();
    }
    if (operation == kTable || operation == kAdd || operation == kSoftmax) {
      load_table();
    }
    std::get<isa::Load>(commands_[last_load_]).post_compute = 1;
    // Depthwise convolutions take no notice of it.
    const bool is_centred = hw_.has(isa::Feature::CentredFeatures) && one_in(3);
    add(isa::CvInput{rows_, cols_, atoms_, signed_pick(-128, 127), is_centred ? 1U : 0U});
    const bool shifts = !depthwise_ && hw_.has(isa::Feature::ZeroPoints) && one_in(3);
    add(isa::CvWeights{weight_dest_, groups_, last_kernels_, shifts ? signed_pick(-128, 127) : 0});
    if (one_in(2)) {
      convolve(0, hw_.acc_words, true);
      store(operation, is_followed, true);
      return;
    }
    // One half of the accumulators is added to while the other one is stored.
    convolve(0, hw_.acc_half(), true);
    isa::CvTile tile = tile_;
    std::uint32_t acc_first = acc_first_;
    convolve(hw_.acc_half(), hw_.acc_words, false);
    std::swap(tile_, tile);
    std::swap(acc_first_, acc_first);
    store(operation, false, false);
    tile_ = tile;
    acc_first_ = acc_first;
    store(operation, is_followed, true);
  }

  std::uint32_t draw_operation() {
    const std::uint32_t operation = pick(0, kSoftmax);
    const bool tables = hw_.has(isa::Feature::Tables);
    const bool operands = hw_.has(isa::Feature::Operands);
    const bool softmax = tables && hw_.has(isa::Feature::Softmax);
    return (operation == kSoftmax && !softmax) || (operation == kTable && !tables) ||
                   (operation == kAdd && !(tables && operands)) ||
                   (operation == kMultiply && !operands)
               ? kNone
               : operation;
  }

  // Where the features and the weights lie, and how large both are.
  void draw_slab(bool is_kept) {
    const std::uint32_t room = hw_.cbuf_atoms();
    do {
      if (!is_kept) {
        rows_ = pick(1, 7);
        cols_ = pick(1, 9);
        atoms_ = pick(1, 3);
      }
      groups_ = pick(1, 3);
      depthwise_ = hw_.has(isa::Feature::Depthwise) && one_in(3);
      kernel_h_ = pick(1, depthwise_ ? hw_.depthwise_window().rows : 3);
      kernel_w_ = pick(1, depthwise_ ? hw_.depthwise_window().cols : 3);
      last_kernels_ = pick(1, hw_.atomic_k);
      chunks_y_ = depthwise_ ? pick(1, 2) : 1;
      chunks_x_ = depthwise_ ? pick(1, 2) : 1;
      maximum_ = depthwise_ ? pick(0, 1) : 0;
      // Channels begin where pieces may.
      const std::uint32_t unit = std::gcd(hw_.atomic_c, hw_.atomic_k);
      first_byte_ = depthwise_ && one_in(2) ? unit * pick(0, hw_.atomic_c / unit - 1) : 0;
      if (depthwise_ && !is_kept) {
        atoms_ = (first_byte_ + kernels() - 1) / hw_.atomic_c + 1;
      }
      weight_atoms_ = depthwise_ ? kernels() * chunks_y_ * chunks_x_
                                 : kernels() * kernel_h_ * kernel_w_ * atoms_;
      pixel_bytes_ = pick((atoms_ - 1) * hw_.atomic_c + 1, atoms_ * hw_.atomic_c);
      slab_atoms_ = rows_ * cols_ * atoms_;
      if (!is_kept) {
        feature_dest_ = pick(0, room - std::min(room, slab_atoms_ + weight_atoms_));
      }
    } while (feature_dest_ + slab_atoms_ + weight_atoms_ > room ||
             (depthwise_ && first_byte_ + kernels() > atoms_ * hw_.atomic_c) ||
             (depthwise_ && weight_atoms_ * hw_.atomic_c > kTapBytes) ||
             pixel_bytes_ * rows_ * cols_ > kSources / 2 ||
             weight_atoms_ * hw_.atomic_c > kSources / 2);
    weight_dest_ = pick(feature_dest_ + slab_atoms_, room - weight_atoms_);
  }

  void load(isa::LoadKind kind, std::uint32_t dest) {
    isa::Load command = load_of(kind, dest);
    command.wait_store = wait_for_stores_ ? 1 : 0;
    wait_for_stores_ = false;
    last_load_ = commands_.size();
    add(command);
  }

  // Bytes in one run, in equal segments, or in rows of segments, with any distances.
  void read(std::uint32_t bytes, std::uint32_t unit, std::uint32_t per_pixel) {
    std::uint32_t inner = 1;
    std::uint32_t outer = 1;
    const std::uint32_t units = bytes / unit;
    if (one_in(2)) {
      for (const std::uint32_t n : {pick(1, 8), pick(1, 8)}) {
        inner = units % n == 0 ? n : inner;
      }
      const std::uint32_t m = pick(1, 6);
      outer = units / inner % m == 0 ? m : 1;
    }
    const std::uint32_t segment = bytes / inner / outer;
    const std::uint32_t reach = inner * outer;
    const std::uint32_t most = (kSources - segment) / std::max(1U, reach);
    const std::uint32_t inner_stride = pick(0, most);
    const std::uint32_t outer_stride = pick(0, most * inner);
    const std::uint32_t span = (inner - 1) * inner_stride + (outer - 1) * outer_stride + segment;
    const std::uint32_t last = span < kSources ? kSources - span : 0;
    add(isa::LdSource{pick(0, last), per_pixel});
    add(isa::LdShape{segment, inner, outer});
    add(isa::LdStride{inner_stride, outer_stride});
  }

  void load_features() {
    read(pixel_bytes_ * cols_ * rows_, pixel_bytes_, pixel_bytes_);
    load(isa::LoadKind::Feature, feature_dest_);
  }

  void load_weights() {
    if (depthwise_) {
      write_taps();
    }
    if (hw_.has(isa::Feature::Compression) && one_in(2) && load_coded_weights()) {
      taps_ += depthwise_ ? weight_atoms_ * hw_.atomic_c : 0;
      return;
    }
    if (depthwise_) {
      add(isa::LdSource{kTaps + taps_, hw_.atomic_c});
      add(isa::LdShape{weight_atoms_ * hw_.atomic_c, 1, 1});
      taps_ += weight_atoms_ * hw_.atomic_c;
    } else {
      read(weight_atoms_ * hw_.atomic_c, hw_.atomic_c, hw_.atomic_c);
    }
    load(isa::LoadKind::Weight, weight_dest_);
  }

  // Values that few bits are enough for, and zeros, more of them in some atoms than in others.
  std::vector<std::uint8_t> drawn_atoms(std::uint8_t zero) {
    std::vector<std::uint8_t> bytes(std::size_t{weight_atoms_} * hw_.atomic_c);
    for (std::uint32_t atom = 0; atom < weight_atoms_; ++atom) {
      const std::uint32_t shift = pick(0, 8);
      const std::uint32_t zeros = pick(0, 8);
      for (std::uint32_t c = 0; c < hw_.atomic_c; ++c) {
        const int value = pick(1, 8) <= zeros ? 0 : signed_pick(-128, 127) >> shift;
        bytes[std::size_t{atom} * hw_.atomic_c + c] = static_cast<std::uint8_t>(value + zero);
      }
    }
    return bytes;
  }

  // False: they are too large.
  bool load_coded_weights() {
    const isa::WeightCode format(hw_.atomic_c);
    const int zero = signed_pick(-128, 127);
    const auto zero_byte = static_cast<std::uint8_t>(zero);
    const std::uint8_t* const taps = memory_.data() + kTaps + taps_;
    const std::vector<std::uint8_t> atoms =
        depthwise_
            ? std::vector<std::uint8_t>(taps, taps + std::size_t{weight_atoms_} * hw_.atomic_c)
            : drawn_atoms(zero_byte);
    std::vector<std::uint8_t> codes;
    for (std::uint32_t a = 0; a < weight_atoms_; ++a) {
      const std::uint32_t best =
          format.best(atoms.data() + std::size_t{a} * hw_.atomic_c, zero_byte);
      // More bits than are needed do, too.
      const bool wider = best < isa::WeightCode::kWidths && one_in(4);
      codes.push_back(
          static_cast<std::uint8_t>(wider ? pick(best, isa::WeightCode::kWidths) : best));
    }
    const std::uint32_t unit = one_in(2) ? weight_atoms_ : pick(1, weight_atoms_);
    std::vector<std::uint8_t> coded;
    for (std::uint32_t from = 0; from < weight_atoms_; from += unit) {
      format.encode(atoms.data() + std::size_t{from} * hw_.atomic_c, codes.data() + from,
                    std::min(unit, weight_atoms_ - from), zero_byte, coded);
    }
    const std::uint32_t room = kCodedBytes - static_cast<std::uint32_t>(coded.size());
    if (coded.size() > kCodedBytes || coded.empty()) {
      return false;
    }
    const std::uint32_t at = kSources - ++coded_ * kCodedBytes + pick(0, room);
    std::copy(coded.begin(), coded.end(), memory_.begin() + at);
    add(isa::LdSource{at, hw_.atomic_c});
    add(isa::LdShape{static_cast<std::uint32_t>(coded.size()), 1, 1});
    add(isa::LdCode{weight_atoms_, unit, zero});
    load(isa::LoadKind::Weight, weight_dest_);
    std::get<isa::Load>(commands_[last_load_]).coded = 1;
    return true;
  }

  // An atom for each channel and window: its taps lie at the window's end, all else is zero.
  void write_taps() {
    const Hardware::Window window = hw_.depthwise_window();
    for (std::uint32_t atom = 0; atom < weight_atoms_; ++atom) {
      for (std::uint32_t y = 0; y < window.rows; ++y) {
        for (std::uint32_t x = 0; x < window.cols; ++x) {
          const bool is_tap = y + kernel_h_ >= window.rows && x + kernel_w_ >= window.cols;
          memory_.at(kTaps + taps_ + atom * hw_.atomic_c + y * window.cols + x) =
              is_tap ? static_cast<std::uint8_t>(pick(0, 255)) : std::uint8_t{0};
        }
      }
      for (std::uint32_t b = window.rows * window.cols; b < hw_.atomic_c; ++b) {
        memory_.at(kTaps + taps_ + atom * hw_.atomic_c + b) = 0;
      }
    }
  }

  // The records lie where a table of them is written before the run: `records()`.
  // `spread`: values that differ, or the greatest of any few would be the greatest of all.
  void load_parameters(bool spread) {
    param_base_ = pick(0, hw_.param_groups - groups_);
    std::uint32_t bytes = spread ? 4U : std::array{12U, 8U, 4U}[pick(0, 2)];
    if (bytes == 4 && kernels() % 2 != 0) {
      bytes = 8;
    }
    if (bytes == 4) {
      add(isa::LdFactor{0x40000000U + pick(0, 0x3FFFFFFF),
                        spread ? signed_pick(-14, -8) : signed_pick(-14, 2)});
    }
    add(isa::LdSource{bytes == 12  ? kRecords12
                      : bytes == 8 ? kRecords8
                                   : kRecords4 + 4 * pick(0, 3),
                      bytes});
    add(isa::LdShape{bytes * kernels(), 1, 1});
    load(isa::LoadKind::Param, param_base_);
  }

  // All words, so that those of any tile are there; some of them twice.
  void load_operands() {
    std::uint32_t words = hw_.acc_words;
    while (words * hw_.atomic_k > kSources) {
      words /= 2;
    }
    for (std::uint32_t first = 0; first < hw_.acc_words; first += words) {
      read(words * hw_.atomic_k, hw_.atomic_k, hw_.atomic_k);
      load(isa::LoadKind::Operand, first);
    }
    const std::uint32_t more = pick(1, 9);
    read(more * hw_.atomic_k, hw_.atomic_k, hw_.atomic_k);
    load(isa::LoadKind::Operand, pick(0, hw_.acc_words - more));
  }

  void load_table() {
    table_ = pick(0, 1);
    read(1024, 4, 4);
    load(isa::LoadKind::Table, table_);
  }

  isa::CvTile draw_tile() {
    isa::CvTile tile;
    const std::uint32_t most = hw_.acc_half() / groups_;
    do {
      tile.rows = one_in(2) ? pick(1, 2) : pick(1, 6);
      tile.cols = one_in(2) ? pick(1, 2) : pick(1, 8);
    } while (tile.rows * tile.cols > most);
    tile.y0 = signed_pick(-2, static_cast<int>(rows_) - 1);
    tile.x0 = signed_pick(-2, static_cast<int>(cols_) - 1);
    return tile;
  }

  // Lanes of a tile's word: the last group's words have fewer.
  [[nodiscard]] std::uint32_t lanes_of(std::uint32_t word) const {
    const bool is_last = word / (tile_.rows * tile_.cols) == groups_ - 1;
    return is_last ? last_kernels_ : hw_.atomic_k;
  }

  // There are no zeros where nobody wrote.
  [[nodiscard]] bool is_written(std::uint32_t first, std::uint32_t words) const {
    for (std::uint32_t word = 0; word < words; ++word) {
      if (written_[first + word] < lanes_of(word)) {
        return false;
      }
    }
    return true;
  }

  // Several convolutions of words from `low` to before `high`; the last one tells the store unit.
  void convolve(std::uint32_t low, std::uint32_t high, bool waits) {
    const std::uint32_t several = pick(1, 4);
    for (std::uint32_t i = 0; i < several; ++i) {
      if ((low == 0 && i == 0) || one_in(2)) {
        draw_kernel();
      }
      if (i == 0 || one_in(2)) {
        tile_ = draw_tile();
        add(tile_);
      }
      const std::uint32_t words = tile_.rows * tile_.cols * groups_;
      const auto first = static_cast<int>(feature_dest_) +
                         (tile_.y0 * static_cast<int>(cols_) + tile_.x0) * static_cast<int>(atoms_);
      isa::Conv conv;
      conv.origin = static_cast<std::uint32_t>(first) & 0xFFFFFU;
      // Mostly where the last one ended: the same words again, at once.
      conv.acc_base =
          i != 0 && one_in(2) ? std::min(acc_end_ - 1, high - words) : pick(low, high - words);
      conv.accumulate = one_in(2) && is_written(conv.acc_base, words) ? 1 : 0;
      conv.wait_load = waits && i == 0 ? 1 : 0;
      conv.post_store = i + 1 == several ? 1 : 0;
      for (std::uint32_t word = 0; word < words; ++word) {
        written_[conv.acc_base + word] = lanes_of(word);
      }
      acc_first_ = conv.acc_base;
      acc_end_ = conv.acc_base + words;
      if (depthwise_) {
        add(isa::Depthwise{conv.origin, conv.acc_base, conv.accumulate, conv.wait_load, 0, 0,
                           conv.post_store, maximum_, 0, first_byte_});
      } else {
        add(conv);
      }
    }
  }

  void draw_kernel() {
    const std::uint32_t stride_x = pick(1, 3);
    const std::uint32_t dilation = depthwise_ ? 1 : pick(1, 2);
    add(isa::CvKernel{kernel_h_, kernel_w_, pick(1, 3), stride_x, dilation,
                      depthwise_ ? 1 : pick(1, 2), cols_ * atoms_});
    if (depthwise_) {
      add(isa::CvWindow{kernel_h_, kernel_w_, chunks_y_, chunks_x_, pick(0, 1)});
    }
  }

  void store(std::uint32_t operation, bool is_followed, bool may_keep) {
    isa::StPost post;
    post.operation = operation;
    post.table_select = table_;
    post.table_operand = operation == kAdd ? pick(0, 1) : 0;
    post.negate = operation == kAdd ? pick(0, 1) : 0;
    post.zero_y = signed_pick(-128, 127);
    post.zero_r = signed_pick(-128, 127);
    post.multiplier = 0x40000000U + pick(0, 0x3FFFFFFF);
    post.shift = signed_pick(-12, 0);
    const bool is_softmax = operation == kSoftmax;
    const int low = is_softmax ? -128 : signed_pick(-128, 0);
    add(isa::StQuant{signed_pick(-128, 127), low, is_softmax ? 127 : signed_pick(low, 127),
                     hw_.has(isa::Feature::SingleRounding) ? pick(0, 2) : 0});
    if (hw_.has(isa::Feature::Operands)) {
      const int least = signed_pick(-128, 0);
      add(isa::StResult{signed_pick(-128, 127), least, signed_pick(least, 127), pick(0, 1),
                        hw_.has(isa::Feature::Squares) ? pick(0, 1) : 0});
    }
    if (is_softmax) {
      const int least = signed_pick(-128, -100);
      add(isa::StSoftmax{signed_pick(-128, 0), least, signed_pick(50, 127), table_, pick(0, 1)});
    } else {
      add(post);
    }
    const std::uint32_t several = pick(1, 3);
    for (std::uint32_t i = 0; i < several; ++i) {
      const bool keeps = may_keep && i + 1 == several && hw_.has(isa::Feature::Keep) && one_in(2);
      const std::uint32_t pixels =
          keeps ? tile_.rows * tile_.cols : pick(1, tile_.rows * tile_.cols);
      isa::Store command;
      command.keep = keeps ? keep() : 0;
      command.keep_only = command.keep != 0 && !is_followed ? pick(0, 1) : 0;
      command.dest = feature_dest_;
      address_tile(pixels);
      add(isa::StTile{pixels, groups_, last_kernels_, param_base_});
      command.acc_base = acc_first_;
      command.wait_compute = i == 0 ? 1 : 0;
      command.post_load = is_followed && i + 1 == several ? 1 : 0;
      add(command);
    }
  }

  // The bytes in segments of any length that divides them.
  void address_tile(std::uint32_t pixels) {
    const std::uint32_t bytes = pixels * kernels();
    std::uint32_t inner = 1;
    for (const std::uint32_t n : {pick(1, 8), pick(1, 8), pixels}) {
      inner = bytes % n == 0 && one_in(2) ? n : inner;
    }
    const std::uint32_t m = pick(1, 6);
    const std::uint32_t outer = bytes / inner % m == 0 ? m : 1;
    const std::uint32_t segment = bytes / inner / outer;
    const std::uint32_t inner_stride = segment + pick(0, 3);
    add(isa::StAddress{kOutputs + pick(0, 0x7FF)});
    add(isa::StShape{segment, inner, outer});
    add(isa::StStride{inner_stride, inner * inner_stride + pick(0, 5)});
  }

  // The tile becomes the next round's features; 0 where there is no room for it.
  std::uint32_t keep() {
    const std::uint32_t atoms = (kernels() + hw_.atomic_c - 1) / hw_.atomic_c;
    const std::uint32_t room = hw_.cbuf_atoms();
    const std::uint32_t needed = atoms * tile_.rows * tile_.cols;
    // Full groups are not filled up with zeros: the rest of an atom would be what was there before.
    const bool is_open = last_kernels_ == hw_.atomic_k && kernels() % hw_.atomic_c != 0;
    // The next round's weights need some room as well.
    if (is_open || 2 * needed > room || 27 * hw_.atomic_k * 3 * atoms > room) {
      return 0;
    }
    kept_ = true;
    rows_ = tile_.rows;
    cols_ = tile_.cols;
    atoms_ = atoms;
    feature_dest_ = pick(0, room / 2 - needed);
    add(isa::StKeep{cols_, atoms, cols_ * atoms});
    return 1;
  }

  [[nodiscard]] std::uint32_t kernels() const {
    return (groups_ - 1) * hw_.atomic_k + last_kernels_;
  }

  const Hardware& hw_;
  std::vector<std::uint8_t>& memory_;
  std::mt19937 random_;
  std::vector<isa::Command> commands_;
  std::uint32_t rows_ = 0, cols_ = 0, atoms_ = 0, groups_ = 0, kernel_h_ = 0, kernel_w_ = 0;
  std::uint32_t last_kernels_ = 0, weight_atoms_ = 0, pixel_bytes_ = 0, slab_atoms_ = 0;
  std::uint32_t feature_dest_ = 0, weight_dest_ = 0, param_base_ = 0;
  std::uint32_t table_ = 0, acc_first_ = 0, acc_end_ = 0;
  std::uint32_t chunks_y_ = 1, chunks_x_ = 1, maximum_ = 0, first_byte_ = 0, taps_ = 0;
  std::uint32_t coded_ = 0;  // rounds with compressed weights
  isa::CvTile tile_;
  bool depthwise_ = false;
  std::size_t last_load_ = 0;
  bool wait_for_stores_ = false;
  bool kept_ = false;
  std::vector<std::uint32_t> written_;  // lanes of each word of the accumulators
};

}  // namespace

std::vector<std::uint64_t> drawn_stream(const Hardware& hardware, std::uint32_t seed,
                                        std::vector<std::uint8_t>& memory) {
  return Draw(hardware, seed, memory).stream();
}

std::vector<std::uint8_t> stream_memory(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> memory(TestBench::kMemoryBytes);
  for (std::size_t i = 0; i < kOutputs; ++i) {
    memory[i] = static_cast<std::uint8_t>(random());
  }
  const auto put = [&](std::size_t at, std::uint64_t value, int bytes) {
    for (int b = 0; b < bytes; ++b) {
      memory.at(at + static_cast<std::size_t>(b)) = static_cast<std::uint8_t>(value >> (8 * b));
    }
  };
  for (std::size_t k = 0; k < kRecords; ++k) {
    const auto bias = static_cast<std::int32_t>(random()) >> (random() % 24 + 4);
    const std::uint64_t multiplier = 0x40000000U + (random() & 0x3FFFFFFFU);
    const auto shift = 2 - static_cast<std::int32_t>(random() % 17);
    put(kRecords12 + 12 * k, static_cast<std::uint32_t>(bias), 4);
    put(kRecords12 + 12 * k + 4, multiplier, 4);
    put(kRecords12 + 12 * k + 8, static_cast<std::uint32_t>(shift), 4);
    const std::uint64_t packed = (static_cast<std::uint64_t>(bias) & 0xFFFFFFFU) |
                                 (static_cast<std::uint64_t>(shift) & 0x3FU) << 28 |
                                 (multiplier & 0x3FFFFFFFU) << 34;
    put(kRecords8 + 8 * k, packed, 8);
    put(kRecords4 + 4 * k, static_cast<std::uint32_t>(bias), 4);
  }
  return memory;
}

}  // namespace tessera::test
