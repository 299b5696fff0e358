#include "board/standalone_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/rtl/verilate.hpp"
#include "sim/tools/working_folder.hpp"
#include "tessera/reference.hpp"
#include "tessera/resources.hpp"

namespace tessera::board {
namespace {

constexpr double kPressMs = 6;  // standalone_system waits for 5
constexpr std::uint64_t kMostCycles = 1'000'000'000;

std::string build(const std::vector<std::filesystem::path>& sources, const Board& board,
                  const Hardware& hardware,
                  const std::function<void(const std::string&)>& announce) {
  rtl::Verilation v;
  v.top = "bench";
  v.prefix = "standalone-" + board.name;
  v.sources = sources;
  v.wrapper = data_dir() / "sim" / "verilated" / "standalone_model.cpp";
  v.headers = {data_dir() / "sim" / "verilated" / "standalone_ports.hpp"};
  v.announcement = fmt::format("Verilating {} without a host, with {} x {} MACs", board.title,
                               hardware.atomic_c, hardware.atomic_k);
  return rtl::verilate(v, announce);
}

}  // namespace

SimulatedStandalone::SimulatedStandalone(const Board& board, const Standalone& what, double mhz,
                                         const std::function<void(const std::string&)>& announce)
    : SimulatedStandalone(board, what.image.program.hardware, mhz, announce,
                          standalone_files(board, what, mhz, true)) {
  if (board.flash) {
    flash_ = flash_contents(what);
    ports_.flash = flash_.data();
    ports_.flash_bytes = flash_.size();
    ports_.flash_at = static_cast<std::uint32_t>(board.flash->program_at);
  }
}

SimulatedStandalone::SimulatedStandalone(const Board& board, const Hardware& hardware, double mhz,
                                         const std::function<void(const std::string&)>& announce,
                                         const StandaloneFiles& files)
    : leds_(board.lights),
      mhz_(mhz),
      model_(build(files.sources, board, hardware, announce), "the board's model"),
      run_(model_.entry<rtl::RunStandalone>("tessera_run")) {
  // Memories are read from where their files are.
  const WorkingFolder there(files.memories.empty() ? data_dir() : files.memories[0].parent_path());
  model_.create<rtl::CreateStandalone>();
}

std::uint8_t SimulatedStandalone::lights(std::uint64_t cycles, bool pressed) {
  ports_.pressed = pressed ? 1 : 0;
  ports_.mask = 0;
  ports_.most_cycles = cycles;
  run_(model_.get(), &ports_);
  return ports_.leds;
}

SimulatedStandalone::Shown SimulatedStandalone::press(std::uint64_t most) {
  const auto held = static_cast<std::uint64_t>(kPressMs * 1000 * mhz_);
  const auto runs = static_cast<std::uint8_t>(1U << (leds_ - kStateLights));
  const auto until = [&](std::uint8_t wanted, std::uint64_t cycles, const char* what) {
    ports_.mask = runs;
    ports_.wanted = wanted;
    ports_.most_cycles = cycles;
    run_(model_.get(), &ports_);
    if (ports_.broken_rule != 0) {
      throw std::runtime_error(fmt::format("the board breaks rule {} of its flash after {} cycles",
                                           ports_.broken_rule, ports_.cycles));
    }
    if ((ports_.leds & runs) != wanted) {
      throw std::runtime_error(fmt::format("the board {} after {} cycles", what, cycles));
    }
  };
  ports_.pressed = 1;
  until(runs, held, "does not run");
  const std::uint64_t begin = ports_.cycles;
  until(0, most, "is still busy");
  Shown result;
  result.cycles = ports_.cycles - begin;
  result.failed = (ports_.leds >> (leds_ - 1) & 1) != 0;
  result.shown = ports_.leds & ((1U << (leds_ - kStateLights)) - 1);
  lights(held, true);
  lights(held);
  return result;
}

std::vector<SimulatedStandalone::Shown> press_for_each(
    SimulatedStandalone& board, const Standalone& what, const Network& network,
    const std::function<void(const std::string&)>& announce) {
  std::vector<SimulatedStandalone::Shown> all;
  for (std::size_t i = 0; i <= what.samples.size(); ++i) {
    const std::size_t sample = i % what.samples.size();
    announce(fmt::format("a press for sample {}", sample + 1));
    const SimulatedStandalone::Shown shown = board.press(kMostCycles);
    if (shown.failed) {
      throw std::runtime_error(
          fmt::format("sample {}: the board without a host failed, its cause's upper half is {}",
                      sample + 1, shown.shown));
    }
    const std::vector<std::uint8_t> scores = run_reference(network, {what.samples[sample]})[0];
    const auto score = [](std::uint8_t byte) { return static_cast<std::int8_t>(byte); };
    const auto largest =
        std::max_element(scores.begin(), scores.end(),
                         [&](std::uint8_t a, std::uint8_t b) { return score(a) < score(b); });
    if (shown.shown != largest - scores.begin()) {
      throw std::runtime_error(
          fmt::format("sample {}: the lights show {}, the reference kernels say class {}",
                      sample + 1, shown.shown, largest - scores.begin()));
    }
    all.push_back(shown);
  }
  return all;
}

}  // namespace tessera::board
