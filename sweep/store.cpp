#include "sweep/store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "sweep/statement.hpp"
#include "tessera/error.hpp"

namespace tessera::sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kApplicationId = 0x54535357;  // "TSSW"
constexpr int kVersion = 6;

const char* const kTables = R"(
CREATE TABLE definition (json TEXT NOT NULL);
CREATE TABLE points (
  point INTEGER PRIMARY KEY, settings TEXT NOT NULL, status TEXT NOT NULL, error TEXT NOT NULL,
  network TEXT NOT NULL, objective TEXT NOT NULL, cbuf_bytes INTEGER NOT NULL, cbuf_capacity_bytes INTEGER NOT NULL,
  program_of INTEGER NOT NULL,
  macs_per_cycle INTEGER NOT NULL, macs INTEGER NOT NULL, cycles INTEGER NOT NULL,
  host_cycles INTEGER NOT NULL, host_layers INTEGER NOT NULL, uncounted_work INTEGER NOT NULL,
  own_cycles INTEGER NOT NULL, ideal_cycles INTEGER NOT NULL, external_read_bytes INTEGER NOT NULL,
  external_write_bytes INTEGER NOT NULL, arena_bytes INTEGER NOT NULL,
  command_bytes INTEGER NOT NULL, energy_pj REAL NOT NULL, has_energy INTEGER NOT NULL, clock_mhz REAL NOT NULL,
  verified INTEGER,
  luts INTEGER, ffs INTEGER, brams INTEGER, dsps INTEGER, mhz REAL, fits INTEGER);
CREATE TABLE layers (
  point INTEGER NOT NULL REFERENCES points(point), layer INTEGER NOT NULL, name TEXT NOT NULL,
  op TEXT NOT NULL, mode TEXT NOT NULL, macs INTEGER NOT NULL, cycles INTEGER NOT NULL,
  external_bytes INTEGER NOT NULL, PRIMARY KEY (point, layer)) WITHOUT ROWID;
)";

