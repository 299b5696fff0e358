#include "tessera/checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "isa/checksum.hpp"
#include "scheduler/check/checker_decode.hpp"
#include "scheduler/check/external_map.hpp"
#include "tessera/isa.hpp"

namespace tessera {
namespace {

using checker::ExternalMap;
using checker::Op;

constexpr std::size_t kMaxProblems = 8;
constexpr std::size_t kLoad = 0;
constexpr std::size_t kCompute = 1;
constexpr std::size_t kStore = 2;
constexpr std::uint64_t kTables = 2;
constexpr std::uint64_t kTableBytes = 1024;

/// State of one atom, word or group: who filled it, who looked at it since. Numbers start at 1.
struct Cell {
  std::uint32_t writer = 0;
  std::uint32_t reader = 0;
  std::uint8_t unit = 0;  ///< the writer's
};

/// Operations known to be finished, by unit.
using Known = std::array<std::uint32_t, 3>;

class RunChecker {
 public:
  RunChecker(const Program& program, ExternalMap& external, std::vector<std::string>& problems)
      : program_(program),
        hw_(program.hardware),
        external_(external),
        problems_(problems),
        cbuf_(hw_.cbuf_atoms()),
        acc_(hw_.acc_words),
        params_(hw_.param_groups),
        operands_(hw_.atomic_c == hw_.atomic_k ? hw_.acc_words : 0),
        tables_(kTables) {}

  void run(const CommandRun& run) {
    const auto words = isa::words_of(program_.image.data() + run.stream.address, run.stream.bytes);
    checker::Replay replay = checker::replay(words, hw_.queue_depth);
    for (std::string& problem : replay.problems) {
      report(std::move(problem));
    }
    external_.begin_run(grain_of(replay.ops));
    check(replay.ops);
    external_.end_run();
  }

 private:
  void check(const std::vector<Op>& ops) {
    for (const Op& op : ops) {
      if (problems_.size() >= kMaxProblems) {
        return;
      }
      word_ = op.word;
      const std::size_t unit = static_cast<std::size_t>(op.unit) - 1;
      ++numbers_[unit];
      if (op.is_mark || !is_configured(op)) {
        continue;
      }
      if (unit == kLoad) {
        check_load(op);
      } else if (unit == kCompute) {
        op.depthwise ? check_depthwise(op) : check_conv(op);
      } else {
        check_store(op);
      }
    }
    for (std::size_t w = 0; w < acc_.size(); ++w) {
      if (acc_[w].writer > 0 && acc_[w].reader == 0) {
        report(fmt::format("accumulator word {} is computed but never stored", w));
        return;
      }
    }
  }

  // Of which all accesses to external memory are multiples, from the begin of the arena.
  [[nodiscard]] std::uint64_t grain_of(const std::vector<Op>& ops) const {
    std::uint64_t grain = 0;
    const auto add = [&](std::uint64_t address, const auto& shape, const auto& stride) {
      grain = std::gcd(grain, external_.from_arena(address));
      grain = std::gcd(grain, std::uint64_t{shape.segment_bytes});
      grain = shape.inner > 1 ? std::gcd(grain, std::uint64_t{stride.inner_stride}) : grain;
      grain = shape.outer > 1 ? std::gcd(grain, std::uint64_t{stride.outer_stride}) : grain;
    };
    for (const Op& op : ops) {
      if (op.is_mark || op.unit == isa::Unit::Compute) {
        continue;
      }
      if (op.unit == isa::Unit::Store) {
        add(op.address.address, op.store_shape, op.store_stride);
      } else if (external_.in_arena(op.source.address, op.source.address)) {
        add(op.source.address, op.load_shape, op.load_stride);
      }
    }
    return external_.common_grain(grain);
  }

  void report(std::string text) {
    if (problems_.size() < kMaxProblems) {
      problems_.push_back(std::move(text));
    }
  }
  void report_here(const std::string& text) { report(fmt::format("word {}: {}", word_, text)); }

