// Random traffic of the accelerator's kind and of the link's against an SDRAM: every byte that
// comes back is the one that was written last, all answers come in order, and no rule of the memory
// was broken. Prints what happened; the exit code says whether all was right.
#include <verilated.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "Vsdram_bench.h"

#ifndef BUS_BYTES
#error "BUS_BYTES is the bench's"
#endif

namespace {

constexpr unsigned kBus = BUS_BYTES;
constexpr std::uint32_t kRegion = 1U << 20;
constexpr std::uint32_t kRefused = 0x8000'0000;

struct Read {
  bool id;
  std::uint32_t address;
  unsigned left;
};

struct Write {
  std::uint32_t address;  // of the next beat
  std::uint32_t first;    // of the first one
  unsigned left;
  bool whole;  // all bytes of all beats
};

template <class Port>
void put(Port& port, const std::uint8_t* bytes) {
  std::memcpy(&port, bytes, kBus);
}

class Bench {
 public:
  explicit Bench(std::uint64_t seed) : random_(seed), memory_(kRegion) {
    context_.randReset(0);
    top_.clk_i = 0;
    top_.rst_ni = 0;
    for (int i = 0; i < 4; ++i) step();
    top_.rst_ni = 1;
  }

  void until_ready() {
    while (!top_.ready_o) step();
    // What the memory held before is nobody's business.
    for (std::uint32_t at = 0; at < kRegion; at += 4096) fill(at, 4096);
  }

  /// Cycles from a read's address to its first beat, in a row that is open.
  unsigned latency() {
    unsigned cycles = 0;
    for (int i = 0; i < 2; ++i) {
      reads_.push_back({true, 64, 1});
      waiting_.push_back(reads_.back());
      for (cycles = 0; !reads_.empty(); ++cycles) cycle(false);
    }
    return cycles - 1;
  }

  /// Beats per cycle of a long read, when nothing else is wanted.
  double streaming() {
    const std::uint64_t begin = cycles_;
    std::uint32_t beats = 0;
    for (std::uint32_t at = 0; at < 65536; at += 256 * kBus) {
      reads_.push_back({true, at, 256});
      waiting_.push_back(reads_.back());
      beats += 256;
    }
    while (!reads_.empty()) cycle(false);
    return double(beats) / double(cycles_ - begin);
  }

  /// Beats per cycle of bursts of four beats that are written one behind the other.
  double short_writes() {
    constexpr unsigned kBeats = 4, kBursts = 256;
    const std::uint64_t begin = cycles_;
    for (unsigned i = 0; i < kBursts; ++i) begin_write(i * kBeats * kBus, kBeats, true);
    until_written();
    return double(kBeats * kBursts) / double(cycles_ - begin);
  }

  void traffic(unsigned cycles) {
    for (unsigned i = 0; i < cycles && !wrong_; ++i) {
      if (i % 512 == 0) {
        // Many writes under way or one now and then; responses taken or left standing.
        pace_ = draw(2) == 0 ? 8 : 100;
        patience_ = draw(2) == 0 ? 4 : 40;
      }
      offer();
      cycle(true);
    }
    unsigned quiet = 0;
    const auto busy = [&] { return !reads_.empty() || !writes_.empty() || byte_busy_; };
    while (busy() && ++quiet < 100000) cycle(true);
    if (busy()) fail("hangs");
  }

  [[nodiscard]] bool wrong() const { return wrong_; }
  [[nodiscard]] unsigned broken() const { return top_.broken_o; }
  void report() const {
    std::printf("%llu cycles, %llu beats read, %llu written, %llu bytes of the link\n",
                static_cast<unsigned long long>(cycles_), static_cast<unsigned long long>(read_),
                static_cast<unsigned long long>(written_), static_cast<unsigned long long>(bytes_));
  }

 private:
  std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  void fail(const char* what) {
    if (!wrong_)
      std::printf("wrong: %s after %llu cycles\n", what, static_cast<unsigned long long>(cycles_));
    wrong_ = true;
  }

  void step() {
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
    ++cycles_;
  }

