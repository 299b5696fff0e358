// What a candidate costs and how fast it is, without synthesis.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fpga/design.hpp"
#include "fpga/parts/estimate.hpp"
#include "tessera/config.hpp"

namespace tessera::fit {

/// A board around the accelerator.
struct BoardContext {
  std::string name;
  fpga::Usage usage;  ///< of what else is on the chip, at four bytes of the bus
  double slower = 1;  ///< the clock with that beside it, of what the accelerator reaches alone
  /// The fastest clock that it makes, of at most that many MHz; its slowest one when there is none.
  std::function<double(double mhz)> clock;
  /// Of a network's program under the question's policy. Throws InputError when the board has no
  /// room for it.
  std::function<ExternalMemory(const Network& network, const Hardware& hardware, double mhz)>
      memory;
};

/// What is asked.
struct Question {
  const fpga::Part* part = nullptr;  ///< has estimates
  Config config;                     ///< all but hardware and network
  std::vector<std::shared_ptr<const Network>> networks;
  /// Bytes per second of the board's memory, which bounds what the bus gets per cycle; 0: as the
  /// configuration's memory says.
  double bandwidth = 0;
  std::optional<BoardContext> board;  ///< whose memory counts, then
  /// Of the part's lookup tables so much may be taken, up to 1: where a part is full the router
  /// takes hours.
  double fill = 1;

  /// Lookup tables that a design may take.
  [[nodiscard]] std::uint32_t luts() const;
};

/// Of one network.
struct Speed {
  std::uint64_t cycles = 0;       ///< of the accelerator
  std::uint64_t host_cycles = 0;  ///< in cycles of HostProcessor::accelerator_mhz
  /// Where its cycles went, in percent of them.
  double array = 0, wait_load = 0, wait_store = 0, weights = 0;
};

struct Outcome {
  std::string problem;  ///< why it cannot run the networks; empty: it can
  std::string lacks;    ///< what the part has too little of; empty: it fits
  fpga::Estimate estimate;
  std::vector<Speed> speeds;  ///< by network; empty with a problem, and where it does not fit

  [[nodiscard]] bool good() const { return problem.empty() && lacks.empty(); }
};

class Evaluator {
 public:
  explicit Evaluator(Question question);

  [[nodiscard]] const Question& question() const { return question_; }

  /// Of hardware, as text_of() has it, under the question's policy: for what is kept.
  [[nodiscard]] std::string key_of(const std::string& hardware) const;

  /// That candidates have: the one that there are estimates of.
  [[nodiscard]] Control control() const;

  /// A bit for each without which units leave more of the networks to the host.
  [[nodiscard]] std::uint32_t needed_features() const;

  /// With what else is on the chip of a board.
  [[nodiscard]] fpga::Estimate estimate(const Hardware& hardware) const;

  /// Also of what does not fit, where `regardless`. More work for the host than an accelerator with
  /// all features leaves, and half a percent of the multiplications, is a problem, unless the
  /// configuration says what the host takes for it.
  [[nodiscard]] Outcome run(const Hardware& hardware, bool regardless = false) const;

  /// Of a design that reaches so many MHz: as fast, or as fast as the board makes it.
  [[nodiscard]] double clock_of(double mhz) const;

  /// Milliseconds of a network at that clock, the host's with it.
  [[nodiscard]] double milliseconds(const Speed& speed, double mhz) const;

 private:
  [[nodiscard]] Speed speed_of(const std::shared_ptr<const Network>& network,
                               const Hardware& hardware, double mhz,
                               std::uint64_t& host_operations) const;

  Question question_;
  std::vector<std::uint64_t> most_host_operations_;
};

/// For pipes and files.
std::string to_text(const Outcome& outcome);
Outcome outcome_from(const std::string& text);

}  // namespace tessera::fit
