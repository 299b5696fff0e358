#include "fpga/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "fpga/floorplan.hpp"
#include "fpga/netlist.hpp"
#include "fpga/parts/sources.hpp"
#include "fpga/placer.hpp"
#include "fpga/placer_progress.hpp"
#include "sim/tools/build_cache.hpp"
#include "sim/tools/fpga_tools.hpp"
#include "sim/tools/synthesis.hpp"
#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera::fpga {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNetlist = "netlist.json";

class Flow {
 public:
  Flow(const FlowRequest& request, const ProgressListener& listener)
      : request_(request),
        listener_(listener),
        family_(*request.part->family),
        placer_(find_tool(family_.placer)) {}

  Design run() {
    if (!request_.folder.empty()) {
      forget_another_design();
    }
    design_.part = request_.part;
    design_.hardware = request_.hardware;
    design_.tools = {{"yosys", version_of(find_tool("yosys"))},
                     {family_.placer, version_of(placer_)}};
    synthesise_design();
    design_.modules = area_by_module(synthesis_ / kNetlist, top());
    if (request_.seeds == 0) {
      const Utilisation used = utilisation_in(pack() / "placer.log");
      count(used);
      design_.missing = what_is_missing(*request_.part, used, request_.hardware);
      deliver_netlist();
      return design_;
    }
    lay_out();
    place_all();
    const auto fastest = std::max_element(design_.placements.begin(), design_.placements.end(),
                                          [](const Placement& a, const Placement& b) {
                                            return std::pair(a.mhz, a.promised_mhz) <
                                                   std::pair(b.mhz, b.promised_mhz);
                                          });
    design_.best = static_cast<std::size_t>(fastest - design_.placements.begin());
    count(utilisation_in(placed(design_.fastest().seed) / "placer.log"));
    if (request_.folder.empty()) {
      return design_;
    }
    if (request_.route) {
      deliver();
    } else {
      deliver_netlist();
      copy(placed(design_.fastest().seed) / "placer.log");
    }
    return design_;
  }

 private:
  void say(const std::string& text) const {
    if (listener_.say) {
      listener_.say(text);
    }
  }

  [[nodiscard]] std::string top() const {
    return request_.design ? request_.design->top : "harness";
  }

  // What would stay in the folder if this one does not get as far.
  void forget_another_design() const {
    for (const std::string& made : {family_.placed_file, family_.bitstream}) {
      if (!made.empty()) {
        fs::remove(request_.folder / made);
      }
    }
  }

  void synthesise_design() {
    Synthesis synthesis;
    synthesis.name = family_.name;
    synthesis.command = family_.synthesis;
    synthesis.output = family_.finish + "write_json " + kNetlist;
    synthesis.top = top();
    if (request_.design) {
      synthesis.sources = request_.design->sources;
      synthesis.maps = request_.design->memories;
    } else {
      synthesis.sources = listed_sources(data_dir() / "rtl" / request_.hardware.rtl_sources());
      add_listed(synthesis.sources, data_dir() / "rtl" / "fpga" / "files.f");
      synthesis.parameters = request_.hardware.rtl_parameters();
    }
    synthesis.sources = with_own_cells(family_, std::move(synthesis.sources));
    const std::vector<fs::path> maps = synthesis_maps(family_);
    synthesis.maps.insert(synthesis.maps.end(), maps.begin(), maps.end());
    design_.lut_multipliers = logic_multipliers(*request_.part, request_.hardware).all();
    for (auto& [name, value] : synthesis.parameters) {
      value = name == "LutMultipliers" ? design_.lut_multipliers : value;
    }
    synthesis.announcement =
        fmt::format("synthesising {} x {} MACs for {}", request_.hardware.atomic_c,
                    request_.hardware.atomic_k, family_.name);
    const Netlist netlist = synthesise(synthesis, listener_.say);
    synthesis_ = netlist.folder;
    design_.seconds = netlist.seconds;
  }

