#include "fpga/longest_path.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "fpga/netlist.hpp"

namespace tessera::fpga {
namespace {

constexpr double kPicoseconds = 1e-3;  // in nanoseconds
constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::size_t kSetup = 5;  // "SETUPHOLD posedge PIN posedge CLOCK setup hold"

/// A line's words: names without the backslashes of SDF; each number of "least:usual:most".
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      word += line[++i];
    } else if (std::string_view(" ():\r").find(line[i]) != std::string_view::npos) {
      end_word();
    } else {
      word += line[i];
    }
  }
  end_word();
  return words;
}

/// The largest of some words, in ns.
double delay_in(const std::vector<std::string>& words, std::size_t first, std::size_t count) {
  double most = 0;
  for (std::size_t i = first; i < std::min(words.size(), first + count); ++i) {
    most = std::max(most, std::strtod(words[i].c_str(), nullptr));
  }
  return most * kPicoseconds;
}

bool is_clock(const std::string& pin) {
  return pin.find("CLK") != std::string::npos || pin == "WCK";
}

class Delays {
 public:
  explicit Delays(const std::filesystem::path& sdf) {
    std::ifstream in(sdf);
    if (!in) {
      throw std::runtime_error(sdf.string() + ": cannot be read");
    }
    for (std::string line; std::getline(in, line);) {
      read(line);
    }
  }

  [[nodiscard]] std::vector<PathStep> longest() {
    const std::uint32_t last = follow();
    std::vector<PathStep> steps;
    if (last == kNone) {
      return steps;
    }
    steps.push_back({module_of(last), "setup", pins_[last].setup});
    for (std::uint32_t pin = last; pin != kNone; pin = pins_[pin].before) {
      const Pin& here = pins_[pin];
      const bool first = here.before == kNone;
      const double ns = first ? here.arrives : here.arrives - pins_[here.before].arrives;
      const bool way = !first && cell_of(pin) != cell_of(here.before);
      steps.push_back({module_of(way ? here.before : pin),
                       first ? "clk-to-q"
                       : way ? "routing"
                             : "logic",
                       ns});
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

 private:
  struct Pin {
    std::string name;  ///< cell/pin
    std::vector<std::pair<std::uint32_t, double>> next;
    std::uint32_t awaited = 0;  ///< delays that end here
    double arrives = -1;        ///< after the clock's edge; -1: not from a clock
    double setup = -1;          ///< -1: nothing waits for the next edge here
    std::uint32_t before = kNone;
  };

  void read(const std::string& line) {
    const std::vector<std::string> words = words_of(line);
    const std::string kind = words.empty() ? "" : words[0];
    if (kind == "INSTANCE") {
      instance_ = words.size() > 1 ? words[1] : "";
    } else if (kind == "INTERCONNECT" && words.size() > 3) {
      connect(pin(words[1]), pin(words[2]), delay_in(words, 3, words.size()));
    } else if (kind == "IOPATH" && words.size() > 3) {
      const std::size_t from = words[1] == "posedge" || words[1] == "negedge" ? 2 : 1;
      const double delay = delay_in(words, from + 2, words.size());
      const std::uint32_t to = pin(instance_ + "/" + words[from + 1]);
      if (is_clock(words[from])) {
        pins_[to].arrives = std::max(pins_[to].arrives, delay);
      } else {
        connect(pin(instance_ + "/" + words[from]), to, delay);
      }
    } else if (kind == "SETUPHOLD" && words.size() > kSetup) {
      Pin& end = pins_[pin(instance_ + "/" + words[2])];
      end.setup = std::max(end.setup, delay_in(words, kSetup, 3));
    }
  }

  std::uint32_t pin(const std::string& name) {
    const auto [found, is_new] = index_.emplace(name, static_cast<std::uint32_t>(pins_.size()));
    if (is_new) {
      pins_.emplace_back().name = name;
    }
    return found->second;
  }

  void connect(std::uint32_t from, std::uint32_t to, double delay) {
    pins_[from].next.emplace_back(to, delay);
    ++pins_[to].awaited;
  }

  /// The pin where the longest path ends.
  std::uint32_t follow() {
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < pins_.size(); ++i) {
      if (pins_[i].awaited == 0) {
        ready.push_back(i);
      }
    }
    std::size_t done = 0;
    std::uint32_t last = kNone;
    const auto whole = [&](std::uint32_t i) { return pins_[i].arrives + pins_[i].setup; };
    for (; !ready.empty(); ++done) {
      const std::uint32_t here = ready.back();
      ready.pop_back();
      const bool ends = pins_[here].arrives >= 0 && pins_[here].setup >= 0;
      if (ends && (last == kNone || whole(here) > whole(last) ||
                   (whole(here) == whole(last) && here < last))) {
        last = here;
      }
      for (const auto& [to, delay] : pins_[here].next) {
        Pin& next = pins_[to];
        if (pins_[here].arrives >= 0 && pins_[here].arrives + delay > next.arrives) {
          next.arrives = pins_[here].arrives + delay;
          next.before = here;
        }
        if (--next.awaited == 0) {
          ready.push_back(to);
        }
      }
    }
    return done == pins_.size() ? last : kNone;
  }

  [[nodiscard]] std::string_view cell_of(std::uint32_t pin) const {
    const std::string_view name = pins_[pin].name;
    return name.substr(0, name.rfind('/'));
  }

  [[nodiscard]] std::string module_of(std::uint32_t pin) const {
    return fpga::module_of(std::string(cell_of(pin)));
  }

  std::string instance_;
  std::vector<Pin> pins_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

}  // namespace

std::vector<PathStep> longest_path_in(const std::filesystem::path& sdf) {
  return Delays(sdf).longest();
}

}  // namespace tessera::fpga
