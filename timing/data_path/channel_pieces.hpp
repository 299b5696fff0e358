// The channels of a depthwise convolution as channel_pieces.sv walks them: what lies in one cbuf
// atom and in one kernel group.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/hardware.hpp"
#include "timing/data_path/operations.hpp"

namespace tessera::timing {

struct ChannelPiece {
  std::uint32_t group = 0;
  std::uint32_t lane = 0;   ///< first kernel of the group
  std::uint32_t lanes = 0;  ///< channels
  std::uint32_t atom = 0;   ///< from the origin's on
  std::uint32_t byte = 0;   ///< of that atom
};

/// In order. `byte` is the first channel's; the command is one that the hardware takes.
inline std::vector<ChannelPiece> channel_pieces(const isa::CvWeights& weights, std::uint32_t byte,
                                                const Hardware& hardware) {
  std::vector<ChannelPiece> pieces;
  ChannelPiece piece{0, 0, 0, 0, byte};
  while (piece.group < weights.groups) {
    const bool last_group = piece.group + 1 == weights.groups;
    const std::uint32_t end = last_group ? weights.last_kernels : hardware.atomic_k;
    piece.lanes = std::min(end - piece.lane, hardware.atomic_c - piece.byte);
    pieces.push_back(piece);
    piece.lane += piece.lanes;
    piece.byte += piece.lanes;
    if (piece.byte == hardware.atomic_c) {
      ++piece.atom;
      piece.byte = 0;
    }
    if (piece.lane == end) {
      ++piece.group;
      piece.lane = 0;
    }
  }
  return pieces;
}

inline std::vector<ChannelPiece> channel_pieces(const ConvOperation& op, const Hardware& hardware) {
  return channel_pieces(op.weights, op.conv.first_byte, hardware);
}

}  // namespace tessera::timing
