#include "rom/system.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "sim/rtl/verilate.hpp"
#include "sim/tools/build_cache.hpp"
#include "sim/tools/working_folder.hpp"
#include "tessera/engine.hpp"
#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera::rom {
namespace {

namespace fs = std::filesystem;

constexpr int kResetCycles = 4;

std::string build(const std::string& folder, const Hardware& hardware,
                  const std::function<void(const std::string&)>& announce) {
  const fs::path rtl = data_dir() / "rtl";
  rtl::Verilation v;
  v.top = "tessera_system";
  v.prefix = "system";
  v.sources = listed_sources(rtl / hardware.rtl_sources());
  add_listed(v.sources, rtl / "boot" / "files.f");
  for (const char* name : {"tessera_rom.sv", "tessera_system.sv", "tessera_rom.hex"}) {
    const fs::path file = fs::path(folder) / name;
    if (!fs::exists(file)) {
      throw InputError(file.string() + ": no such file");
    }
    if (file.extension() == ".sv") {
      v.sources.push_back(file);
    }
  }
  v.wrapper = data_dir() / "sim" / "verilated" / "system_model.cpp";
  v.headers = {data_dir() / "sim" / "verilated" / "system_ports.hpp"};
  v.announcement = "Verilating the system that boots from the ROM";
  return rtl::verilate(v, announce);
}

}  // namespace

System::System(const std::string& folder, const Hardware& hardware,
               const std::function<void(const std::string&)>& announce)
    : bus_bytes_(hardware.bus_bytes),
      model_(build(folder, hardware, announce), "the system's model"),
      step_(model_.entry<rtl::StepSystem>("tessera_step")) {
  const WorkingFolder there(folder);
  model_.create<rtl::CreateSystem>();
  for (int i = 0; i < kResetCycles; ++i) {
    step();
  }
  ports_.rst_n = 1;
  step();
}

void System::step() {
  step_(model_.get(), &ports_);
  ++cycles_;
}

void System::write(std::uint64_t offset, const std::vector<std::uint8_t>& bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const auto lane = static_cast<std::uint32_t>((offset + i) % bus_bytes_);
    const std::size_t count = std::min<std::size_t>(bus_bytes_ - lane, bytes.size() - i);
    ports_.host_address = static_cast<std::uint32_t>((offset + i) / bus_bytes_);
    ports_.host_we = 0;
    for (std::size_t b = 0; b < count; ++b) {
      ports_.host_we |= std::uint64_t{1} << (lane + b);
      ports_.host_wdata[lane + b] = bytes[i + b];
    }
    step();
    i += count;
  }
  ports_.host_we = 0;
}

std::vector<std::uint8_t> System::read(std::uint64_t offset, std::uint64_t bytes) {
  std::vector<std::uint8_t> data;
  data.reserve(bytes);
  ports_.host_re = 1;
  while (data.size() < bytes) {
    const std::uint64_t at = offset + data.size();
    const auto lane = static_cast<std::uint32_t>(at % bus_bytes_);
    ports_.host_address = static_cast<std::uint32_t>(at / bus_bytes_);
    step();
    for (std::uint32_t b = lane; b < bus_bytes_ && data.size() < bytes; ++b) {
      data.push_back(ports_.host_rdata[b]);
    }
  }
  ports_.host_re = 0;
  return data;
}

void System::start(std::uint64_t most, bool restart) {
  ports_.start = 1;
  ports_.restart = restart ? 1 : 0;
  step();
  ports_.start = ports_.restart = 0;
  const std::uint64_t end = cycles_ + most;
  do {
    if (cycles_ >= end) {
      throw std::runtime_error(fmt::format("the system is still busy after {} cycles", most));
    }
    step();
  } while (ports_.busy != 0);
}

std::string System::error_text() const {
  switch (static_cast<BootError>(error_cause())) {
    case BootError::Header:
      return fmt::format("the ROM has no header of this format: {:#010x}", error_info());
    case BootError::Checksum:
      return fmt::format("the ROM's header has checksum {:#010x}, not the one it says",
                         error_info());
    case BootError::Hardware:
      return fmt::format("the ROM is for other hardware: a register reads {}", error_info());
    case BootError::Register:
      return fmt::format("the accelerator refused register {:#05x}", error_info());
    default:
      return describe(static_cast<isa::Error>(error_cause()), error_info());
  }
}

}  // namespace tessera::rom