std::string json_of(const Definition& definition) {
  const Space& space = definition.space;
  Json json;
  json["schema"] = "tessera.sweep.definition/1";
  json["config"] = space.config;
  json["fixed"] = space.fixed;
  json["axes"] = Json::array();
  for (const Axis& axis : space.axes) {
    json["axes"].push_back({{"key", axis.key}, {"values", axis.values}});
  }
  if (!space.listed.empty()) {
    json["listed"] = space.listed;
  }
  json["part"] = space.part;
  json["limits"] = space.limits;
  json["neighbours_tried"] = definition.neighbours_tried;
  json["contents"] = definition.contents;
  json["build"] = definition.build;
  json["shard"] = {definition.shard.number, definition.shard.count};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Definition from_json(const std::string& text) {
  const Json json = Json::parse(text);
  Definition definition;
  json.at("config").get_to(definition.space.config);
  json.at("fixed").get_to(definition.space.fixed);
  for (const Json& axis : json.at("axes")) {
    definition.space.axes.push_back(
        {axis.at("key").get<std::string>(), axis.at("values").get<std::vector<std::string>>()});
  }
  if (json.contains("listed")) {
    json.at("listed").get_to(definition.space.listed);
  }
  json.at("part").get_to(definition.space.part);
  json.at("limits").get_to(definition.space.limits);
  json.at("neighbours_tried").get_to(definition.neighbours_tried);
  json.at("contents").get_to(definition.contents);
  json.at("build").get_to(definition.build);
  json.at("shard").at(0).get_to(definition.shard.number);
  json.at("shard").at(1).get_to(definition.shard.count);
  return definition;
}

std::string settings_of(const Space& space, std::size_t point) {
  Json settings = Json::object();
  const std::vector<std::string> values = space.values(point);
  for (std::size_t a = 0; a < values.size(); ++a) {
    if (!values[a].empty()) {
      settings[space.axes[a].key] = values[a];
    }
  }
  return settings.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Status status_from(const std::string& name) {
  for (const Status status : {Status::Ok, Status::Wrong}) {
    if (name == name_of(status)) {
      return status;
    }
  }
  return Status::Failed;
}

sqlite3* open_database(const std::string& path, int flags) {
  sqlite3* database = nullptr;
  if (sqlite3_open_v2(path.c_str(), &database, flags, nullptr) != SQLITE_OK) {
    const std::string why = database == nullptr ? "no memory" : sqlite3_errmsg(database);
    sqlite3_close(database);
    throw InputError(fmt::format("{}: {}", path, why));
  }
  sqlite3_busy_timeout(database, 10000);
  return database;
}

}  // namespace

bool Definition::same_sweep(const Definition& other) const {
  Definition as_other = *this;
  as_other.shard = other.shard;
  as_other.neighbours_tried = other.neighbours_tried;
  // Where the files lie is no part of it: shards may run elsewhere.
  as_other.space.config = other.space.config;
  return json_of(as_other) == json_of(other);
}

std::string Definition::difference(const Definition& other) const {
  if (same_sweep(other)) {
    return "";
  }
  Definition as_built = *this;
  as_built.build = other.build;
  return as_built.same_sweep(other)
             ? "another build of the program or of the RTL made its points, which may count "
               "otherwise"
             : "has points of another sweep (other keys or values, or a configuration, network or "
               "preset that has changed)";
}

Store::Store(std::string path, sqlite3* database) : path_(std::move(path)), database_(database) {}

Store::Store(Store&& other) noexcept
    : path_(std::move(other.path_)),
      database_(std::exchange(other.database_, nullptr)),
      definition_(std::move(other.definition_)),
      open_transaction_(std::exchange(other.open_transaction_, false)) {}

Store::~Store() {
  if (database_ != nullptr) {
    if (open_transaction_) {
      sqlite3_exec(database_, "COMMIT", nullptr, nullptr, nullptr);
    }
    sqlite3_close(database_);
  }
}

Store Store::create(const std::string& path, const Definition& definition) {
  std::error_code error;
  std::filesystem::remove(path, error);
  Store store(path, open_database(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  store.definition_ = definition;
  store.begin();
  store.execute(fmt::format("PRAGMA application_id={}", kApplicationId));
  store.execute(fmt::format("PRAGMA user_version={}", kVersion));
  store.execute(kTables);
  try {
    Statement(store.database_, "INSERT INTO definition VALUES (?)")
        .bind(json_of(definition))
        .step();
  } catch (const InputError& problem) {
    store.fail(problem.what());
  }
  store.commit();
  return store;
}

Store Store::open(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(path + ": no such file");
  }
  Store store(path, open_database(path, SQLITE_OPEN_READWRITE));
  try {
    Statement application(store.database_, "PRAGMA application_id");
    application.step();
    if (application.number() != kApplicationId) {
      store.fail("no file of a sweep's points");
    }
    Statement version(store.database_, "PRAGMA user_version");
    version.step();
    if (const std::uint64_t found = version.number(); found != kVersion) {
      store.fail(fmt::format("version {} of the tables; this program knows {}", found, kVersion));
    }
    Statement definition(store.database_, "SELECT json FROM definition");
    if (!definition.step()) {
      store.fail("holds no definition of a sweep");
    }
    store.definition_ = from_json(definition.text());
  } catch (const nlohmann::json::exception& problem) {
    store.fail(problem.what());
  } catch (const InputError& problem) {
    const std::string text = problem.what();
    if (text.rfind(path, 0) == 0) {
      throw;
    }
    store.fail(text);
  }
  return store;
}

void Store::fail(const std::string& what) const {
  throw InputError(fmt::format("{}: {}", path_, what));
}

void Store::execute(const std::string& sql) {
  if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail(sqlite3_errmsg(database_));
  }
}

void Store::begin() {
  if (!open_transaction_) {
    execute("BEGIN");
    open_transaction_ = true;
  }
}

void Store::commit() {
  if (open_transaction_) {
    execute("COMMIT");
    open_transaction_ = false;
  }
}

void Store::put(const PointResult& r) {
  begin();
  try {
    Statement(database_, "DELETE FROM layers WHERE point = ?").bind(std::uint64_t{r.index}).step();
    Statement(database_,
              "INSERT OR REPLACE INTO points VALUES "
              "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
        .bind(std::uint64_t{r.index})
        .bind(settings_of(definition_.space, r.index))
        .bind(std::string(name_of(r.status)))
        .bind(r.error)
        .bind(r.network)
        .bind(r.objective)
        .bind(r.cbuf_bytes)
        .bind(r.cbuf_capacity_bytes)
        .bind(std::uint64_t{r.program_of})
        .bind(r.macs_per_cycle)
        .bind(r.macs)
        .bind(r.cycles)
        .bind(r.host_cycles)
        .bind(r.host_layers)
        .bind(r.uncounted_work)
        .bind(r.own_cycles)
        .bind(r.ideal_cycles)
        .bind(r.external_read_bytes)
        .bind(r.external_write_bytes)
        .bind(r.arena_bytes)
        .bind(r.command_bytes)
        .bind(r.energy_pj)
        .bind(std::uint64_t{r.has_energy})
        .bind(r.clock_mhz)
        .bind(r.verified)
        .bind(r.area ? std::optional(r.area->luts) : std::nullopt)
        .bind(r.area ? std::optional(r.area->ffs) : std::nullopt)
        .bind(r.area ? std::optional(r.area->brams) : std::nullopt)
        .bind(r.area ? std::optional(r.area->dsps) : std::nullopt)
        .bind(r.area ? r.area->mhz : 0.0)
        .bind(r.area ? std::optional(r.area->fits) : std::nullopt)
        .step();
    for (std::size_t i = 0; i < r.layers.size(); ++i) {
      const LayerResult& layer = r.layers[i];
      Statement(database_, "INSERT INTO layers VALUES (?,?,?,?,?,?,?,?)")
          .bind(std::uint64_t{r.index})
          .bind(std::uint64_t{i})
          .bind(layer.name)
          .bind(layer.op)
          .bind(layer.mode)
          .bind(layer.macs)
          .bind(layer.cycles)
          .bind(layer.external_bytes)
          .step();
    }
  } catch (const InputError& problem) {
    fail(problem.what());
  }
}

std::vector<std::size_t> Store::present() {
  Statement rows(database_, "SELECT point FROM points ORDER BY point");
  std::vector<std::size_t> points;
  while (rows.step()) {
    points.push_back(rows.number());
  }
  return points;
}

std::vector<PointResult> Store::read() {
  std::vector<PointResult> points;
  Statement rows(
      database_,
      "SELECT point, status, error, network, objective, cbuf_bytes, cbuf_capacity_bytes, "
      "program_of, macs_per_cycle, macs, cycles, host_cycles, host_layers, uncounted_work, "
      "own_cycles, "
      "ideal_cycles, "
      "external_read_bytes, external_write_bytes, "
      "arena_bytes, command_bytes, energy_pj, has_energy, clock_mhz, verified, fits, luts, ffs, "
      "brams, dsps, mhz "
      "FROM points ORDER BY point");
  while (rows.step()) {
    PointResult r;
    r.index = rows.number();
    r.status = status_from(rows.text());
    r.error = rows.text();
    r.network = rows.text();
    r.objective = rows.text();
    r.cbuf_bytes = rows.number();
    r.cbuf_capacity_bytes = rows.number();
    r.program_of = rows.number();
    r.macs_per_cycle = rows.number();
    r.macs = rows.number();
    r.cycles = rows.number();
    r.host_cycles = rows.number();
    r.host_layers = rows.number();
    r.uncounted_work = rows.number();
    r.own_cycles = rows.number();
    r.ideal_cycles = rows.number();
    r.external_read_bytes = rows.number();
    r.external_write_bytes = rows.number();
    r.arena_bytes = rows.number();
    r.command_bytes = rows.number();
    r.energy_pj = rows.real();
    r.has_energy = rows.number() != 0;
    r.clock_mhz = rows.real();
    r.verified = rows.flag();
    if (const std::optional<bool> fits = rows.flag()) {
      PointResult::Area area;
      area.fits = *fits;
      area.luts = rows.number();
      area.ffs = rows.number();
      area.brams = rows.number();
      area.dsps = rows.number();
      area.mhz = rows.real();
      r.area = area;
    }
    points.push_back(std::move(r));
  }
  Statement layers(database_,
                   "SELECT point, name, op, mode, macs, cycles, external_bytes FROM layers "
                   "ORDER BY point, layer");
  std::size_t at = 0;
  while (layers.step()) {
    const std::size_t point = layers.number();
    while (at < points.size() && points[at].index < point) {
      ++at;
    }
    if (at == points.size() || points[at].index != point) {
      fail(fmt::format("layers of point {}, which is not there", point));
    }
    LayerResult layer;
    layer.name = layers.text();
    layer.op = layers.text();
    layer.mode = layers.text();
    layer.macs = layers.number();
    layer.cycles = layers.number();
    layer.external_bytes = layers.number();
    points[at].layers.push_back(std::move(layer));
  }
  return points;
}

void write_ordered(const std::string& path, const Definition& definition,
                   const std::vector<PointResult>& points) {
  const std::string aside = path + ".new";
  {
    Store store = Store::create(aside, definition);
    for (const PointResult& point : points) {
      store.put(point);
    }
    store.commit();
  }
  std::filesystem::rename(aside, path);
}

}  // namespace tessera::sweep
