#include <algorithm>
#include <optional>

#include "sim/npu/softmax_factor.hpp"
#include "sim/npu/units.hpp"

namespace tessera::npu {
namespace {

constexpr int kPlainShift = 19, kSquarePlainShift = 6;
constexpr std::uint32_t kAtomMask = (1U << 20) - 1;

void check(const timing::StoreOperation& op, const Memories& m) {
  const std::uint64_t words = op.store.acc_base + std::uint64_t{op.tile.pixels} * op.tile.groups;
  if (words > m.hw.acc_words) {
    fail(isa::Error::AccRange, std::max(op.store.acc_base, m.hw.acc_words));
  }
  if (op.tile.param_base + op.param_groups() > m.hw.param_groups) {
    fail(isa::Error::ParamRange, std::max(op.tile.param_base, m.hw.param_groups));
  }
  if (op.has_operand() && op.store.acc_base + op.operand_words() > m.operand_words()) {
    fail(isa::Error::OperandRange, std::max(op.store.acc_base, m.operand_words()));
  }
}

std::int32_t wrap(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

// Bias, factor, zero point, clamp. The shifts' order and rounding are the requantiser's. Twice:
// both halves round to nearest, the doubled high half ties up, the right shift ties away from zero.
// Once: to nearest, ties up or to even.
std::int8_t requantised(isa::StQuantRounding rounding, std::int32_t sum, std::int32_t bias,
                        std::int32_t multiplier, std::int32_t shift, std::int32_t zero,
                        std::int32_t low, std::int32_t high) {
  const auto left = static_cast<unsigned>(std::max(shift, 0));
  const auto right = static_cast<unsigned>(std::max(-shift, 0));
  const auto total = static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(bias);
  const auto scaled = static_cast<std::int32_t>(total << left);
  if (rounding != isa::StQuantRounding::Twice) {
    // Twice the value, cut off: its lowest bit is a half.
    const std::int64_t product = std::int64_t{scaled} * multiplier;
    const std::int64_t halves = product >> (30 + right);
    const bool tie = (halves & 1) != 0 && product == halves * (std::int64_t{1} << (30 + right));
    const bool down = tie && rounding == isa::StQuantRounding::HalfEven && (halves & 2) == 0;
    const std::int64_t value = (halves >> 1) + ((halves & 1) != 0 && !down ? 1 : 0) + zero;
    return static_cast<std::int8_t>(std::clamp<std::int64_t>(value, low, high));
  }
  const std::int64_t doubled = (std::int64_t{scaled} * multiplier + (std::int64_t{1} << 30)) >> 31;
  const std::int64_t mask = (std::int64_t{1} << right) - 1;
  const std::int64_t rest = doubled & mask;
  const std::int64_t threshold = (mask >> 1) + (doubled < 0 ? 1 : 0);
  const std::int64_t value = (doubled >> right) + (rest > threshold ? 1 : 0) + zero;
  return static_cast<std::int8_t>(std::clamp<std::int64_t>(value, low, high));
}

// What ST_SOFTMAX makes of the requantised values of one pixel.
class Softmax {
 public:
  Softmax(const isa::StSoftmax& softmax, isa::StQuantRounding rounding, const Memories& m)
      : softmax_(softmax),
        rounding_(rounding),
        table_(m.tables.data() + std::size_t{256} * softmax.table_select) {}

  void apply(std::uint8_t* begin, const std::uint8_t* end) const {
    const auto value = [](std::uint8_t byte) { return static_cast<std::int8_t>(byte); };
    std::int32_t greatest = value(*begin);
    for (const std::uint8_t* at = begin; at != end; ++at) {
      greatest = std::max<std::int32_t>(greatest, value(*at));
    }
    const auto term = [&](std::uint8_t byte) {
      return table_[static_cast<std::uint8_t>(value(byte) - greatest)];
    };
    std::uint64_t sum = 0;
    for (const std::uint8_t* at = begin; at != end; ++at) {
      const std::uint32_t fraction = static_cast<std::uint32_t>(term(*at)) & 0x7fffffffU;
      sum += (fraction >> kSumShift) + (fraction >> (kSumShift - 1) & 1U);
    }
    const FixedPoint factor = softmax_factor(sum);
    for (std::uint8_t* at = begin; at != end; ++at) {
      *at = static_cast<std::uint8_t>(requantised(rounding_, term(*at), 0, factor.multiplier,
                                                  factor.shift, softmax_.zero_point, softmax_.low,
                                                  softmax_.high));
    }
  }

 private:
  static constexpr int kSumShift = 12;

  isa::StSoftmax softmax_;
  isa::StQuantRounding rounding_;
  const std::int32_t* table_;
};

class Post {
 public:
  Post(const timing::StoreOperation& op, const Memories& m)
      : rounding_(static_cast<isa::StQuantRounding>(op.quant.rounding)),
        post_(op.post),
        result_(op.result),
        operation_(static_cast<isa::StPostOperation>(op.post.operation)),
        table_(m.tables.data() + std::size_t{256} * op.post.table_select) {}

  [[nodiscard]] std::int8_t apply(std::int8_t y, std::int8_t r) const {
    const std::int32_t mapped = table_[static_cast<std::uint8_t>(post_.table_operand != 0 ? r : y)];
    if (operation_ == isa::StPostOperation::Table) {
      return static_cast<std::int8_t>(mapped);
    }
    const std::int32_t data = y - post_.zero_y;
    const std::int32_t operand = r - post_.zero_r;
    if (operation_ == isa::StPostOperation::Multiply) {
      return finish(data * operand, 0);
    }
    const std::int32_t plain = post_.table_operand != 0 ? data : operand;
    if (result_.square != 0) {
      const std::int32_t sum =
          mapped + (post_.negate != 0 ? -plain : plain) * (1 << kSquarePlainShift);
      const auto lower = static_cast<std::int16_t>(sum);
      return finish(lower * lower, 0);
    }
    return finish(mapped, wrap(std::int64_t{post_.negate != 0 ? -plain : plain} *
                               (std::int64_t{1} << kPlainShift)));
  }

 private:
  [[nodiscard]] std::int8_t finish(std::int32_t value, std::int32_t bias) const {
    return requantised(rounding_, value, bias, static_cast<std::int32_t>(post_.multiplier),
                       post_.shift, result_.zero_point, result_.low, result_.high);
  }

  isa::StQuantRounding rounding_;
  isa::StPost post_;
  isa::StResult result_;
  isa::StPostOperation operation_;
  const std::int32_t* table_;
};

}  // namespace

std::vector<std::uint8_t> drain_tile(const timing::StoreOperation& op, const Memories& m) {
  check(op, m);
  const Post post(op, m);
  std::optional<Softmax> softmax;
  if (op.softmax) {
    softmax.emplace(*op.softmax, static_cast<isa::StQuantRounding>(op.quant.rounding), m);
  }
  const auto rounding = static_cast<isa::StQuantRounding>(op.quant.rounding);
  const bool has_post =
      static_cast<isa::StPostOperation>(op.post.operation) != isa::StPostOperation::None;
  const bool has_operand = op.has_operand();
  const std::size_t k = m.hw.atomic_k;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(op.bytes(m.hw.atomic_k));
  const std::int8_t* operand =
      has_operand ? m.operands.data() + std::size_t{op.store.acc_base} * k : nullptr;
  for (std::size_t pixel = 0; pixel < op.tile.pixels; ++pixel) {
    for (std::size_t g = 0; g < op.tile.groups; ++g) {
      const std::size_t kernels = g + 1 == op.tile.groups ? op.tile.last_kernels : k;
      const std::int32_t* sums =
          m.sums.data() + (op.store.acc_base + g * op.tile.pixels + pixel) * k;
      const std::size_t group = std::min<std::size_t>(g, op.param_groups() - 1);
      const Parameter* parameters = m.parameters.data() + (op.tile.param_base + group) * k;
      for (std::size_t i = 0; i < kernels; ++i) {
        const Parameter& p = parameters[i];
        std::int8_t value = requantised(rounding, sums[i], p.bias, p.multiplier, p.shift,
                                        op.quant.zero_point, op.quant.low, op.quant.high);
        if (has_post) {
          value = post.apply(value, has_operand ? operand[i] : std::int8_t{0});
        }
        bytes.push_back(static_cast<std::uint8_t>(value));
      }
      operand += has_operand ? k : 0;
    }
    operand -= has_operand && op.result.per_channel != 0 ? op.tile.groups * k : 0;
    if (softmax) {
      const std::size_t row = (op.tile.groups - 1) * k + op.tile.last_kernels;
      softmax->apply(bytes.data() + bytes.size() - row, bytes.data() + bytes.size());
    }
  }
  return bytes;
}

void keep_tile(const timing::StoreOperation& op, const std::vector<std::uint8_t>& bytes,
               Memories& memories) {
  const std::uint32_t c = memories.hw.atomic_c;
  const std::uint32_t kernels = (op.tile.groups - 1) * memories.hw.atomic_k + op.tile.last_kernels;
  const bool fills = op.tile.last_kernels != memories.hw.atomic_k;
  const std::uint8_t* from = bytes.data();
  for (std::uint32_t pixel = 0; pixel < op.tile.pixels; ++pixel) {
    const std::uint32_t first = op.store.dest + pixel / op.keep.cols * op.keep.row_step +
                                pixel % op.keep.cols * op.keep.pixel_step;
    std::uint32_t byte = op.store.dest_byte;
    for (std::uint32_t k = 0; k < kernels;) {
      const std::uint32_t atom = (first + byte / c) & kAtomMask;
      if (byte >= c && k == 0) {
        fail(isa::Error::CbufRange, atom);
      }
      if (atom >= memories.cbuf_limit) {
        fail(isa::Error::CbufRange, atom);
      }
      const std::uint32_t count = std::min(kernels - k, c - byte % c);
      std::int16_t* to = memories.cbuf.data() + std::size_t{atom} * c + byte % c;
      std::transform(from, from + count, to,
                     [](std::uint8_t value) { return static_cast<std::int8_t>(value); });
      if (fills && k + count == kernels) {
        std::fill(to + count, memories.cbuf.data() + (std::size_t{atom} + 1) * c, std::int16_t{0});
      }
      from += count;
      byte += count;
      k += count;
    }
  }
}

}  // namespace tessera::npu