  /// The netlist for the placer of this part.
  void lay_out() {
    laid_out_ = synthesis_;
    if (request_.part->multipliers.rows.empty()) {
      return;
    }
    laid_out_ += "-" + request_.part->name + "-in-rows";
    made_once(laid_out_, [&](const fs::path& work) {
      std::ifstream in(synthesis_ / kNetlist);
      nlohmann::ordered_json design = nlohmann::ordered_json::parse(in);
      place_multipliers(*request_.part, request_.hardware, design.at("modules").at(top()));
      std::ofstream(work / kNetlist) << design;
    });
  }

  /// Where a placement is kept. One that is routed does not say which path its promise is.
  [[nodiscard]] fs::path placed(std::uint32_t seed) const {
    const fs::path routed = routed_folder(seed);
    return request_.route ? routed : fs::path(routed.string() + "-promised");
  }

  [[nodiscard]] fs::path routed_folder(std::uint32_t seed) const {
    CacheKey key;
    key.add(version_of(placer_) + request_.part->options + family_.placer_options +
            (request_.part->pins.empty() ? family_.without_pins : request_.part->pins) +
            fmt::format(" {} {}", request_.mhz, seed));
    return laid_out_.string() + "-" + request_.part->name + "-" + key.text();
  }

  [[nodiscard]] static fs::path netlist_from(const fs::path& folder) {
    return fs::path("..") / folder.filename() / kNetlist;
  }

  void place(std::uint32_t seed, const fs::path& folder) {
    const fs::path log = folder / "placer.log";
    {
      const std::scoped_lock lock(mutex_);
      logs_[seed] = log;
    }
    const bool done = run_logged(
        inside(folder) + placer_command(*request_.part, placer_, netlist_from(laid_out_).string(),
                                        {request_.mhz, seed, request_.route}, folder),
        log);
    const Utilisation used = utilisation_in(log);
    const std::string missing = what_is_missing(*request_.part, used, request_.hardware);
    if (!missing.empty()) {
      throw DoesNotFit(missing, usage_of(used));
    }
    if (!done) {
      throw std::runtime_error("placement failed:\n" + tail(log));
    }
    if (!request_.route) {
      keep_longest_path(folder);
    }
  }

  /// As far as the placer counts what there is, which it also does when the part has too little.
  fs::path pack() {
    fs::path folder = synthesis_.string() + "-" + request_.part->name +
                      (request_.part->pins.empty() ? "" : "-pins") + "-packed";
    design_.seconds += made_once(folder, [&](const fs::path& work) {
      const fs::path log = work / "placer.log";
      const bool done = run_logged(
          inside(work) +
              packing_command(*request_.part, placer_, netlist_from(synthesis_).string(), work) +
              " --pack-only",
          log);
      const Utilisation used = utilisation_in(log);
      if (!done && what_is_missing(*request_.part, used, request_.hardware).empty()) {
        throw std::runtime_error("packing failed:\n" + tail(log));
      }
    });
    return folder;
  }

  // Several at a time, as the processor has cores.
  void place_all() {
    std::vector<Placement> placements(request_.seeds);
    std::vector<double> seconds(request_.seeds);
    std::vector<std::exception_ptr> errors(request_.seeds);
    std::atomic<std::uint32_t> next = 0;
    const auto work = [&] {
      for (std::uint32_t i = next++; i < request_.seeds; i = next++) {
        try {
          const std::uint32_t seed = request_.first_seed + i;
          seconds[i] =
              made_once(placed(seed), [&](const fs::path& folder) { place(seed, folder); });
          placements[i] = read_placement(placed(seed), seed);
        } catch (...) {
          errors[i] = std::current_exception();
        }
        const std::scoped_lock lock(mutex_);
        logs_.erase(request_.first_seed + i);
      }
      const std::scoped_lock lock(mutex_);
      --working_;
      changed_.notify_all();
    };
    const bool known = fs::exists(placed(request_.first_seed + request_.seeds - 1));
    if (!known) {
      say(fmt::format("placing{} on {}{}", request_.route ? " and routing" : "",
                      request_.part->title,
                      request_.seeds > 1 ? fmt::format(", {} seeds", request_.seeds) : ""));
    }
    const std::uint32_t workers =
        std::min(request_.seeds, std::max(1U, std::thread::hardware_concurrency()));
    working_ = workers;
    std::vector<std::thread> threads;
    threads.reserve(workers);
    for (std::uint32_t w = 0; w < workers; ++w) {
      threads.emplace_back(work);
    }
    show_until_done();
    for (std::thread& thread : threads) {
      thread.join();
    }
    for (const std::exception_ptr& error : errors) {
      if (error) {
        std::rethrow_exception(error);
      }
    }
    for (const double s : seconds) {
      design_.seconds += s;
    }
    design_.placements = std::move(placements);
  }

