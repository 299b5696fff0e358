#include "sweep/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "input/yaml_fields.hpp"
#include "sweep/listed_points.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"

namespace tessera::sweep {
namespace {

constexpr std::size_t kMostPoints = 1'000'000;

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

bool is_plain(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

void add_axis(Space& space, const std::string& key, const std::vector<std::string>& items,
              const std::string& where) {
  std::vector<std::string> values;
  std::set<std::string> seen;
  for (const std::string& item : items) {
    for (const std::string& value : expand_range(item, where)) {
      if (!seen.insert(value).second) {
        throw InputError(fmt::format("{}: `{}` is there twice", where, value));
      }
      values.push_back(value);
    }
  }
  space.axes.push_back({key, std::move(values)});
}

}  // namespace

std::size_t Space::points() const {
  if (!listed.empty()) {
    return listed.size();
  }
  std::size_t count = 1;
  for (const Axis& axis : axes) {
    count *= axis.values.size();
  }
  return count;
}

std::vector<std::size_t> Space::coordinates(std::size_t index) const {
  if (!listed.empty()) {
    return listed[index];
  }
  std::vector<std::size_t> at(axes.size());
  for (std::size_t a = axes.size(); a-- > 0;) {
    at[a] = index % axes[a].values.size();
    index /= axes[a].values.size();
  }
  return at;
}

std::vector<std::string> Space::values(std::size_t index) const {
  const std::vector<std::size_t> at = coordinates(index);
  std::vector<std::string> values;
  values.reserve(axes.size());
  for (std::size_t a = 0; a < axes.size(); ++a) {
    values.push_back(axes[a].values[at[a]]);
  }
  return values;
}

bool Space::on_one_curve(std::size_t a, std::size_t b) const {
  if (a == b || axes.empty() || axes.back().key != kCbufKey) {
    return a == b;
  }
  const std::vector<std::size_t> at = coordinates(a);
  return std::equal(at.begin(), at.end() - 1, coordinates(b).begin());
}

std::size_t Space::largest_cbuf(std::size_t index) const {
  // Sizes are sorted, and vary fastest.
  if (axes.empty() || axes.back().key != kCbufKey) {
    return index;
  }
  if (listed.empty()) {
    const std::size_t sizes = axes.back().values.size();
    return index / sizes * sizes + sizes - 1;
  }
  std::size_t last = index;
  while (last + 1 < points() && on_one_curve(index, last + 1)) {
    ++last;
  }
  return last;
}

std::vector<std::string> Space::overrides(std::size_t index) const {
  std::vector<std::string> sets;
  const std::vector<std::string> point = values(index);
  // Presets first: the other values are about what they give.
  for (const bool preset : {true, false}) {
    for (std::size_t a = 0; a < axes.size(); ++a) {
      if (!point[a].empty() && (axes[a].key.find('.') == std::string::npos) == preset) {
        sets.push_back(axes[a].key == kNetworkKey ? fmt::format("network=\"{}\"", point[a])
                                                  : axes[a].key + "=" + point[a]);
      }
    }
    if (preset) {
      sets.insert(sets.end(), fixed.begin(), fixed.end());
    }
  }
  const bool has_size = !axes.empty() && axes.back().key == kCbufKey && !point.back().empty();
  if (has_size && builds_sizes()) {
    sets.push_back(kCapacityKey + "=auto");
  }
  return sets;
}

bool Space::builds_sizes() const {
  const auto gives = [](const std::string& set) {
    return set.compare(0, kCapacityKey.size() + 1, kCapacityKey + "=") == 0;
  };
  return !limits && axis(kCapacityKey) == nullptr &&
         std::none_of(fixed.begin(), fixed.end(), gives);
}

std::string Space::group(std::size_t index) const {
  const std::vector<std::size_t> at = coordinates(index);
  std::string text;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::string section = axes[a].key.substr(0, axes[a].key.find('.'));
    if (section != "hardware" && section != "policy") {
      text += fmt::format("{}:{} ", a, at[a]);
    }
  }
  return text;
}

const Axis* Space::axis(const std::string& key) const {
  const auto found =
      std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.key == key; });
  return found == axes.end() ? nullptr : &*found;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      items.emplace_back();
      continue;
    }
    items.back() += c;
  }
  for (std::string& item : items) {
    item = trimmed(item);
  }
  return items;
}

