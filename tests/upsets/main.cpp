// Single bits of the accelerator's state flipped while a network runs: upsets ROM INPUT EXPECTED
// PLACES COUNT SEED. One line per upset on standard output: its place, its cycle, and what came of
// it.
//
// Links a model that is Verilated with --public-flat-rw; PLACES lists its registers and memories.
// The run is simulated once; a copy of the process at the cycle of each upset goes on with it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>
#include <verilated.h>
#include <verilated_sym_props.h>
#include <verilated_syms.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "Vtessera_npu.h"
#include "tessera/generated/command_set.hpp"
#include "tessera/rng.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;
namespace reg = tessera::isa::reg;

constexpr unsigned kLatency = 20;
constexpr std::uint32_t kWatchdog = 20000;
/// The watchdog's time behind what the run takes, and as much again.
constexpr std::uint64_t kPatience = 3 * kWatchdog;
constexpr std::uint32_t kBusy = 1, kDone = 2, kError = 4;

Bytes read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error("cannot read " + path);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A memory on the accelerator's bus, and the registers' master.
class System {
 public:
  explicit System(Bytes contents) : memory(std::move(contents)) {
    for (int i = 0; i < 4; ++i) {
      cycle();
    }
    top.rst_ni = 1;
    cycle();
  }

  void cycle() {
    top.clk_i = 0;
    drive();
    top.eval();
    // Outputs depend on no input within a cycle: what is taken is known before the edge.
    const bool ar = top.m_arvalid_o != 0;
    const bool aw = top.m_awvalid_o != 0;
    const bool w = top.m_wvalid_o != 0 && !writes.empty();
    const bool r = top.m_rvalid_i != 0 && top.m_rready_o != 0;
    const bool b = top.m_bvalid_i != 0 && top.m_bready_o != 0;
    const Burst read{top.m_araddr_o, top.m_arlen_o + 1U, top.m_arid_o, now + kLatency};
    const Burst write{top.m_awaddr_o, top.m_awlen_o + 1U, 0, 0};
    if (w) {
      write_beat();
    }
    if (r) {
      take_beat();
    }
    answers -= b ? 1 : 0;
    if (ar) {
      reads.push_back(read);
    }
    if (aw) {
      writes.push_back(write);
    }
    top.clk_i = 1;
    top.eval();
    ++now;
  }

  std::uint32_t read_register(std::uint32_t offset) {
    top.s_arvalid_i = 1;
    top.s_araddr_i = static_cast<std::uint16_t>(offset);
    top.s_rready_i = 1;
    for (int i = 0; i < 64; ++i) {
      const bool taken = top.s_arready_o != 0 && top.s_arvalid_i != 0;
      const bool answered = top.s_rvalid_o != 0;
      const std::uint32_t data = top.s_rdata_o;
      cycle();
      if (taken) {
        top.s_arvalid_i = 0;
      }
      if (answered) {
        top.s_rready_i = 0;
        return data;
      }
    }
    throw std::runtime_error("registers do not answer");
  }

  void write_register(std::uint32_t offset, std::uint32_t value) {
    top.s_awvalid_i = top.s_wvalid_i = top.s_bready_i = 1;
    top.s_awaddr_i = static_cast<std::uint16_t>(offset);
    top.s_wdata_i = value;
    top.s_wstrb_i = 15;
    for (int i = 0; i < 64; ++i) {
      const bool address = top.s_awready_o != 0;
      const bool data = top.s_wready_o != 0;
      const bool answered = top.s_bvalid_o != 0;
      cycle();
      top.s_awvalid_i = address ? 0 : top.s_awvalid_i;
      top.s_wvalid_i = data ? 0 : top.s_wvalid_i;
      if (answered) {
        top.s_bready_i = 0;
        return;
      }
    }
    throw std::runtime_error("registers do not answer");
  }

  Vtessera_npu top;
  Bytes memory;
  std::uint64_t now = 0;

 private:
  static constexpr std::size_t kBus = sizeof(Vtessera_npu::m_rdata_i);
  struct Burst {
    std::uint32_t address, beats, id;
    std::uint64_t due;
  };

  void drive() {
    top.m_arready_i = top.m_awready_i = 1;
    top.m_wready_i = writes.empty() ? 0 : 1;
    top.m_bvalid_i = answers > 0 ? 1 : 0;
    top.m_bresp_i = 0;
    top.m_rvalid_i = !reads.empty() && reads.front().due <= now ? 1 : 0;
    if (top.m_rvalid_i != 0) {
      const Burst& burst = reads.front();
      std::uint8_t beat[kBus] = {};
      const std::size_t from = burst.address / kBus * kBus;
      // An upset may send it anywhere: there is no memory there, and the bus says so.
      const bool inside = from + kBus <= memory.size();
      if (inside) {
        std::memcpy(beat, memory.data() + from, kBus);
      }
      std::memcpy(&top.m_rdata_i, beat, kBus);
      top.m_rresp_i = inside ? 0 : 3;
      top.m_rid_i = static_cast<std::uint8_t>(burst.id);
      top.m_rlast_i = burst.beats == 1 ? 1 : 0;
    }
  }