  template <class... Commands>
  bool has_all(const Op& op) {
    const std::uint64_t wanted =
        ((std::uint64_t{1} << static_cast<unsigned>(Commands::kOpcode)) | ...);
    const bool all = (op.configured & wanted) == wanted;
    if (!all) {
      report_here("a configuration word that it needs has not come before");
    }
    return all;
  }
  bool is_configured(const Op& op) {
    if (op.unit == isa::Unit::Compute) {
      return has_all<isa::CvInput, isa::CvKernel, isa::CvTile, isa::CvWeights>(op) &&
             (!op.depthwise || has_all<isa::CvWindow>(op));
    }
    if (op.unit == isa::Unit::Load) {
      const bool many = op.load_shape.inner > 1 || op.load_shape.outer > 1;
      return has_all<isa::LdSource, isa::LdShape>(op) && (!many || has_all<isa::LdStride>(op)) &&
             (op.load.fold == 0 || has_all<isa::LdFold>(op)) &&
             (!is_uniform(op) || has_all<isa::LdFactor>(op));
    }
    const bool many = op.store_shape.inner > 1 || op.store_shape.outer > 1;
    return has_all<isa::StQuant, isa::StTile>(op) &&
           (op.store.keep_only != 0 ||
            (has_all<isa::StAddress, isa::StShape>(op) && (!many || has_all<isa::StStride>(op)))) &&
           (op.store.keep == 0 || has_all<isa::StKeep>(op)) &&
           (!takes_operand(op) || has_all<isa::StResult>(op));
  }

  static bool is_uniform(const Op& op) {
    return static_cast<isa::LoadKind>(op.load.kind) == isa::LoadKind::Param &&
           op.source.pixel_bytes == 4;
  }
  static bool takes_operand(const Op& op) {
    const auto operation = static_cast<isa::StPostOperation>(op.post.operation);
    return operation == isa::StPostOperation::Add || operation == isa::StPostOperation::Multiply;
  }
  static bool takes_table(const Op& op) {
    const auto operation = static_cast<isa::StPostOperation>(op.post.operation);
    return operation == isa::StPostOperation::Add || operation == isa::StPostOperation::Table;
  }

  // Two-dimensional transfers, segment by segment (one, when rows are contiguous).
  template <class Shape, class Stride, class Visit>
  bool for_segments(std::uint64_t address, const Shape& shape, const Stride& stride, Visit visit) {
    for (std::uint64_t outer = 0; outer < shape.outer; ++outer) {
      for (std::uint64_t inner = 0; inner < shape.inner; ++inner) {
        const std::uint64_t begin =
            address + outer * stride.outer_stride + inner * stride.inner_stride;
        const std::uint64_t end = begin + shape.segment_bytes;
        if (end > external_.size()) {
          report_here(fmt::format("external address {:#x} is outside the map of {:#x} bytes",
                                  end - 1, external_.size()));
          return false;
        }
        visit(begin, end);
      }
    }
    return true;
  }

  void check_load(const Op& op) {
    const std::uint64_t bytes =
        std::uint64_t{op.load_shape.segment_bytes} * op.load_shape.inner * op.load_shape.outer;
    const auto kind = static_cast<isa::LoadKind>(op.load.kind);
    const std::uint64_t unit =
        kind == isa::LoadKind::Table ? kTableBytes : std::uint64_t{op.source.pixel_bytes};
    if (kind == isa::LoadKind::Param && unit != 4 && unit != 8 && unit != 12) {
      report_here(fmt::format("parameters of {} bytes", unit));
      return;
    }
    if (is_uniform(op) && bytes % 8 != 0) {
      report_here("an odd number of parameters of 4 bytes");
      return;
    }
    if (op.load.fold != 0) {
      if (!check_fold(op)) {
        return;
      }
    } else if (unit == 0 || bytes % unit != 0) {
      report_here(fmt::format("{} bytes are no whole number of units of {} bytes", bytes, unit));
      return;
    }
    // First where it goes: what does not fit there need not be walked.
    if (!fill_destination(op, kind, bytes, unit)) {
      return;
    }
    isa::BeatChecksum checksum(hw_.bus_bytes);
    bool fixed = true;
    const bool inside = for_segments(
        op.source.address, op.load_shape, op.load_stride, [&](std::uint64_t b, std::uint64_t e) {
          if (op.load.check != 0) {
            fixed = fixed && external_.is_fixed(b, e);
            checksum.add(b, program_.image.data() + b, e - b);
          }
          const auto problem = external_.load(b, e, numbers_[kLoad], op.known_acknowledged);
          if (problem != ExternalMap::Problem::None) {
            report_here(fmt::format("reads external bytes {:#x}..{:#x} that {}", b, e,
                                    problem == ExternalMap::Problem::HoldsNothing
                                        ? "hold nothing"
                                        : "a store may still be writing"));
          }
        });
    if (op.load.check != 0 && inside) {
      check_checksum(op, fixed, checksum.value());
    }
  }

