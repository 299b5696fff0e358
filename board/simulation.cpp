#include "board/simulation.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "board/config_package.hpp"
#include "sim/rtl/verilate.hpp"
#include "sim/tools/build_cache.hpp"
#include "tessera/resources.hpp"

namespace tessera::board {
namespace {

namespace fs = std::filesystem;

/// The board's clock turns that often between two looks at a pseudo-terminal.
constexpr std::uint64_t kSlice = 5000;

/// As sim/board/sdram_model.sv and sim/board/flash_model.sv number them.
constexpr std::array<const char*, 21> kRules = {"none",
                                                "a command before the power is stable",
                                                "an activation before the memory is initialised",
                                                "an activation of an open bank",
                                                "tRP",
                                                "tRC",
                                                "tRRD",
                                                "tRFC",
                                                "tRCD",
                                                "an access to a closed bank",
                                                "tRAS",
                                                "tWR",
                                                "a refresh with a bank open",
                                                "the refresh interval",
                                                "the mode register",
                                                "data lines driven from both sides",
                                                "tMRD",
                                                "a command that the flash does not have",
                                                "a read of the flash while it sleeps",
                                                "a read of the flash before it is awake (tRES1)",
                                                "lines of the flash driven from both sides"};

// Same package, same file: its name is made of what it says.
fs::path write_package(const std::string& name, const std::string& text) {
  CacheKey key;
  key.add(text);
  const fs::path folder = cache_dir() / ("board-" + key.text());
  fs::path file = folder / (name + ".sv");
  made_once(folder, [&](const fs::path& work) { std::ofstream(work / file.filename()) << text; });
  return file;
}

}  // namespace

fs::path written_config(const Board& board, const Hardware& hardware, double mhz) {
  return write_package("board_config_pkg", config_package(board, hardware, mhz));
}

fs::path written_model(const Board& board, double mhz) {
  return write_package("board_model_pkg", model_package(board, mhz));
}

std::vector<fs::path> board_sources(const Board& board, const Hardware& hardware, double mhz,
                                    bool simulated) {
  const fs::path rtl = data_dir() / "rtl";
  std::vector<fs::path> sources = {written_config(board, hardware, mhz)};
  add_listed(sources, rtl / hardware.rtl_sources());
  add_listed(sources, rtl / "board" / "files.f");
  const Sdram* chip = board.sdram();
  add_listed(sources, rtl / "board" / (chip != nullptr ? "sdram.f" : "sram.f"));
  add_listed(sources, rtl / "board" / board.part.family->name / "files.f");
  sources.push_back(board.folder / "top.sv");
  if (simulated) {
    const fs::path models = data_dir() / "sim" / "board";
    sources.push_back(written_model(board, mhz));
    if (chip != nullptr) {
      sources.push_back(models / "sdram_model.sv");
    }
    if (board.flash) {
      sources.push_back(models / "flash_model.sv");
    }
    sources.push_back(models / (board.part.family->name + "_cells.sv"));
    sources.push_back(board.folder / "bench.sv");
  }
  return sources;
}

namespace {

std::string build(const Board& board, const Hardware& hardware, double mhz,
                  const std::function<void(const std::string&)>& announce) {
  rtl::Verilation v;
  v.top = "bench";
  v.prefix = "board-" + board.name;
  v.sources = board_sources(board, hardware, mhz, true);
  v.wrapper = data_dir() / "sim" / "verilated" / "board_model.cpp";
  v.headers = {data_dir() / "sim" / "verilated" / "board_ports.hpp"};
  v.announcement = fmt::format("Verilating {} with {} x {} MACs", board.title, hardware.atomic_c,
                               hardware.atomic_k);
  return rtl::verilate(v, announce);
}

}  // namespace

SimulatedBoard::SimulatedBoard(const Board& board, const Hardware& hardware, double mhz,
                               const std::function<void(const std::string&)>& announce)
    : SimulatedBoard(build(board, hardware, mhz, announce), link_divider(board, mhz), mhz) {}

SimulatedBoard::SimulatedBoard(const std::string& library, std::uint32_t divider, double mhz)
    : mhz_(mhz),
      model_(library, "the board's model"),
      run_(model_.entry<rtl::RunBoard>("tessera_run")) {
  model_.create<rtl::CreateBoard>();
  ports_.divider = divider;
}

void SimulatedBoard::write_flash(std::uint64_t at, std::vector<std::uint8_t> bytes) {
  flash_ = std::move(bytes);
  ports_.flash = flash_.data();
  ports_.flash_bytes = flash_.size();
  ports_.flash_at = static_cast<std::uint32_t>(at);
}

void SimulatedBoard::send(const std::vector<std::uint8_t>& bytes) {
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
}

std::vector<std::uint8_t> SimulatedBoard::step(std::uint64_t cycles, bool until_byte) {
  ports_.most_cycles = cycles;
  ports_.until_byte = until_byte ? 1 : 0;
  ports_.to_board = waiting_.data();
  ports_.to_board_bytes = waiting_.size();
  run_(model_.get(), &ports_);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(ports_.sent));
  if (ports_.broken_rule != 0) {
    throw std::runtime_error(
        fmt::format("the board breaks a rule of its memory after {} cycles: {}", ports_.cycles,
                    kRules.at(ports_.broken_rule)));
  }
  return {ports_.from_board, ports_.from_board + ports_.from_board_bytes};
}

std::vector<std::uint8_t> SimulatedBoard::receive(std::chrono::milliseconds wait) {
  return step(static_cast<std::uint64_t>(1000.0 * mhz_ * static_cast<double>(wait.count())), true);
}

std::vector<std::uint8_t> SimulatedBoard::run(std::uint64_t cycles) {
  return step(cycles, false);
}

namespace {

/// Both ends are held, so that a host may come and go.
class PseudoTerminal {
 public:
  PseudoTerminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) {
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) {
      throw std::runtime_error("the system has no pseudo-terminal left");
    }
    path_ = ::ptsname(master_);
    slave_ = ::open(path_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios settings{};
    ::tcgetattr(slave_, &settings);
    ::cfmakeraw(&settings);
    ::tcsetattr(slave_, TCSANOW, &settings);
  }
  ~PseudoTerminal() {
    ::close(slave_);
    ::close(master_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;
  PseudoTerminal(PseudoTerminal&&) = delete;
  PseudoTerminal& operator=(PseudoTerminal&&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  std::vector<std::uint8_t> read() const {
    std::vector<std::uint8_t> bytes(4096);
    const ssize_t count = ::read(master_, bytes.data(), bytes.size());
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
  }

  /// What nobody reads is lost, as on a line.
  void write(const std::vector<std::uint8_t>& bytes) const {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t done = ::write(master_, bytes.data() + at, bytes.size() - at);
      if (done <= 0) {
        return;
      }
      at += static_cast<std::size_t>(done);
    }
  }

 private:
  int master_;
  int slave_ = -1;
  std::string path_;
};

}  // namespace

void serve(SimulatedBoard& board, const std::function<void(const std::string&)>& opened,
           const std::function<bool()>& stops) {
  const PseudoTerminal terminal;
  opened(terminal.path());
  while (!stops()) {
    const std::vector<std::uint8_t> bytes = terminal.read();
    if (!bytes.empty()) {
      board.send(bytes);
    }
    terminal.write(board.run(kSlice));
  }
}

}  // namespace tessera::board
