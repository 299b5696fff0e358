#include "sweep/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "console/interrupts.hpp"
#include "console/output_file.hpp"
#include "sweep/export.hpp"
#include "sweep/neighbours.hpp"
#include "sweep/pool.hpp"
#include "tessera/error.hpp"

namespace tessera::sweep {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kCommitPeriod{200};
constexpr std::size_t kMostNamed = 8;

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder, error)) {
    throw InputError(fmt::format("{}: cannot be made a folder", folder));
  }
}

Store open_or_create(const RunRequest& request, const std::string& path) {
  std::error_code error;
  if (request.fresh || !fs::exists(path, error)) {
    return Store::create(path, request.definition);
  }
  Store store = Store::open(path);
  if (const std::string why = store.definition().difference(request.definition); !why.empty()) {
    throw InputError(
        fmt::format("{}: {}; give another --out, or --fresh to start again", path, why));
  }
  return store;
}

std::vector<std::size_t> points_left(const RunRequest& request, Store& store, std::size_t& had) {
  std::set<std::size_t> there;
  for (const PointResult& point : store.read()) {
    if (point.status != Status::Failed || !request.retry_failed) {
      there.insert(point.index);
    }
  }
  had = there.size();
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < request.definition.space.points(); ++i) {
    if (request.definition.shard.has(i) && there.count(i) == 0) {
      left.push_back(i);
    }
  }
  return left;
}

// False: interrupted.
bool try_neighbours(const Space& space, std::size_t jobs, std::vector<PointResult>& points,
                    Progress& progress) {
  Neighbours neighbours(space, points);
  PointRunner runner(space);
  const Interrupts interrupts;
  for (std::vector<Trial> trials = neighbours.next(); !trials.empty(); trials = neighbours.next()) {
    std::vector<std::size_t> items(trials.size());
    std::iota(items.begin(), items.end(), std::size_t{0});
    std::vector<PointResult> results(trials.size());
    std::size_t done = 0;
    Work work;
    work.run = [&](std::size_t item) {
      return to_text(runner.run(trials[item].point, trials[item].program_of));
    };
    work.done = [&](std::size_t item, const std::string& text) {
      results[item] = from_text(text);
      ++done;
    };
    work.failed = [&](std::size_t item, const std::string& why) {
      results[item].index = trials[item].point;
      results[item].error = why;
      ++done;
    };
    work.goes_on = [&] {
      progress.update(fmt::format("neighbours' programs: {} of {}", done, trials.size()), done,
                      trials.size());
      return !Interrupts::noted();
    };
    const bool complete = run_all(items, jobs, work);
    progress.clear();
    if (!complete) {
      return false;
    }
    for (PointResult& result : results) {
      neighbours.done(std::move(result));
    }
  }
  return true;
}

std::string progress_text(std::size_t done, std::size_t whole, std::size_t fresh,
                          Clock::time_point begin) {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const double rate = seconds > 0 ? static_cast<double>(fresh) / seconds : 0;
  std::string text = fmt::format("{} of {} points", done, whole);
  if (rate > 0) {
    text +=
        fmt::format(", {:.1f} per second, {}", rate, time_left(begin, fresh, fresh + whole - done));
  }
  return text;
}

// Files of shares in the folder, by name.
std::vector<std::string> shares_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("points-", 0) == 0 && entry.path().extension() == ".sqlite") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string named(const std::vector<std::string>& names) {
  std::vector<std::string> few(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                  names.size(), kMostNamed)));
  return fmt::format("{}{}", fmt::join(few, ", "), names.size() > kMostNamed ? ", ..." : "");
}

}  // namespace

std::string points_file(const std::string& folder, const Shard& shard) {
  return (fs::path(folder) /
          (shard.count == 1 ? "points.sqlite"
                            : fmt::format("points-{}-of-{}.sqlite", shard.number, shard.count)))
      .string();
}