  void check_checksum(const Op& op, bool fixed, std::uint32_t found) {
    if (!fixed) {
      report_here("has a checksum of bytes that stores may change");
    } else if (found != op.load.checksum) {
      report_here(
          fmt::format("has checksum {:#08x}, what it reads has {:#08x}", op.load.checksum, found));
    }
  }

  bool fill_destination(const Op& op, isa::LoadKind kind, std::uint64_t bytes, std::uint64_t unit) {
    if (op.load.fold != 0) {
      return fill_folded(op);
    }
    const std::uint64_t atoms = bytes / unit * ((unit + hw_.atomic_c - 1) / hw_.atomic_c);
    switch (kind) {
      case isa::LoadKind::Param:
        return fill(params_, op.load.dest, (bytes / unit + hw_.atomic_k - 1) / hw_.atomic_k,
                    op.known, kStore, "parameter group", kLoad);
      case isa::LoadKind::Table:
        return fill(tables_, op.load.dest, bytes / kTableBytes, op.known, kStore, "table", kLoad);
      case isa::LoadKind::Operand:
        return fill(operands_, op.load.dest, atoms, op.known, kStore, "operand word", kLoad);
      default:
        return fill(cbuf_, op.load.dest, atoms, op.known, kCompute, "cbuf atom", kLoad);
    }
  }

  bool check_fold(const Op& op) {
    const isa::LdFold& fold = op.fold;
    const std::uint32_t unit = op.source.pixel_bytes;
    const std::uint64_t row =
        std::uint64_t{op.load_shape.segment_bytes} + fold.pad_before + fold.pad_after;
    const std::uint64_t wanted = std::uint64_t{fold.units - 1} * fold.advance + unit;
    if (row != wanted) {
      report_here(fmt::format("a row has {} bytes, its {} units need {}", row, fold.units, wanted));
      return false;
    }
    if (unit > hw_.fold_bytes() || fold.advance > hw_.fold_bytes() || op.load_shape.inner != 1 ||
        static_cast<isa::LoadKind>(op.load.kind) != isa::LoadKind::Feature ||
        fold.offset >= hw_.atomic_c) {
      report_here(fmt::format("units of {} bytes at offset {} cannot be folded", unit,
                              std::uint32_t{fold.offset}));
      return false;
    }
    return true;
  }

  bool fill_folded(const Op& op) {
    const std::uint64_t atoms =
        (op.fold.offset + op.source.pixel_bytes + std::uint64_t{hw_.atomic_c} - 1) / hw_.atomic_c;
    const std::uint64_t units = std::uint64_t{op.fold.units} * op.load_shape.outer;
    for (std::uint64_t unit = 0; unit < units; ++unit) {
      if (!fill(cbuf_, op.load.dest + unit * op.fold.unit_step, atoms, op.known, kCompute,
                "cbuf atom", kLoad)) {
        return false;
      }
    }
    return true;
  }

  // A write by `unit` over cells that `readers` may look at.
  bool fill(std::vector<Cell>& cells, std::uint64_t begin, std::uint64_t count, const Known& known,
            std::size_t readers, const char* what, std::size_t unit) {
    if (begin + count > cells.size()) {
      report_here(fmt::format("writes {} {}, there are {}", what, begin + count - 1, cells.size()));
      return false;
    }
    for (std::uint64_t i = begin; i < begin + count; ++i) {
      if (cells[i].reader > known[readers]) {
        report_here(fmt::format("overwrites {} {} that may still be read", what, i));
        return false;
      }
      if (cells[i].unit != unit && cells[i].writer > known[cells[i].unit]) {
        report_here(fmt::format("overwrites {} {} that may still be on its way", what, i));
        return false;
      }
      cells[i] = {numbers_[unit], 0, static_cast<std::uint8_t>(unit)};
    }
    return true;
  }

  void read(std::vector<Cell>& cells, std::uint64_t begin, std::uint64_t count, const Known& known,
            const char* what, std::size_t unit) {
    if (begin + count > cells.size()) {
      report_here(fmt::format("reads {} {}, there are {}", what, begin + count - 1, cells.size()));
      return;
    }
    for (std::uint64_t i = begin; i < begin + count; ++i) {
      if (cells[i].writer == 0) {
        report_here(fmt::format("reads {} {} that nothing was written to", what, i));
        return;
      }
      if (cells[i].writer > known[cells[i].unit]) {
        report_here(fmt::format("reads {} {} that may still be on its way", what, i));
        return;
      }
      cells[i].reader = numbers_[unit];
    }
  }

