#include "scheduler/operations/weight_compression.hpp"

#include <algorithm>

#include "isa/weight_code.hpp"
#include "scheduler/operations/pass_operations.hpp"

namespace tessera {

bool can_compress(const ConvShape& shape, const Hardware& hardware) {
  return hardware.has(isa::Feature::Compression) && !shape.same_kernels &&
         weight_unit_bytes(shape, hardware) == hardware.atomic_c;
}

std::shared_ptr<const CodedWeights> code_weights(const std::vector<std::uint8_t>& packed,
                                                 const ConvShape& shape, const Hardware& hardware,
                                                 std::uint32_t channel_parts) {
  const isa::WeightCode code(hardware.atomic_c);
  auto coded = std::make_shared<CodedWeights>();
  coded->zero = static_cast<std::int8_t>(shape.weight_zero);
  coded->codes.resize(packed.size() / hardware.atomic_c);
  for (std::size_t i = 0; i < coded->codes.size(); ++i) {
    coded->codes[i] =
        code.best(packed.data() + i * hardware.atomic_c, static_cast<std::uint8_t>(coded->zero));
  }
  const Range atoms{0, static_cast<std::int32_t>(atoms_of(shape, hardware))};
  const std::uint32_t parts = shape.depthwise ? 1 : channel_parts;
  std::uint64_t bytes = 0;
  std::uint32_t first = 0;
  for (const Range& part : split_evenly(atoms, parts)) {
    coded->parts.push_back(part.begin);
    const auto each = static_cast<std::uint32_t>(kernel_atoms(shape, hardware, u32(part.size())));
    for (std::uint32_t k = 0; k < u32(shape.out_c); k += hardware.atomic_k) {
      coded->units.push_back({bytes, first});
      const std::uint32_t count = each * std::min(hardware.atomic_k, u32(shape.out_c) - k);
      bytes += code.unit_bytes(coded->codes.data() + first, count);
      first += count;
    }
  }
  // A load has a word more, and codes take a cycle for each group.
  const std::uint64_t worth = packed.size() / 64 + sizeof(std::uint64_t) * coded->units.size();
  coded->units.push_back({bytes, first});
  return bytes + worth < packed.size() ? coded : nullptr;
}

std::vector<std::uint8_t> compress(const std::vector<std::uint8_t>& packed,
                                   const CodedWeights& coded, const Hardware& hardware) {
  const isa::WeightCode code(hardware.atomic_c);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(coded.bytes());
  for (std::size_t u = 0; u + 1 < coded.units.size(); ++u) {
    const std::uint32_t first = coded.units[u].first_atom;
    code.encode(packed.data() + std::size_t{first} * hardware.atomic_c, coded.codes.data() + first,
                coded.units[u + 1].first_atom - first, static_cast<std::uint8_t>(coded.zero),
                bytes);
  }
  return bytes;
}

}  // namespace tessera