  void until_written() {
    for (unsigned i = 0; !writes_.empty() && !wrong_; ++i) {
      cycle(false);
      if (i == 100000) fail("hangs");
    }
  }

  // A burst of whole beats.
  void fill(std::uint32_t address, unsigned bytes) {
    while (bytes > 0 && !wrong_) {
      const unsigned beats = std::min(256U, bytes / kBus);
      begin_write(address, beats, true);
      until_written();
      address += beats * kBus;
      bytes -= beats * kBus;
    }
  }

  void begin_write(std::uint32_t address, unsigned beats, bool whole) {
    writes_.push_back({address, address, beats, whole});
    addresses_.push_back(address);
  }

  static bool overlaps(std::uint32_t a, std::uint32_t b) { return a / 4096 == b / 4096; }

  // Nothing is asked for that depends on what is still being written: pages that are in use stay
  // alone.
  bool page_is_free(std::uint32_t address, bool to_read) {
    for (const Write& w : writes_) {
      if (overlaps(address, w.first)) return false;
    }
    if (byte_busy_ && overlaps(address, top_.byte_address_i)) return false;
    if (!to_read) {
      for (const Read& r : reads_) {
        if (overlaps(address, r.address)) return false;
      }
    }
    return true;
  }

  void offer() {
    if (draw(8) == 0 && waiting_.size() < 6) {
      const unsigned beats = 1 + draw(draw(3) == 0 ? std::min(256U, 4096 / kBus) : 8);
      const std::uint32_t page = draw(kRegion / 4096) * 4096;
      const std::uint32_t at = page + draw(4096 / kBus - beats + 1) * kBus + draw(kBus);
      const bool refused = draw(50) == 0;
      if (refused || page_is_free(page, true)) {
        reads_.push_back({draw(2) == 1, refused ? at | kRefused : at, beats});
        waiting_.push_back(reads_.back());
      }
    }
    if (writes_.size() < 4 && draw(pace_) == 0) {
      const unsigned beats = 1 + draw(draw(3) == 0 ? std::min(256U, 4096 / kBus) : 8);
      const std::uint32_t page = draw(kRegion / 4096) * 4096;
      const std::uint32_t at = page + draw(4096 / kBus - beats + 1) * kBus + draw(kBus);
      const bool refused = draw(6) == 0;
      if (refused || page_is_free(page, false)) {
        begin_write(refused ? at | kRefused : at, beats, draw(2) == 0);
      }
    }
    if (!byte_busy_ && draw(20) == 0) {
      const std::uint32_t at = draw(kRegion);
      if (page_is_free(at, false)) {
        byte_busy_ = true;
        byte_taken_ = false;
        top_.byte_valid_i = 1;
        top_.byte_write_i = draw(2);
        top_.byte_address_i = at;
        top_.byte_data_i = draw(256);
      }
    }
  }

  void make_beat() {
    if (beat_ready_ || sent_ == writes_.size()) return;
    const Write& write = writes_[sent_];
    std::uint8_t data[kBus];
    std::uint32_t strobes = 0;
    for (unsigned b = 0; b < kBus; ++b) {
      data[b] = static_cast<std::uint8_t>(draw(256));
      strobes |= std::uint32_t(write.whole || draw(2) == 1) << b;
    }
    put(top_.wdata_i, data);
    top_.wstrb_i = strobes;
    top_.wlast_i = write.left == 1;
    beat_ready_ = true;
    std::copy(data, data + kBus, beat_);
    strobes_ = strobes;
  }