  // Slab rows (or columns) that the taps of the tile touch.
  static std::vector<std::int64_t> touched(std::int64_t start, std::uint32_t outputs,
                                           std::uint32_t stride, std::uint32_t taps,
                                           std::uint32_t dilation, std::uint32_t extent) {
    std::vector<bool> hit(extent, false);
    for (std::uint32_t o = 0; o < outputs; ++o) {
      for (std::uint32_t t = 0; t < taps; ++t) {
        const std::int64_t at = start + std::int64_t{o} * stride + std::int64_t{t} * dilation;
        if (at >= 0 && at < extent) {
          hit[static_cast<std::size_t>(at)] = true;
        }
      }
    }
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i < hit.size(); ++i) {
      if (hit[i]) {
        result.push_back(static_cast<std::int64_t>(i));
      }
    }
    return result;
  }

  // Of the slab's (0, 0), for depthwise at the first group's atom.
  static std::int64_t slab_base(const Op& op) {
    return (std::int64_t{op.conv.origin} - op.tile.y0 * std::int64_t{op.kernel.row_pitch} -
            std::int64_t{op.tile.x0} * op.input.atoms) &
           ((1 << 20) - 1);
  }

  // Of the first column of a slab row.
  static std::int64_t row_atom(const Op& op, std::int64_t row) {
    const std::int64_t wrapped = row >= op.ring.row ? op.ring.atoms : 0;
    return (slab_base(op) + row * op.kernel.row_pitch - wrapped) & ((1 << 20) - 1);
  }

  bool has_kernels(const Op& op) {
    if (op.weights.last_kernels > hw_.atomic_k) {
      report_here(fmt::format("last_kernels is {}, the array has {}", op.weights.last_kernels,
                              hw_.atomic_k));
      return false;
    }
    return true;
  }

  [[nodiscard]] std::uint64_t kernels_in(const Op& op) const {
    return std::uint64_t{op.weights.groups - 1} * hw_.atomic_k + op.weights.last_kernels;
  }

  // Slab rows (or columns) that are walked for windows of `window` adjacent taps: all between the
  // first and the last when a window has several, those of the outputs when it has one.
  // A tile that resumes walks `stride` for each output.
  static std::vector<std::int64_t> walked(std::int64_t start, std::uint32_t outputs,
                                          std::uint32_t stride, std::uint32_t window,
                                          std::uint32_t chunks, std::uint32_t dilation,
                                          std::uint32_t extent, bool resume) {
    const std::uint32_t step = window == 1 ? stride : 1;
    const std::uint32_t count = window == 1 ? outputs
                                : resume    ? outputs * stride
                                            : (outputs - 1) * stride + window;
    std::vector<std::int64_t> result;
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
      const std::int64_t first = start + std::int64_t{chunk} * window * dilation;
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::int64_t at = first + std::int64_t{i} * step;
        if (at >= 0 && at < extent) {
          result.push_back(at);
        }
      }
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  // Whether the window's lines hold the rows just above the tile.
  [[nodiscard]] bool continues(const Op& op) const {
    if (!last_depthwise_) {
      return false;
    }
    const Op& last = *last_depthwise_;
    const std::int64_t walked_rows =
        last.resume
            ? std::int64_t{last.tile.rows} * last.kernel.stride_y
            : std::int64_t{last.tile.rows - 1} * last.kernel.stride_y + last.window.window_h;
    return last.input.values() == op.input.values() && last.kernel.values() == op.kernel.values() &&
           last.window.values() == op.window.values() && last.ring.values() == op.ring.values() &&
           op.window.chunks_y == 1 && op.window.chunks_x == 1 && last.weights.groups == 1 &&
           op.weights.groups == 1 && last.tile.x0 == op.tile.x0 && last.tile.cols == op.tile.cols &&
           slab_base(last) == slab_base(op) && last.tile.y0 + walked_rows == op.tile.y0;
  }

