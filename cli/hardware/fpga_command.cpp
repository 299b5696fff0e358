#include "cli/hardware/fpga_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "app/config/effective.hpp"
#include "app/input_steps.hpp"
#include "app/simulate.hpp"
#include "board/run.hpp"
#include "board/simulation.hpp"
#include "console/output_file.hpp"
#include "fpga/report.hpp"
#include "report/report_html.hpp"
#include "rom/image.hpp"
#include "rom/listing.hpp"
#include "sim/tools/build_cache.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr double kFastestMhz = 1000;
constexpr double kAimedMhz = 80;

// Of the network that the configuration names, on the cost model: it counts the same cycles as the
// RTL.
std::optional<fpga::Speed> speed_of(Config config, Progress& progress) {
  if (!has_network(config)) {
    return std::nullopt;
  }
  config.engine = Engine::Model;
  const Simulation simulation = simulate(config, {}, progress);
  return fpga::Speed{simulation.network->name,
                     counter(simulation.result.totals, isa::Counter::Cycles)};
}

// A bitstream whose clock is faster than its paths computes anything.
void check_timing(const fpga::Design& design, const board::Board& board) {
  if (design.is_routed() && design.fastest().mhz < design.clock_mhz) {
    throw InputError(fmt::format(
        "{} at {} MHz: the placed design reaches {:.1f} MHz; try more --seeds, or --freq {}",
        board.title, design.clock_mhz, design.fastest().mhz,
        board::clock_at_most(clocks_of(board), design.fastest().mhz)));
  }
}

constexpr const char* kReadme = "README.md";

// How to load the bitstream, where there is one.
void write_readme(const fs::path& folder, const fpga::Design& design, const std::string& text) {
  if (!design.bitstream.empty()) {
    write_text((folder / kReadme).string(), text);
  }
}

}  // namespace

void FpgaCommand::add_to(CLI::App& app) {
  common_.add_to(app);
  auto* part = app.add_option("--part", part_, "FPGA, such as ecp5-25f or ice40-up5k");
  app.add_option("--board", board_, "board, such as ulx3s: with its pins, memory and host link")
      ->excludes(part);
  app.add_option("--out", out_, "folder for netlist, placed design, bitstream and report")
      ->required();
  auto* seeds = app.add_option("--seeds", seeds_,
                               "placements to choose the fastest from, with the seeds from 1 on "
                               "(default 1)")
                    ->check(CLI::Range(1U, fpga::kMostSeeds));
  app.add_option("--placer-seed", seed_,
                 "one placement with this seed, such as the fastest of several")
      ->check(CLI::Range(1U, fpga::kMostSeeds))
      ->excludes(seeds);
  auto* counted =
      app.add_flag("--no-place", no_place_, "only count what it takes: no clock, no bitstream");
  app.add_flag("--no-route", no_route_,
               "place, but do not route, which takes longer where a design is large: no bitstream, "
               "and the clock that the placer promises")
      ->excludes(counted);
  app.add_option("--freq", mhz_,
                 "MHz that the placer aims at (default 80), or of the board's clock (default: the "
                 "board's)")
      ->check(CLI::Range(1.0, kFastestMhz));
  auto* alone = app.add_flag("--standalone", standalone_,
                             "with --board: runs without a host, program and samples are on the "
                             "chip; a press of the button shows the class of the next one");
  alone->needs("--board");
  app.add_option("--input", inputs_,
                 "with --standalone: samples, as tensors (.npy, .bin) or pictures (.png, .jpg), "
                 "separated by commas (default: one drawn from the seed)")
      ->delimiter(',')
      ->needs(alone);
  app.add_option("--report", report_, "write a page with charts (HTML)");
  common_.add_json(app);
}

FpgaCommand::Alone FpgaCommand::simulate_alone(const Config& config, const board::Board& board,
                                               Progress& progress) const {
  if (!has_network(config)) {
    throw InputError("--standalone: give --network, or a configuration with one");
  }
  const auto say = [&](const std::string& text) { progress.say(text); };
  const Network network = board::up_to_scores(load_configured(config));
  std::vector<std::vector<std::uint8_t>> samples;
  for (const std::string& path : inputs_.empty() ? std::vector<std::string>{""} : inputs_) {
    samples.push_back(read_inputs(config, network, path).at(0));
  }
  Program program = compile(network, config.hardware, config.policy);
  check(program);
  Alone alone;
  alone.network = network.name;
  alone.what = make_standalone(board, network, std::move(program), std::move(samples));
  board::SimulatedStandalone simulated(board, alone.what, board.mhz, say);
  alone.shown = press_for_each(simulated, alone.what, network, say);
  return alone;
}

