// Aligned columns for the terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

using Row = std::vector<std::string>;

/// Digits in groups of three.
std::string grouped(std::uint64_t value);

/// The first row is the header; the first `names` columns are set to the left.
std::string aligned(std::vector<Row> rows, std::size_t names);

}  // namespace tessera