  void check_depthwise(const Op& op) {
    const Hardware::Window most = hw_.depthwise_window();
    const isa::CvWindow& window = op.window;
    if (window.window_h > most.rows || window.window_w > most.cols) {
      report_here(fmt::format("a window of {} x {}, the hardware has {} x {}", window.window_h,
                              window.window_w, most.rows, most.cols));
      return;
    }
    if (!has_kernels(op)) {
      return;
    }
    const std::uint32_t line = (op.tile.cols - 1) * op.kernel.stride_x + window.window_w;
    if (window.window_h > 1 && line > hw_.line_atoms) {
      report_here(fmt::format("lines of {} pixels, the window holds {}", line, hw_.line_atoms));
      return;
    }
    const auto rows = walked(op.tile.y0, op.tile.rows, op.kernel.stride_y, window.window_h,
                             window.chunks_y, op.kernel.dilation_y, op.input.rows, op.resume);
    const auto cols = walked(op.tile.x0, op.tile.cols, op.kernel.stride_x, window.window_w,
                             window.chunks_x, op.kernel.dilation_x, op.input.cols, false);
    if (op.resume && !continues(op)) {
      report_here("resumes rows that the window does not hold");
      return;
    }
    last_depthwise_ = op;
    for (const std::int64_t row : rows) {
      for (const std::int64_t col : cols) {
        read(cbuf_, static_cast<std::uint64_t>(row_atom(op, row) + col * op.input.atoms),
             op.weights.groups, op.known, "cbuf atom", kCompute);
      }
      if (problems_.size() >= kMaxProblems) {
        return;
      }
    }
    read(cbuf_, op.weights.address, kernels_in(op) * window.chunks_y * window.chunks_x, op.known,
         "cbuf atom", kCompute);
    accumulate(op, std::uint64_t{op.tile.rows} * op.tile.cols * op.weights.groups);
  }

  void check_conv(const Op& op) {
    const std::uint64_t pixels = std::uint64_t{op.tile.rows} * op.tile.cols;
    if (!has_kernels(op)) {
      return;
    }
    const auto rows = touched(op.tile.y0, op.tile.rows, op.kernel.stride_y, op.kernel.kernel_h,
                              op.kernel.dilation_y, op.input.rows);
    const auto cols = touched(op.tile.x0, op.tile.cols, op.kernel.stride_x, op.kernel.kernel_w,
                              op.kernel.dilation_x, op.input.cols);
    for (const std::int64_t row : rows) {
      // Runs of adjacent columns at once.
      for (std::size_t c = 0; c < cols.size();) {
        std::size_t end = c + 1;
        while (end < cols.size() && cols[end] == cols[end - 1] + 1) {
          ++end;
        }
        read(cbuf_, static_cast<std::uint64_t>(row_atom(op, row) + cols[c] * op.input.atoms),
             (end - c) * op.input.atoms, op.known, "cbuf atom", kCompute);
        c = end;
      }
      if (problems_.size() >= kMaxProblems) {
        return;
      }
    }
    read(cbuf_, op.weights.address,
         kernels_in(op) * op.kernel.kernel_h * op.kernel.kernel_w * op.input.atoms, op.known,
         "cbuf atom", kCompute);
    accumulate(op, pixels * op.weights.groups);
  }

  void accumulate(const Op& op, std::uint64_t words) {
    if (op.conv.acc_base + words > acc_.size()) {
      report_here(fmt::format("accumulates into word {}, there are {}",
                              op.conv.acc_base + words - 1, acc_.size()));
      return;
    }
    for (std::uint64_t w = op.conv.acc_base; w < op.conv.acc_base + words; ++w) {
      Cell& cell = acc_[w];
      const bool unread = cell.writer > 0 && cell.reader == 0;
      if (op.conv.accumulate != 0 && !unread) {
        report_here(fmt::format("adds to accumulator word {} that holds no sum", w));
        return;
      }
      if (op.conv.accumulate == 0 && unread) {
        report_here(fmt::format("overwrites accumulator word {} before it was stored", w));
        return;
      }
      if (cell.reader > op.known[kStore]) {
        report_here(fmt::format("overwrites accumulator word {} that may still be read", w));
        return;
      }
      cell = {numbers_[kCompute], 0, kCompute};
    }
  }

