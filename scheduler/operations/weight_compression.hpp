// Weights of a pass as the accelerator's loads decode them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "scheduler/lower/tiling.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// Whether weights of the shape can be compressed: the hardware decodes them, and they are stored
/// in whole atoms, each kernel's own.
bool can_compress(const ConvShape& shape, const Hardware& hardware);

/// Codes of weights as pack_weights makes them; none when they would take no fewer bytes. Units are
/// what a load begins and ends with: a kernel group of a channel part.
std::shared_ptr<const CodedWeights> code_weights(const std::vector<std::uint8_t>& packed,
                                                 const ConvShape& shape, const Hardware& hardware,
                                                 std::uint32_t channel_parts);

/// Those bytes as they are stored.
std::vector<std::uint8_t> compress(const std::vector<std::uint8_t>& packed,
                                   const CodedWeights& coded, const Hardware& hardware);

/// The codes of passes that were asked for before: many programs have the same ones.
class CodeCache {
 public:
  /// Operator and pass of the network, and all that the order of its weights depends on.
  using Key = std::tuple<std::size_t, std::size_t, std::uint32_t, std::int32_t, std::int32_t,
                         std::int32_t, std::int32_t, std::int32_t>;

  template <class Make>
  const std::shared_ptr<const CodedWeights>& get(const Key& key, Make make) {
    const auto [at, is_new] = known_.try_emplace(key);
    if (is_new) {
      at->second = make();
    }
    return at->second;
  }

 private:
  std::map<Key, std::shared_ptr<const CodedWeights>> known_;
};

}  // namespace tessera
