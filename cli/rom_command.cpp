#include "cli/rom_command.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "app/input_steps.hpp"
#include "app/simulate.hpp"
#include "cli/options/common_options.hpp"
#include "console/output_file.hpp"
#include "console/progress.hpp"
#include "console/text_table.hpp"
#include "rom/driver.hpp"
#include "rom/formats.hpp"
#include "rom/host_runtime.hpp"
#include "rom/image.hpp"
#include "rom/listing.hpp"
#include "rom/verify.hpp"
#include "rom/verilog.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::uint64_t parse_address(const std::string& text) {
  const bool hex = text.rfind("0x", 0) == 0 || text.rfind("0X", 0) == 0;
  const char* const begin = text.data() + (hex ? 2 : 0);
  const char* const end = text.data() + text.size();
  std::uint64_t value = 0;
  const auto [at, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (error != std::errc() || at != end) {
    throw InputError(fmt::format("--base {}: write an address such as 0x80000000", text));
  }
  return value;
}

void write_files(const fs::path& folder, const rom::Image& image, const rom::HostRuntime& runtime) {
  const auto write = [&](const char* name, const std::string& text) {
    write_text((folder / name).string(), text);
  };
  const std::uint32_t word = image.program.hardware.bus_bytes;
  write("tessera_rom.bin", {image.bytes.begin(), image.bytes.end()});
  write("tessera_rom.hex", rom::to_readmemh(image.bytes, word));
  write("tessera_rom.ihex", rom::to_intel_hex(image.bytes));
  write("tessera_rom.coe", rom::to_coe(image.bytes, word));
  write("tessera_rom.mif", rom::to_mif(image.bytes, word));
  write("tessera_rom.sv", rom::rom_module(image));
  write("tessera_system.sv", rom::system_module(image));
  write("tessera_program.h", rom::driver_header(image));
  write("tessera_host.h", runtime.header);
  write("tessera_host.c", runtime.source);
  write("listing.txt", rom::listing(image));
  write("memory_map.json", rom::memory_map(image));
}

void print_summary(const rom::Image& image) {
  std::vector<Row> rows = {{"part of the ROM", "bytes", "on the bus at"}};
  const auto address = [](std::uint64_t at) { return fmt::format("{:#010x}", at); };
  rows.push_back({"header", grouped(image.header_bytes), ""});
  rows.push_back({"constants", grouped(image.constants.bytes), address(image.constants.address)});
  rows.push_back({"commands", grouped(image.commands.bytes), address(image.commands.address)});
  rows.push_back({"ROM", grouped(image.bytes.size()), ""});
  rows.push_back({"RAM for activations", grouped(image.arena.bytes), address(image.arena.address)});
  fmt::print("{}\n{}\n", aligned(rows, 1), rom::layer_table(image));
}

}  // namespace

void RomCommand::add_to(CLI::App& app) {
  add_network(app, network_);
  add_config(app, config_);
  add_sets(app, sets_);
  app.add_option("--seed", seed_, "seed of weights and inputs that no file gives");
  app.add_option("--out", out_, "folder for the files")->required();
  app.add_option("--base", base_, "where the memory map begins on the bus (default 0)");
  app.add_option("--json", json_, "also write the memory map there; - for standard output");
  app.add_flag("--verify", verify_, "boot the files in Verilator and compare the outputs");
  app.add_option("--input", input_, "with --verify: input tensor (.npy, .bin) or folder");
  app.add_flag("--quiet", quiet_, "no progress and no summary");
}

bool RomCommand::run() const {
  std::vector<std::string> sets = sets_;
  if (!seed_.empty()) {
    sets.push_back("seed=" + seed_);
  }
  if (!network_.empty()) {
    sets.push_back("network=\"" + find_network(network_, ".") + "\"");
  }
  if (!verify_ && !input_.empty()) {
    throw InputError("--input: only with --verify");
  }
  const Config config = load_config(config_.empty() ? default_config() : config_, sets);
  const Network network = load_configured(config);
  Program program = compile(network, config.hardware, config.policy);
  check(program);
  const rom::Image image = rom::make_image(std::move(program), parse_address(base_));
  std::error_code error;
  fs::create_directories(out_, error);
  const rom::HostRuntime runtime = rom::host_runtime(image);
  write_files(out_, image, runtime);
  for (const std::string& layer : runtime.missing) {
    fmt::print(stderr, "cosim: tessera_host.c: {}\n", layer);
  }
  if (json_ == "-") {
    fmt::print("{}", rom::memory_map(image));
  } else if (!json_.empty()) {
    write_text(json_, rom::memory_map(image));
  }
  const bool quiet = quiet_ || json_ == "-";
  if (!quiet) {
    print_summary(image);
  }
  if (!verify_) {
    return true;
  }
  Progress progress(quiet);
  const rom::Verification result = verify(out_, image, network, read_steps(config, network, input_),
                                          [&](const std::string& text) { progress.say(text); });
  if (!result.problem.empty()) {
    fmt::print(stderr, "cosim: {}\n", result.problem);
    return false;
  }
  if (!quiet) {
    fmt::print("verified: booted from {}, {} cycles, every output equals the reference kernels\n",
               (fs::path(out_) / "tessera_rom.hex").string(), grouped(result.cycles));
  }
  return true;
}

}  // namespace tessera