  void check_store(const Op& op) {
    const std::uint64_t kernels =
        std::uint64_t{op.store_tile.groups - 1} * hw_.atomic_k + op.store_tile.last_kernels;
    const std::uint64_t bytes =
        std::uint64_t{op.store_shape.segment_bytes} * op.store_shape.inner * op.store_shape.outer;
    const bool to_memory = op.store.keep_only == 0;
    if (!to_memory && op.store.keep == 0) {
      report_here("the tile is written nowhere");
      return;
    }
    if (op.store_tile.last_kernels > hw_.atomic_k ||
        (to_memory && bytes != kernels * op.store_tile.pixels)) {
      report_here(fmt::format("the tile has {} bytes, the write {}", kernels * op.store_tile.pixels,
                              bytes));
      return;
    }
    const std::uint64_t words = std::uint64_t{op.store_tile.pixels} * op.store_tile.groups;
    read(acc_, op.store.acc_base, words, op.known, "accumulator word", kStore);
    if (op.store.acc_base + words > acc_.size()) {
      return;
    }
    read(params_, op.store_tile.param_base, op.store_tile.groups, op.known, "parameter group",
         kStore);
    if (takes_operand(op)) {
      read(operands_, op.store.acc_base, std::uint64_t{op.store_tile.pixels} * op.store_tile.groups,
           op.known, "operand word", kStore);
    }
    if (takes_table(op)) {
      read(tables_, op.post.table_select, 1, op.known, "table", kStore);
    }
    if (op.store.keep != 0 && !keep(op)) {
      return;
    }
    if (!to_memory) {
      return;
    }
    for_segments(
        op.address.address, op.store_shape, op.store_stride, [&](std::uint64_t b, std::uint64_t e) {
          if (!external_.in_arena(b, e)) {
            report_here(
                fmt::format("writes external bytes {:#x}..{:#x} outside the activations", b, e));
          } else if (external_.store(b, e, numbers_[kStore], op.known[kLoad]) !=
                     ExternalMap::Problem::None) {
            report_here(fmt::format(
                "overwrites external bytes {:#x}..{:#x} that a load may still read", b, e));
          }
        });
  }

  bool keep(const Op& op) {
    if (hw_.atomic_c != hw_.atomic_k) {
      report_here("the hardware keeps nothing: its atomic_c is not its atomic_k");
      return false;
    }
    for (std::uint64_t pixel = 0; pixel < op.store_tile.pixels; ++pixel) {
      const std::uint64_t atom = op.store.dest + pixel / op.keep.cols * op.keep.row_step +
                                 pixel % op.keep.cols * op.keep.pixel_step;
      if (!fill(cbuf_, atom, op.store_tile.groups, op.known, kCompute, "cbuf atom", kStore)) {
        return false;
      }
    }
    return true;
  }

  const Program& program_;
  const Hardware& hw_;
  ExternalMap& external_;
  std::vector<std::string>& problems_;
  std::vector<Cell> cbuf_, acc_, params_, operands_, tables_;
  std::array<std::uint32_t, 3> numbers_{};
  std::size_t word_ = 0;
  std::optional<Op> last_depthwise_;
};

}  // namespace

std::vector<std::string> check_program(const Program& program) {
  std::vector<std::string> problems;
  Slot arena;
  for (const MemoryRegion& region : program.regions) {
    arena = region.kind == MemoryKind::Arena ? region.range : arena;
  }
  ExternalMap external(program.image.size(), arena.address, arena.address + arena.bytes);
  const auto set_valid = [&](const Slot& slot) {
    if (slot.address + slot.bytes > external.size()) {
      problems.push_back(fmt::format("bytes {:#x}..{:#x} are outside the map", slot.address,
                                     slot.address + slot.bytes));
      return;
    }
    external.set_valid(slot.address, slot.address + slot.bytes);
  };
  for (const MemoryRegion& region : program.regions) {
    if (region.kind == MemoryKind::Constants) {
      set_valid(region.range);
    }
  }
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    const Step& step = program.steps[s];
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
      if (program.input_steps[i] == s) {
        set_valid(program.inputs[i]);
      }
    }
    if (const auto* call = std::get_if<HostCall>(&step); call != nullptr) {
      set_valid(call->output);
      continue;
    }
    if (std::holds_alternative<NoCopy>(step)) {
      continue;
    }
    const auto& run = std::get<CommandRun>(step);
    if (run.stream.address + run.stream.bytes > program.image.size()) {
      problems.emplace_back("a command stream is outside the map");
      break;
    }
    RunChecker(program, external, problems).run(run);
  }
  return problems;
}

}  // namespace tessera
