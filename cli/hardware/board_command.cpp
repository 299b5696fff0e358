#include "cli/hardware/board_command.hpp"

#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/classes.hpp"
#include "app/input_steps.hpp"
#include "app/simulate.hpp"
#include "board/link/serial_port.hpp"
#include "board/simulation.hpp"
#include "console/output_file.hpp"
#include "console/text_table.hpp"
#include "rom/host_driver.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

constexpr double kMostMhz = 400;
// A simulated board runs some hundred times slower than a real one.
constexpr std::chrono::milliseconds kSimulatedPatience{120'000};

volatile std::sig_atomic_t interrupted = 0;  // NOLINT: a signal handler's

void on_interrupt(int /*signal*/) {
  interrupted = 1;
}

double milliseconds_of(const board::BoardRun& run) {
  return 1000.0 * static_cast<double>(run.cycles) / run.clock_hz;
}

// What the cost model counts with this board's memory at its clock.
std::uint64_t counted_cycles(const board::Board& board, Config config, const Network& network,
                             std::uint32_t clock_hz, bool in_flash) {
  config.memory = external_memory(board, config.hardware, clock_hz / 1e6, in_flash);
  config.engine = Engine::Model;
  config.jitter = {};
  Progress silent(true);
  const Simulation simulation =
      simulate(config, std::make_shared<const Network>(network), {}, silent);
  return counter(simulation.result.totals, isa::Counter::Cycles);
}

std::string to_json(const board::Board& board, const Config& config, const Network& network,
                    const board::BoardRun& run, std::uint64_t counted, const std::string& problem) {
  nlohmann::ordered_json json;
  json["schema"] = "tessera.board/1";
  json["board"] = board.name;
  json["hardware"] = config.hardware.name;
  json["network"] = network.name;
  json["clock_hz"] = run.clock_hz;
  json["cycles"] = run.cycles;
  json["model_cycles"] = counted;
  json["milliseconds"] = std::round(1000 * milliseconds_of(run)) / 1000;
  json["link_bytes"] = run.bytes_moved;
  json["link_resent"] = run.resent;
  json["verified"] = problem.empty();
  json["problem"] = problem.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(problem);
  return json.dump(2) + "\n";
}

}  // namespace

void BoardCommand::add_to(CLI::App& app) {
  common_.add_to(app);
  app.add_option("--board", board_, "board, such as ulx3s")->required();
  auto* port =
      app.add_option("--port", port_, "serial port on which the board is, such as /dev/ttyUSB0");
  auto* simulate = app.add_flag("--simulate", simulate_, "simulate the board in its place");
  auto* serve = app.add_flag("--serve", serve_,
                             "simulate the board behind a pseudo-terminal, for a host elsewhere");
  port->excludes(simulate)->excludes(serve);
  simulate->excludes(serve);
  app.add_option("--baud", baud_, "bits per second of the link (default: the board's)");
  app.add_option("--clock", mhz_, "MHz of the simulated board (default: the board's)")
      ->check(CLI::Range(1.0, kMostMhz));
  app.add_option("--input", input_, "input tensor (.npy, .bin), picture (.png, .jpg) or folder");
  app.add_option("--output", output_, "where to write the output (.npy, .bin)");
  common_.add_json(app);
}

double BoardCommand::clock_of(const board::Board& board) const {
  return mhz_ > 0 ? mhz_ : board.mhz;
}

bool BoardCommand::run() const {
  board::Board board = board::find_board(board_);
  if (baud_ > 0) {
    board.baud = baud_;
  }
  if (!simulate_ && !serve_ && port_.empty()) {
    throw InputError("cosim board: give --port, or --simulate, or --serve");
  }
  if (mhz_ > 0 && !port_.empty()) {
    throw InputError("--clock: a board on a port says its clock itself");
  }
  const Config config = common_.load();
  common_.check_json();
  Progress progress(common_.quiet || common_.json == "-");
  if (serve_) {
    serve(board, config, progress);
    return true;
  }
  return infer(board, config, progress);
}

void BoardCommand::serve(const board::Board& board, const Config& config,
                         Progress& progress) const {
  board::SimulatedBoard simulated(board, config.hardware, clock_of(board),
                                  [&](const std::string& text) { progress.say(text); });
  if (board.flash && has_network(config)) {
    Program program = compile(load_configured(config), config.hardware, config.policy);
    check(program);
    const rom::Image image = image_for(board, std::move(program));
    simulated.write_flash(board.flash->program_at, image.bytes);
  }
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  board::serve(
      simulated,
      [&](const std::string& path) {
        fmt::print("{} behind {}\n", board.title, path);
        std::fflush(stdout);
      },
      [] { return interrupted != 0; });
}

board::BoardRun BoardCommand::talk(const board::Board& board, const Config& config,
                                   const rom::Image& image, const std::vector<Values>& inputs,
                                   Progress& progress) const {
  const auto say = [&](const std::string& text) { progress.say(text); };
  board::LinkOptions options;
  options.baud = board.baud;
  if (simulate_) {
    board::SimulatedBoard simulated(board, config.hardware, clock_of(board), say);
    if (image.in_place()) {
      simulated.write_flash(board.flash->program_at, image.bytes);
    }
    board::Link link(simulated, options);
    return run_on_board(link, board, image, inputs, say);
  }
  board::SerialPort port(port_, board.baud);
  if (port_.find("/pts/") != std::string::npos) {
    options.patience = kSimulatedPatience;
  }
  board::Link link(port, options);
  return run_on_board(link, board, image, inputs, say);
}

bool BoardCommand::infer(const board::Board& board, const Config& config,
                         Progress& progress) const {
  const Network network = load_configured(config);
  check_labels(config, network);
  const std::vector<Values> inputs = read_steps(config, network, input_);
  Program program = compile(network, config.hardware, config.policy);
  check(program);
  const rom::Image image = image_for(board, std::move(program));
  const board::BoardRun run = talk(board, config, image, inputs, progress);
  std::string problem = run.problem;
  if (problem.empty()) {
    problem = rom::difference(network, inputs, run.outputs);
    if (!output_.empty()) {
      write_outputs(config, network, run.outputs, output_);
    }
  }
  const std::uint64_t counted =
      counted_cycles(board, config, network, run.clock_hz, image.in_place());
  common_.write_json(to_json(board, config, network, run, counted, problem));
  if (!problem.empty()) {
    fmt::print(stderr, "cosim: {}\n", problem);
    return false;
  }
  if (!common_.quiet && common_.json != "-") {
    fmt::print("{} on {}: {} cycles, {:.3f} ms at {} MHz, {:.1f} inferences per second\n",
               network.name, board.title, grouped(run.cycles), milliseconds_of(run),
               run.clock_hz / 1e6, 1000 / milliseconds_of(run));
    fmt::print("the cost model counts {} cycles\n", grouped(counted));
    fmt::print("link: {} bytes, {} requests sent again\n", grouped(run.bytes_moved),
               grouped(run.resent));
    for (const ScoredClass& scored : scored_classes(config, network, run.outputs.back())) {
      fmt::print("{}  {:.4f}\n", scored.label, scored.score);
    }
    fmt::print("every output equals the reference kernels\n");
  }
  return true;
}

}  // namespace tessera