std::vector<std::string> expand_range(const std::string& text, const std::string& where) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos || dots == 0 || text.find('/') != std::string::npos ||
      std::isdigit(static_cast<unsigned char>(text[0])) == 0) {
    return {text};
  }
  const std::size_t colon = text.find(':', dots);
  const std::string first = trimmed(text.substr(0, dots));
  const std::string last = trimmed(text.substr(dots + 2, colon - dots - 2));
  const std::string prefix = fmt::format("{}: range `{}`: ", where, text);
  const std::uint64_t begin = parse_size(first, prefix);
  const std::uint64_t end = parse_size(last, prefix);
  std::uint64_t step = 0;
  if (colon != std::string::npos) {
    step = parse_size(trimmed(text.substr(colon + 1)), prefix);
    if (step == 0) {
      throw InputError(prefix + "the step is 0; allowed is 1 or more");
    }
  }
  if (begin == 0 || end < begin) {
    throw InputError(prefix +
                     "write first..last with 0 < first <= last, and :step if the values "
                     "are not to double");
  }
  if (step != 0 && (end - begin) / step >= kMostPoints) {
    throw InputError(fmt::format("{}{} values; allowed are at most {}", prefix,
                                 (end - begin) / step + 1, kMostPoints));
  }
  std::vector<std::string> values;
  const bool plain = is_plain(first) && is_plain(last);
  for (std::uint64_t value = begin; value <= end; value += step != 0 ? step : value) {
    values.push_back(plain ? fmt::format("{}", value) : size_text(value));
    if (value > end / 2 && step == 0) {
      break;
    }
  }
  return values;
}

Space make_space(const SpaceRequest& request) {
  Space space;
  space.part = request.part;
  space.limits = request.limits;
  space.config = request.config;
  space.fixed = request.fixed;
  std::vector<std::string> networks;
  for (const std::string& text : request.networks) {
    // A file's name may have commas.
    std::error_code error;
    const bool is_file = std::filesystem::is_regular_file(text, error);
    for (const std::string& name : is_file ? std::vector{text} : split_list(text)) {
      networks.push_back(find_network(name, "."));
    }
  }
  if (!networks.empty()) {
    add_axis(space, kNetworkKey, networks, "--network");
  }
  for (const std::string& set : request.sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError(fmt::format("--set {}: write path.to.key=a,b,c", set));
    }
    const std::string key = set.substr(0, equals);
    const std::vector<std::string> items = split_list(set.substr(equals + 1));
    if (key == kNetworkKey) {
      throw InputError("--set network: give networks with --network");
    }
    if (items.size() == 1 && expand_range(items[0], "--set " + key).size() == 1 &&
        key != kCbufKey) {
      space.fixed.push_back(set);
      continue;
    }
    add_axis(space, key, items, "--set " + key);
  }
  if (!request.cbuf.empty()) {
    add_axis(space, kCbufKey, split_list(request.cbuf), "--cbuf");
  }
  // Sizes vary fastest: a curve's points lie side by side.
  std::stable_partition(space.axes.begin(), space.axes.end(),
                        [](const Axis& axis) { return axis.key != kCbufKey; });
  std::set<std::string> keys;
  for (const std::string& set : space.fixed) {
    const std::string key = set.substr(0, set.find('='));
    if (!keys.insert(key).second) {
      throw InputError(fmt::format("`{}` is given twice", key));
    }
  }
  std::size_t points = 1;
  for (Axis& axis : space.axes) {
    if (!keys.insert(axis.key).second) {
      throw InputError(fmt::format("`{}` is given twice", axis.key));
    }
    if (axis.key == kCbufKey) {
      for (std::string& value : axis.values) {
        value = size_text(parse_size(value, "--cbuf: "));
      }
      std::sort(axis.values.begin(), axis.values.end(),
                [](const std::string& a, const std::string& b) {
                  return parse_size(a, "") < parse_size(b, "");
                });
      if (const auto twice = std::adjacent_find(axis.values.begin(), axis.values.end());
          twice != axis.values.end()) {
        throw InputError(fmt::format("--cbuf: `{}` is there twice", *twice));
      }
    }
    points *= axis.values.size();
    if (points > kMostPoints) {
      throw InputError(fmt::format("more than {} points", kMostPoints));
    }
  }
  if (!request.points.empty()) {
    list_points(request.points, space);
  }
  return space;
}

Shard parse_shard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shard.number);
  bool good = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
  if (good) {
    const auto second = std::from_chars(first.ptr + 1, end, shard.count);
    good = second.ec == std::errc() && second.ptr == end;
  }
  if (!good || shard.number == 0 || shard.number > shard.count || shard.count > kMostPoints) {
    throw InputError(fmt::format("--shard {}: write i/n with 1 <= i <= n", text));
  }
  return shard;
}

}  // namespace tessera::sweep
