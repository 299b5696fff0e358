// The host link's two ends, the host's and the RTL's, over a line that loses, doubles and flips
// bytes.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "board/link/link.hpp"
#include "board/simulation.hpp"
#include "sim/rtl/verilate.hpp"
#include "sim/tools/build_cache.hpp"
#include "tessera/resources.hpp"

namespace tessera::board {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr double kMhz = 1;  // a thousand cycles are a millisecond
constexpr std::uint32_t kDivider = 4;
constexpr std::uint32_t kMemoryBytes = 65536;

std::string bench() {
  const fs::path rtl = data_dir() / "rtl";
  rtl::Verilation v;
  v.top = "bench";
  v.prefix = "link-bench";
  for (const char* file : {"packages/checksum_pkg.sv", "cells/ram_1r1w.sv"}) {
    v.sources.push_back(rtl / file);
  }
  for (const fs::path& file : listed_sources(rtl / "board" / "files.f")) {
    if (file.filename() != "linked_npu.sv") {
      v.sources.push_back(file);
    }
  }
  v.sources.push_back(fs::path(TESSERA_TEST_DIR) / "board" / "link_bench.sv");
  v.wrapper = data_dir() / "sim" / "verilated" / "board_model.cpp";
  v.headers = {data_dir() / "sim" / "verilated" / "board_ports.hpp"};
  return rtl::verilate(v, {});
}

enum class Fault : std::uint8_t { Lost, Doubled, Flipped, Added, Cut, Count };

/// The line: spoils what goes over it now and then.
class BadLine : public Transport {
 public:
  BadLine(SimulatedBoard& board, std::uint64_t seed) : board_(board), random_(seed) {}

  /// One fault in so many frames, either way; 0: none.
  void spoil(std::uint32_t one_in) { one_in_ = one_in; }
  void unplug_after(std::uint64_t bytes) { left_ = bytes; }

  void send(const std::vector<std::uint8_t>& bytes) override {
    lose(bytes.size());
    board_.send(spoiled(bytes));
  }

  std::vector<std::uint8_t> receive(milliseconds wait) override {
    const std::vector<std::uint8_t> bytes = board_.receive(wait);
    lose(bytes.size());
    // Bytes come one at a time here: as many fewer are hit.
    return one_in_ > 0 && draw(100 * one_in_) == 0 ? broken(bytes) : bytes;
  }

  [[nodiscard]] std::uint64_t faults() const { return faults_; }
  [[nodiscard]] const std::map<Fault, std::uint64_t>& kinds() const { return kinds_; }

 private:
  std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  void lose(std::uint64_t bytes) {
    if (left_ <= bytes) {
      throw LinkLost("the line is gone");
    }
    left_ -= bytes;
  }

  std::vector<std::uint8_t> spoiled(const std::vector<std::uint8_t>& bytes) {
    return one_in_ > 0 && draw(one_in_) == 0 ? broken(bytes) : bytes;
  }

  std::vector<std::uint8_t> broken(std::vector<std::uint8_t> bytes) {
    if (bytes.empty()) {
      return bytes;
    }
    const auto fault = static_cast<Fault>(draw(static_cast<std::uint32_t>(Fault::Count)));
    const std::size_t place = draw(static_cast<std::uint32_t>(bytes.size()));
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(place);
    const std::uint8_t value = bytes[place];
    const auto drawn = static_cast<std::uint8_t>(draw(256));
    switch (fault) {
      case Fault::Lost:
        bytes.erase(at);
        break;
      case Fault::Doubled:
        bytes.insert(at, value);
        break;
      case Fault::Flipped:
        *at = static_cast<std::uint8_t>(value ^ (1U << draw(8)));
        break;
      case Fault::Added:
        bytes.insert(at, drawn);
        break;
      default:
        bytes.erase(at, bytes.end());
        break;
    }
    ++faults_;
    ++kinds_[fault];
    return bytes;
  }