  // One cycle with all hand-shakes; stalls are drawn where `moody`.
  void cycle(bool moody) {
    make_beat();
    top_.wvalid_i = beat_ready_ && !(moody && draw(4) == 0);
    top_.rready_i = !moody || draw(4) != 0;
    top_.bready_i = !moody || (patience_ == 4 ? draw(4) != 0 : draw(patience_) == 0);
    if (!waiting_.empty()) {
      top_.arvalid_i = 1;
      top_.arid_i = waiting_.front().id;
      top_.araddr_i = waiting_.front().address;
      top_.arlen_i = waiting_.front().left - 1;
    }
    top_.awvalid_i = !addresses_.empty();
    if (!addresses_.empty()) top_.awaddr_i = addresses_.front();
    top_.eval();
    const bool ar = top_.arvalid_i && top_.arready_o;
    const bool aw = top_.awvalid_i && top_.awready_o;
    const bool w = top_.wvalid_i && top_.wready_o;
    const bool b = top_.bvalid_o && top_.bready_i;
    const bool r = top_.rvalid_o && top_.rready_i;
    const bool byte = top_.byte_valid_i && top_.byte_ready_o;
    if (r) take_read();
    if (b) {
      if (sent_ == 0) return fail("a response before the last beat");
      const bool refused = (writes_.front().first & kRefused) != 0;
      if ((top_.bresp_o == 3) != refused) fail("a response of a write");
      writes_.pop_front();
      --sent_;
    }
    if (top_.byte_valid_o) {
      if (!byte_busy_ || top_.byte_write_i) fail("a byte that nobody asked for");
      if (top_.byte_data_o != memory_[top_.byte_address_i]) fail("a byte of the link");
      byte_busy_ = false;
      ++bytes_;
    }
    step();
    if (ar) {
      waiting_.pop_front();
      top_.arvalid_i = 0;
    }
    if (aw) addresses_.pop_front();
    if (w) {
      Write& write = writes_[sent_];
      for (unsigned i = 0; i < kBus; ++i) {
        const std::uint32_t at = (write.address / kBus * kBus) + i;
        if (((strobes_ >> i) & 1) && at < kRegion) memory_[at] = beat_[i];
      }
      write.address += kBus;
      if (--write.left == 0) ++sent_;
      beat_ready_ = false;
      ++written_;
    }
    if (byte) {
      top_.byte_valid_i = 0;
      if (top_.byte_write_i) {
        memory_[top_.byte_address_i] = top_.byte_data_i;
        byte_busy_ = false;
        ++bytes_;
      }
    }
    if (top_.broken_o != 0 && !wrong_) {
      std::printf("rule %u broken after %llu cycles\n", top_.broken_o,
                  static_cast<unsigned long long>(cycles_));
      wrong_ = true;
    }
  }

  void take_read() {
    if (reads_.empty()) return fail("a beat that nobody asked for");
    Read& front = reads_.front();
    if (top_.rid_o != front.id) fail("an ID");
    if (top_.rlast_o != (front.left == 1)) fail("the last beat");
    const bool refused = (front.address & kRefused) != 0;
    if ((top_.rresp_o == 3) != refused) fail("a response of a read");
    std::uint8_t data[kBus];
    std::memcpy(data, &top_.rdata_o, kBus);
    const std::uint32_t base = front.address / kBus * kBus;
    for (unsigned i = 0; i < kBus && !refused; ++i) {
      if (data[i] != memory_[base + i]) fail("data");
    }
    front.address = base + kBus;
    ++read_;
    if (--front.left == 0) reads_.pop_front();
  }

  VerilatedContext context_;
  Vsdram_bench top_{&context_};
  std::mt19937_64 random_;
  std::vector<std::uint8_t> memory_;
  std::deque<Read> reads_, waiting_;
  std::deque<Write> writes_;  // without a response
  std::size_t sent_ = 0;      // of them all beats
  std::deque<std::uint32_t> addresses_;
  unsigned pace_ = 8, patience_ = 4;
  bool beat_ready_ = false, byte_busy_ = false, byte_taken_ = false;
  std::uint32_t strobes_ = 0;
  std::uint8_t beat_[kBus] = {};
  std::uint64_t cycles_ = 0, read_ = 0, written_ = 0, bytes_ = 0;
  bool wrong_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const unsigned cycles = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 300000;
  Bench bench(seed);
  bench.until_ready();
  if (!bench.wrong()) std::printf("answers after %u cycles\n", bench.latency());
  if (!bench.wrong()) std::printf("streams %.2f beats per cycle\n", bench.streaming());
  if (!bench.wrong())
    std::printf("writes %.2f beats per cycle in bursts of four\n", bench.short_writes());
  if (!bench.wrong()) bench.traffic(cycles);
  bench.report();
  return bench.wrong() ? 1 : 0;
}
