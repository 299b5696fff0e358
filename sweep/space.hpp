// What a sweep varies.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tessera::sweep {

/// Networks are an axis of this name, with files as values.
inline const std::string kNetworkKey = "network";
inline const std::string kCbufKey = "hardware.cbuf.size";
inline const std::string kCapacityKey = "hardware.cbuf.capacity";

/// One key of the configuration and its values, as `--set` takes them.
struct Axis {
  std::string key;
  std::vector<std::string> values;
};

struct Space {
  std::string config;              ///< file
  std::vector<std::string> fixed;  ///< "path.to.key=value", the same in all points
  std::vector<Axis> axes;          ///< the last one varies fastest
  /// By point and axis, the index of its value, when points are listed one by one; points that
  /// differ in the size of the cbuf alone lie side by side, by size. Empty: all combinations are
  /// points.
  std::vector<std::vector<std::size_t>> listed;
  std::string part;  ///< FPGA of the area columns; empty: none
  /// Sizes of the cbuf limit what is used of one buffer, as large as the preset's or as the largest
  /// of them needs. Else each point has a buffer built of just its size, unless the capacity is
  /// given.
  bool limits = false;
  [[nodiscard]] std::size_t points() const;
  /// By axis, the index of point `index`'s value.
  [[nodiscard]] std::vector<std::size_t> coordinates(std::size_t index) const;
  /// By axis, the value; "" where a listed point leaves it to the configuration.
  [[nodiscard]] std::vector<std::string> values(std::size_t index) const;
  /// The point that differs from that one only in having the largest cbuf.
  [[nodiscard]] std::size_t largest_cbuf(std::size_t index) const;
  /// Two points that differ in nothing else; all such points lie side by side.
  [[nodiscard]] bool on_one_curve(std::size_t a, std::size_t b) const;
  /// All that the configuration is overridden with for a point.
  [[nodiscard]] std::vector<std::string> overrides(std::size_t index) const;
  /// Index of the axis of that key, or nothing.
  [[nodiscard]] const Axis* axis(const std::string& key) const;
  /// Points that compete: of one network, with one memory, host and whatever else is no design
  /// (keys of `hardware` and `policy`). Equal texts are one group.
  [[nodiscard]] std::string group(std::size_t index) const;

 private:
  [[nodiscard]] bool builds_sizes() const;
};

/// What the command line says.
struct SpaceRequest {
  std::string config;
  std::vector<std::string> networks;  ///< names or files, each may be a list with commas
  std::string cbuf;                   ///< sizes: a list with commas, of sizes and ranges
  bool limits = false;                ///< as Space has it
  std::vector<std::string> sets;      ///< "path.to.key=a,b,c"; one value: fixed
  std::vector<std::string> fixed;     ///< never taken apart
  std::string part;                   ///< FPGA that area and clock are estimated for; or empty
  std::string points;  ///< JSON file, a list of maps from keys to values: points one by one
};

/// Splits at commas outside of quotes, brackets and braces.
std::vector<std::string> split_list(const std::string& text);

/// "16KiB..1MiB" is all doublings from the first to the last that is not above the second,
/// "16KiB..64KiB:8KiB" every eighth KiB; the same for plain integers. Anything else is itself.
/// Throws InputError, prefixed by `where`.
std::vector<std::string> expand_range(const std::string& text, const std::string& where);

/// Throws InputError: a key twice, a value twice, an empty list, more than a million points, a
/// point that is listed twice.
Space make_space(const SpaceRequest& request);

/// Share `i` of `n` has the points with index % n == i - 1, i from 1 to n.
struct Shard {
  std::size_t number = 1;
  std::size_t count = 1;
  [[nodiscard]] bool has(std::size_t point) const { return point % count == number - 1; }
};
/// From "3/8". Throws InputError.
Shard parse_shard(const std::string& text);

}  // namespace tessera::sweep