  void take_beat() {
    Burst& burst = reads.front();
    burst.address = static_cast<std::uint32_t>(burst.address / kBus * kBus + kBus);
    if (--burst.beats == 0) {
      reads.pop_front();
    }
  }

  void write_beat() {
    Burst& burst = writes.front();
    const std::size_t from = burst.address / kBus * kBus;
    std::uint8_t beat[kBus];
    std::memcpy(beat, &top.m_wdata_o, kBus);
    for (std::size_t i = 0; i < kBus; ++i) {
      if (((top.m_wstrb_o >> i) & 1U) != 0 && from + i < memory.size()) {
        memory[from + i] = beat[i];
      }
    }
    burst.address = static_cast<std::uint32_t>(from + kBus);
    if (--burst.beats == 0) {
      writes.pop_front();
      ++answers;
    }
  }

  std::deque<Burst> reads, writes;
  unsigned answers = 0;
};

/// A register or a memory: bits at a place in the model.
struct Place {
  std::string name;
  std::uint8_t* data;
  std::size_t words, word_bytes, bits;  ///< bits of a word that mean something
  bool is_memory;
  [[nodiscard]] std::uint64_t all_bits() const { return std::uint64_t{words} * bits; }
};

// Names as Verilator's C++ has them.
std::string flat_name(std::string scope, const char* variable) {
  scope.erase(0, scope.find("tessera_npu"));
  for (const auto& [from, to] : {std::pair(".", "__DOT__"), {"[", "__BRA__"}, {"]", "__KET__"}}) {
    for (auto at = scope.find(from); at != std::string::npos; at = scope.find(from)) {
      scope.replace(at, 1, to);
    }
  }
  return scope + "__DOT__" + variable;
}

// The list gives sizes, which the model's own tables have for the innermost dimension only; the
// model gives addresses.
std::vector<Place> places(const std::string& list) {
  std::map<std::string, void*> addresses;
  for (const auto& [scope_name, scope] : *Verilated::scopeNameMap()) {
    if (scope->varsp() != nullptr) {
      for (const auto& [name, var] : *scope->varsp()) {
        addresses[flat_name(scope_name, name)] = var.datap();
      }
    }
  }
  std::vector<Place> result;
  std::ifstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    Place place;
    std::size_t highest = 0;
    fields >> place.name >> highest;
    if (!(fields >> place.words)) {
      place.words = 1;
    }
    const auto found = addresses.find(place.name);
    if (found == addresses.end()) {
      throw std::runtime_error("not in the model: " + place.name);
    }
    place.data = static_cast<std::uint8_t*>(found->second);
    place.bits = highest + 1;
    place.word_bytes = place.bits <= 8    ? 1
                       : place.bits <= 16 ? 2
                       : place.bits <= 32 ? 4
                       : place.bits <= 64 ? 8
                                          : (place.bits + 31) / 32 * 4;
    place.is_memory = place.name.compare(place.name.size() - 3, 3, "mem") == 0;
    result.push_back(place);
  }
  if (result.empty()) {
    throw std::runtime_error("no registers in " + list);
  }
  return result;
}

struct Upset {
  std::uint64_t cycle;
  const Place* place;
  std::size_t word, bit;
};

// Half of them in registers, half in memories; each bit is as likely as any other of its kind.
std::vector<Upset> draw(const std::vector<Place>& all, std::size_t count, std::uint64_t seed,
                        std::uint64_t cycles) {
  tessera::SplitMix64 rng(seed);
  std::vector<Upset> result;
  for (std::size_t i = 0; i < count; ++i) {
    const bool in_memory = i % 2 == 1;
    std::uint64_t total = 0;
    for (const Place& place : all) {
      total += place.is_memory == in_memory ? place.all_bits() : 0;
    }
    std::uint64_t bit = rng.below(total);
    for (const Place& place : all) {
      if (place.is_memory != in_memory) {
        continue;
      }
      if (bit < place.all_bits()) {
        result.push_back({rng.below(cycles), &place, bit / place.bits, bit % place.bits});
        break;
      }
      bit -= place.all_bits();
    }
  }
  std::sort(result.begin(), result.end(),
            [](const Upset& a, const Upset& b) { return a.cycle < b.cycle; });
  return result;
}

struct Run {
  Bytes expected;
  std::uint64_t output = 0;
  std::uint64_t cycles = 0;  ///< without an upset
};

