// Random networks for hours: soak --engine tlm|rtl --from FIRST --cases N [--anew N] [--jobs N].
//
// Case number n is the same at any time and on any machine. What fails is printed with the number
// that repeats it (`--from n --cases 1`) and with the files that a user would write.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "sweep/pool.hpp"
#include "tests/draws.hpp"
#include "tests/numbered_case.hpp"
#include "tests/soak/draw.hpp"

namespace tessera::test {
namespace {

constexpr std::size_t kChunk = 50;
/// A case takes milliseconds: so many seconds for a chunk are a hang.
constexpr unsigned kChunkSeconds = 900;

struct Tally {
  std::size_t networks = 0;
  std::size_t layers = 0;  ///< that ran on the array
  std::size_t without_room = 0;
  std::vector<std::string> failures;
};

std::string preset_asked_for;

void run_one(std::uint64_t number, Engines engines, Tally& tally) {
  const std::string problem = run_numbered(number, [&] {
    const std::optional<Outcome> outcome =
        run_case_if_it_fits(draw(engines, preset_asked_for), engines);
    if (!outcome) {
      ++tally.without_room;
      return;
    }
    ++tally.networks;
    for (const LayerRecord& layer : outcome->program.layers) {
      tally.layers += layer.host_reason.empty() ? 1 : 0;
    }
  });
  if (!problem.empty()) {
    tally.failures.push_back(fmt::format("case {}: {}", number, problem));
  }
}

std::string run_chunk(std::uint64_t first, std::uint64_t last, Engines engines) {
  alarm(kChunkSeconds);
  Tally tally;
  for (std::uint64_t number = first; number < last; ++number) {
    run_one(number, engines, tally);
  }
  return nlohmann::json{{"networks", tally.networks},
                        {"layers", tally.layers},
                        {"without_room", tally.without_room},
                        {"failures", tally.failures}}
      .dump();
}

struct Request {
  std::string engine = "tlm";
  std::uint64_t from = 0;
  std::uint64_t cases = 1000;
  std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
};

int run(const Request& request) {
  const Engines engines = request.engine == "rtl" ? Engines::All : Engines::WithoutRtl;
  const std::uint64_t end = request.from + request.cases;
  std::vector<std::size_t> chunks((request.cases + kChunk - 1) / kChunk);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    chunks[i] = i;
  }
  Tally total;
  std::size_t dead = 0;
  const auto first_of = [&](std::size_t chunk) { return request.from + chunk * kChunk; };
  const auto last_of = [&](std::size_t chunk) { return std::min(end, first_of(chunk) + kChunk); };
  sweep::Work work;
  work.run = [&](std::size_t chunk) { return run_chunk(first_of(chunk), last_of(chunk), engines); };
  work.done = [&](std::size_t, const std::string& text) {
    const auto result = nlohmann::json::parse(text);
    total.networks += result.at("networks").get<std::size_t>();
    total.layers += result.at("layers").get<std::size_t>();
    total.without_room += result.at("without_room").get<std::size_t>();
    for (const std::string failure : result.at("failures")) {
      fmt::print("{}\n", failure);
      std::fflush(stdout);
      total.failures.push_back(failure);
    }
  };
  work.failed = [&](std::size_t chunk, const std::string& why) {
    fmt::print("cases {} to {}: {}\n", first_of(chunk), last_of(chunk) - 1, why);
    std::fflush(stdout);
    ++dead;
  };
  work.goes_on = [] { return true; };
  sweep::run_all(chunks, request.jobs, work);
  fmt::print(
      "{}: cases {} to {}: {} networks, {} layers on the array, {} without room, {} wrong, {} "
      "chunks lost\n",
      request.engine, request.from, end - 1, total.networks, total.layers, total.without_room,
      total.failures.size(), dead);
  return total.failures.empty() && dead == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tessera::test

int main(int argc, char** argv) {
  tessera::test::Request request;
  std::uint64_t anew = 0;
  CLI::App app("Random networks on random hardware against the reference kernels.", "soak");
  app.add_option("--engine", request.engine, "rtl: Verilated presets, and the other two engines")
      ->check(CLI::IsMember({"tlm", "rtl"}));
  app.add_option("--preset", tessera::test::preset_asked_for,
                 "this one only, in place of several and of hardware drawn at random");
  app.add_option("--from", request.from, "number of the first case");
  app.add_option("--cases", request.cases, "how many")->check(CLI::PositiveNumber);
  app.add_option("--anew", anew, "beside these, so many that TESSERA_SEED draws");
  app.add_option("--jobs", request.jobs, "processes at a time")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  int code = tessera::test::run(request);
  if (const std::uint64_t seed = tessera::test::seed_of_run(); anew > 0 && seed != 0) {
    request.from = 1'000'000 + seed % 1'000'000'000'000;
    request.cases = anew;
    code = std::max(code, tessera::test::run(request));
  }
  return code;
}