  // How far the slowest of those is that are under way.
  void show_until_done() {
    constexpr std::chrono::seconds kPeriod{2};
    std::unique_lock<std::mutex> lock(mutex_);
    while (working_ > 0) {
      changed_.wait_for(lock, kPeriod);
      std::optional<PlacerProgress> slowest;
      for (const auto& [seed, log] : logs_) {
        PlacerProgress one = progress_in(log);
        if (!slowest || one.done * slowest->whole < slowest->done * one.whole) {
          slowest = std::move(one);
        }
      }
      if (slowest && listener_.update) {
        listener_.update(slowest->what, slowest->done, slowest->whole);
      }
    }
  }

  [[nodiscard]] Usage usage_of(const Utilisation& utilisation) const {
    return {utilisation.used(family_.luts), utilisation.used(family_.ffs),
            utilisation.used(family_.brams), utilisation.used(family_.dsps)};
  }

  void count(const Utilisation& utilisation) {
    design_.usage = usage_of(utilisation);
    if (family_.ffs.cells.empty()) {
      for (const ModuleArea& area : design_.modules) {
        design_.usage.ffs += area.usage.ffs;
      }
    }
  }

  void copy(const fs::path& from) const {
    fs::copy_file(from, request_.folder / from.filename(), fs::copy_options::overwrite_existing);
  }

  void deliver_netlist() const {
    fs::create_directories(request_.folder);
    copy((laid_out_.empty() ? synthesis_ : laid_out_) / kNetlist);
    copy(synthesis_ / "synthesis.log");
  }

  /// What the caller wants to have, and the bitstream.
  void deliver() {
    deliver_netlist();
    const fs::path out = fs::canonical(request_.folder);
    const fs::path folder = placed(design_.fastest().seed);
    copy(folder / "placer.log");
    copy(folder / family_.placed_file);
    if (family_.packer.empty()) {
      return;
    }
    std::string options = family_.packer_options;
    const auto put = [&](const std::string& mark, const std::string& file) {
      options.replace(options.find(mark), mark.size(), file);
    };
    put("{in}", family_.placed_file);
    put("{out}", family_.bitstream);
    const fs::path log = out / "packer.log";
    fs::remove(log);
    const std::string command = inside(out) + find_tool(family_.packer) + " " +
                                request_.part->packer_options + " " + options;
    if (!run_logged(command, log)) {
      throw std::runtime_error("packing the bitstream failed:\n" + tail(log));
    }
    design_.bitstream = family_.bitstream;
  }

  const FlowRequest& request_;
  const ProgressListener& listener_;
  const Family& family_;
  std::string placer_;
  fs::path synthesis_;
  fs::path laid_out_;  ///< where the netlist is that is placed
  Design design_;
  std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  std::uint32_t working_ = 0;               ///< threads that place
  std::map<std::uint32_t, fs::path> logs_;  ///< of the placements under way, by seed
};

}  // namespace

Design run_flow(const FlowRequest& request, const ProgressListener& listener) {
  return Flow(request, listener).run();
}

}  // namespace tessera::fpga
