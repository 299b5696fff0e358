// More of anything never takes more cycles: pairs FROM CASES [NETWORK...] draws a network (or one
// of those files), hardware and a memory, gives it more of one thing, and compares policy `best` on
// the cost model. Prints pairs that are inverted, and a table by what there was more of; exit code
// 1 when they are more than the search has come down to.
#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "tests/numbered_case.hpp"
#include "tests/soak/pair.hpp"

namespace {

// Parts of the pairs that may be inverted at all, and by more than tolerated. One in a hundred and
// none is what is wanted.
constexpr double kMostInverted = 0.10;
constexpr double kMostBeyond = 0.04;

}  // namespace

int main(int argc, char** argv) {
  using namespace tessera::test;
  if (argc < 3) {
    fmt::print(stderr, "pairs FROM CASES [NETWORK...]\n");
    return 2;
  }
  const std::uint64_t from = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t end = from + std::strtoull(argv[2], nullptr, 10);
  const std::vector<std::string> networks(argv + 3, argv + argc);
  struct Sum {
    std::size_t pairs = 0, inverted = 0, beyond = 0;
    double worst = 0;
  };
  std::map<std::string, Sum> sums;
  for (std::uint64_t number = from; number < end; ++number) {
    Pair pair;
    const std::string problem = run_numbered(number, [&] { pair = draw_pair(networks); });
    if (!problem.empty()) {
      fmt::print("{}: {}\n", number, problem);
      return 1;
    }
    measure(pair);
    if (pair.cycles[0] == 0) {
      continue;
    }
    const double more =
        static_cast<double>(pair.cycles[1]) / static_cast<double>(pair.cycles[0]) - 1;
    for (const std::string& key : {pair.key, std::string("all")}) {
      Sum& sum = sums[key];
      ++sum.pairs;
      sum.inverted += more > 0 ? 1 : 0;
      sum.beyond += more > kTolerated ? 1 : 0;
      sum.worst = std::max(sum.worst, more);
    }
    if (more > 0) {
      fmt::print("{}: {}: {} -> {} cycles ({:+.2f} %)\n  {}\n", number, pair.change, pair.cycles[0],
                 pair.cycles[1], 100 * more, pair.what);
    }
  }
  for (const auto& [key, sum] : sums) {
    fmt::print("{:<18} {:5} pairs, {:4} inverted, {:4} by more than {:.0f} %, worst {:.2f} %\n",
               key, sum.pairs, sum.inverted, sum.beyond, 100 * kTolerated, 100 * sum.worst);
  }
  const Sum& all = sums["all"];
  const auto pairs = static_cast<double>(all.pairs);
  return static_cast<double>(all.inverted) > kMostInverted * pairs ||
                 static_cast<double>(all.beyond) > kMostBeyond * pairs
             ? 1
             : 0;
}
