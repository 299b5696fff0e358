#include "board/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "hardware/identity.hpp"
#include "rom/host_driver.hpp"
#include "tessera/engine.hpp"
#include "tessera/error.hpp"
#include "tessera/generated/command_set.hpp"

namespace tessera::board {
namespace {

using Data = std::vector<std::uint8_t>;

constexpr std::uint32_t kStatusDone = 2;
constexpr std::uint32_t kStatusError = 4;
constexpr std::uint32_t kStart = 1;
constexpr std::uint32_t kClear = 2;
constexpr std::uint32_t kCheckStream = 4;

class OnBoard : public rom::Device {
 public:
  /// `check_streams`: the hardware reads each stream first and compares its checksum, which takes
  /// cycles.
  OnBoard(Link& link, const rom::Image& image, bool check_streams)
      : link_(link), image_(image), check_streams_(check_streams) {}

  void write(std::uint64_t address, const Data& bytes) override {
    link_.write(static_cast<std::uint32_t>(address), bytes);
  }
  Data read(std::uint64_t address, std::uint64_t bytes) override {
    return link_.read(static_cast<std::uint32_t>(address), bytes);
  }

  std::string run(const rom::Run& run) override {
    const Hardware& hardware = image_.program.hardware;
    const bool checks = check_streams_ && hardware.has(isa::Feature::Checksums);
    link_.write_register(isa::reg::kCommandAddress, static_cast<std::uint32_t>(run.address));
    link_.write_register(isa::reg::kCommandBytes, static_cast<std::uint32_t>(run.bytes));
    link_.write_register(isa::reg::kCbufLimit, hardware.cbuf_end());
    link_.write_register(isa::reg::kWatchdog, image_.watchdog);
    if (checks) {
      link_.write_register(isa::reg::kCommandChecksum, run.checksum);
    }
    link_.write_register(isa::reg::kControl, kStart | kClear | (checks ? kCheckStream : 0U));
    // The hardware's watchdog sees to it that this ends.
    std::uint32_t status = 0;
    do {
      status = link_.read_register(isa::reg::kStatus);
      if (status == 0) {
        return "the accelerator does not start";
      }
    } while ((status & (kStatusDone | kStatusError)) == 0);
    if ((status & kStatusError) != 0) {
      const std::uint32_t cause = link_.read_register(isa::reg::kErrorCause);
      const std::uint32_t info = link_.read_register(isa::reg::kErrorInfo);
      return describe(static_cast<isa::Error>(cause), info);
    }
    const std::uint32_t counter =
        isa::reg::kCounters + 8 * static_cast<std::uint32_t>(isa::Counter::Cycles);
    cycles_ += link_.read_register(counter) |
               static_cast<std::uint64_t>(link_.read_register(counter + 4)) << 32;
    return "";
  }

  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
  void count_anew() { cycles_ = 0; }

 private:
  Link& link_;
  const rom::Image& image_;
  bool check_streams_;
  std::uint64_t cycles_ = 0;
};

/// Behind the last byte that must be in the board's memory.
std::uint64_t end_in_memory(const rom::Image& image) {
  return image.in_place() ? image.arena.address + image.arena.bytes
                          : image.base + image.program.image.size();
}

void check_board(Link& link, const rom::Image& image) {
  auto expected = identity_of(image.program.hardware);
  expected.emplace_back(isa::reg::kFeatures, image.program.hardware.features);
  for (const auto& [offset, value] : expected) {
    const std::uint32_t found = link.read_register(offset);
    if (found != value) {
      throw InputError(fmt::format(
          "the board has other hardware than the configuration: register 0x{:03x} reads {}, not {}",
          offset, found, value));
    }
  }
  const std::uint64_t needed = end_in_memory(image);
  if (needed > link.info().memory_bytes) {
    throw InputError(fmt::format("the network needs {} bytes of memory, the board has {}", needed,
                                 link.info().memory_bytes));
  }
}

void load(Link& link, const rom::Image& image) {
  for (const rom::Section& section : {image.constants, image.commands}) {
    const auto from = image.bytes.begin() + static_cast<std::ptrdiff_t>(section.rom_offset);
    link.write(static_cast<std::uint32_t>(section.address),
               {from, from + static_cast<std::ptrdiff_t>(section.bytes)});
  }
}

void check_flash(Link& link, const Flash& flash, const rom::Image& image) {
  const std::uint64_t address = Flash::kBusAddress + flash.program_at;
  const Data found = link.read(static_cast<std::uint32_t>(address), image.bytes.size());
  const auto differs = std::mismatch(image.bytes.begin(), image.bytes.end(), found.begin());
  if (differs.first != image.bytes.end()) {
    throw InputError(fmt::format(
        "the board's flash does not hold this network's ROM: byte {} is {}, not {}; write it "
        "with `{} tessera_rom.bin`, the file is in the folder of `cosim fpga --board`",
        flash.program_at + static_cast<std::uint64_t>(differs.first - image.bytes.begin()),
        *differs.second, *differs.first, flash.write));
  }
}

}  // namespace

bool stays_in_flash(const Board& board, const Program& program) {
  return board.flash && program.image.size() > board.memory_bytes();
}

rom::Image image_for(const Board& board, Program program) {
  if (!stays_in_flash(board, program)) {
    return rom::make_image(std::move(program), 0);
  }
  rom::Image image =
      rom::make_image_in_place(std::move(program), Flash::kBusAddress + board.flash->program_at, 0);
  const std::uint64_t room = board.flash->size - board.flash->program_at;
  if (end_in_memory(image) > board.memory_bytes() || image.bytes.size() > room) {
    throw InputError(fmt::format(
        "{} needs {} bytes for activations and {} for constants and commands; {} has {} of "
        "memory and {} of flash",
        image.program.network, end_in_memory(image), image.bytes.size(), board.title,
        board.memory_bytes(), room));
  }
  return image;
}

BoardRun run_on_board(Link& link, const Board& board, const rom::Image& image,
                      const std::vector<rom::Values>& steps,
                      const std::function<void(const std::string&)>& announce) {
  BoardRun result;
  link.on_progress([&](std::uint64_t moved) { result.bytes_moved = moved; });
  link.reset();
  check_board(link, image);
  if (image.in_place()) {
    announce(fmt::format("comparing {} bytes of flash", image.bytes.size()));
    check_flash(link, *board.flash, image);
  } else {
    announce(fmt::format("loading {} bytes of constants and commands",
                         image.constants.bytes + image.commands.bytes));
    load(link, image);
  }
  announce("running, with the streams checked");
  OnBoard checked(link, image, true);
  rom::Played first = rom::play(checked, image, steps);
  result.problem = first.problem;
  result.outputs = std::move(first.outputs);
  if (result.problem.empty()) {
    announce("running again, counted");
    OnBoard counted(link, image, false);
    const rom::Played second =
        rom::play(counted, image, steps, [&](std::size_t /*step*/) { counted.count_anew(); });
    result.problem = second.problem;
    result.cycles = counted.cycles();
    if (result.problem.empty() && second.outputs != result.outputs) {
      result.problem = "the second run has other outputs than the first one";
    }
  }
  result.clock_hz = link.info().clock_hz;
  result.resent = link.resent();
  link.on_progress({});
  return result;
}

}  // namespace tessera::board