std::string outcome_of(System& system, const Run& run) {
  while (system.top.irq_o == 0) {
    if (system.now > run.cycles + kPatience) {
      return "lost";
    }
    system.cycle();
  }
  const std::uint32_t status = system.read_register(reg::kStatus);
  if ((status & kError) != 0) {
    const auto cause = static_cast<tessera::isa::Error>(system.read_register(reg::kErrorCause));
    const bool is_hang =
        cause == tessera::isa::Error::Deadlock || cause == tessera::isa::Error::Watchdog;
    return fmt::format("{} {}", is_hang ? "hang" : "detected",
                       tessera::isa::kErrors.at(static_cast<std::size_t>(cause)).name);
  }
  const auto from = system.memory.begin() + static_cast<std::ptrdiff_t>(run.output);
  const bool same = std::equal(run.expected.begin(), run.expected.end(), from);
  return (status & (kDone | kBusy)) != kDone ? "lost" : same ? "masked" : "silent";
}

void start(System& system, const nlohmann::json& map) {
  const auto& stream = map.at("runs").at(0);
  system.write_register(reg::kCommandAddress, stream.at("address"));
  system.write_register(reg::kCommandBytes, stream.at("bytes"));
  system.write_register(reg::kCommandChecksum, stream.at("crc32"));
  system.write_register(reg::kCbufLimit, map.at("cbuf_limit_atoms"));
  system.write_register(reg::kWatchdog, kWatchdog);
  system.write_register(reg::kIrqEnable, 1);
  system.write_register(reg::kControl, 1 | 4);
}

// Fills in what a run without an upset gives; its first cycle.
std::uint64_t without_upset(const Bytes& memory, const nlohmann::json& map, Run& run) {
  System system(memory);
  start(system, map);
  const std::uint64_t begin = system.now;
  run.cycles = ~std::uint64_t{0} - kPatience;
  const std::string outcome = outcome_of(system, run);
  if (outcome != "masked" && outcome != "silent") {
    throw std::runtime_error("the run without an upset: " + outcome);
  }
  run.cycles = system.now;
  std::copy_n(system.memory.begin() + static_cast<std::ptrdiff_t>(run.output), run.expected.size(),
              run.expected.begin());
  return begin;
}

int main_of(int argc, char** argv) {
  if (argc != 6) {
    throw std::runtime_error("upsets ROM INPUT PLACES COUNT SEED");
  }
  const std::string rom = argv[1];
  const auto map = nlohmann::json::parse(read_all(rom + "/memory_map.json"));
  const Bytes image = read_all(rom + "/tessera_rom.bin");
  std::uint64_t size = map.at("arena").at("address").get<std::uint64_t>() +
                       map.at("arena").at("bytes").get<std::uint64_t>();
  for (const auto& section : map.at("sections")) {
    if (!section.at("address").is_null()) {
      size = std::max(size, section.at("address").get<std::uint64_t>() +
                                section.at("bytes").get<std::uint64_t>());
    }
  }
  Bytes memory((size + 63) / 64 * 64);
  for (const auto& section : map.at("sections")) {
    if (!section.at("address").is_null()) {
      const auto from = image.begin() + section.at("rom_offset").get<std::ptrdiff_t>();
      std::copy_n(from, section.at("bytes").get<std::size_t>(),
                  memory.begin() + section.at("address").get<std::ptrdiff_t>());
    }
  }
  const Bytes input = read_all(argv[2]);
  std::copy(input.begin(), input.end(),
            memory.begin() + map.at("inputs").at(0).at("address").get<std::ptrdiff_t>());

  Run run;
  for (const auto& layer : map.at("layers")) {
    if (!layer.at("on_host").get<bool>()) {
      run.output = layer.at("output").at("address");
      run.expected.resize(layer.at("output").at("bytes"));
    }
  }
  // One model at a time: names of registers are of the one that is there.
  const std::uint64_t begin = without_upset(memory, map, run);
  fmt::print("output {:02x}\n", fmt::join(run.expected, ""));

  System system(memory);
  start(system, map);
  const std::vector<Place> all = places(argv[3]);
  const auto upsets = draw(all, std::stoul(argv[4]), std::stoull(argv[5]), run.cycles - begin);
  std::uint64_t register_bits = 0;
  std::uint64_t memory_bits = 0;
  for (const Place& place : all) {
    (place.is_memory ? memory_bits : register_bits) += place.all_bits();
  }
  fmt::print("run {} cycles, {} bits of registers, {} bits of memories\n", run.cycles - begin,
             register_bits, memory_bits);
  std::fflush(stdout);
  for (const Upset& upset : upsets) {
    while (system.now < begin + upset.cycle) {
      system.cycle();
    }
    const pid_t child = fork();
    if (child == 0) {
      const Place& place = *upset.place;
      std::uint8_t* word = place.data + upset.word * place.word_bytes;
      word[upset.bit / 8] =
          static_cast<std::uint8_t>(word[upset.bit / 8] ^ (1U << (upset.bit % 8)));
      std::string outcome;
      try {
        outcome = outcome_of(system, run);
      } catch (const std::runtime_error&) {
        outcome = "lost";
      }
      fmt::print("{} {} {} {} {} {}\n", place.is_memory ? "memory" : "register", place.name,
                 upset.word, upset.bit, upset.cycle, outcome);
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      throw std::runtime_error("a copy died");
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return main_of(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "upsets: {}\n", error.what());
    return 1;
  }
}