void FpgaCommand::write_alone_folder(const board::Board& board, const Alone& alone,
                                     const fpga::Design& design) const {
  const fs::path folder(out_);
  const rom::Image& image = alone.what.image;
  const std::vector<std::uint8_t> bytes = board.flash ? flash_contents(alone.what) : image.bytes;
  write_text((folder / "tessera_rom.bin").string(), {bytes.begin(), bytes.end()});
  write_text((folder / "memory_map.json").string(), rom::memory_map(image));
  std::string samples;
  for (std::size_t i = 0; i < alone.what.samples.size(); ++i) {
    samples += fmt::format("{}{}", i == 0 ? "" : ", ", alone.shown[i].shown);
  }
  const std::string program =
      board.flash ? fmt::format(" and `{} tessera_rom.bin`", board.flash->write) : "";
  write_readme(
      folder, design,
      fmt::format("{} with {} x {} MACs at {} MHz and {} {}.\nLoad: `{} {}`{}\nRun: "
                  "press the button; the lights show in binary, press by press: {}\n",
                  board.title, image.program.hardware.atomic_c, image.program.hardware.atomic_k,
                  board.mhz, alone.network, board.flash ? "in the flash" : "on the chip",
                  board.load, board.part.family->bitstream, program, samples));
}

fpga::FlowRequest FpgaCommand::request_for(const Config& config,
                                           const std::optional<board::Board>& board,
                                           const std::optional<Alone>& alone) const {
  fpga::FlowRequest request;
  request.part = board ? &board->part : &fpga::find_part(part_);
  request.hardware = config.hardware;
  request.mhz = board ? board->mhz : (mhz_ > 0 ? mhz_ : kAimedMhz);
  request.seeds = no_place_ ? 0 : seeds_;
  request.route = !no_route_;
  request.first_seed = seed_;
  request.folder = out_;
  if (alone) {
    const board::StandaloneFiles files = standalone_files(*board, alone->what, board->mhz, false);
    request.design = fpga::WholeDesign{"top", files.sources, files.memories};
  } else if (board) {
    request.design =
        fpga::WholeDesign{"top", board_sources(*board, config.hardware, board->mhz, false), {}};
  }
  return request;
}

void FpgaCommand::write_board_folder(const Config& config, const board::Board& board,
                                     const fpga::Design& design) const {
  const fs::path folder(out_);
  std::vector<std::string> sets = common_.sets;
  if (!common_.network.empty()) {
    sets.push_back("network=\"" + find_network(common_.network, ".") + "\"");
  }
  write_text((folder / "npu.yaml").string(),
             config_text(effective_config(common_.config, sets),
                         fmt::format("What the bitstream for {} was made with.", board.title)));
  std::string run =
      fmt::format("cosim board --board {} --config npu.yaml --port /dev/ttyUSB0", board.name);
  std::string load = fmt::format("`{} {}`", board.load, board.part.family->bitstream);
  if (has_network(config)) {
    Program program = compile(load_configured(config), config.hardware, config.policy);
    check(program);
    const rom::Image image = image_for(board, std::move(program));
    if (image.in_place()) {
      load += fmt::format(" and `{} tessera_rom.bin`", board.flash->write);
    }
    write_text((folder / "tessera_rom.bin").string(), {image.bytes.begin(), image.bytes.end()});
    write_text((folder / "memory_map.json").string(), rom::memory_map(image));
  } else {
    run += " --network MODEL";
  }
  write_readme(
      folder, design,
      fmt::format("{} with {} x {} MACs at {} MHz.\nLoad: {}\nRun: `{}`\n", board.title,
                  config.hardware.atomic_c, config.hardware.atomic_k, board.mhz, load, run));
}

void FpgaCommand::run() const {
  if (part_.empty() && board_.empty()) {
    throw InputError("cosim fpga: give --part or --board");
  }
  std::optional<board::Board> board;
  if (!board_.empty()) {
    board = board::find_board(board_);
    board->part.pins = contents(standalone_ ? standalone_pins(*board)
                                            : board->folder / board->part.family->pins_file);
    board->mhz = mhz_ > 0 ? mhz_ : board->mhz;
  }
  Config config = common_.load();
  common_.check_json();
  if (!report_.empty()) {
    check_report(report_);
  }
  const bool quiet = common_.quiet || common_.json == "-";
  Progress progress(quiet);
  std::optional<Alone> alone;
  std::optional<fpga::Speed> speed;
  if (standalone_) {
    alone = simulate_alone(config, *board, progress);
    speed = fpga::Speed{alone->network, alone->shown[0].cycles};
  } else {
    if (board) {
      const bool in_flash =
          board->flash && has_network(config) &&
          stays_in_flash(*board, compile(load_configured(config), config.hardware, config.policy));
      config.memory = external_memory(*board, config.hardware, board->mhz, in_flash);
    }
    speed = speed_of(config, progress);
  }
  const fpga::FlowRequest request = request_for(config, board, alone);
  fpga::Design design = run_flow(request, progress.listener());
  progress.clear();
  if (board) {
    design.board = board->name;
    design.clock_mhz = board->mhz;
    fs::remove(fs::path(out_) / kReadme);  // of another design, perhaps
    check_timing(design, *board);
    if (alone) {
      write_alone_folder(*board, *alone, design);
    } else {
      write_board_folder(config, *board, design);
    }
  }
  const std::string json = to_json(design, speed);
  write_text((fs::path(out_) / "fpga.json").string(), json);
  common_.write_json(json);
  if (!report_.empty()) {
    write_text(report_, design_html(json));
  }
  if (!quiet) {
    fmt::print("{}files: {}\n", to_text(design, speed), out_);
  }
  if (!design.missing.empty()) {
    throw InputError(design.missing);
  }
}

}  // namespace tessera
