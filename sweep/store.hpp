// Points in an SQLite file.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sweep/point.hpp"
#include "sweep/space.hpp"

struct sqlite3;

namespace tessera::sweep {

/// What a file of points is about. Two files with one definition hold points of one sweep.
struct Definition {
  Space space;
  std::string contents;  ///< SHA-256 of everything that is read: configuration, networks, presets
  Shard shard;           ///< of which the file has the points
  std::string build;     ///< SHA-256 of the program and of the RTL: others may count otherwise
  bool neighbours_tried =
      false;  ///< each point has the best of its own and its neighbours' programs

  [[nodiscard]] bool same_sweep(const Definition& other) const;
  /// Why points of `other` are none of this one's, or "".
  [[nodiscard]] std::string difference(const Definition& other) const;
};

/// Reads the files that the sweep depends on. Throws InputError.
Definition define(const Space& space, const Shard& shard);

class Store {
 public:
  /// A new file, in place of one that is there. Throws InputError.
  static Store create(const std::string& path, const Definition& definition);
  /// Throws InputError when it is no file of points, or of a version that is not known.
  static Store open(const std::string& path);
  ~Store();
  Store(Store&& other) noexcept;
  Store& operator=(Store&&) = delete;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] const Definition& definition() const { return definition_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// A point that is there already is replaced. Kept for good at the next commit.
  void put(const PointResult& result);
  void commit();

  /// Which points are there, in order.
  [[nodiscard]] std::vector<std::size_t> present();
  /// All points, in order.
  [[nodiscard]] std::vector<PointResult> read();

 private:
  Store(std::string path, sqlite3* database);
  void execute(const std::string& sql);
  void begin();
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  sqlite3* database_;
  Definition definition_;
  bool open_transaction_ = false;
};

/// The same points in a file whose bytes depend on nothing but them. Throws InputError.
void write_ordered(const std::string& path, const Definition& definition,
                   const std::vector<PointResult>& points);

}  // namespace tessera::sweep
