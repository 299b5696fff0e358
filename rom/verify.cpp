#include "rom/verify.hpp"

#include "rom/host_driver.hpp"
#include "rom/system.hpp"

namespace tessera::rom {
namespace {

using Data = std::vector<std::uint8_t>;

constexpr std::uint64_t kMostCycles = 2'000'000'000;

/// The system that boots: a start runs all streams up to the host's next work.
class Booted : public Device {
 public:
  Booted(System& system, const Image& image) : system_(system), image_(image) {}

  void write(std::uint64_t address, const Data& bytes) override {
    system_.write(in_arena(address), bytes);
  }
  Data read(std::uint64_t address, std::uint64_t bytes) override {
    return system_.read(in_arena(address), bytes);
  }
  std::string run(const Run& run) override {
    if (run.reset && !run.stop) {
      return "";  // the first start begins with it
    }
    if (!started_) {
      const std::uint64_t before = system_.cycles();
      system_.start(kMostCycles);
      cycles_ += system_.cycles() - before;
      if (system_.failed()) {
        return system_.error_text();
      }
    }
    started_ = !run.stop;
    return "";
  }

  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }

 private:
  [[nodiscard]] std::uint64_t in_arena(std::uint64_t address) const {
    return address - image_.arena.address;
  }

  System& system_;
  const Image& image_;
  bool started_ = false;  // the runs up to the host's next work are done
  std::uint64_t cycles_ = 0;
};

}  // namespace

Verification verify(const std::string& folder, const Image& image, const Network& network,
                    const std::vector<Values>& steps,
                    const std::function<void(const std::string&)>& announce) {
  System system(folder, image.program.hardware, announce);
  Booted booted(system, image);
  const Played played = play(booted, image, steps);
  Verification result;
  result.cycles = booted.cycles();
  result.problem = played.problem;
  if (result.problem.empty() && system.runs_done() != 0) {
    result.problem = "the hardware has runs left that it did not make";
  }
  if (result.problem.empty()) {
    result.problem = difference(network, steps, played.outputs);
  }
  return result;
}

}  // namespace tessera::rom