bool run_points(const RunRequest& request, Progress& progress) {
  make_folder(request.folder);
  const std::string path = points_file(request.folder, request.definition.shard);
  std::vector<PointResult> all;
  Definition definition = request.definition;
  {
    Store store = open_or_create(request, path);
    std::size_t done = 0;
    const std::vector<std::size_t> left = points_left(request, store, done);
    const std::size_t whole = done + left.size();
    const Clock::time_point begin = Clock::now();
    Clock::time_point committed = begin;
    std::size_t fresh = 0;
    const Interrupts interrupts;
    PointRunner runner(request.definition.space);
    const auto keep = [&](const PointResult& point) {
      store.put(point);
      ++done;
      ++fresh;
    };
    Work work;
    work.run = [&](std::size_t item) { return to_text(runner.run(item)); };
    work.done = [&](std::size_t /*item*/, const std::string& text) { keep(from_text(text)); };
    work.failed = [&](std::size_t item, const std::string& why) {
      PointResult point;
      point.index = item;
      point.error = why;
      keep(point);
    };
    work.goes_on = [&] {
      if (Clock::now() - committed > kCommitPeriod) {
        store.commit();
        committed = Clock::now();
      }
      progress.update(progress_text(done, whole, fresh, begin), done, whole);
      return !Interrupts::noted();
    };
    const bool complete = run_all(left, request.jobs, work);
    progress.clear();
    store.commit();
    if (!complete) {
      progress.say(
          fmt::format("interrupted: {} of {} points are in {}; the same command goes on "
                      "from there",
                      done, whole, path));
      return false;
    }
    all = store.read();
    definition.neighbours_tried = left.empty() && store.definition().neighbours_tried;
  }
  if (definition.shard.count == 1 && !definition.neighbours_tried) {
    if (!try_neighbours(definition.space, request.jobs, all, progress)) {
      progress.say("interrupted; the same command goes on with neighbours' programs");
      return false;
    }
    definition.neighbours_tried = true;
  }
  write_ordered(path, definition, all);
  return true;
}

bool merge(const std::string& folder, std::vector<std::string> files, std::size_t jobs,
           Progress& progress) {
  if (files.empty()) {
    files = shares_in(folder);
  }
  if (files.empty()) {
    throw InputError(folder + ": has no points-*-of-*.sqlite; allowed are the shares of a sweep");
  }
  std::map<std::size_t, std::string> shares;
  std::vector<PointResult> all;
  std::optional<Definition> definition;
  std::vector<std::string> unfinished;
  for (const std::string& file : files) {
    Store store = Store::open(file);
    const Definition& its = store.definition();
    if (definition && !definition->same_sweep(its)) {
      throw InputError(fmt::format("{}: is a share of another sweep than {}: {}", file, files[0],
                                   definition->difference(its)));
    }
    definition = definition ? definition : its;
    if (its.shard.count != definition->shard.count) {
      throw InputError(fmt::format("{}: is one of {} shares, {} one of {}", file, its.shard.count,
                                   files[0], definition->shard.count));
    }
    if (const auto [other, fresh] = shares.emplace(its.shard.number, file); !fresh) {
      throw InputError(fmt::format("share {} of {} is there twice: {} and {}", its.shard.number,
                                   its.shard.count, other->second, file));
    }
    std::vector<PointResult> points = store.read();
    std::size_t wanted = 0;
    for (std::size_t i = 0; i < its.space.points(); ++i) {
      wanted += its.shard.has(i) ? 1 : 0;
    }
    if (points.size() != wanted) {
      unfinished.push_back(fmt::format("{} ({} of {} points)", file, points.size(), wanted));
    }
    all.insert(all.end(), points.begin(), points.end());
  }
  if (!definition) {
    throw InputError("no shares to put together");
  }
  std::vector<std::string> missing;
  for (std::size_t i = 1; i <= definition->shard.count; ++i) {
    if (shares.count(i) == 0) {
      missing.push_back(fmt::format("{}/{}", i, definition->shard.count));
    }
  }
  if (!missing.empty()) {
    throw InputError(fmt::format("{} of {} shares missing: {}", missing.size(),
                                 definition->shard.count, named(missing)));
  }
  if (!unfinished.empty()) {
    throw InputError(fmt::format("not finished: {}", named(unfinished)));
  }
  std::sort(all.begin(), all.end(),
            [](const PointResult& a, const PointResult& b) { return a.index < b.index; });
  if (!try_neighbours(definition->space, jobs, all, progress)) {
    progress.say("interrupted; the same command begins again");
    return false;
  }
  definition->shard = {};
  definition->neighbours_tried = true;
  make_folder(folder);
  write_ordered(points_file(folder, {}), *definition, all);
  return true;
}

Results finish(const std::string& folder) {
  std::vector<PointResult> points;
  Space space;
  {
    Store store = Store::open(points_file(folder, {}));
    space = store.definition().space;
    points = store.read();
  }
  Results results = evaluate(space, std::move(points));
  write_text((fs::path(folder) / "results.csv").string(), to_csv(results));
  write_text((fs::path(folder) / "results.json").string(), to_json(results));
  return results;
}

}  // namespace tessera::sweep
