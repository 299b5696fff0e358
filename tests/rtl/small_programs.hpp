// Programs of a few commands, for tests of single units.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/rtl/test_bench.hpp"

namespace tessera::test {

inline isa::Load load_of(isa::LoadKind kind, std::uint32_t dest) {
  isa::Load load;
  load.kind = static_cast<std::uint32_t>(kind);
  load.dest = dest;
  return load;
}

// Loads 64 atoms of 8 bytes to `dest`.
inline std::vector<isa::Command> loading(std::uint32_t dest, std::uint32_t address = 0) {
  return {isa::LdSource{address, 8}, isa::LdShape{512, 1, 1}, isa::LdStride{},
          load_of(isa::LoadKind::Feature, dest), isa::End{}};
}

// A 1x1 convolution of one pixel without any load before it, and its store.
inline std::vector<isa::Command> convolving(isa::Conv conv = {}) {
  return {isa::CvInput{1, 1, 1, 0}, isa::CvKernel{1, 1, 1, 1, 1, 1, 1}, isa::CvTile{0, 0, 1, 1},
          isa::CvWeights{8, 1, 8}, conv};
}

inline std::vector<isa::Command> then(std::vector<isa::Command> first,
                                      const std::vector<isa::Command>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

inline std::vector<isa::Command> storing(std::uint32_t address) {
  return {
      isa::StAddress{address}, isa::StShape{8, 1, 1}, isa::StStride{}, isa::StQuant{0, -128, 127},
      isa::StTile{1, 1, 8, 0}, isa::Store{},          isa::End{}};
}

inline void expect_works(TestBench& bench) {
  EXPECT_EQ(bench.failure(encode_all(loading(0))), isa::Error::None) << bench.text;
}

}  // namespace tessera::test