  SimulatedBoard& board_;
  std::mt19937_64 random_;
  std::uint32_t one_in_ = 0;
  std::uint64_t left_ = ~std::uint64_t{0};
  std::uint64_t faults_ = 0;
  std::map<Fault, std::uint64_t> kinds_;
};

LinkOptions options() {
  LinkOptions o;
  o.patience = milliseconds(4);
  o.attempts = 40;
  o.baud = static_cast<std::uint32_t>(1e6 * kMhz / kDivider);
  return o;
}

class HostLink : public testing::Test {
 protected:
  SimulatedBoard board_{bench(), kDivider, kMhz};
};

TEST_F(HostLink, SaysWhatTheBoardIs) {
  Link link(board_, options());
  EXPECT_EQ(link.info().version, kProtocolVersion);
  EXPECT_EQ(link.info().clock_hz, 1000000U);
  EXPECT_EQ(link.info().memory_bytes, kMemoryBytes);
  EXPECT_EQ(link.info().most_data, kMostFrameData);
}

TEST_F(HostLink, MovesEveryByteValueInFramesOfAllSizes) {
  Link link(board_, options());
  for (const std::uint32_t size : {1U, 2U, 255U, 256U, 1023U, 1024U, 1025U, 3000U}) {
    std::vector<std::uint8_t> bytes(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<std::uint8_t>(i * 7 + size);
    }
    link.write(17, bytes);
    EXPECT_EQ(link.read(17, size), bytes) << size;
  }
  EXPECT_GT(link.resent(), 0U) << "the first write comes before the memory is ready";
}

TEST_F(HostLink, TenThousandFaultsAreEachSentAgainAndNothingIsDoneTwice) {
  BadLine line(board_, 4);
  Link link(line, options());
  std::mt19937_64 random(5);
  std::vector<std::uint8_t> memory(kMemoryBytes);
  for (std::uint32_t at = 0; at < kMemoryBytes; at += 4096) {
    link.write(at, std::vector<std::uint8_t>(4096));
  }
  std::uint32_t writes = link.read_register(0);
  std::uint32_t resets = link.read_register(4);
  std::map<std::uint32_t, std::uint32_t> registers;
  line.spoil(2);
  while (line.faults() < 10000) {
    const auto address = static_cast<std::uint32_t>(random() % (kMemoryBytes - 64));
    const std::uint64_t size = 1 + random() % 64;
    const auto reg = static_cast<std::uint32_t>(8 + 4 * (random() % 14));
    switch (random() % 6) {
      case 0: {
        std::vector<std::uint8_t> bytes(size);
        for (std::uint8_t& byte : bytes) {
          byte = static_cast<std::uint8_t>(random());
        }
        link.write(address, bytes);
        std::copy(bytes.begin(), bytes.end(), memory.begin() + address);
        break;
      }
      case 1: {
        const auto begin = memory.begin() + address;
        ASSERT_EQ(link.read(address, size),
                  std::vector<std::uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(size)));
        break;
      }
      case 2: {
        registers[reg] = static_cast<std::uint32_t>(random());
        link.write_register(reg, registers[reg]);
        ++writes;
        break;
      }
      case 3:
        if (registers.count(reg) > 0) {
          ASSERT_EQ(link.read_register(reg), registers[reg]);
        }
        ASSERT_EQ(link.read_register(0), writes);
        break;
      case 4:
        // Refused, and refused again when the first refusal is lost.
        try {
          link.write_register(0x800, 1);
          FAIL();
        } catch (const LinkError& error) {
          ASSERT_NE(std::string(error.what()).find("nothing there"), std::string::npos)
              << error.what();
        }
        break;
      default:
        link.reset();
        ++resets;
        ASSERT_EQ(link.read_register(4), resets);
        break;
    }
  }
  line.spoil(0);
  EXPECT_EQ(link.read(0, kMemoryBytes), memory);
  EXPECT_GT(link.resent(), 5000U);
  for (const auto& [kind, count] : line.kinds()) {
    EXPECT_GT(count, 500U) << static_cast<int>(kind);
  }
}

TEST_F(HostLink, ALineThatIsUnpluggedIsAnErrorWhereverItHappens) {
  {
    // What is under way is finished: the board has a begin again.
    Link link(board_, options());
    link.write(0, std::vector<std::uint8_t>(100));
  }
  for (std::uint64_t bytes = 0; bytes < 400; bytes += 13) {
    BadLine line(board_, bytes);
    line.unplug_after(bytes);
    EXPECT_THROW(
        {
          Link link(line, options());
          for (int i = 0; i < 30; ++i) {
            link.write(static_cast<std::uint32_t>(i), {1, 2, 3});
          }
        },
        LinkLost)
        << bytes;
    // Plugged in again: what was half a frame does no harm.
    Link again(board_, options());
    again.write(50, {9, 8, 7});
    EXPECT_EQ(again.read(50, 3), (std::vector<std::uint8_t>{9, 8, 7}));
  }
}

TEST_F(HostLink, WhatIsNotThereIsRefused) {
  Link link(board_, options());
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const LinkError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message([&] { link.read(kMemoryBytes, 1); }).find("a read of memory at 0x10000"),
            std::string::npos);
  EXPECT_NE(message([&] { link.read(kMemoryBytes - 1, 2); }).find("nothing there"),
            std::string::npos);
  EXPECT_NE(message([&] {
              link.write(0xFFFFFFFF, {1, 2});
            }).find("nothing there"),
            std::string::npos);
  EXPECT_NE(message([&] { link.read_register(0x800); }).find("register 0x800"), std::string::npos);
  EXPECT_NE(message([&] { link.write_register(0x800, 1); }).find("nothing there"),
            std::string::npos);
  EXPECT_NE(message([&] { link.read_register(0x1000); }).find("nothing there"), std::string::npos);
  EXPECT_EQ(link.read(kMemoryBytes - 1, 1).size(), 1U);

  // What is read only, from 0100_0000h on.
  constexpr std::uint32_t kFlash = 0x0100'0000;
  link.write(kMemoryBytes - 2, {7, 9});
  EXPECT_EQ(link.read(kFlash + kMemoryBytes - 2, 2), (std::vector<std::uint8_t>{7, 9}));
  for (const std::uint32_t outside :
       {kFlash - 1, kFlash + kMemoryBytes - 1, kFlash + kMemoryBytes, 2 * kFlash, 3 * kFlash}) {
    EXPECT_NE(message([&] { link.read(outside, 2); }).find("nothing there"), std::string::npos)
        << outside;
  }
  EXPECT_NE(message([&] { link.write(kFlash, {1}); }).find("nothing there"), std::string::npos);
}

/// Nobody is there, or somebody else.
class Silence : public Transport {
 public:
  explicit Silence(std::vector<std::uint8_t> says) : says_(std::move(says)) {}
  void send(const std::vector<std::uint8_t>& /*bytes*/) override {}
  std::vector<std::uint8_t> receive(milliseconds /*wait*/) override { return says_; }

 private:
  std::vector<std::uint8_t> says_;
};

TEST(HostLinkAlone, NobodyThereIsAnError) {
  for (const std::vector<std::uint8_t>& says :
       {std::vector<std::uint8_t>{}, {'l', 'o', 'g', 'i', 'n'}, {0xC0, 0xC0}, {0xDB}}) {
    Silence line(says);
    try {
      const Link link(line, options());
      FAIL();
    } catch (const LinkError& error) {
      EXPECT_NE(std::string(error.what()).find("is the bitstream loaded?"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tessera::board
