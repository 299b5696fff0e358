#include <algorithm>
#include <cstring>

#include "sim/npu/units.hpp"

namespace tessera::npu {
namespace {

constexpr std::size_t kTableValues = 256;

std::int32_t word_at(const std::uint8_t* bytes) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

std::int16_t* atom_at(Memories& m, std::uint64_t atom) {
  if (atom >= m.cbuf_limit) {
    fail(isa::Error::CbufRange, atom);
  }
  return m.cbuf.data() + atom * m.hw.atomic_c;
}

void widen(const std::uint8_t* from, std::size_t count, std::int16_t* to) {
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = static_cast<std::int8_t>(from[i]);
  }
}

// Each pixel begins a new atom, whose rest is zero.
void place_pixels(const timing::LoadOperation& op, const std::vector<std::uint8_t>& bytes,
                  Memories& m) {
  const std::size_t c = m.hw.atomic_c;
  const std::size_t pixel = op.source.pixel_bytes;
  const std::size_t atoms = (pixel + c - 1) / c;
  const std::size_t pixels = bytes.size() / pixel;
  const std::uint64_t end = op.load.dest + pixels * atoms;
  if (end > m.cbuf_limit) {
    fail(isa::Error::CbufRange, std::max<std::uint64_t>(op.load.dest, m.cbuf_limit));
  }
  std::int16_t* to = m.cbuf.data() + std::size_t{op.load.dest} * c;
  if (pixel % c == 0) {
    widen(bytes.data(), bytes.size(), to);
    return;
  }
  for (std::size_t p = 0; p < pixels; ++p, to += atoms * c) {
    widen(bytes.data() + p * pixel, pixel, to);
    std::fill(to + pixel, to + atoms * c, std::int16_t{0});
  }
}

// Rows of units, with padding at their ends. Other bytes of their atoms stay.
void place_folded(const timing::LoadOperation& op, const std::vector<std::uint8_t>& bytes,
                  Memories& m) {
  const isa::LdFold& fold = op.fold;
  const std::size_t c = m.hw.atomic_c;
  const std::size_t unit = op.source.pixel_bytes;
  const std::uint32_t atoms = op.atoms_per_unit(m.hw.atomic_c);
  const std::size_t row_bytes = op.shape.segment_bytes;
  std::vector<std::uint8_t> row(fold.pad_before + row_bytes + fold.pad_after,
                                static_cast<std::uint8_t>(fold.value));
  std::uint64_t at = op.load.dest;
  for (std::size_t from = 0; from < bytes.size(); from += row_bytes) {
    if (fold.blank == 0) {
      std::memcpy(row.data() + fold.pad_before, bytes.data() + from, row_bytes);
    }
    for (std::size_t u = 0; u < fold.units; ++u) {
      const std::uint8_t* source = row.data() + u * fold.advance;
      for (std::size_t a = 0, done = 0; a < atoms; ++a) {
        const std::size_t from_byte = a == 0 ? fold.offset : 0;
        const std::size_t count = std::min(c - from_byte, unit - done);
        widen(source + done, count, atom_at(m, at + a) + from_byte);
        done += count;
      }
      at += fold.unit_step;
    }
  }
}

Parameter parameter_of(const std::uint8_t* record) {
  return {word_at(record), word_at(record + 4), static_cast<std::int8_t>(record[8])};
}

// Bias of 28 bits, shift of 6, multiplier without its leading one.
Parameter compact_parameter_of(const std::uint8_t* record) {
  std::uint64_t word = 0;
  std::memcpy(&word, record, sizeof(word));
  const auto signed_bits = [&](unsigned low, unsigned bits) {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(word << (64 - low - bits)) >>
                                     (64 - bits));
  };
  return {signed_bits(0, 28), static_cast<std::int32_t>(word >> 34 | std::uint64_t{1} << 30),
          signed_bits(28, 6)};
}

void place_parameters(const timing::LoadOperation& op, const std::vector<std::uint8_t>& bytes,
                      Memories& m) {
  const std::size_t record_bytes = op.source.pixel_bytes;
  for (std::size_t i = 0; i < bytes.size() / record_bytes; ++i) {
    const std::size_t at = std::size_t{op.load.dest} * m.hw.atomic_k + i;
    if (at >= m.parameters.size()) {
      fail(isa::Error::ParamRange, at / m.hw.atomic_k);
    }
    const std::uint8_t* record = bytes.data() + record_bytes * i;
    m.parameters[at] =
        record_bytes == timing::kUniformRecord
            ? Parameter{word_at(record), static_cast<std::int32_t>(op.factor.multiplier),
                        op.factor.shift}
        : record_bytes == timing::kCompactRecord ? compact_parameter_of(record)
                                                 : parameter_of(record);
  }
}

void place_operands(const timing::LoadOperation& op, const std::vector<std::uint8_t>& bytes,
                    Memories& m) {
  const std::size_t k = m.hw.atomic_k;
  const std::size_t pixel = op.source.pixel_bytes;
  std::size_t word = op.load.dest;
  for (std::size_t from = 0; from < bytes.size(); from += pixel) {
    for (std::size_t b = 0; b < pixel; b += k, ++word) {
      if (word >= m.operand_words()) {
        fail(isa::Error::OperandRange, word);
      }
      std::memset(m.operands.data() + word * k, 0, k);
      std::memcpy(m.operands.data() + word * k, bytes.data() + from + b, std::min(k, pixel - b));
    }
  }
}

void place_table(const timing::LoadOperation& op, const std::vector<std::uint8_t>& bytes,
                 Memories& m) {
  for (std::size_t i = 0; i < bytes.size() / 4; ++i) {
    const std::size_t at = op.load.dest * kTableValues + i;
    if (at >= m.tables.size()) {
      fail(isa::Error::TableRange, at);
    }
    m.tables[at] = word_at(bytes.data() + 4 * i);
  }
}

}  // namespace

void place_load(const timing::LoadOperation& op, const std::vector<std::uint8_t>& bytes,
                Memories& memories) {
  switch (static_cast<isa::LoadKind>(op.load.kind)) {
    case isa::LoadKind::Param:
      return place_parameters(op, bytes, memories);
    case isa::LoadKind::Operand:
      return place_operands(op, bytes, memories);
    case isa::LoadKind::Table:
      return place_table(op, bytes, memories);
    default:
      if (op.load.coded != 0) {
        return place_pixels(op, decode_weights(op, bytes, memories.hw.atomic_c), memories);
      }
      return op.load.fold != 0 ? place_folded(op, bytes, memories)
                               : place_pixels(op, bytes, memories);
  }
}

}  // namespace tessera::npu
