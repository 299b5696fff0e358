// What a search goes out from.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/program/decided_network.hpp"

namespace tessera {

/// Hardware with no more of anything than there is, and a memory that programs are tried with. What
/// a program was made for runs on what there is: a search that also begins with less finds nothing
/// worse than a search for less does.
class Start {
 public:
  /// `made_for` as Program has it. Throws InputError when a layer fits in no mode.
  Start(const Network& network, Hardware hardware, Policy policy, std::string made_for = "",
        bool is_as_given = false)
      : is_as_given_(is_as_given),
        hardware_(std::move(hardware)),
        policy_(std::move(policy)),
        made_for_(std::move(made_for)),
        prepared_(prepare(network, hardware_, policy_)) {}
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

  [[nodiscard]] const Prepared& prepared() const { return prepared_; }
  [[nodiscard]] const Policy& policy() const { return policy_; }
  [[nodiscard]] const std::string& made_for() const { return made_for_; }
  /// Programs are tried with the memory and the lanes that there are, and by the objective.
  [[nodiscard]] bool is_as_given() const { return is_as_given_; }

  /// Operators that the host runs.
  [[nodiscard]] std::size_t host_operators() const;

  /// The program's commands. What tunings decide alike is decided once.
  Program program(const Tuning& tuning);

 private:
  bool is_as_given_;
  Hardware hardware_;
  Policy policy_;
  std::string made_for_;
  Prepared prepared_;
  std::map<std::vector<double>, DecidedNetwork> decided_;
};

using Starts = std::vector<std::unique_ptr<Start>>;

/// First what there is. The more work a network is, the fewer there are. None leaves more operators
/// to the host than the first.
Starts starts_of(const Network& network, const Hardware& hardware, const Policy& policy,
                 std::uint64_t work);

/// About the cycles that the hardware takes at least, which tells how long a trial takes; the same
/// with more or less of anything but lanes.
std::uint64_t work_of(const Network& network, const Hardware& hardware);

}  // namespace tessera
